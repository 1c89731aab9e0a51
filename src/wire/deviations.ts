import { createHash } from 'node:crypto';
import { BodySigner } from '../contract/body-signer.ts';
import { canonicalJson } from '../contract/canonical.ts';
import {
  type BodyFormat,
  KEPT_DIGITS,
  type QueryEncoding,
  type QueryOrder,
  type SignKind,
} from '../contract/deviation.ts';
import type { JsonValue } from '../contract/json.ts';
import { signBody } from '../contract/signature.ts';

interface Style {
  readonly colon: string;
  readonly comma: string;
  readonly reversed: boolean;
  quote(text: string): string;
}

const PLAIN: Style = { colon: ':', comma: ',', reversed: false, quote: (text) => JSON.stringify(text) };

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Escapes characters that need no escape: slashes, all characters beyond ASCII, and the first character if it is a letter or a
 * digit.
 */
function escaped(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  const first = /^[0-9A-Za-z]/.exec(inner)?.[0] ?? '';
  const rest = inner
    .slice(first.length)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, unicodeEscape);
  return `"${first === '' ? '' : unicodeEscape(first)}${rest}"`;
}

function write(value: JsonValue, style: Style): string {
  if (typeof value === 'string') return style.quote(value);
  if (value === null || typeof value !== 'object') return canonicalJson(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => write(item, style)).join(style.comma)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (style.reversed) members.reverse();
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}${style.colon}${write(item, style)}`).join(style.comma)}}`;
}

/**
 * Writes a body in a format.
 *
 * @throws NotCanonicalError for a value that JSON cannot represent
 */
export function formatBody(value: JsonValue, format: BodyFormat): string {
  const canonical = canonicalJson(value);
  switch (format) {
    case 'canonical':
      return canonical;
    case 'pretty':
      return JSON.stringify(JSON.parse(canonical), null, 2);
    case 'spaced':
      return write(value, { ...PLAIN, colon: ': ', comma: ', ' });
    case 'unsorted':
      return write(value, { ...PLAIN, reversed: true });
    case 'escaped':
      return write(value, { ...PLAIN, quote: escaped });
  }
}

export type QueryParam = readonly [name: string, value: string];

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function everyByte(text: string): string {
  return Array.from(Buffer.from(text), percent).join('');
}

function firstLetter(text: string): string {
  const at = text.search(/[A-Za-z]/);
  if (at < 0) return encodeURIComponent(text);
  return encodeURIComponent(text.slice(0, at)) + percent(text.charCodeAt(at)) + encodeURIComponent(text.slice(at + 1));
}

/** Percent-encodes a text, except the characters that RFC 3986 §3.4 allows in a query. */
function minimal(text: string, legal: RegExp): string {
  return encodeURIComponent(text).replace(legal, decodeURIComponent);
}

function encode([name, value]: QueryParam, encoding: QueryEncoding): string {
  switch (encoding) {
    case 'standard':
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    case 'all':
      return `${everyByte(name)}=${everyByte(value)}`;
    case 'letters':
      return `${encodeURIComponent(name)}=${firstLetter(value)}`;
    case 'minimal':
      return `${minimal(name, /%(?:3A|40|2F|3F|24|2C)/g)}=${minimal(value, /%(?:3A|40|2F|3F|24|2C|3D)/g)}`;
    case 'plus':
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`.replaceAll('%20', '+');
  }
}

function ordered(params: readonly QueryParam[], order: QueryOrder): readonly QueryParam[] {
  if (order === 'as-given') return params;
  const sorted = params.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return order === 'sorted' ? sorted : sorted.reverse();
}

/**
 * Writes a query, without the question mark.
 *
 * @throws URIError for a name or value with an unpaired surrogate
 */
export function queryText(params: readonly QueryParam[], order: QueryOrder, encoding: QueryEncoding): string {
  return ordered(params, order)
    .map((param) => encode(param, encoding))
    .join('&');
}

const EMPTY_OBJECT = Buffer.from('{}');

/** Replaces each hexadecimal digit by another digit. */
function changed(digits: string): string {
  return digits.replace(/[0-9a-f]/g, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16));
}

/** The key that signed last. Nearly all calls of a run have the same key, and its signer needs less time than `signBody`. */
let latest: { readonly key: string; readonly signer: BodySigner } | undefined;

function signerOf(key: string): BodySigner {
  if (latest?.key !== key) latest = { key, signer: new BodySigner(key) };
  return latest.signer;
}

/**
 * Returns the value of the signature header. undefined for a call that is sent without the header. The same arguments always give
 * the same value.
 *
 * @param otherKey the key of another client, for `other-client`
 * @throws TypeError for `other-client` without another key
 */
export function signatureFor(
  kind: SignKind,
  payload: Uint8Array,
  key: string,
  otherKey: string | undefined,
): string | undefined {
  const right = signerOf(key).sign(payload);
  switch (kind) {
    case 'valid':
      return right;
    case 'missing':
      return undefined;
    case 'empty':
      return '';
    case 'garbage':
      return createHash('sha256').update(right).digest('hex');
    case 'malformed':
      return 'not-a-signature';
    case 'wrong-key':
      return signBody(payload, `${key}?`);
    case 'empty-key':
      return signBody(payload, '');
    case 'other-client':
      if (otherKey === undefined) throw new TypeError("to sign as another client, that client's key is needed");
      return signBody(payload, otherKey);
    case 'truncated':
      return right.slice(0, right.length / 2);
    case 'prefix':
      return right.slice(0, KEPT_DIGITS) + changed(right.slice(KEPT_DIGITS));
    case 'suffix':
      return changed(right.slice(0, 1)) + right.slice(1);
    case 'one-off':
      return right.slice(0, -1) + changed(right.slice(-1));
    case 'upper-case':
      return right.toUpperCase();
    case 'base64':
      return Buffer.from(right, 'hex').toString('base64');
    case 'of-other-body':
      return signBody(EMPTY_OBJECT, key);
  }
}
