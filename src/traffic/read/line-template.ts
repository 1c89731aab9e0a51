import type { CallName } from '../../contract/call-name.ts';
import { isFields, parsed } from '../json-fields.ts';
import type { LoggedExchange, LogTime } from '../logged-exchange.ts';
import { isMasked } from '../masked.ts';
import { type CallPaths, recordedCall } from '../recorded-call.ts';
import { isHarEntry } from './har.ts';
import { isJournalHead, isLaterEvent } from './journal.ts';
import { pathOf } from './logs/json-line.ts';
import { LOG_FIELDS, type LogField, type LogForm } from './logs/log-form.ts';
import { tookMs } from './logs/log-line.ts';
import { readTime, type Zone } from './logs/time.ts';

/** The data of a line that matches the template. */
export interface AlikeCall {
  readonly template: LineTemplate;
  readonly time: LogTime;
  readonly tookMs: number | null;
  readonly sessionID: string | null;
  readonly player: string | null;
  readonly txID: string | null;
  readonly roundID: string | null;
  readonly amount: string | null;
  /** The balance in the reply; null if the call was declined. */
  readonly balance: string | null;
}

/**
 * The roles of the values that are read from a line. A value without a role is either the same in all lines, or has no influence on
 * the meaning of the line.
 */
type Role = 'time' | 'tookMs' | 'tookSeconds' | 'took' | 'session' | 'player' | 'tx' | 'round' | 'amount' | 'balance';

const NO_GROUPS: Readonly<Record<Role, number>> = {
  time: 0,
  tookMs: 0,
  tookSeconds: 0,
  took: 0,
  session: 0,
  player: 0,
  tx: 0,
  round: 0,
  amount: 0,
  balance: 0,
};

/** A value in the JSON of an example. */
interface Leaf {
  readonly path: string;
  /** Its JSON text. */
  readonly raw: string;
}

/** A part of the JSON of an example: a text that is the same in all lines, or a value. */
type Part = string | Leaf;

const ID = '([\\w:-]{1,80})';
const AMOUNT = '((?:0|[1-9]\\d{0,17})(?:\\.\\d{1,18})?)';
/** The patterns of the values that are read. If a value matches its pattern, only one more check is needed: an id may be masked. */
const PATTERNS: Readonly<Record<Role, string>> = {
  time: '([^"\\\\{]{1,64})',
  tookMs: '(\\d{1,12}(?:\\.\\d{1,12})?)',
  tookSeconds: '([^"\\\\{]{1,64})',
  took: '([^"\\\\{]{1,64})',
  session: ID,
  player: ID,
  tx: ID,
  round: ID,
  amount: AMOUNT,
  balance: AMOUNT,
};
/** Matches a text without JSON, and without escapes. */
const ANY_TEXT = '[^"\\\\{]*';
const ANY_NUMBER = '-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?';

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
  readonly #pattern: RegExp;
  /** For each role: the number of the group in the pattern that matches its value. 0 if the lines do not have such a value. */
  readonly #groups: Readonly<Record<Role, number>>;
  readonly #zone: Zone;
  /**
   * The last time that was read: its text up to the minute, and the value of this minute. The next time is often in the same
   * minute. Then only its seconds are read, which saves time.
   */
  #minute = { text: '', ms: 0 };

  private constructor(example: LoggedExchange, call: CallName, pattern: RegExp, roles: readonly Role[], zone: Zone) {
    this.example = example;
    this.call = call;
    this.#pattern = pattern;
    this.#groups = { ...NO_GROUPS, ...Object.fromEntries(roles.map((role, index) => [role, index + 1])) };
    this.#zone = zone;
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
    const pattern = meanings && patternOf(line, meanings);
    if (!pattern) return undefined;
    const template = new LineTemplate(exchange, call.call, new RegExp(`^${pattern.source}$`), pattern.roles, form.zone);
    const again = template.match(line);
    const body = exchange.answer.kind === 'reply' ? parsed(exchange.answer.body?.data ?? '') : undefined;
    const said =
      isFields(body) && exchange.answer.kind === 'reply' && exchange.answer.status === 200 ? body.balance : null;
    const isRight =
      again?.time.ms === exchange.time?.ms &&
      again?.tookMs === exchange.tookMs &&
      again?.sessionID === call.sessionID &&
      again?.player === call.player &&
      again?.txID === call.txID &&
      again?.roundID === call.roundID &&
      again?.amount === call.amount &&
      again?.balance === said;
    return isRight ? template : undefined;
  }

  /** Reads a line. Returns undefined if it does not match, or if a value is masked. */
  match(line: string): AlikeCall | undefined {
    const found = this.#pattern.exec(line);
    if (!found) return undefined;
    const { session, player, tx, round, amount, balance, time } = this.#groups;
    const sessionID = textAt(found, session);
    const playerName = textAt(found, player);
    const txID = textAt(found, tx);
    const roundID = textAt(found, round);
    const at = this.#time(textAt(found, time) ?? '');
    if (!at || mayBeMasked(sessionID) || mayBeMasked(playerName) || mayBeMasked(txID) || mayBeMasked(roundID))
      return undefined;
    return {
      template: this,
      time: at,
      tookMs: this.#tookMs(found),
      sessionID,
      player: playerName,
      txID,
      roundID,
      amount: textAt(found, amount),
      balance: textAt(found, balance),
    };
  }

  #tookMs(found: RegExpExecArray): number | null {
    const { tookMs: millis, tookSeconds, took } = this.#groups;
    if (millis !== 0) return Math.round(Number(found[millis]) * 1000) / 1000;
    if (tookSeconds === 0 && took === 0) return null;
    return tookMs((field) =>
      field === 'tookSeconds' || field === 'took' ? (textAt(found, this.#groups[field]) ?? undefined) : undefined,
    );
  }

  #time(text: string): LogTime | undefined {
    if (text.length === EPOCH_MS && DIGITS.test(text)) return { ms: Number(text), precisionMs: 1, mayBeEnd: true };
    if (!UTC.test(text)) return withEnd(readTime(text, this.#zone));
    const minute = text.slice(0, 17);
    if (minute !== this.#minute.text) {
      const whole = readTime(`${minute}00Z`, 0);
      if (!whole) return undefined;
      this.#minute = { text: Buffer.from(minute).toString(), ms: whole.ms };
    }
    return { ms: this.#minute.ms + Number(text.slice(17, 23)) * 1000, precisionMs: 1, mayBeEnd: true };
  }
}

/** The request and the reply are on one line. */
function withEnd(time: LogTime | undefined): LogTime | undefined {
  return time && { ...time, mayBeEnd: true };
}

/** The number of digits of a time in milliseconds since 1970. */
const EPOCH_MS = 13;
const DIGITS = /^\d+$/;
/** Matches a time in UTC with milliseconds. */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/;

/**
 * The pattern of an id allows only letters, digits and a few signs. Only two kinds of masked ids can match it: a short word, and a
 * row of `x`.
 */
function mayBeMasked(id: string | null): boolean {
  return id !== null && (id.length < 12 || id.startsWith('x')) && isMasked(id);
}

function textAt(found: RegExpExecArray, group: number): string | null {
  return group === 0 ? null : (found[group] ?? null);
}

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

/** Writes the pattern of all lines with the same meanings. */
function patternOf(
  line: string,
  meanings: Meanings,
): { readonly source: string; readonly roles: readonly Role[] } | undefined {
  const parts = partsOf(line);
  if (!parts) return undefined;
  const writer = new PatternWriter(meanings);
  for (const part of parts) if (!writer.add(part)) return undefined;
  return writer;
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

class PatternWriter {
  readonly roles: Role[] = [];
  readonly #meanings: Meanings;
  #source = '';

  constructor(meanings: Meanings) {
    this.#meanings = meanings;
  }

  get source(): string {
    return this.#source;
  }

  /** Adds the next part of a line. Returns false if there is no pattern for it. */
  add(part: Part): boolean {
    if (typeof part === 'string') {
      this.#source += escaped(part);
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
    else this.#source += constant.has(path) ? escaped(raw) : anyValue(raw, '"');
    return true;
  }

  /** Adds a body that is a text with JSON. */
  #text(raw: string, isRequest: boolean): boolean {
    const text = parsed(raw);
    if (typeof text !== 'string' || JSON.stringify(text) !== raw || !isFields(parsed(text))) return false;
    const parts = partsOf(text);
    if (!parts) return false;
    this.#source += '"';
    for (const part of parts) {
      if (typeof part === 'string') this.#source += escaped(JSON.stringify(part).slice(1, -1));
      else if (!this.#ofBody(part.path, part.raw, '\\\\"', isRequest)) return false;
    }
    this.#source += '"';
    return true;
  }

  #ofBody(path: string, raw: string, quote: string, isRequest: boolean): boolean {
    if (isRequest) {
      if (WITHOUT_TEMPLATE.has(path)) return false;
      const role = OF_REQUEST.get(path);
      if (role !== undefined && !raw.startsWith('"')) return false;
      if (role !== undefined) this.#role(role, raw, quote);
      else this.#source += path === 'type' ? inQuotes(raw, quote) : anyValue(raw, quote);
      return true;
    }
    if (!this.#meanings.isAccepted) {
      // The text of an error may break a rule. So the template matches only lines with the same text.
      this.#source += inQuotes(raw, quote);
      return true;
    }
    if (OF_ERROR.has(path) || (OF_REPLY.has(path) && !raw.startsWith('"'))) return false;
    if (path === 'balance') this.#role('balance', raw, quote);
    else this.#source += path === 'txID' ? `${quote}${ANY_TEXT.replace('*', '{1,200}')}${quote}` : anyValue(raw, quote);
    return true;
  }

  /** Adds a URL whose query has nothing but the session. */
  #url(raw: string): boolean {
    const [, before] = /^("[^"\\?]*\?sessionID=)[\w:-]+"$/.exec(raw) ?? [];
    if (before === undefined) return false;
    this.#source += `${escaped(before)}${PATTERNS.session}"`;
    this.roles.push('session');
    return true;
  }

  #role(role: Role, raw: string, quote: string): void {
    const pattern = PATTERNS[role];
    this.#source += raw.startsWith('"') ? `${quote}${pattern}${quote}` : pattern.replace('[^"\\\\{]', '[-+.\\d]');
    this.roles.push(role);
  }
}

function inQuotes(raw: string, quote: string): string {
  return raw.startsWith('"') ? `${quote}${escaped(raw.slice(1, -1))}${quote}` : escaped(raw);
}

function anyValue(raw: string, quote: string): string {
  if (raw.startsWith('"')) return `${quote}${ANY_TEXT}${quote}`;
  return /^[-\d]/.test(raw) ? ANY_NUMBER : escaped(raw);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
