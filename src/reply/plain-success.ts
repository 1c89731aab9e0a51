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

/**
 * The bodies that are recognised: a balance and perhaps a txID, in any order, with at most one space after each comma and
 * colon. A number of this length is an amount, and a txID without quotation marks and backslashes needs no escapes.
 */
const BALANCE = '"balance": ?"((?:0|[1-9]\\d{0,14})(?:\\.(\\d{1,15}))?)"';
const TX_ID = '"txID": ?"([ !#-\\[\\]-~]{1,200})"';
const BALANCE_FIRST = new RegExp(`^\\{${BALANCE}(?:, ?${TX_ID})?\\}$`);
const TX_ID_FIRST = new RegExp(`^\\{${TX_ID}, ?${BALANCE}\\}$`);

const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json;charset=UTF-8',
]);

/** Header lists with a right `Content-Type`. The reader of a load test gives the same list for each reply with the same head. */
const RIGHT_HEADERS = new WeakSet<HeaderList>();

/**
 * Recognises a success that breaks no rule, without the work of the full judgement: `answerOf` would return `accepted`, and
 * `problemsOf` no problem. A load test judges thousands of replies a second, and nearly all of them are such replies.
 *
 * @param currency the currency of the session. undefined if it is unknown
 * @returns undefined for every other reply, and for a success that is only written in an unusual way
 */
export function plainSuccess(call: CallName, reply: Reply, currency: Currency | undefined): PlainSuccess | undefined {
  const { status, headers, body, excessBytes } = reply;
  if (status !== 200 || excessBytes !== undefined || body.encoding !== 'utf8' || body.truncated) return undefined;
  if (!hasJsonType(headers)) return undefined;
  let written: string | undefined;
  let fraction: string | undefined;
  let txID: string | undefined;
  const match = BALANCE_FIRST.exec(body.data);
  if (match) [, written, fraction, txID] = match;
  else [, txID, written, fraction] = TX_ID_FIRST.exec(body.data) ?? [];
  if (written === undefined || (txID === undefined && call !== 'balance')) return undefined;
  if (currency && currency.decimals !== null && fraction !== undefined && fraction.length > currency.decimals)
    return undefined;
  return { balance: Money.of(written), written, txID };
}

function hasJsonType(headers: HeaderList): boolean {
  if (RIGHT_HEADERS.has(headers)) return true;
  if (!JSON_TYPES.has(header(headers, 'content-type'))) return false;
  RIGHT_HEADERS.add(headers);
  return true;
}
