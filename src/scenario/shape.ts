import { type Cell, describeCell } from './cell.ts';
import { nearest } from './near.ts';
import type { Reading } from './reading.ts';
import type { Spot } from './source.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** One definition, two uses: how a value is read (with complaints), and how an editor is told about it. */
export interface Shape<T> {
  /** undefined: it was complained about. */
  read(cell: Cell, reading: Reading): T | undefined;
  json(): JsonSchema;
}

/** What a map holds: its values by key, and where the keys stand. A key that is there without a value was complained about. */
export interface ReadMap<T> {
  readonly values: { readonly [K in keyof T]?: T[K] };
  readonly keys: ReadonlyMap<string, Spot>;
  readonly spot: Spot;
  /** How many keys were written, unknown ones too. */
  readonly size: number;
}

export interface Field<T> {
  readonly shape: Shape<T>;
  /** For the reader of the hover. */
  readonly about: string;
  readonly required?: boolean;
}

type Fields<T> = { readonly [K in keyof T]: Field<T[K]> };

/** What an editor accepts wherever a case variable or parameter can stand. */
export const INTERPOLATED: JsonSchema = { type: 'string', pattern: '\\$\\{[^}]+\\}' };

export function field<T>(about: string, shape: Shape<T>, required = false): Field<T> {
  return { shape, about, required };
}

export function refuse(reading: Reading, cell: Cell, wanted: string, mend?: string): undefined {
  if (cell.kind === 'broken') return undefined;
  if (cell.kind === 'scalar' && typeof cell.value === 'string' && cell.value.includes('${')) {
    reading.complain(
      cell.spot,
      `here must be ${wanted}, known before anything is sent`,
      'only case variables and parameters can be used in this place',
    );
    return undefined;
  }
  reading.complain(cell.spot, `here must be ${wanted}, not ${describeCell(cell)}`, mend);
  return undefined;
}

export function list<T>(what: string, of: Shape<T>): Shape<readonly T[]> {
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'list')
        return refuse(reading, settled, what, 'a list is written [a, b], or with a dash before each of its lines');
      if (settled.items.length === 0) {
        reading.complain(settled.spot, 'this list is empty');
        return undefined;
      }
      const items = settled.items.map((item) => of.read(item, reading));
      return items.every((item) => item !== undefined) ? items : undefined;
    },
    json: () => ({ type: 'array', minItems: 1, items: of.json() }),
  };
}

/** A map whose keys are the author's own. */
export function dictionary<T>(what: string, of: Shape<T>): Shape<readonly (readonly [string, T])[]> {
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'map') return refuse(reading, settled, what);
      if (settled.entries.length === 0)
        return refuse(reading, { ...settled, kind: 'scalar', value: null, written: '' }, what);
      const entries = settled.entries.map((entry) => [entry.key, of.read(entry.value, reading)] as const);
      const sound = entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
      return sound.length === entries.length ? sound : undefined;
    },
    json: () => ({ type: 'object', minProperties: 1, additionalProperties: of.json() }),
  };
}

/** A map with known keys. Nothing at all (`bet:`) is the map without keys where `empty` says so. */
export function map<T>(
  what: string,
  fields: Fields<T>,
  empty: 'may be empty' | 'not empty' = 'not empty',
): Shape<ReadMap<T>> {
  const names = Object.keys(fields) as (keyof T & string)[];
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind === 'scalar' && settled.value === null && empty === 'may be empty')
        return { values: {}, keys: new Map(), spot: settled.spot, size: 0 };
      if (settled.kind !== 'map') return refuse(reading, settled, what, `keys possible here: ${names.join(', ')}`);
      const values: { [K in keyof T]?: T[K] } = {};
      const keys = new Map<string, Spot>();
      for (const entry of settled.entries) {
        const known = names.find((each) => each === entry.key);
        if (known === undefined) {
          unknownKey(reading, entry.key, entry.keySpot, names, what);
          continue;
        }
        keys.set(known, entry.keySpot);
        const value = fields[known].shape.read(entry.value, reading);
        if (value !== undefined) values[known] = value;
      }
      for (const each of names) {
        if (fields[each].required && !keys.has(each))
          reading.complain(settled.spot, `\`${each}\` is missing in ${what}`);
      }
      return { values, keys, spot: settled.spot, size: settled.entries.length };
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

function unknownKey(reading: Reading, key: string, spot: Spot, known: readonly string[], what: string): void {
  const near = nearest(key, known);
  reading.complain(
    spot,
    `unknown key \`${key}\` in ${what}`,
    near ? `did you mean \`${near}\`?` : `possible here: ${known.join(', ')}`,
  );
}

interface ByKind<S, M, L> {
  readonly scalar?: Shape<S>;
  readonly map?: Shape<M>;
  readonly list?: Shape<L>;
}

/** A shape for each kind of value: a word or a map, say. */
export function byKind<S = never, M = never, L = never>(wanted: string, shapes: ByKind<S, M, L>): Shape<S | M | L> {
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind === 'broken') return undefined;
      if (settled.kind === 'scalar' && settled.value === null) return refuse(reading, settled, wanted);
      const shape: Shape<S | M | L> | undefined = shapes[settled.kind];
      return shape ? shape.read(settled, reading) : refuse(reading, settled, wanted);
    },
    json: () => ({ anyOf: Object.values(shapes).map((shape: Shape<unknown>) => shape.json()) }),
  };
}

/** What a shape gives, made into something else. */
export function transform<T, U>(
  shape: Shape<T>,
  change: (value: T, cell: Cell, reading: Reading) => U | undefined,
): Shape<U> {
  return {
    read(cell, reading) {
      const value = shape.read(cell, reading);
      return value === undefined ? undefined : change(value, cell, reading);
    },
    json: () => shape.json(),
  };
}
