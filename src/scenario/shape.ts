import { type Cell, describeCell, type ScalarCell } from './cell.ts';
import { readDuration } from './duration.ts';
import { nearest } from './near.ts';
import type { Template } from './plan.ts';
import type { Reading } from './reading.ts';
import type { Word } from './scenario.ts';
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

/** A text; numbers and such must be quoted. */
function readText(cell: Cell, reading: Reading, wanted: string): (ScalarCell & { value: string }) | undefined {
  const settled = reading.settle(cell);
  if (settled.kind === 'scalar') {
    if (typeof settled.value === 'string') return { ...settled, value: settled.value };
    if (settled.value !== null) return refuse(reading, settled, wanted, `write "${settled.written}"`);
  }
  return refuse(reading, settled, wanted);
}

/** One of a few words. */
export function word<const W extends string>(
  what: string,
  words: readonly W[],
  about: Partial<Record<W, string>> = {},
): Shape<W> {
  const listed = words.join(', ');
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar' || typeof settled.value !== 'string')
        return refuse(reading, settled, `${what} (${listed})`);
      const found = words.find((each) => each === settled.value);
      if (found) return found;
      if (settled.value.includes('${')) return refuse(reading, settled, what);
      const near = nearest(settled.value, words);
      reading.complain(
        settled.spot,
        `\`${settled.value}\` is not ${what}`,
        near ? `did you mean \`${near}\`?` : `possible: ${listed}`,
      );
      return undefined;
    },
    json: () => {
      const documented = words.map((each) => ({ const: each, ...(about[each] && { description: about[each] }) }));
      const choice = Object.keys(about).length > 0 ? { oneOf: documented } : { enum: words };
      return { anyOf: [choice, INTERPOLATED] };
    },
  };
}

/** Text without `${…}` of its own meaning, such as a title. */
export function text(what: string): Shape<Word> {
  return {
    read(cell, reading) {
      const found = readText(cell, reading, what);
      if (!found) return undefined;
      if (found.value.trim() === '') return refuse(reading, found, what);
      return { text: found.value, spot: found.spot };
    },
    json: () => ({ type: 'string', minLength: 1 }),
  };
}

/** What a step, a session, a case variable can be called. */
export const NAME = /^[A-Za-z_]\w*(-[A-Za-z]\w*)*$/;

/** A name that a scenario gives, or refers to. */
export function name(what: string): Shape<Word> {
  return {
    read(cell, reading) {
      const found = readText(cell, reading, what);
      if (!found) return undefined;
      if (found.value.includes('${')) return refuse(reading, found, what);
      if (NAME.test(found.value)) return { text: found.value, spot: found.spot };
      reading.complain(
        found.spot,
        `\`${found.value}\` cannot be a name`,
        'a name has letters, digits, _ and -, and begins with a letter',
      );
      return undefined;
    },
    json: () => ({ anyOf: [{ type: 'string', pattern: NAME.source }, INTERPOLATED] }),
  };
}

const AMOUNT = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * An amount: a plain decimal in quotes, or `${…}`.
 *
 * @param strict false where a scenario may send what is no amount, to see what happens
 */
export function money(what: string, strict: boolean): Shape<Template> {
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar' || settled.value === null) return refuse(reading, settled, `${what}, in quotes`);
      if (typeof settled.value !== 'string') {
        reading.complain(
          settled.spot,
          `${what} must be text in quotes, not ${describeCell(settled)}`,
          `write "${settled.written}"`,
        );
        return undefined;
      }
      if (strict && !settled.value.includes('${') && !AMOUNT.test(settled.value)) {
        return refuse(
          reading,
          settled,
          what,
          'write a plain decimal such as "11.00", or an expression such as "${2 * stake}"',
        );
      }
      return reading.template(settled);
    },
    json: () => ({
      type: 'string',
      ...(strict ? { anyOf: [{ pattern: AMOUNT.source }, { pattern: INTERPOLATED['pattern'] }] } : {}),
      examples: ['${stake}', '${2 * stake}', '${stake + unit}'],
    }),
  };
}

/** An id or other text with `${…}`. */
export function templateText(what: string): Shape<Template> {
  return {
    read(cell, reading) {
      const found = readText(cell, reading, `${what}, in quotes`);
      return found && reading.template(found);
    },
    json: () => ({ type: 'string' }),
  };
}

/** Any JSON value, with `${…}` in its texts. An unquoted decimal is taken for money, and must be quoted. */
export function anything(): Shape<Template> {
  const shape: Shape<Template> = {
    read(cell, reading) {
      const settled = reading.settle(cell);
      switch (settled.kind) {
        case 'broken':
          return undefined;
        case 'scalar':
          if (typeof settled.value === 'number' && /[.eE]/.test(settled.written)) {
            reading.complain(
              settled.spot,
              `the number ${settled.written} must be in quotes: without them its exact digits are lost`,
              `write "${settled.written}"`,
            );
            return undefined;
          }
          return reading.template(settled);
        case 'list': {
          const items = settled.items.map((item) => shape.read(item, reading));
          return items.every((item) => item !== undefined) ? { kind: 'list', items } : undefined;
        }
        case 'map': {
          const entries = settled.entries.map((entry) => [entry.key, shape.read(entry.value, reading)] as const);
          const sound = entries.flatMap(([key, value]) => (value ? [[key, value] as const] : []));
          return sound.length === entries.length ? { kind: 'map', entries: sound } : undefined;
        }
      }
    },
    json: () => ({}),
  };
  return shape;
}

export function integer(what: string, least: number, most: number): Shape<number> {
  const wanted = `${what}: a whole number from ${least} to ${most}`;
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar') return refuse(reading, settled, wanted);
      const { value } = settled;
      if (typeof value === 'string' && /^\d+$/.test(value))
        return refuse(reading, settled, wanted, `write ${value} without quotes`);
      if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
        return refuse(reading, settled, wanted);
      return value;
    },
    json: () => ({ anyOf: [{ type: 'integer', minimum: least, maximum: most }, INTERPOLATED] }),
  };
}

/** A length of time in ms, or one of a few words. */
export function duration<const W extends string = never>(what: string, words: readonly W[] = []): Shape<number | W> {
  const wanted = [...words.map((each) => `\`${each}\``), `${what} such as 300ms, 2s or 1m`].join(' or ');
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar' || typeof settled.value !== 'string') {
        const unit =
          settled.kind === 'scalar' && typeof settled.value === 'number'
            ? `a number needs its unit: ${settled.written}ms or ${settled.written}s`
            : undefined;
        return refuse(reading, settled, wanted, unit);
      }
      const { value } = settled;
      const found = words.find((each) => each === value);
      if (found) return found;
      const near = nearest(value, words);
      return readDuration(value) ?? refuse(reading, settled, wanted, near && `did you mean \`${near}\`?`);
    },
    json: () => ({
      anyOf: [
        ...(words.length > 0 ? [{ enum: words }] : []),
        { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m)$' },
        INTERPOLATED,
      ],
    }),
  };
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

export function properties<T>(fields: Fields<T>): JsonSchema {
  const names = Object.keys(fields) as (keyof T & string)[];
  return Object.fromEntries(
    names.map((each) => [each, { description: fields[each].about, ...fields[each].shape.json() }]),
  );
}

export function unknownKey(reading: Reading, key: string, spot: Spot, known: readonly string[], what: string): void {
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
