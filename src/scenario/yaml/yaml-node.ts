import type { Range } from './source.ts';

/** A value of a YAML file with its range in the text. */
export type YamlNode = ScalarNode | MapNode | ListNode | BrokenNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text in the file, without quotes: `11.00` for the value 11. */
  readonly written: string;
  readonly range: Range;
  /** The offset of the value's first character, if the value equals the text in the file. Places inside the value need it. */
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

/** A value with a mistake that was already reported. A reader reports nothing about it. */
export interface BrokenNode {
  readonly kind: 'broken';
  readonly range: Range;
}

/** The value of a key of a map. */
export function entryOf(node: MapNode, key: string): Entry | undefined {
  return node.entries.find((entry) => entry.key === key);
}

/** Describes a node in a sentence: `a list`, `the number 5`. */
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
