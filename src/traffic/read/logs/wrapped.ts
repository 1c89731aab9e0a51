import { isFields, parsed } from '../../json-fields.ts';

/** The prefixes that log collectors add to a line. The group `time` is the time in the prefix, if this time is usable. */
const PREFIXES: readonly RegExp[] = [
  // A prefix of `docker compose logs`.
  /^[\w.-]+ +\| /,
  // A prefix of `kubectl logs --prefix`.
  /^\[pod\/[^\]]+\] /,
  // A prefix of containerd and CRI-O.
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:stdout|stderr) [FP] /,
  // A header of syslog (RFC 5424).
  /^<\d{1,3}>\d (?<time>\S+) \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+) (?:\uFEFF)?/,
  // A header of syslog in the old format (RFC 3164). Its time has no year, so it is ignored.
  /^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^:\s]+: /,
  // A prefix of `journalctl -o short-iso`.
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)) \S+ [^:\s]+\[\d+\]: /,
  // A prefix of `docker logs -t` and `kubectl logs --timestamps`.
  /^(?<time>\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)[ \t]+(?=\S)/,
];

/**
 * Matches a quoted field of a CSV that begins as JSON. If the closing quotation mark is missing, it matches the rest of the line.
 */
const CSV_FIELD = /"(\{""[^"]*(?:""[^"]*)*)("?)/g;
/** Matches a record that Fluent Bit prints: its number, its tag, its time in seconds, its metadata and its fields. */
const FLUENT_BIT = /^\[\d{1,9}\] \S{1,200}: \[\[?(\d{10}\.\d{1,9})(?:, \{[^{}]{0,1000}\}\])?, (\{.*\})\]$/;
const TIME =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?|\d\d?\.\d\d?\.\d{4},? \d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d\d?\/\d\d?\/\d{4},? \d\d?:\d\d:\d\d(?:\.\d{1,9})? ?[AP]M|\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: UTC)?|\d{4}\/\d\d\/\d\d(?: -)? \d\d:\d\d:\d\d(?:\.\d{1,9})?|[A-Z][a-z]{2} \d\d?, \d{4} @ \d\d:\d\d:\d\d(?:\.\d{1,9})?/;
/**
 * Matches a word of a line. If it ends with `=`, a value in quotation marks may follow. The pattern reads each character only once,
 * so it is fast for long lines too.
 */
const WORD = /([^\s"]+)((?<==)"[^"\\]*(?:\\.[^"\\]*)*")?(?=($|\s|.))/g;
/** Matches a value in single quotation marks, as Python prints a text with spaces. */
const PYTHON_TEXT = /(?<==)'([^'"\\]*)'(?=\s|$)/g;
/** Matches the first name in a word, and its value. */
const PAIR = /(?<![\w.@-])[\d.-]*([A-Za-z_@][\w.@-]*)=(.*)$/s;
/** Matches the name at the end of a word. */
const LAST_NAME = /(?<![\w.@-])[\d.-]*([A-Za-z_@][\w.@-]*)=$/;
const MIN_PAIRS = 3;

/** A line of a program, without the text that a log collector put around it. */
export interface Unwrapped {
  readonly text: string;
  /** The time that the collector added, or undefined if it added none. */
  readonly time: string | undefined;
}

/** Removes the prefix of a log collector from a line. Returns undefined if the line has no known prefix. */
export function withoutPrefix(line: string): Unwrapped | undefined {
  for (const prefix of PREFIXES) {
    const found = prefix.exec(line);
    if (found) return { text: line.slice(found[0].length), time: found.groups?.time };
  }
  return undefined;
}

/** Finds the JSON at the end of a line of text, or in a field of a CSV. Returns undefined if there is none. */
export function embeddedJson(line: string): Unwrapped | undefined {
  for (const { 1: field = '', 2: end, index } of line.matchAll(CSV_FIELD)) {
    if (end === '"' && field.endsWith('}'))
      return { text: field.replaceAll('""', '"'), time: TIME.exec(line.slice(0, index))?.[0] };
  }
  const ofFluentBit = line.startsWith('[') ? FLUENT_BIT.exec(line) : null;
  if (ofFluentBit) return { text: ofFluentBit[2] ?? '', time: ofFluentBit[1] };
  const start = line.indexOf('{"');
  // Monolog writes context and extra data after the message. If they are empty, it writes `[]` or `{}`, which are removed here.
  let text = line.slice(start).trimEnd();
  while (/^\s(?:\[\]|\{\})$/.test(text.slice(-3))) text = text.slice(0, -2).trimEnd();
  if (start <= 0 || !text.endsWith('}')) return undefined;
  return { text: withExtra(text), time: TIME.exec(line.slice(0, start))?.[0] };
}

/**
 * Monolog writes the context of an entry and its extra data as two objects. Returns one object with the fields of both, or the text
 * unchanged if it is not two objects.
 */
function withExtra(text: string): string {
  const at = text.lastIndexOf('} {"');
  if (at < 0) return text;
  const [context, extra] = [parsed(text.slice(0, at + 1)), parsed(text.slice(at + 2))];
  if (!isFields(context) || !isFields(extra)) return text;
  // Two objects with the same names are two calls, and one of them would be lost.
  const isTwice = Object.entries(extra).some(
    ([name, value]) => context[name] !== undefined && JSON.stringify(context[name]) !== JSON.stringify(value),
  );
  return isTwice ? text : JSON.stringify({ ...extra, ...context });
}

/**
 * Parses a line of JSON. In a text, nginx and Apache write a quotation mark as `\x22`, which is not allowed in JSON. Returns
 * undefined if the line is not JSON.
 */
export function parsedLine(line: string): unknown {
  const value = parsed(line);
  return value === undefined && line.includes('\\x')
    ? parsed(line.replaceAll(HEX_ESCAPE, (_found, code: string) => `\\u00${code}`))
    : value;
}

/** Replaces escapes such as `\x22`, which nginx and Apache write, by their characters. */
export function withoutHexEscapes(text: string): string {
  if (!text.includes('\\x')) return text;
  // Most of these escapes are quotation marks. Replacing a constant text needs less time.
  const plain = text.replaceAll(String.raw`\x22`, '"');
  return !plain.includes('\\x')
    ? plain
    : plain.replaceAll(HEX_ESCAPE, (_found, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

const HEX_ESCAPE = /\\x([\dA-Fa-f]{2})/g;

/** Matches a time of day without a date, at the beginning of a line. */
const TIME_OF_DAY = /^\[?(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?=[\]\s])/;

/** Finds the first time in a text, or a time of day at its beginning. Returns undefined if there is none. */
export function timeIn(text: string): string | undefined {
  return TIME.exec(text)?.[0] ?? TIME_OF_DAY.exec(text)?.[1];
}

/** Reads the pairs of a logfmt line: `name=value name="a value"`. Returns undefined if the line has too few pairs for logfmt. */
export function namedPairs(line: string): Readonly<Record<string, string>> | undefined {
  if (!hasPairs(line)) return undefined;
  if (line !== last.line) last = { line, pairs: pairsIn(line) };
  return last.pairs;
}

/** The line that was read last, with its pairs. One line is tried as several formats, so its pairs are often needed twice. */
let last: { readonly line: string; readonly pairs: Readonly<Record<string, string>> | undefined } = {
  line: '',
  pairs: undefined,
};

function pairsIn(line: string): Readonly<Record<string, string>> | undefined {
  const pairs: [string, string][] = [];
  const text = line.includes("='") ? line.replaceAll(PYTHON_TEXT, '"$1"') : line;
  for (const [, word = '', quoted, next] of text.matchAll(WORD)) {
    if (next?.trim() !== '' || !word.includes('=')) continue;
    const [, name, value = ''] = quoted === undefined ? (PAIR.exec(word) ?? []) : (LAST_NAME.exec(word) ?? []);
    if (name !== undefined) pairs.push([name, quoted === undefined ? withoutBrace(value) : unquoted(quoted)]);
  }
  return pairs.length >= MIN_PAIRS ? Object.fromEntries(pairs) : undefined;
}

/** Removes the brace after the last pair of a span, which Rust prints as `request{method=GET uri=/balance}:`. */
function withoutBrace(value: string): string {
  if (value.includes('{')) return value;
  return value.endsWith('}') ? value.slice(0, -1) : value.endsWith('}:') ? value.slice(0, -2) : value;
}

/** True if a line has enough signs `=` for logfmt. Most lines have fewer, and searching for this sign takes little time. */
export function hasPairs(line: string): boolean {
  let at = -1;
  for (let found = 0; found < MIN_PAIRS; found += 1) {
    at = line.indexOf('=', at + 1);
    if (at < 0) return false;
  }
  return true;
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  }
}
