import { type Fields, isFields } from '../../json-fields.ts';
import { LOG_FIELDS, type LogField, type LogForm } from './log-form.ts';

/** A value in an object that may be the value of a field. */
interface FieldValue {
  readonly path: string;
  readonly value: unknown;
  /** The position of the path in the list of paths of the field. The first path with a usable value counts. */
  readonly rank: number;
  /** The number of objects around the value. */
  readonly depth: number;
}

/** The values in an object, for each field that the object has. */
export type FieldValues = { readonly [F in LogField]?: readonly FieldValue[] };

/** A name in an object, and what it means. */
interface Name {
  /** The fields whose path ends with this name. */
  readonly fields: { readonly field: LogField; readonly path: string; readonly rank: number }[];
  /** The names in the inner object with this name; null if no path continues there. */
  inner: Names | null;
}

type Names = Map<string, Name>;

const NAMES = new WeakMap<LogForm['fields'], Names>();

function namesOf({ fields }: LogForm): Names {
  const known = NAMES.get(fields);
  if (known) return known;
  const names: Names = new Map();
  for (const field of LOG_FIELDS)
    for (const [rank, path] of fields[field].entries()) add(names, path, { field, path, rank });
  NAMES.set(fields, names);
  return names;
}

/** Adds a path. A name with a dot may be the name of one field, or the names of nested objects. */
function add(names: Names, rest: string, end: Name['fields'][number]): void {
  nameIn(names, rest).fields.push(end);
  const point = rest.indexOf('.');
  if (point < 0) return;
  const outer = nameIn(names, rest.slice(0, point));
  outer.inner ??= new Map();
  add(outer.inner, rest.slice(point + 1), end);
}

function nameIn(names: Names, name: string): Name {
  const known = names.get(name);
  if (known) return known;
  const made: Name = { fields: [], inner: null };
  names.set(name, made);
  return made;
}

/** The object whose values were found last. Many fields of the same object are read one after another. */
let last: { readonly object: Fields; readonly fields: LogForm['fields']; readonly values: FieldValues } | null = null;

/**
 * Finds the values of all fields in an object. Looks at each name of the object once, because an object has few names, and all
 * fields together have some hundred paths. The object must not change later.
 */
export function valuesOf(object: Fields, form: LogForm): FieldValues {
  if (last?.object === object && last.fields === form.fields) return last.values;
  const values: { [F in LogField]?: FieldValue[] } = {};
  collect(object, namesOf(form), values, 0);
  last = { object, fields: form.fields, values };
  return values;
}

function collect(object: Fields, names: Names, values: { [F in LogField]?: FieldValue[] }, depth: number): void {
  for (const name of Object.keys(object)) {
    const known = names.get(name);
    if (!known) continue;
    const value = object[name];
    if (value === undefined) continue;
    for (const { field, path, rank } of known.fields) {
      const before = values[field];
      if (before) insert(before, { path, value, rank, depth });
      else values[field] = [{ path, value, rank, depth }];
    }
    if (known.inner && isFields(value)) collect(value, known.inner, values, depth + 1);
  }
}

/**
 * Inserts a value. The values stay sorted by rank. An object can have the same path twice: as one name with dots, and as nested
 * objects. Then only the name with dots counts.
 */
function insert(values: FieldValue[], added: FieldValue): void {
  const at = values.findIndex(({ rank }) => rank >= added.rank);
  const next = values[at];
  if (next === undefined) values.push(added);
  else if (next.rank > added.rank) values.splice(at, 0, added);
  else if (next.depth > added.depth) values[at] = added;
}
