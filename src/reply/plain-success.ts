import type { CallName } from '../contract/call-name.ts';
import type { Currency } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { type HeaderList, header, type Reply } from '../journal/exchange.ts';

/** The fields of a success in the usual form. */
export interface PlainSuccess {
  readonly balance: Money;
  /** The balance as it is written. */
  readonly written: string;
  /** The operator's transaction id. Undefined if a reply to a balance call has none. */
  readonly txID: string | undefined;
}

/** Maximum number of digits before and after the point of an amount that is recognised. */
const MAX_DIGITS = 15;
const MAX_TX_ID = 200;
const BALANCE_NAME = '"balance":';
const TX_ID_NAME = '"txID":';
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json;charset=UTF-8',
]);

/**
 * The header lists whose `Content-Type` is known to be right. A load test parses equal heads only once. So all replies with equal
 * heads share one list, and its `Content-Type` is checked only once.
 */
const RIGHT_HEADERS = new WeakSet<HeaderList>();
let latestRight: HeaderList | undefined;

/**
 * Recognises a success that breaks no rule: `answerOf` would return `accepted`, and `problemsOf` would return no problem. This
 * function needs much less time than these two functions. A load test judges thousands of replies a second, and nearly all of them
 * are such replies.
 *
 * @param currency the currency of the session. undefined if it is unknown
 * @returns undefined for every other reply, and for a success that is only written in an unusual way
 */
export function plainSuccess(call: CallName, reply: Reply, currency: Currency | undefined): PlainSuccess | undefined {
  const { status, headers, body, excessBytes } = reply;
  if (status !== 200 || excessBytes !== undefined || body.encoding !== 'utf8' || body.truncated) return undefined;
  if (!hasJsonType(headers)) return undefined;
  const fields = plainFields(body.data);
  if (fields === undefined || (fields.txID === undefined && call !== 'balance')) return undefined;
  const { written, decimals, txID } = fields;
  if (currency && currency.decimals !== null && decimals > currency.decimals) return undefined;
  return { balance: Money.of(written), written, txID };
}

interface PlainFields {
  readonly written: string;
  /** Number of digits after the point. */
  readonly decimals: number;
  readonly txID: string | undefined;
}

/**
 * Reads a body with a balance and perhaps a txID, in any order, with at most one space after each comma and colon. Returns
 * undefined for every other body. This function needs much less time than a regular expression.
 */
function plainFields(text: string): PlainFields | undefined {
  let written: string | undefined;
  let decimals = 0;
  let txID: string | undefined;
  let at = 1;
  if (!text.startsWith('{')) return undefined;
  for (;;) {
    if (written === undefined && text.startsWith(BALANCE_NAME, at)) {
      const start = valueStart(text, at + BALANCE_NAME.length);
      const whole = digitsEnd(text, start);
      const end = text.charCodeAt(whole) === POINT ? digitsEnd(text, whole + 1) : whole;
      if (!isPlainAmount(text, start, whole, end) || text.charCodeAt(end) !== QUOTE) return undefined;
      written = text.slice(start, end);
      decimals = end === whole ? 0 : end - whole - 1;
      at = end + 1;
    } else if (txID === undefined && text.startsWith(TX_ID_NAME, at)) {
      const start = valueStart(text, at + TX_ID_NAME.length);
      const end = plainTextEnd(text, start);
      if (end === start || end - start > MAX_TX_ID || text.charCodeAt(end) !== QUOTE) return undefined;
      txID = text.slice(start, end);
      at = end + 1;
    } else return undefined;
    if (text.charCodeAt(at) !== COMMA) break;
    at += text.charCodeAt(at + 1) === SPACE ? 2 : 1;
  }
  const isEnd = at === text.length - 1 && text.endsWith('}');
  return isEnd && written !== undefined ? { written, decimals, txID } : undefined;
}

/** Returns the position after the quotation mark that begins a value, or the end of the text if there is none. */
function valueStart(text: string, at: number): number {
  const quote = text.charCodeAt(at) === SPACE ? at + 1 : at;
  return text.charCodeAt(quote) === QUOTE ? quote + 1 : text.length;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at += 1;
  return at;
}

/**
 * True if the text between these places is an amount: digits up to `whole`, then a point and digits up to `end`. If the amount has
 * no point, `whole` and `end` are equal.
 */
function isPlainAmount(text: string, start: number, whole: number, end: number): boolean {
  const digits = whole - start;
  if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && text.charCodeAt(start) === ZERO)) return false;
  return end === whole || (end > whole + 1 && end - whole - 1 <= MAX_DIGITS);
}

/**
 * Returns the first position from `from` on whose character is a quotation mark, a backslash, or neither visible ASCII nor a space.
 * The text before this position needs no escapes.
 */
function plainTextEnd(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at);
    if (!(code >= SPACE && code <= TILDE) || code === QUOTE || code === BACKSLASH) return at;
  }
}

function hasJsonType(headers: HeaderList): boolean {
  // Most replies have the same head as the reply before.
  if (headers === latestRight) return true;
  if (!RIGHT_HEADERS.has(headers)) {
    if (!JSON_TYPES.has(header(headers, 'content-type'))) return false;
    RIGHT_HEADERS.add(headers);
  }
  latestRight = headers;
  return true;
}
