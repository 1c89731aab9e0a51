import type { JsonObject, JsonValue } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import type { Sending } from './event.ts';
import { type Body, bodyText } from './exchange.ts';

/** Maximum length of an amount in characters. With more digits, computing would take too long. */
const MAX_CHARACTERS = 100;

/**
 * Returns the amount of a bet, win or refund as it was sent. For calls that croupier made, the journal has the amount. For other
 * calls, and in older journals, this function reads the amount from the body. No other code reads amounts from bodies.
 *
 * @returns the amount as text, or undefined if the call has no amount
 */
export function amountTextOf({
  call,
  amount,
  request,
}: Pick<Sending, 'call' | 'amount' | 'request'>): string | undefined {
  if (amount !== undefined) return amount;
  return call === 'balance' || request.body === null ? undefined : amountIn(bodyFields(request.body))?.text;
}

/**
 * Returns the amount of a call in the main unit of the currency. Returns undefined if the call has no amount, or if the
 * contract does not allow the format of the amount.
 */
export function amountOf(sending: Pick<Sending, 'call' | 'amount' | 'request'>): Money | undefined {
  const text = amountTextOf(sending);
  return text === undefined ? undefined : readAmount(text);
}

/**
 * Reads an amount that another program wrote: a plain decimal in the main unit (contract, "What the service does" 5). Returns
 * undefined for any other text.
 */
export function readAmount(text: string): Money | undefined {
  return text.length > MAX_CHARACTERS ? undefined : Money.read(text);
}

/**
 * Returns the amount in the body of a call as text. `isNumber` is true if the amount was sent as a JSON number, which the contract
 * forbids. Returns undefined if the body has no amount.
 */
export function amountIn(
  fields: JsonObject | undefined,
): { readonly text: string; readonly isNumber: boolean } | undefined {
  const amount = fields?.amount;
  if (typeof amount === 'string') return { text: amount, isNumber: false };
  return typeof amount === 'number' ? { text: String(amount), isNumber: true } : undefined;
}

/** Returns the fields of a body, or undefined if the body is not a JSON object. */
export function bodyFields(body: Body): JsonObject | undefined {
  try {
    const value = JSON.parse(bodyText(body)) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
