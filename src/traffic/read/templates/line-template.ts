import type { CallName } from '../../../contract/call-name.ts';
import { isFields, parsed } from '../../json-fields.ts';
import type { LoggedExchange, LogTime } from '../../logged-exchange.ts';
import { isMasked } from '../../masked.ts';
import { type CallPaths, recordedCall } from '../../recorded-call.ts';
import { isHarEntry } from '../documents/har.ts';
import { isJournalHead, isLaterEvent } from '../documents/journal.ts';
import { pathOf } from '../logs/json-line.ts';
import { LOG_FIELDS, type LogField, type LogForm } from '../logs/log-form.ts';
import { tookMs } from '../logs/log-line.ts';
import { readTime, type Zone } from '../logs/time.ts';
import {
  AMOUNT,
  ANY_NUMBER,
  ANY_TEXT,
  type BytePattern,
  DURATION,
  ID,
  OPERATOR_ID,
  SHORT_NUMBER,
  SHORT_TEXT,
} from './byte-pattern.ts';
import { ByteText } from './byte-text.ts';

/**
 * The data of a line that matches the template. The texts are in the bytes of the line. The object and its texts are used again for
 * the next line.
 */
export interface AlikeCall {
  readonly template: LineTemplate;
  readonly time: LogTime;
  readonly tookMs: number | null;
  readonly sessionID: ByteText | null;
  readonly player: ByteText | null;
  readonly txID: ByteText | null;
  readonly roundID: ByteText | null;
  readonly amount: ByteText | null;
  /** The balance in the reply; null if the call was declined. */
  readonly balance: ByteText | null;
}

/**
 * The roles of the values that are read from a line. A value without a role is either the same in all lines, or has no influence on
 * the meaning of the line.
 */
type Role = 'time' | 'tookMs' | 'tookSeconds' | 'took' | 'session' | 'player' | 'tx' | 'round' | 'amount' | 'balance';

/** A value in the JSON of an example. */
interface Leaf {
  readonly path: string;
  /** Its JSON text. */
  readonly raw: string;
}

/** A part of the JSON of an example: a text that is the same in all lines, or a value. */
type Part = string | Leaf;

/** The patterns of the values that are read. If a value matches its pattern, only one more check is needed: an id may be masked. */
const PATTERNS: Readonly<Record<Role, BytePattern>> = {
  time: SHORT_TEXT,
  tookMs: DURATION,
  tookSeconds: SHORT_TEXT,
  took: SHORT_TEXT,
  session: ID,
  player: ID,
  tx: ID,
  round: ID,
  amount: AMOUNT,
  balance: AMOUNT,
};

const TOKEN = /[\s,:]+|[{}]|\[(?:[^"[\]{}]|"(?:[^"\\]|\\.)*")*\]|"(?:[^"\\]|\\.)*"|[-+.\w]+/y;

/**
 * Matches the JSON lines that differ from an example only in these values: ids, amounts, times and balances. All other parts must
 * be the same, because they decide which call the line describes, and what its fields mean.
 */
export class LineTemplate {
  /**
   * The call of the example. All calls of the template have the same name, URL (without the session), status and side as this
   * call.
   */
  readonly example: LoggedExchange;
  readonly call: CallName;
  readonly #steps: readonly Step[];
  /** The texts of the last line that matched, by their roles. */
  readonly #texts: ReadonlyMap<Role, ByteText>;
  readonly #time: ByteText;
  /** The time that the call took. Its role says in which unit. */
  readonly #took: { readonly role: 'tookMs' | 'tookSeconds' | 'took'; readonly text: ByteText } | null;
  readonly #ids: readonly ByteText[];
  /** The data of the last line that matched. */
  readonly #found: { -readonly [Key in keyof AlikeCall]: AlikeCall[Key] };
  readonly #zone: Zone;
  /**
   * The last time that was read: its text up to the minute, and the value of this minute. The next time is often in the same
   * minute. Then only its seconds are read, which saves time.
   */
  #minute = { text: '', ms: 0 };
  /** The bytes with the last line, and a view of them. */
  #viewed: { readonly bytes: Buffer | null; readonly view: DataView } = { bytes: null, view: viewOf('') };

  private constructor(example: LoggedExchange, call: CallName, steps: readonly Step[], zone: Zone) {
    this.example = example;
    this.call = call;
    this.#steps = steps;
    this.#zone = zone;
    this.#texts = new Map(steps.flatMap(({ role, text }) => (role === null ? [] : [[role, text]])));
    const textOf = (role: Role): ByteText | null => this.#texts.get(role) ?? null;
    this.#time = textOf('time') ?? new ByteText();
    const took = TOOK.find((role) => this.#texts.has(role));
    const tookText = took === undefined ? null : textOf(took);
    this.#took = took === undefined || tookText === null ? null : { role: took, text: tookText };
    this.#found = {
      template: this,
      time: { ms: 0, precisionMs: 1 },
      tookMs: null,
      sessionID: textOf('session'),
      player: textOf('player'),
      txID: textOf('tx'),
      roundID: textOf('round'),
      amount: textOf('amount'),
      balance: textOf('balance'),
    };
    const { sessionID, player, txID, roundID } = this.#found;
    this.#ids = [sessionID, player, txID, roundID].filter((id) => id !== null);
  }

  /**
   * Makes a template from a line.
   *
   * @param exchange the exchange that the line describes
   * @returns undefined if the values of such a line could change its meaning
   */
  static of(line: string, exchange: LoggedExchange, form: LogForm, paths: CallPaths): LineTemplate | undefined {
    const call = recordedCall(exchange, paths);
    const object = parsed(line);
    if (!call || !isFields(object) || isJournalHead(object) || isLaterEvent(object) || isHarEntry(object))
      return undefined;
    const meanings = meaningsOf(object, form, exchange);
    const steps = meanings && stepsOf(line, meanings);
    if (!steps) return undefined;
    const template = new LineTemplate(exchange, call.call, steps, form.zone);
    const bytes = Buffer.from(line);
    const again = template.match(bytes, 0, bytes.length);
    const body = exchange.answer.kind === 'reply' ? parsed(exchange.answer.body?.data ?? '') : undefined;
    const said =
      isFields(body) && exchange.answer.kind === 'reply' && exchange.answer.status === 200 ? body.balance : null;
    const isRight =
      again?.time.ms === exchange.time?.ms &&
      again?.tookMs === exchange.tookMs &&
      textOf(again?.sessionID) === call.sessionID &&
      textOf(again?.player) === call.player &&
      textOf(again?.txID) === call.txID &&
      textOf(again?.roundID) === call.roundID &&
      textOf(again?.amount) === call.amount &&
      textOf(again?.balance) === said;
    return isRight ? template : undefined;
  }

  /** Reads a line. Returns undefined if it does not match, or if a value is masked. */
  match(bytes: Buffer, from: number, to: number): AlikeCall | undefined {
    let at = from;
    const view = this.#viewOf(bytes);
    for (let index = 0; index < this.#steps.length; index += 1) {
      const step = this.#steps[index];
      if (!step) return undefined;
      const { before, pattern, text } = step;
      if (!isAt(before, view, at, to)) return undefined;
      at += before.byteLength;
      if (pattern === null) continue;
      const end = pattern.end(bytes, at, to);
      if (end < 0) return undefined;
      text.set(bytes, at, end);
      at = end;
    }
    if (at !== to) return undefined;
    for (let index = 0; index < this.#ids.length; index += 1) {
      const id = this.#ids[index];
      if (!id || mayBeMasked(id)) return undefined;
    }
    const time = this.#readTime(this.#time);
    if (!time) return undefined;
    this.#found.time = time;
    this.#found.tookMs = this.#readTook();
    return this.#found;
  }

  /** Returns a view of the bytes. Most lines have the same bytes as the line before, so the same view is used again. */
  #viewOf(bytes: Buffer): DataView {
    if (this.#viewed.bytes !== bytes)
      this.#viewed = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
    return this.#viewed.view;
  }

  #readTook(): number | null {
    if (this.#took === null) return null;
    const { role, text } = this.#took;
    if (role !== 'tookMs') return tookMs((field) => (field === role ? text.toString() : undefined));
    const whole = digitsIn(text, 0, text.length);
    return Number.isNaN(whole) ? Math.round(Number(text.toString()) * 1000) / 1000 : whole;
  }

  #readTime(text: ByteText): LogTime | undefined {
    const epoch = text.length === EPOCH_MS ? digitsIn(text, 0, EPOCH_MS) : Number.NaN;
    if (!Number.isNaN(epoch)) return { ms: epoch, precisionMs: 1, mayBeEnd: true };
    const inMinute = this.#isInMinute(text) ? secondsIn(text) : Number.NaN;
    if (!Number.isNaN(inMinute)) return { ms: this.#minute.ms + inMinute, precisionMs: 1, mayBeEnd: true };
    const written = text.toString();
    if (!UTC.test(written)) return withEnd(readTime(written, this.#zone));
    const minute = written.slice(0, MINUTE);
    const whole = readTime(`${minute}00Z`, 0);
    if (!whole) return undefined;
    this.#minute = { text: minute, ms: whole.ms };
    return { ms: whole.ms + secondsIn(text), precisionMs: 1, mayBeEnd: true };
  }

  #isInMinute(text: ByteText): boolean {
    const { text: minute } = this.#minute;
    if (minute === '' || text.length !== WITH_MS) return false;
    for (let index = 0; index < MINUTE; index += 1) if (text.at(index) !== minute.charCodeAt(index)) return false;
    return true;
  }
}

/** The roles of a duration, the one that is read first. */
const TOOK = ['tookMs', 'tookSeconds', 'took'] as const;

/** The number of characters of a time such as `2026-11-23T13:03:07.123Z`, and of its beginning up to the seconds. */
const [WITH_MS, MINUTE] = [24, 17];

/** Reads the seconds of such a time, in ms. Returns NaN if they are not seconds with three decimals in UTC. */
function secondsIn(text: ByteText): number {
  const seconds = digitsIn(text, MINUTE, MINUTE + 2);
  const ms = digitsIn(text, MINUTE + 3, MINUTE + 6);
  const isUtc = text.at(MINUTE + 2) === POINT && text.at(MINUTE + 6) === LETTER_Z && seconds < 60;
  return isUtc ? seconds * 1000 + ms : Number.NaN;
}

const [ZERO, POINT, LETTER_Z] = [0x30, 0x2e, 0x5a];

/** Reads a whole number. Returns NaN if not all characters are digits. */
function digitsIn(text: ByteText, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index += 1) {
    const digit = text.at(index) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function viewOf(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** True if the bytes have this text at a position. Compares four bytes at a time, which needs less time than one by one. */
function isAt(text: DataView, bytes: DataView, at: number, to: number): boolean {
  const length = text.byteLength;
  if (at + length > to) return false;
  const whole = length - (length % WORD_BYTES);
  for (let index = 0; index < whole; index += WORD_BYTES)
    if (bytes.getInt32(at + index) !== text.getInt32(index)) return false;
  for (let index = whole; index < length; index += 1)
    if (bytes.getUint8(at + index) !== text.getUint8(index)) return false;
  return true;
}

const WORD_BYTES = 4;

function textOf(text: ByteText | null | undefined): string | null | undefined {
  return text === undefined || text === null ? text : text.toString();
}

/** The request and the reply are on one line. */
function withEnd(time: LogTime | undefined): LogTime | undefined {
  return time && { ...time, mayBeEnd: true };
}

/** The number of digits of a time in milliseconds since 1970. */
const EPOCH_MS = 13;
/** Matches a time in UTC with milliseconds. */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/;

/**
 * The pattern of an id allows only letters, digits and a few signs. Only two kinds of masked ids can match it: a short word, and a
 * row of `x`.
 */
function mayBeMasked(id: ByteText): boolean {
  const first = id.at(0);
  if (first >= ZERO && first <= ZERO + 9) return false;
  return (id.length < 12 || first === LOWER_X || first === UPPER_X) && isMasked(id.toString());
}

const [LOWER_X, UPPER_X] = [0x78, 0x58];

/** Says what the values of a line mean, by their paths. */
interface Meanings {
  readonly roles: ReadonlyMap<string, Role>;
  /** Values that are the same in all lines, because another value could change the meaning of the line. */
  readonly constant: ReadonlySet<string>;
  /** The paths of the bodies. */
  readonly request: string | null;
  readonly reply: string;
  readonly url: string | null;
  readonly isAccepted: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields whose value decides what the line is. */
const DECIDING: readonly LogField[] = ['method', 'url', 'status', 'contentType', 'call', 'type', 'currency'];
/** The fields that are read if they stand beside the bodies. */
const READ: readonly ('time' | 'tookMs' | 'tookSeconds' | 'took' | 'player')[] = [
  'time',
  'tookMs',
  'tookSeconds',
  'took',
  'player',
];

function meaningsOf(object: Fields, form: LogForm, { answer, request }: LoggedExchange): Meanings | undefined {
  const roles = new Map<string, Role>();
  const constant = new Set<string>(['side']);
  const found = new Map<LogField, string | null>();
  for (const field of LOG_FIELDS) {
    const { path, unusable } = pathOf(object, field, form);
    // A correlation id is needed to join a request and its reply. A template is used only for lines that need not be joined, so
    // this id may be missing.
    if (path === undefined && field !== 'correlation' && field !== 'session') return undefined;
    for (const each of unusable) constant.add(each);
    found.set(field, path ?? null);
  }
  const of = (field: LogField): string | null => found.get(field) ?? null;
  const [requestPath, reply, url] = [of('requestBody'), of('responseBody'), of('url')];
  const isGet = request.method === 'GET';
  if (answer.kind !== 'reply' || of('time') === null || of('status') === null || reply === null) return undefined;
  if (isGet ? requestPath !== null : requestPath === null) return undefined;
  if (of('origTx') !== null || of('frID') !== null) return undefined;
  for (const field of DECIDING) {
    const path = of(field);
    if (path !== null) constant.add(path);
  }
  for (const field of READ) {
    const path = of(field);
    if (path === null) continue;
    // If a duration has a unit, no other field is read as the duration.
    if (field.startsWith('took') && of('tookMs') !== null && field !== 'tookMs') continue;
    if (roles.has(path) || constant.has(path)) return undefined;
    roles.set(path, field);
  }
  if (isGet && !(request.url ?? '').includes('?')) {
    const path = of('session');
    if (path === null || roles.has(path) || constant.has(path)) return undefined;
    roles.set(path, 'session');
  }
  return { roles, constant, request: requestPath, reply, url, isAccepted: answer.status === 200 };
}

/**
 * Splits the JSON of an object at its values. A list counts as one value. Returns undefined if a list contains lists or objects, or
 * if a name occurs twice.
 */
function partsOf(json: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  const open: Set<string>[] = [];
  const around: string[] = [];
  const paths = new Set<string>();
  let name: string | null = null;
  for (let at = 0; at < json.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(json)?.[0];
    if (token === undefined) return undefined;
    at += token.length;
    if (token === '{') {
      if (name !== null) around.push(name);
      name = null;
      open.push(new Set());
      parts.push(token);
    } else if (token === '}') {
      open.pop();
      if (open.length > 0) around.pop();
      parts.push(token);
    } else if (/^[\s,:]/.test(token)) parts.push(token);
    else if (name === null) {
      name = String(parsed(token));
      if (open.at(-1)?.has(name) !== false || name === '__proto__') return undefined;
      open.at(-1)?.add(name);
      parts.push(token);
    } else {
      const path = [...around, name].join('.');
      if (paths.has(path)) return undefined;
      paths.add(path);
      parts.push({ path, raw: token });
      name = null;
    }
  }
  return parts;
}

/** A part of a template: a text that is the same in all lines, and then a value. */
interface Step {
  readonly before: DataView;
  /** The pattern of the value. Null if no value follows. */
  readonly pattern: BytePattern | null;
  readonly role: Role | null;
  /** The value in the line that was read last. */
  readonly text: ByteText;
}

/** Writes the steps for all lines with the same meanings. */
function stepsOf(line: string, meanings: Meanings): readonly Step[] | undefined {
  const parts = partsOf(line);
  if (!parts) return undefined;
  const writer = new StepWriter(meanings);
  for (const part of parts) if (!writer.add(part)) return undefined;
  return writer.end();
}

/** The fields that a template reads from a request body. */
const OF_REQUEST: ReadonlyMap<string, Role> = new Map([
  ['sessionID', 'session'],
  ['txID', 'tx'],
  ['roundID', 'round'],
  ['amount', 'amount'],
]);
/** Fields of a request body that a template does not support. A line with one of them gets no template. */
const WITHOUT_TEMPLATE: ReadonlySet<string> = new Set(['origTxID', 'frID']);
/** The fields of a reply that are texts and are never empty. */
const OF_REPLY: ReadonlySet<string> = new Set(['balance', 'txID']);
/** The names of fields that show an error. A reply with one of these fields may be an error although its status is 200. */
const OF_ERROR: ReadonlySet<string> = new Set(['message', 'code', 'error', 'errors', 'errorCode', 'error_code']);

class StepWriter {
  readonly #steps: Step[] = [];
  readonly #meanings: Meanings;
  /** The text after the last value. */
  #before = '';

  constructor(meanings: Meanings) {
    this.#meanings = meanings;
  }

  /** Returns the steps for the whole line. */
  end(): readonly Step[] {
    this.#value(null, null);
    return this.#steps;
  }

  /** Adds the next part of a line. Returns false if there is no pattern for it. */
  add(part: Part): boolean {
    if (typeof part === 'string') {
      this.#before += part;
      return true;
    }
    const { request, reply, url, roles, constant } = this.#meanings;
    const { path, raw } = part;
    for (const body of [request, reply]) {
      if (body === null) continue;
      if (path === body) return this.#text(raw, body === request);
      if (path.startsWith(`${body}.`)) return this.#ofBody(path.slice(body.length + 1), raw, '"', body === request);
    }
    if (path === url && raw.includes('?')) return this.#url(raw);
    const role = roles.get(path);
    // A list is the same in all lines.
    if (role !== undefined && raw.startsWith('[')) return false;
    if (role !== undefined) this.#role(role, raw, '"');
    else if (constant.has(path)) this.#before += raw;
    else this.#any(raw, '"');
    return true;
  }

  /** Adds a body that is a text with JSON. */
  #text(raw: string, isRequest: boolean): boolean {
    const text = parsed(raw);
    if (typeof text !== 'string' || JSON.stringify(text) !== raw || !isFields(parsed(text))) return false;
    const parts = partsOf(text);
    if (!parts) return false;
    this.#before += '"';
    for (const part of parts) {
      if (typeof part === 'string') this.#before += JSON.stringify(part).slice(1, -1);
      else if (!this.#ofBody(part.path, part.raw, String.raw`\"`, isRequest)) return false;
    }
    this.#before += '"';
    return true;
  }

  #ofBody(path: string, raw: string, quote: string, isRequest: boolean): boolean {
    if (isRequest) {
      if (WITHOUT_TEMPLATE.has(path)) return false;
      const role = OF_REQUEST.get(path);
      if (role !== undefined && !raw.startsWith('"')) return false;
      if (role !== undefined) this.#role(role, raw, quote);
      else if (path === 'type') this.#before += inQuotes(raw, quote);
      else this.#any(raw, quote);
      return true;
    }
    if (!this.#meanings.isAccepted) {
      // The text of an error may break a rule. So the template matches only lines with the same text.
      this.#before += inQuotes(raw, quote);
      return true;
    }
    if (OF_ERROR.has(path) || (OF_REPLY.has(path) && !raw.startsWith('"'))) return false;
    if (path === 'balance') this.#role('balance', raw, quote);
    else if (path === 'txID') this.#quoted(OPERATOR_ID, null, quote);
    else this.#any(raw, quote);
    return true;
  }

  /** Adds a URL whose query has nothing but the session. */
  #url(raw: string): boolean {
    const [, before] = /^("[^"\\?]*\?sessionID=)[\w:-]+"$/.exec(raw) ?? [];
    if (before === undefined) return false;
    this.#before += before;
    this.#value(PATTERNS.session, 'session');
    this.#before += '"';
    return true;
  }

  #role(role: Role, raw: string, quote: string): void {
    const pattern = PATTERNS[role];
    if (raw.startsWith('"')) this.#quoted(pattern, role, quote);
    else this.#value(pattern === SHORT_TEXT ? SHORT_NUMBER : pattern, role);
  }

  /** Adds a value that may be any other value of the same type. */
  #any(raw: string, quote: string): void {
    if (raw.startsWith('"')) this.#quoted(ANY_TEXT, null, quote);
    else if (/^[-\d]/.test(raw)) this.#value(ANY_NUMBER, null);
    else this.#before += raw;
  }

  #quoted(pattern: BytePattern, role: Role | null, quote: string): void {
    this.#before += quote;
    this.#value(pattern, role);
    this.#before += quote;
  }

  #value(pattern: BytePattern | null, role: Role | null): void {
    this.#steps.push({ before: viewOf(this.#before), pattern, role, text: new ByteText() });
    this.#before = '';
  }
}

function inQuotes(raw: string, quote: string): string {
  return raw.startsWith('"') ? `${quote}${raw.slice(1, -1)}${quote}` : raw;
}
