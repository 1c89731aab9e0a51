import type { z } from 'zod';
import { type Cell, describeCell } from '../scenario/cell.ts';
import { type Complaint, complaintAt } from '../scenario/complaint.ts';
import { nearest } from '../scenario/near.ts';
import type { Spot } from '../scenario/source.ts';
import { knownKeys } from './known-keys.ts';

export type Path = readonly PropertyKey[];

/** How the complaints about one kind of file speak. */
export interface Words {
  readonly schema: z.ZodType;
  /** The whole of it, as a person would call it. */
  readonly whole: string;
  /** What stands in a list, by the key of the list; under '' what stands in a file that is a list itself. */
  readonly named: Readonly<Record<string, string>>;
  /** What a value must be that can be one of several kinds. */
  readonly eitherOf: string;
}

export function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** The plain values of a document, with the way back to where each of them stands. */
export class PlacedValues {
  readonly value: unknown;
  readonly #read: (text: string, path: Path) => string;
  readonly #cells = new Map<string, { readonly cell: Cell; readonly keySpot: Spot }>();

  /** @param read gives what a text stands for */
  constructor(root: Cell, read: (text: string, path: Path) => string = (text) => text) {
    this.#read = read;
    this.value = this.#plain(root, [], root.spot);
  }

  cell(path: Path): Cell | undefined {
    return this.#cells.get(keyOf(path))?.cell;
  }

  /** Of a value that is not there, the key of what it is missing from. */
  spot(path: Path): Spot {
    const found = this.#cells.get(keyOf(path));
    return found ? found.cell.spot : this.keySpot(path.slice(0, -1));
  }

  keySpot(path: Path): Spot {
    const found = this.#cells.get(keyOf(path));
    return found ? found.keySpot : this.keySpot(path.slice(0, -1));
  }

  #plain(cell: Cell, path: Path, keySpot: Spot): unknown {
    this.#cells.set(keyOf(path), { cell, keySpot });
    switch (cell.kind) {
      case 'map':
        return Object.fromEntries(
          cell.entries.map(({ key, keySpot: spot, value }) => [key, this.#plain(value, [...path, key], spot)]),
        );
      case 'list':
        // A list has no keys; what is missing in an item is shown at the item's beginning.
        return cell.items.map((item, index) => this.#plain(item, [...path, index], firstKey(item)));
      case 'scalar':
        return typeof cell.value === 'string' ? this.#read(cell.value, path) : cell.value;
      case 'broken':
        return null;
    }
  }
}

function firstKey(cell: Cell): Spot {
  return cell.kind === 'map' ? (cell.entries[0]?.keySpot ?? cell.spot) : cell.spot;
}

/** What a schema has against a file, for the person who wrote it: one mistake, one complaint. */
export function complaintsOf(
  issues: readonly z.core.$ZodIssue[],
  values: PlacedValues,
  words: Words,
): readonly Complaint[] {
  const meant = misspelt(issues, words);
  return issues.filter(({ path }) => !meant.has(keyOf(path))).flatMap((issue) => toComplaints(issue, values, words));
}

/** Paths of keys that are missing only because they are misspelt: one mistake, one complaint. */
function misspelt(issues: readonly z.core.$ZodIssue[], { schema }: Words): ReadonlySet<string> {
  return new Set(
    issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return [];
      const known = knownKeys(schema, issue.path);
      return issue.keys.flatMap((key) => {
        const near = nearest(key, known);
        return near === undefined ? [] : [keyOf([...issue.path, near])];
      });
    }),
  );
}

function toComplaints(issue: z.core.$ZodIssue, values: PlacedValues, words: Words): readonly Complaint[] {
  const { path } = issue;
  const name = String(path.at(-1) ?? words.whole);
  const cell = values.cell(path);
  const at = (message: string, mend?: string) => [complaintAt(values.spot(path), message, mend)];
  if (!cell && (issue.code === 'invalid_type' || issue.code === 'invalid_union')) {
    return at(`${holder(path.slice(0, -1), words)} needs \`${name}\``);
  }
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(words.schema, path);
      return issue.keys.map((key) =>
        complaintAt(
          values.keySpot([...path, key]),
          `\`${key}\` is no key of ${holder(path, words)}`,
          suggestion(key, known) ?? `known here: ${known.join(', ')}`,
        ),
      );
    }
    case 'invalid_key':
      return [complaintAt(values.keySpot(path), `\`${name}\` ${issue.issues[0]?.message ?? 'is no key here'}`)];
    case 'invalid_type':
      if (issue.message.startsWith('must ')) return at(`\`${name}\` ${issue.message}`);
      if (typeof path.at(-1) === 'number')
        return at(`${holder(path, words)} must be a map, not ${cell ? describeCell(cell) : 'nothing'}`);
      return at(
        `${path.length === 0 ? name : `\`${name}\``} must be ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${cell ? describeCell(cell) : 'nothing'}`,
        issue.expected === 'string' ? inQuotes(cell) : undefined,
      );
    case 'invalid_union':
      return at(`\`${name}\` must be ${words.eitherOf}`);
    case 'invalid_value': {
      const choices = issue.values.map(String);
      const near = cell?.kind === 'scalar' ? suggestion(cell.written, choices) : undefined;
      if (choices.length > MOST_LISTED) return at(`\`${name}\` is none of the ${choices.length} that there are`, near);
      return at(`\`${name}\` must be one of: ${choices.join(', ')}`, near);
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'too_big':
    case 'too_small':
      return at(`\`${name}\` ${issue.message}`);
  }
}

/** More choices than these would hide what the complaint is about. */
const MOST_LISTED = 20;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function suggestion(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/** YAML has already made something else of unquoted digits: 11.00 would become 11, and a long id lose its last digits. */
function inQuotes(cell: Cell | undefined): string | undefined {
  if (cell?.kind !== 'scalar' || cell.value === null || typeof cell.value === 'string') return undefined;
  return `write it in quotes: "${cell.written}"`;
}

/** What stands at a path, as a person would call it. */
function holder(path: Path, { whole, named }: Words): string {
  const name = path.findLast((part) => typeof part === 'string');
  return name === undefined ? (path.length === 0 ? whole : (named[''] ?? whole)) : (named[name] ?? `\`${name}\``);
}
