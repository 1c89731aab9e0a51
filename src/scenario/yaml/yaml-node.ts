import type { Range } from './source.ts';

/** A value of a YAML file, with its range in the text. */
export type YamlNode = ScalarNode | MapNode | ListNode | BrokenNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text in the file, without quotes. It keeps details that the value loses, for example `11.00` for the number 11. */
  readonly written: string;
  readonly range: Range;
  /**
   * The offset of the value's first character, which is used to find places inside the value. Absent if the value differs from
   * the text in the file, for example because of escapes.
   */
  readonly textStart?: number;
}

export interface Entry {
  readonly key: string;
  readonly keyRange: Range;
  readonly value: YamlNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly range: Range;
  readonly entries: readonly Entry[];
}

interface ListNode {
  readonly kind: 'list';
  readonly range: Range;
  readonly items: readonly YamlNode[];
}

/** A value with a mistake that was already reported. Code that reads it reports no further mistake. */
export interface BrokenNode {
  readonly kind: 'broken';
  readonly range: Range;
}

/** Returns the entry of a map with this key. Undefined if the map has no such key. */
export function entryOf(node: MapNode, key: string): Entry | undefined {
  return node.entries.find((entry) => entry.key === key);
}

/** Describes a node as part of a sentence, for example `a list` or `the number 5`. */
export function describeNode(node: YamlNode): string {
  switch (node.kind) {
    case 'map':
      return 'a map';
    case 'list':
      return 'a list';
    case 'broken':
      return 'something else';
    case 'scalar':
      if (node.value === null) return 'nothing';
      if (typeof node.value === 'number') return `the number ${node.written}`;
      if (typeof node.value === 'boolean') return node.written;
      return `"${node.value.length > 40 ? `${node.value.slice(0, 40)}…` : node.value}"`;
  }
}
