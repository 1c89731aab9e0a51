import { z } from 'zod';
import { nearest } from '../../scenario/near.ts';
import { type Diagnostic, diagnosticAt } from '../../scenario/yaml/diagnostic.ts';
import type { Range } from '../../scenario/yaml/source.ts';
import { describeNode, type YamlNode } from '../../scenario/yaml/yaml-node.ts';

export type Path = readonly PropertyKey[];

/** The schema of one kind of file, and the nouns that diagnostics about such a file use. */
export interface Words {
  readonly schema: z.ZodType;
  /** The noun for the whole file, such as `a configuration`. */
  readonly whole: string;
  /** The noun for an item of a list, by the key of the list. The key `''` stands for a file that is itself a list. */
  readonly named: Readonly<Record<string, string>>;
  /** The kinds of value that a key with a union type accepts, as a phrase for the diagnostic. */
  readonly eitherOf: string;
}

export function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** The plain values of a YAML document, and the place of each value in the text. */
export class PlacedValues {
  readonly value: unknown;
  readonly #read: (text: string, path: Path) => string;
  readonly #nodes = new Map<string, { readonly node: YamlNode; readonly keyRange: Range }>();

  /** @param read returns the text that replaces a text of the document, such as a variable's value */
  constructor(root: YamlNode, read: (text: string, path: Path) => string = (text) => text) {
    this.#read = read;
    this.value = this.#plain(root, [], root.range);
  }

  node(path: Path): YamlNode | undefined {
    return this.#nodes.get(keyOf(path))?.node;
  }

  /** Returns the place of a value. If the value is missing, returns the key of the map that should contain it. */
  range(path: Path): Range {
    const found = this.#nodes.get(keyOf(path));
    return found ? found.node.range : this.keyRange(path.slice(0, -1));
  }

  keyRange(path: Path): Range {
    const found = this.#nodes.get(keyOf(path));
    return found ? found.keyRange : this.keyRange(path.slice(0, -1));
  }

  #plain(node: YamlNode, path: Path, keyRange: Range): unknown {
    this.#nodes.set(keyOf(path), { node, keyRange });
    switch (node.kind) {
      case 'map':
        return Object.fromEntries(
          node.entries.map(({ key, keyRange: range, value }) => [key, this.#plain(value, [...path, key], range)]),
        );
      case 'list':
        // If a value is missing in an item of a list, the diagnostic points at the beginning of the item, because items have no
        // keys.
        return node.items.map((item, index) => this.#plain(item, [...path, index], firstKey(item)));
      case 'scalar':
        return typeof node.value === 'string' ? this.#read(node.value, path) : node.value;
      case 'broken':
        return null;
    }
  }
}

function firstKey(node: YamlNode): Range {
  return node.kind === 'map' ? (node.entries[0]?.keyRange ?? node.range) : node.range;
}

/** Turns the issues that a schema found into diagnostics for the author of the file, one for each mistake. */
export function diagnosticsOf(
  issues: readonly z.core.$ZodIssue[],
  values: PlacedValues,
  words: Words,
): readonly Diagnostic[] {
  const meant = misspelt(issues, words);
  return issues.filter(({ path }) => !meant.has(keyOf(path))).flatMap((issue) => toDiagnostics(issue, values, words));
}

/**
 * Returns the paths of keys that are missing only because they are misspelt. The caller skips these paths, so that a misspelt key
 * gives one diagnostic and not two.
 */
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

function toDiagnostics(issue: z.core.$ZodIssue, values: PlacedValues, words: Words): readonly Diagnostic[] {
  const { path } = issue;
  const name = String(path.at(-1) ?? words.whole);
  const node = values.node(path);
  const at = (message: string, fix?: string) => [diagnosticAt(values.range(path), message, fix)];
  if (!node && (issue.code === 'invalid_type' || issue.code === 'invalid_union')) {
    return at(`${holder(path.slice(0, -1), words)} needs \`${name}\``);
  }
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(words.schema, path);
      return issue.keys.map((key) =>
        diagnosticAt(
          values.keyRange([...path, key]),
          `\`${key}\` is not a key of ${holder(path, words)}`,
          suggestion(key, known) ?? `known here: ${known.join(', ')}`,
        ),
      );
    }
    case 'invalid_key':
      return [diagnosticAt(values.keyRange(path), `\`${name}\` ${issue.issues[0]?.message ?? 'is not a key here'}`)];
    case 'invalid_type':
      if (issue.message.startsWith('must ')) return at(`\`${name}\` ${issue.message}`);
      if (typeof path.at(-1) === 'number')
        return at(`${holder(path, words)} must be a map, not ${node ? describeNode(node) : 'nothing'}`);
      return at(
        `${path.length === 0 ? name : `\`${name}\``} must be ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${node ? describeNode(node) : 'nothing'}`,
        issue.expected === 'string' ? inQuotes(node) : undefined,
      );
    case 'invalid_union':
      return at(`\`${name}\` must be ${words.eitherOf}`);
    case 'invalid_value': {
      const choices = issue.values.map(String);
      const near = node?.kind === 'scalar' ? suggestion(node.written, choices) : undefined;
      if (choices.length > MAX_LISTED) {
        // An item of a list has a number in place of a name, so the diagnostic shows its text.
        const shown = typeof path.at(-1) === 'number' && node?.kind === 'scalar' ? node.written : name;
        return at(`\`${shown}\` is not one of the ${choices.length} known values`, near);
      }
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

/** Maximum number of choices that a diagnostic lists. A longer list would make the mistake hard to see. */
const MAX_LISTED = 20;

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

/**
 * Suggests quotes for a value that must be text. Without quotes, YAML reads 11.00 as 11, and changes the last digits of
 * a long id.
 */
function inQuotes(node: YamlNode | undefined): string | undefined {
  if (node?.kind !== 'scalar' || node.value === null || typeof node.value === 'string') return undefined;
  return `write it in quotes: "${node.written}"`;
}

/** Returns the noun for the value at a path, such as `a client`. */
function holder(path: Path, { whole, named }: Words): string {
  const name = path.findLast((part) => typeof part === 'string');
  return name === undefined ? (path.length === 0 ? whole : (named[''] ?? whole)) : (named[name] ?? `\`${name}\``);
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** Returns the keys that the schema allows at a path. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let shape: Shape | undefined = z.toJSONSchema(schema, { io: 'input', reused: 'inline' }) as Shape;
  for (const part of path) {
    const parent: Shape | undefined = shape?.anyOf?.find((choice) => choice.properties) ?? shape;
    shape = typeof part === 'number' ? parent?.items : parent?.properties?.[String(part)];
  }
  return Object.keys((shape?.anyOf?.find((choice) => choice.properties) ?? shape)?.properties ?? {});
}
