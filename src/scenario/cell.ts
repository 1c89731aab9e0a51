import type { Spot } from './source.ts';

/** A value of a YAML file with the stretch of text that it stands in. */
export type Cell = ScalarCell | MapCell | ListCell | BrokenCell;

export interface ScalarCell {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** As written, without quotes: `11.00` where the value is 11. */
  readonly written: string;
  readonly spot: Spot;
  /** Offset of the value's first character, when value and source are the same text; for places within it. */
  readonly textStart?: number;
}

export interface Entry {
  readonly key: string;
  readonly keySpot: Spot;
  readonly value: Cell;
}

export interface MapCell {
  readonly kind: 'map';
  readonly spot: Spot;
  readonly entries: readonly Entry[];
}

interface ListCell {
  readonly kind: 'list';
  readonly spot: Spot;
  readonly items: readonly Cell[];
}

/** Something that was complained about already; whoever reads it stays silent. */
export interface BrokenCell {
  readonly kind: 'broken';
  readonly spot: Spot;
}

/** The value of a key of a map. */
export function entryOf(cell: MapCell, key: string): Entry | undefined {
  return cell.entries.find((entry) => entry.key === key);
}

/** What a cell is, for a sentence: `a list`, `the number 5`. */
export function describeCell(cell: Cell): string {
  switch (cell.kind) {
    case 'map':
      return 'a map';
    case 'list':
      return 'a list';
    case 'broken':
      return 'something else';
    case 'scalar':
      if (cell.value === null) return 'nothing';
      if (typeof cell.value === 'number') return `the number ${cell.written}`;
      if (typeof cell.value === 'boolean') return cell.written;
      return `"${cell.value.length > 40 ? `${cell.value.slice(0, 40)}…` : cell.value}"`;
  }
}
