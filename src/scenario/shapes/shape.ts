import type { Reading } from '../reading.ts';
import { suggestion } from '../synonyms.ts';
import type { Range } from '../yaml/source.ts';
import { describeNode, type YamlNode } from '../yaml/yaml-node.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * One definition of a value, with two uses: it reads the value and reports mistakes, and it describes the value to editors as JSON
 * Schema.
 */
export interface Shape<T> {
  /** Reads a value. Returns undefined if a mistake was reported. */
  read(node: YamlNode, reading: Reading): T | undefined;
  json(): JsonSchema;
}

/**
 * A map that was read. `values` has the values by key, and `keys` the places of the keys. If a key has a place but no value, a
 * mistake in the value was reported.
 */
export interface ReadMap<T> {
  readonly values: { readonly [K in keyof T]?: T[K] };
  readonly keys: ReadonlyMap<string, Range>;
  readonly range: Range;
  /** The number of keys in the text, unknown keys included. */
  readonly size: number;
}

export interface Field<T> {
  readonly shape: Shape<T>;
  /** The text that an editor shows for the key. */
  readonly about: string;
  readonly required?: boolean;
}

type Fields<T> = { readonly [K in keyof T]: Field<T[K]> };

/** The JSON Schema of a value that is a case variable or a parameter. */
export const INTERPOLATED: JsonSchema = { type: 'string', pattern: '\\$\\{[^}]+\\}' };

export function field<T>(about: string, shape: Shape<T>, required = false): Field<T> {
  return { shape, about, required };
}

/**
 * Reports that a node is not what is expected.
 *
 * @param wanted a noun phrase, such as `a list of steps`
 * @returns undefined, so that a shape can return the result directly
 */
export function refuse(reading: Reading, node: YamlNode, wanted: string, fix?: string): undefined {
  if (node.kind === 'broken') return undefined;
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.value.includes('${')) {
    reading.report(
      node.range,
      `expected ${wanted}, and its value must be known before the first call is sent`,
      'only case variables and parameters can be used here',
    );
    return undefined;
  }
  reading.report(node.range, `expected ${wanted}, not ${describeNode(node)}`, fix);
  return undefined;
}

export function list<T>(what: string, of: Shape<T>): Shape<readonly T[]> {
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind !== 'list')
        return refuse(reading, resolved, what, 'write [a, b], or one item per line, each with a dash');
      if (resolved.items.length === 0) {
        reading.report(resolved.range, 'this list is empty');
        return undefined;
      }
      const items = resolved.items.map((item) => (reading.isFull ? undefined : of.read(item, reading)));
      return items.every((item) => item !== undefined) ? items : undefined;
    },
    json: () => ({ type: 'array', minItems: 1, items: of.json() }),
  };
}

/** Creates the shape of a map whose keys the author chooses. */
export function dictionary<T>(what: string, of: Shape<T>): Shape<readonly (readonly [string, T])[]> {
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind !== 'map') return refuse(reading, resolved, what);
      if (resolved.entries.length === 0)
        return refuse(reading, { ...resolved, kind: 'scalar', value: null, written: '' }, what);
      const entries = resolved.entries.map((entry) => [entry.key, of.read(entry.value, reading)] as const);
      const valid = entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
      return valid.length === entries.length ? valid : undefined;
    },
    json: () => ({ type: 'object', minProperties: 1, additionalProperties: of.json() }),
  };
}

/** Creates the shape of a map with known keys. With `may be empty`, a missing value (`bet:`) is read as a map without keys. */
export function map<T>(
  what: string,
  fields: Fields<T>,
  empty: 'may be empty' | 'not empty' = 'not empty',
): Shape<ReadMap<T>> {
  const names = Object.keys(fields) as (keyof T & string)[];
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind === 'scalar' && resolved.value === null && empty === 'may be empty')
        return { values: {}, keys: new Map(), range: resolved.range, size: 0 };
      if (resolved.kind !== 'map') return refuse(reading, resolved, what, `keys possible here: ${names.join(', ')}`);
      const values: { [K in keyof T]?: T[K] } = {};
      const keys = new Map<string, Range>();
      // A diagnostic about an unknown key may already suggest the missing key. Then the missing key is not reported again.
      const meant = new Set<string | undefined>();
      for (const entry of resolved.entries) {
        const known = names.find((each) => each === entry.key);
        if (known === undefined) {
          meant.add(unknownKey(reading, entry.key, entry.keyRange, names, what));
          continue;
        }
        keys.set(known, entry.keyRange);
        const value = fields[known].shape.read(entry.value, reading);
        if (value !== undefined) values[known] = value;
      }
      for (const each of names) {
        if (fields[each].required && !keys.has(each) && !meant.has(each))
          reading.report(resolved.range, `\`${each}\` is missing in ${what}`);
      }
      return { values, keys, range: resolved.range, size: resolved.entries.length };
    },
    json: () => {
      const required = names.filter((each) => fields[each].required);
      return {
        type: empty === 'may be empty' ? ['object', 'null'] : 'object',
        properties: properties(fields),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      };
    },
  };
}

function properties<T>(fields: Fields<T>): JsonSchema {
  const names = Object.keys(fields) as (keyof T & string)[];
  return Object.fromEntries(
    names.map((each) => [each, { description: fields[each].about, ...fields[each].shape.json() }]),
  );
}

/** Reports a key that is not known. Returns the key that the complaint suggests; undefined if it suggests no key. */
function unknownKey(
  reading: Reading,
  key: string,
  range: Range,
  known: readonly string[],
  what: string,
): string | undefined {
  const near = suggestion(key, known);
  reading.report(
    range,
    `unknown key \`${key}\` in ${what}`,
    near ? `did you mean \`${near}\`?` : `possible here: ${known.join(', ')}`,
  );
  return near;
}

interface ByKind<S, M, L> {
  readonly scalar?: Shape<S>;
  readonly map?: Shape<M>;
  readonly list?: Shape<L>;
}

/**
 * Creates the shape of a value that may be, for example, a word or a map. The kind of the YAML node decides which of the shapes
 * reads the value.
 */
export function byKind<S = never, M = never, L = never>(wanted: string, shapes: ByKind<S, M, L>): Shape<S | M | L> {
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind === 'broken') return undefined;
      if (resolved.kind === 'scalar' && resolved.value === null) return refuse(reading, resolved, wanted);
      const shape: Shape<S | M | L> | undefined = shapes[resolved.kind];
      return shape ? shape.read(resolved, reading) : refuse(reading, resolved, wanted);
    },
    json: () => ({ anyOf: Object.values(shapes).map((shape: Shape<unknown>) => shape.json()) }),
  };
}

/** Creates a shape that reads a value and converts it to another one. */
export function transform<T, U>(
  shape: Shape<T>,
  change: (value: T, node: YamlNode, reading: Reading) => U | undefined,
): Shape<U> {
  return {
    read(node, reading) {
      const value = shape.read(node, reading);
      return value === undefined ? undefined : change(value, node, reading);
    },
    json: () => shape.json(),
  };
}
