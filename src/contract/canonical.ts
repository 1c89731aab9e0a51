import { canonicalize } from 'json-canonicalize';
import type { JsonValue } from './json.ts';

/** The reason why a value has no canonical form. */
export type NotCanonicalReason = 'lone-surrogate' | 'not-finite' | 'not-json' | 'cycle' | 'too-deep';

const EXPLANATIONS: Record<NotCanonicalReason, string> = {
  'lone-surrogate': 'text with an unpaired surrogate has no UTF-8 form',
  'not-finite': 'NaN and the infinities are not JSON numbers',
  'not-json': 'only null, booleans, numbers, text, arrays and plain objects are JSON',
  cycle: 'it contains itself',
  'too-deep': 'it is nested more than 1000 levels deep',
};

/** Thrown for a value that RFC 8785 cannot represent. The message names the place in the value, for example `$.name[0]`. */
export class NotCanonicalError extends TypeError {
  readonly reason: NotCanonicalReason;
  readonly path: string;

  constructor(reason: NotCanonicalReason, path: string) {
    super(`no canonical JSON for the value at ${path}: ${EXPLANATIONS[reason]}`);
    this.name = 'NotCanonicalError';
    this.reason = reason;
    this.path = path;
  }
}

const MAX_DEPTH = 1000;

/**
 * Returns the canonical text of a value (RFC 8785). Members are sorted by UTF-16 code units, there is no white space, and
 * numbers and text are written as ECMAScript writes them.
 *
 * This function is stricter than JSON.stringify: no value is left out or turned into null, and no `toJSON` is called. An object
 * that occurs in several places is written in each place.
 *
 * @throws NotCanonicalError for lone surrogates, numbers that are not finite, anything that is not JSON, cycles, and nesting
 * beyond 1000 levels
 */
export function canonicalJson(value: JsonValue): string {
  const check = new Check();
  check.value(value);
  return check.isForLibrary ? canonicalize(value) : writeWithoutLibrary(value);
}

/**
 * Checks a value before json-canonicalize writes it. The library itself would write lone surrogates, leave out
 * undefined members, and call `toJSON`.
 */
class Check {
  /**
   * False if the library would handle a valid value wrongly. There are two such cases:
   *
   * - An object has a member named `toJSON`. The library does not sort the members of this object.
   * - An object occurs twice, and the path of one occurrence begins with the path of the other. The library reports a cycle.
   */
  isForLibrary = true;
  /** The names and indexes that lead to the current value. They are joined to a path only if there is an error. */
  readonly #trail: (string | number)[] = [];
  readonly #ancestors: object[] = [];
  readonly #seen = new Set<object>();

  value(value: unknown): void {
    if (value === null || typeof value === 'boolean') return;
    if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'object') this.#nested(value);
    else throw refusal('not-json', this.#trail);
  }

  #nested(value: object): void {
    if (this.#seen.has(value)) {
      if (this.#ancestors.includes(value)) throw refusal('cycle', this.#trail);
      this.isForLibrary = false;
    }
    if (this.#ancestors.length >= MAX_DEPTH) throw refusal('too-deep', this.#trail);
    this.#seen.add(value);
    this.#ancestors.push(value);
    if (Array.isArray(value)) this.#array(value);
    else this.#object(value);
    this.#ancestors.pop();
  }

  #array(values: readonly unknown[]): void {
    // A loop over indexes also visits the holes of a sparse array. Like undefined, a hole must be refused.
    for (let index = 0; index < values.length; index += 1) {
      this.#trail.push(index);
      this.value(values[index]);
      this.#trail.pop();
    }
  }

  #object(value: object): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw refusal('not-json', this.#trail);
    if (Object.hasOwn(value, 'toJSON')) this.isForLibrary = false;
    for (const name of Object.keys(value)) {
      this.#trail.push(name);
      this.#text(name);
      this.value((value as Record<string, unknown>)[name]);
      this.#trail.pop();
    }
  }

  #number(value: number): void {
    if (!Number.isFinite(value)) throw refusal('not-finite', this.#trail);
  }

  #text(text: string): void {
    if (!text.isWellFormed()) throw refusal('lone-surrogate', this.#trail);
  }
}

/** Writes objects and arrays without the library, which is used only for their strings and numbers. */
function writeWithoutLibrary(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return canonicalize(value);
  if (isArray(value)) return `[${value.map(writeWithoutLibrary).join(',')}]`;
  // The default sort compares UTF-16 code units, which is the order of RFC 8785 §3.2.3.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalize(name)}:${writeWithoutLibrary(member)}`).join(',')}}`;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function refusal(reason: NotCanonicalReason, trail: readonly (string | number)[]): NotCanonicalError {
  const shown = trail.slice(0, 20).map((part) => (typeof part === 'number' ? `[${part}]` : `.${part.toWellFormed()}`));
  return new NotCanonicalError(reason, `$${shown.join('')}${trail.length > 20 ? '…' : ''}`);
}
