import type { JsonObject, JsonValue } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import type { Sending } from './event.ts';
import { type Body, bodyText } from './exchange.ts';

/** Maximum length of an amount. Computing with more digits would take too long. */
const MAX_CHARACTERS = 100;

/**
 * The amount of a bet, win or refund as it was sent, as text. For calls that croupier made, the journal holds it. For other calls,
 * and in older journals, it is read from the body; this is the only place that does so.
 *
 * @returns undefined if the call has no amount
 */
export function amountTextOf({
  call,
  amount,
  request,
}: Pick<Sending, 'call' | 'amount' | 'request'>): string | undefined {
  if (amount !== undefined) return amount;
  return call === 'balance' || request.body === null ? undefined : amountIn(bodyFields(request.body))?.text;
}

/** The amount of a call as money, in the main unit; undefined if it has none, or if its format is not allowed by the contract. */
export function amountOf(sending: Pick<Sending, 'call' | 'amount' | 'request'>): Money | undefined {
  const text = amountTextOf(sending);
  return text === undefined ? undefined : readAmount(text);
}

/** Reads an amount that somebody else wrote: a plain decimal of the main unit (contract, "What the service does" 5). */
export function readAmount(text: string): Money | undefined {
  return text.length > MAX_CHARACTERS ? undefined : Money.read(text);
}

/** The amount in the body of a call: as text, or wrongly as a JSON number; undefined if there is none. */
export function amountIn(
  fields: JsonObject | undefined,
): { readonly text: string; readonly isNumber: boolean } | undefined {
  const amount = fields?.amount;
  if (typeof amount === 'string') return { text: amount, isNumber: false };
  return typeof amount === 'number' ? { text: String(amount), isNumber: true } : undefined;
}

/** The fields of a body; undefined if it is not a JSON object. */
export function bodyFields(body: Body): JsonObject | undefined {
  try {
    const value = JSON.parse(bodyText(body)) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
