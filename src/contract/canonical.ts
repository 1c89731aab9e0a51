import type { JsonValue } from './json.ts';

/** Why a value has no canonical form. */
export type NotCanonicalReason = 'lone-surrogate' | 'not-finite' | 'not-json' | 'cycle' | 'too-deep';

const EXPLANATIONS: Record<NotCanonicalReason, string> = {
  'lone-surrogate': 'text with half of a surrogate pair has no UTF-8 form',
  'not-finite': 'NaN and the infinities are no JSON numbers',
  'not-json': 'only null, booleans, numbers, text, arrays and plain objects are JSON',
  cycle: 'it contains itself',
  'too-deep': 'it is nested more than 1000 levels deep',
};

/** Thrown for a value that RFC 8785 cannot represent; says where in the value it is, as `$.name[0]`. */
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
 * The canonical text of a value (RFC 8785): members sorted by UTF-16 code units, no white space, numbers and text as
 * ECMAScript writes them.
 *
 * Stricter than JSON.stringify: nothing is left out or turned into null, and no `toJSON` is called. An object that
 * occurs in several places is written in each of them.
 *
 * @throws NotCanonicalError for lone surrogates, numbers that are not finite, anything that is not JSON, cycles, and
 *   nesting beyond 1000 levels
 */
export function canonicalJson(value: JsonValue): string {
  return write(value, [], []);
}

/** The names and indexes that lead to a value. Kept as a stack, so that a path is only put together for a complaint. */
type Trail = (string | number)[];

function write(value: unknown, trail: Trail, ancestors: object[]): string {
  if (typeof value === 'string') return quote(value, trail);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refusal('not-finite', trail);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw refusal('not-json', trail);
  if (ancestors.includes(value)) throw refusal('cycle', trail);
  if (ancestors.length >= MAX_DEPTH) throw refusal('too-deep', trail);
  ancestors.push(value);
  const text = Array.isArray(value) ? writeArray(value, trail, ancestors) : writeObject(value, trail, ancestors);
  ancestors.pop();
  return text;
}

function writeArray(values: readonly unknown[], trail: Trail, ancestors: object[]): string {
  let text = '';
  // An index loop, because it visits the holes of a sparse array, which have to be refused like undefined.
  for (let index = 0; index < values.length; index += 1) {
    trail.push(index);
    text += `${index === 0 ? '' : ','}${write(values[index], trail, ancestors)}`;
    trail.pop();
  }
  return `[${text}]`;
}

function writeObject(value: object, trail: Trail, ancestors: object[]): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refusal('not-json', trail);
  let text = '';
  // The default sort compares UTF-16 code units, which is the order of RFC 8785 §3.2.3.
  for (const name of Object.keys(value).sort()) {
    trail.push(name);
    text += `${text === '' ? '' : ','}${quote(name, trail)}:${write((value as Record<string, unknown>)[name], trail, ancestors)}`;
    trail.pop();
  }
  return `{${text}}`;
}

function quote(text: string, trail: Trail): string {
  if (!text.isWellFormed()) throw refusal('lone-surrogate', trail);
  return JSON.stringify(text);
}

function refusal(reason: NotCanonicalReason, trail: Trail): NotCanonicalError {
  const shown = trail.slice(0, 20).map((part) => (typeof part === 'number' ? `[${part}]` : `.${part.toWellFormed()}`));
  return new NotCanonicalError(reason, `$${shown.join('')}${trail.length > 20 ? '…' : ''}`);
}
