import { isFields, parsed } from '../../json-fields.ts';
import type { LogEntry, LogPlace } from '../../logged-exchange.ts';
import { readJsonLine } from '../logs/json-line.ts';
import type { LogForm } from '../logs/log-form.ts';
import { ReplyCorrelation } from '../logs/reply-correlation.ts';
import { sentIn } from '../logs/sent-body.ts';
import { parsedLine } from '../logs/wrapped.ts';
import { isHarEntry, readHarEntry } from './har.ts';
import { isOtlp, jaegerLines, otlpLines } from './otlp.ts';
import { isPostmanEntry, readPostmanEntry } from './postman.ts';

/**
 * The layout of a file. `lines` means one entry on each line. `document` means JSON documents: `list` is the name of the
 * list that has the entries. If `list` is null, each document in the file is an entry.
 */
export type Shape = { readonly kind: 'lines' } | { readonly kind: 'document'; readonly list: string | null };

const LINES: Shape = { kind: 'lines' };
const WHOLE: Shape = { kind: 'document', list: null };

/**
 * Matches the beginning of the list of entries. The list has these names in a HAR, and in exports of CloudWatch, Elasticsearch,
 * Loki, newman, Postman, Datadog and New Relic.
 */
const LIST = /"(entries|events|hits|result|results|executions|item|data)"\s*:\s*\[/;

/** Matches the beginning of the events that a subscription of CloudWatch delivers. Several such objects may follow one another. */
const SUBSCRIPTION = /^\{\s*"messageType"\s*:\s*"(?:DATA|CONTROL)_MESSAGE"/;

/** Matches the beginning of the results of a query in CloudWatch Logs Insights: a list of lists of fields. */
const INSIGHTS = /^\{[^[\]]{0,2000}"results"\s*:\s*\[\s*\[\s*\{\s*"field"/;

/**
 * Finds the layout of a file from its first bytes. A JSON document is spread over many lines, or is one long line. A log has one
 * object on each line.
 */
export function shapeOf(head: string): Shape {
  const start = head.trimStart();
  // A line of a log may also begin with a bracket. So the file is a document only if an object follows the bracket.
  if (/^\[\s*(?:\{|$)/.test(start)) return { kind: 'document', list: 'entries' };
  // Node.js prints an object with names that have no double quotation marks.
  if (!start.startsWith('{') || /^\{\s*(?:[\w$]{1,100}|'[^'\n]{1,100}'): /.test(start)) return LINES;
  if (isOtlp(start) || INSIGHTS.test(start) || SUBSCRIPTION.test(start)) return WHOLE;
  const list = isNewman(start) ? 'executions' : LIST.exec(start)?.[1];
  const isOneLine = !start.trimEnd().includes('\n');
  const firstLine = start.split('\n', 1)[0] ?? '';
  const first = parsedLine(firstLine);
  if (isFields(first) && !isFields(first.log)) {
    if (!isOneLine) return LINES;
    if (list !== undefined && !isHarEntry(first)) return { kind: 'document', list };
    return isHarEntry(first) ? WHOLE : LINES;
  }
  const hasLines = start
    .split('\n', 50)
    .slice(1)
    .some((line) => line.startsWith('{') && isFields(parsed(line)));
  if (list === 'entries' || (list !== undefined && !hasLines)) return { kind: 'document', list };
  return first === undefined && !hasLines ? WHOLE : LINES;
}

/**
 * True for a report of newman, which begins with the collection. The requests of this collection have no replies. False for an
 * export from the API of Postman: it begins in the same way, but its requests have saved replies.
 */
function isNewman(start: string): boolean {
  return (
    /^\{\s*"collection"\s*:/.test(start) && (start.includes('"executions"') || !start.includes('"originalRequest"'))
  );
}

/** Maximum number of entries that are kept to put them into their order. */
const MAX_KEPT = 20_000;

/**
 * Reads the entries of a JSON document: a HAR, or an export of a log collector. Yields the calls in the order of their requests,
 * because a whole document may be on one line, and then the numbers of the lines do not show this order.
 */
export async function* fromDocument(
  chunks: AsyncIterable<Uint8Array>,
  list: string | null,
  source: { readonly file: string; readonly form: LogForm },
): AsyncGenerator<LogEntry> {
  const correlation = new ReplyCorrelation(source.form);
  /** The position of each object in the document, by the place of its call. */
  const positions = new WeakMap<LogPlace, number>();
  let position = 0;
  let kept: { readonly entry: LogEntry; readonly at: number }[] = [];
  const keep = (entry: LogEntry): void => {
    const ofRequest = entry.kind === 'exchange' ? positions.get(entry.exchange.place) : undefined;
    kept.push({ entry, at: ofRequest ?? position });
  };
  const inOrder = (): readonly LogEntry[] => kept.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
  for await (const found of objectsOf(chunks, list)) {
    const place = { file: source.file, line: found.line };
    position += 1;
    positions.set(place, position);
    for (const entry of entriesOf(found, place, source.form, correlation)) keep(entry);
    if (kept.length < MAX_KEPT) continue;
    yield* inOrder();
    kept = [];
  }
  for (const entry of correlation.end()) keep(entry);
  yield* inOrder();
}

function* entriesOf(
  { line, text, why }: FoundObject,
  place: LogPlace,
  form: LogForm,
  correlation: ReplyCorrelation,
): Generator<LogEntry> {
  const value = text === null ? undefined : parsed(text);
  if (why === 'too big') yield { kind: 'unreadable', line, why: 'the entry is larger than 64 MB' };
  else if (why === 'cut off')
    yield { kind: 'unreadable', line, why: 'the file ends within the entry that begins here' };
  else if (why === 'unended')
    yield { kind: 'unreadable', line, why: 'the file ends before the end of its list of entries' };
  else if (isHarEntry(value)) yield readHarEntry(value, place, 'service');
  else if (isPostmanEntry(value)) yield* readPostmanEntry(value, place);
  else if (isFields(value)) for (const each of linesIn(value)) yield* entriesOfLine(each, place, form, correlation);
  else yield { kind: 'unreadable', line, why: 'the entry is not valid JSON' };
}

/**
 * Returns the log lines of an object that has several of them: OTLP, Jaeger, Loki, CloudWatch and New Relic have such objects. Any other object is
 * returned as one line.
 */
function linesIn(value: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { logs, events, logEvents, common, results } = value;
  if (Array.isArray(logEvents)) return logEvents.filter(isFields);
  if (Array.isArray(events)) return events.filter(isFields);
  if (Array.isArray(results) && results.length > 0 && results.every(isInsightsRow)) return results.map(ofInsights);
  if (!Array.isArray(logs)) return otlpLines(value) ?? jaegerLines(value) ?? lokiLines(value);
  const around = isFields(common) && isFields(common.attributes) ? common.attributes : {};
  return logs.filter(isFields).map((log) => ({ ...around, ...log }));
}

/** True for a row of `aws logs get-query-results`: a list of fields, each with its name and its value. */
function isInsightsRow(row: unknown): row is readonly { readonly field: string; readonly value: string }[] {
  return (
    Array.isArray(row) &&
    row.every((cell) => isFields(cell) && typeof cell.field === 'string' && typeof cell.value === 'string')
  );
}

function ofInsights(
  row: readonly { readonly field: string; readonly value: string }[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(row.map(({ field, value }) => [field, value]));
}

function lokiLines(value: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { stream, values } = value;
  if (!isFields(stream) || !Array.isArray(values)) return [value];
  return values.map((pair: unknown) => {
    const [timestamp, line]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    return { ...stream, timestamp, line };
  });
}

/** Reads one line. Joins a request with its reply if they are on two lines. */
function* entriesOfLine(
  line: Readonly<Record<string, unknown>>,
  place: LogPlace,
  form: LogForm,
  correlation: ReplyCorrelation,
): Generator<LogEntry> {
  const request = readJsonLine(line, form, place);
  const answered = request ? undefined : correlation.reply(line);
  if (request) yield* correlation.request(request, line);
  else if (answered) yield { kind: 'exchange', exchange: answered };
  else yield { kind: 'other', line: place.line, sent: sentIn(line) };
}

/** Maximum size of one object in bytes. A larger object is skipped, to limit the use of memory. */
const MAX_OBJECT = 64 * 1024 * 1024;

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, NEWLINE] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x0a,
] as const;

/**
 * One object of a document. `text` is null if the object is too large, or if the document ends within the object. `unended`: no object,
 * but the document ends after an object, before the end of the list.
 */
export interface FoundObject {
  readonly line: number;
  readonly text: string | null;
  readonly why: 'whole' | 'too big' | 'cut off' | 'unended';
}

/**
 * Finds the objects of a JSON document in a stream of bytes. If the document was cut off, finds the objects before the cut.
 *
 * @param list the name of the list that contains the objects, for example `entries` in a HAR. If the document is itself a list, its
 * objects are found too. If `list` is null, each document in the stream is an object.
 */
export async function* objectsOf(
  chunks: AsyncIterable<Uint8Array>,
  list: string | null,
  maxBytes = MAX_OBJECT,
): AsyncGenerator<FoundObject> {
  const scan = new Scan(list, maxBytes);
  for await (const chunk of chunks) yield* scan.push(chunk);
  yield* scan.end();
}

/** Finds the ends of objects in the bytes of JSON. Looks only at strings and nesting, and does not check the JSON. */
class Scan {
  readonly #maxBytes: number;
  readonly #list: string | null;
  /** The open braces and brackets, outermost first. */
  readonly #open: number[] = [];
  #line = 1;
  #inString = false;
  #escaped = false;
  /** The first characters of the last string. They are enough to compare the string with the name of the list. */
  #word = '';
  /**
   * The nesting depth of the list that contains the objects. Null until the list is found, and infinite after its end.
   */
  #listDepth: number | null;
  /** The object that is being read: its nesting depth, its first line and its bytes. Null between objects. */
  #taken: { readonly depth: number; readonly line: number; pieces: Uint8Array[]; length: number } | null = null;
  #found = false;

  constructor(list: string | null, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#list = list;
    this.#listDepth = list === null ? 0 : null;
  }

  *push(chunk: Uint8Array): Generator<FoundObject> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) this.#line += 1;
      if (this.#inString) {
        this.#within(byte);
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          this.#word = '';
          break;
        case OPEN_BRACE:
          this.#open.push(byte);
          if (this.#isEntry()) {
            this.#taken = { depth: this.#open.length, line: this.#line, pieces: [], length: 0 };
            from = at;
          }
          break;
        case OPEN_BRACKET:
          this.#open.push(byte);
          if (this.#listDepth === null && (this.#open.length === 1 || this.#word === this.#list)) {
            this.#listDepth = this.#open.length;
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (this.#taken?.depth === this.#open.length) {
            this.#keep(chunk.subarray(from, at + 1));
            yield this.#done();
          }
          if (this.#listDepth === this.#open.length) this.#listDepth = Number.POSITIVE_INFINITY;
          this.#open.pop();
          break;
      }
    }
    if (this.#taken) this.#keep(Buffer.from(chunk.subarray(from)));
  }

  *end(): Generator<FoundObject> {
    if (this.#taken) yield { line: this.#taken.line, text: null, why: 'cut off' };
    else if (this.#open.length > 0 && this.#listDepth !== Number.POSITIVE_INFINITY)
      yield { line: this.#line, text: null, why: this.#found ? 'unended' : 'cut off' };
  }

  #within(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    else if (this.#word.length < 16) this.#word += String.fromCharCode(byte);
  }

  #isEntry(): boolean {
    return this.#taken === null && this.#listDepth === this.#open.length - 1;
  }

  #keep(piece: Uint8Array): void {
    if (!this.#taken) return;
    this.#taken.length += piece.length;
    if (this.#taken.length <= this.#maxBytes) this.#taken.pieces.push(piece);
    else this.#taken.pieces = [];
  }

  #done(): FoundObject {
    const { line, pieces, length } = this.#taken ?? { line: this.#line, pieces: [], length: 0 };
    this.#taken = null;
    this.#found = true;
    return length > this.#maxBytes
      ? { line, text: null, why: 'too big' }
      : { line, text: Buffer.concat(pieces).toString('utf8'), why: 'whole' };
  }
}
