import { cutFields } from '../../cut-body.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import type { LoggedExchange, LogPlace } from '../../logged-exchange.ts';
import type { LogField, LogForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';
import { wholeObjects } from './printed.ts';
import { withoutHexEscapes } from './wrapped.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** The known formats of access logs. The named groups of each expression have the names of log fields. */
const FORMS: readonly RegExp[] = [
  // The common log format, or the combined format with referer and user agent. Some servers add the duration. nginx writes it in
  // seconds with a decimal point. Apache writes whole microseconds, which look like milliseconds, so they are ignored. AWS API
  // Gateway writes no space before the request. Apache may write the name of the host first.
  /^(?:\S+ (?=\S+ \S+ (?:[^\s"]+|"[^"]*") \[))?(\S+) \S+ (\S+|"[^"]*") \[(?<time>[^\]]+)\] ?"(?<url>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*")?(?:(?: \d+)? "?(?:(?<tookSeconds>\d+\.\d+)|\d+)"?)?/,
  // The HTTP format of HAProxy, after at most 400 other characters. It has five timers, and the last one is the total time.
  /^.{0,400}?\[(?<time>\d\d\/\w{3}\/\d{4}:[\d:.]+)\] \S+ \S+ (?:-?\d+\/){4}\+?(?<tookMs>\d+) (?<status>\d{3}|-1) .*"(?<url>[A-Z]+ \S+(?: HTTP\/[\d.]+)?)"\s*$/,
  // The default format of Envoy and Istio. After the status come flags and reasons, bytes in, bytes out, and the
  // duration in milliseconds.
  /^\[(?<time>\d{4}-[^\]]+)\] "(?<url>[A-Z]+ \S+ HTTP\/[\d.]+)" (?<status>\d{1,3}) .*? \d+ \d+ (?<tookMs>\d+) (?:\d+|-) "/,
  // The format of an AWS load balancer. It has three durations. The second one is the time in which the target replied, or -1 if
  // the target did not reply.
  /^(?:https?|h2|wss?) (?<time>\d{4}-\S+) \S+ \S+ \S+ \S+ (?<tookSeconds>-?[\d.]+) \S+ (?<status>\d{3}|-) (?:\d{3}|-) \d+ \d+ "(?<url>[A-Z]+ \S+ \S+)" /,
  // The format of gin, a web framework for Go.
  /^\[GIN\] (?<time>\d{4}\/\d\d\/\d\d - \d\d:\d\d:\d\d) \| {0,4}(?<status>\d{3}) \| {0,20}(?<took>[\d.]{1,20}\S{0,6}) \| {0,40}\S{1,60} \| {0,4}(?<method>[A-Z]{3,7}) {1,8}"(?<url>[^"]{1,4000})"/,
];

/**
 * Reads a line that matches the configured pattern or a known format of access logs. Returns undefined for any other
 * line.
 */
export function readTextLine(line: string, form: LogForm, place: LogPlace): LoggedExchange | undefined {
  const groups: Groups | undefined = form.pattern?.exec(line)?.groups ?? groupsOf(line);
  if (!groups) return undefined;
  const bodies = form.pattern ? {} : { ...capturedBodies(line), ...quotedBodies(line) };
  return exchangeOfLine(
    (field: LogField) => groups[field] ?? (bodies as Partial<Record<LogField, string>>)[field],
    form,
    place,
    'operator',
  );
}

/** The beginning of JSON in quotation marks, as nginx and Apache write a body that was added to their format. */
const BODY = '"{\\';

/** Returns the position of the quotation mark that ends a text, or the end of the line if there is none. */
function closingMark(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - escapes > from && line[at - escapes - 1] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return line.length;
}

/**
 * Returns the bodies of the request and the reply in a line of an access log. Such a line has bodies only if the format of the
 * log was extended.
 */
function quotedBodies(line: string): Bodies {
  const bodies: Bodies = {};
  for (let at = line.indexOf(BODY); at >= 0; at = line.indexOf(BODY, at)) {
    const end = closingMark(line, at + 1);
    const text = withoutHexEscapes(line.slice(at + 1, end)).replaceAll('\\"', '"');
    at = end;
    const value = parsed(text) ?? cutFields(text);
    if (isFields(value)) noteBody(bodies, text, value);
  }
  return bodies;
}

/** The beginning of the timers, the status and the captures in a line of HAProxy. */
const BEFORE_CAPTURES = /\] \S+ \S+ (?:-?\d+\/){4}\+?\d+ (?:\d{3}|-1) /;

/**
 * Returns the bodies that HAProxy has captured. HAProxy writes them as `{…|…}` before the request. It writes a quotation mark or a
 * brace within them as `#22` or `#7B`. But a configuration can switch this off. Then nothing shows where a cut body ends, so only whole
 * bodies are read.
 */
function capturedBodies(line: string): Bodies {
  const isEscaped = line.includes('#7B#22');
  if (!isEscaped && !line.includes('{"')) return {};
  const start = BEFORE_CAPTURES.exec(line);
  if (!start) return {};
  const captures = line.slice(start.index + start[0].length, line.lastIndexOf(' "'));
  const texts = isEscaped
    ? captures.split(/[{|}]/).map((capture) => capture.replaceAll(HASH_ESCAPE, fromHex))
    : wholeObjects(captures);
  const bodies: Bodies = {};
  for (const text of texts) {
    const value = parsed(text) ?? cutFields(text);
    if (isFields(value)) noteBody(bodies, text, value);
  }
  return bodies;
}

const HASH_ESCAPE = /#([\dA-F]{2})/g;

function fromHex(_found: string, code: string): string {
  return String.fromCodePoint(Number.parseInt(code, 16));
}

type Bodies = Partial<Record<'requestBody' | 'responseBody', string>>;

/** Keeps a text as the body of the request or of the reply. Its fields show which of the two it is. */
function noteBody(bodies: Bodies, text: string, value: Fields): void {
  if (typeof value.sessionID === 'string' || isCutRequest(value)) bodies.requestBody = text;
  else if (value.balance !== undefined || value.code !== undefined || value.message !== undefined)
    bodies.responseBody = text;
}

/** True if the fields are the first fields of a request whose `sessionID` comes after the cut. */
function isCutRequest({ amount, roundID, balance }: Fields): boolean {
  return balance === undefined && (typeof amount === 'string' || typeof roundID === 'string');
}

function groupsOf(line: string): Groups | undefined {
  // In each form, the request or the user agent is in quotation marks after a space or a bracket.
  if (!line.includes(' "') && !line.includes(']"') && !line.startsWith('[GIN]')) return undefined;
  for (const each of FORMS) {
    const found = each.exec(line)?.groups;
    if (found) return found;
  }
  return undefined;
}

/**
 * Reads the names of the columns from the header line of an IIS log. Returns undefined if the line is not such a
 * header.
 */
export function w3cColumns(line: string): readonly string[] | undefined {
  if (!line.startsWith('#')) return undefined;
  const [, names] = /^#Fields:\s*(\S.*)$/.exec(line.trimEnd()) ?? [];
  return names?.split(/\s+/);
}

/**
 * Reads a line of an IIS log (the W3C extended log format), whose times are in UTC. Returns undefined if the line does not have
 * these columns.
 */
export function readW3cLine(
  line: string,
  columns: readonly string[],
  form: LogForm,
  place: LogPlace,
): LoggedExchange | undefined {
  const values = line.trim().split(/\s+/);
  if (values.length !== columns.length) return undefined;
  const of = (column: string): string | undefined => {
    const value = values[columns.indexOf(column)];
    return value === '-' ? undefined : value;
  };
  const path = of('cs-uri-stem');
  if (path === undefined) return undefined;
  const query = of('cs-uri-query');
  const [date, time] = [of('date'), of('time')];
  const read: Partial<Record<LogField, string | undefined>> = {
    time: date === undefined || time === undefined ? undefined : `${date}T${time}Z`,
    method: of('cs-method'),
    url: query === undefined ? path : `${path}?${query}`,
    status: of('sc-status'),
    tookMs: of('time-taken'),
    signature: of('cs(X-REQUEST-SIGN)'),
  };
  return exchangeOfLine((field) => read[field], form, place, 'operator');
}
