import { canonicalJson } from '../contract/canonical.ts';
import type { JsonValue } from '../contract/json.ts';

/** How a body is written: canonically, or in a form that means the same. */
export type BodyFormat =
  | 'canonical'
  | 'pretty' // indented
  | 'spaced' // a space after each comma and colon
  | 'unsorted' // the names in reverse order
  | 'escaped'; // text with \u escapes that nothing requires

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

/** Escapes what needs none: slashes, all beyond ASCII, and the first letter or digit. */
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
 * The text of a body in a format.
 *
 * @throws NotCanonicalError for what JSON can't hold
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
