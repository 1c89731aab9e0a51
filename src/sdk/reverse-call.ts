import { z } from 'zod';
import { AMOUNT_PATTERN } from '../contract/money.ts';
import { readQuery } from '../contract/query.ts';
import { isSigned } from '../contract/signature.ts';

const text = z.string().min(1);

/**
 * The fields of a bet or a win as the SDK reads them. The contract does not show all values and fields. So the SDK also accepts
 * values that croupier's simulated service never sends: other types, round ids in another form, and null in optional fields. The
 * SDK passes these values on unchanged.
 */
const action = {
  /** The operator's own reference of the player's session. */
  sessionID: text,
  /** Identifies the transaction. It is the idempotency key. */
  txID: text,
  /** The same for all calls of one round. Unique only within one game. */
  roundID: text,
  /** A plain decimal in whole currency units, such as `0.90` for 90 cents. */
  amount: z.string().regex(AMOUNT_PATTERN, 'expected a plain decimal in text, such as "0.90"'),
  /** `free` marks an action of a free-rounds campaign. Other values: `regular`, and values that the contract does not show. */
  type: text,
  /** The free-rounds campaign that the action belongs to. */
  frID: z.string().nullish(),
};
const balanceQuerySchema = z.object({ sessionID: text }).catchall(z.string());
const betSchema = z.looseObject(action);
const winSchema = z.looseObject(action);
const refundSchema = z.looseObject({
  sessionID: action.sessionID,
  txID: action.txID,
  /** The `txID` of the bet to give back. */
  origTxID: text,
  roundID: z.string().nullish(),
  /** The whole amount of the bet. */
  amount: action.amount,
});

export type BalanceQuery = z.infer<typeof balanceQuerySchema>;
export type BetRequest = z.infer<typeof betSchema>;
export type WinRequest = z.infer<typeof winSchema>;
export type RefundRequest = z.infer<typeof refundSchema>;

/** A `GET /balance` as it was received. */
export interface SignedQuery {
  /** The query after the `?`, still percent-encoded. */
  readonly query: string;
  /** The value of the `X-REQUEST-SIGN` header; undefined if there was none. */
  readonly signature: string | undefined;
  /** The client's Integration API key. */
  readonly key: string;
}

/** A `POST /bet`, `/win` or `/refund` as it was received. */
export interface SignedBody {
  /** The exact bytes that were received. Do not pass JSON that was parsed and written again. */
  readonly body: Uint8Array;
  /** The value of the `X-REQUEST-SIGN` header; undefined if there was none. */
  readonly signature: string | undefined;
  /** The client's Integration API key. */
  readonly key: string;
}

export interface Refused {
  readonly kind: 'refused';
  /**
   * The reason why the call was refused:
   *
   * - `bad-signature`: the signature is missing or wrong. Answer 401 with a `message`.
   * - `malformed`: the signature is valid, but the body is not JSON in UTF-8.
   * - `invalid`: the JSON does not have the fields that the call must have.
   */
  readonly reason: 'bad-signature' | 'malformed' | 'invalid';
  /** A description of the problem for developers. */
  readonly detail: string;
}

export type Verified<Call> = { readonly kind: 'call'; readonly call: Call } | Refused;

/**
 * Verifies and reads a `GET /balance`. The signature covers the canonical JSON of all parameters. They are decoded like an HTML
 * form: `%2B` is a plus sign, and `+` and `%20` are spaces (contract, Authentication 3). A query in which a parameter occurs
 * twice, or whose escapes are not UTF-8, is refused.
 */
export function verifyBalance({ query, signature, key }: SignedQuery): Verified<BalanceQuery> {
  if (!isSigned({ method: 'GET', query, body: null, signature }, [key])) return badSignature(signature);
  return checked(balanceQuerySchema, Object.fromEntries(readQuery(query)));
}

/** Verifies the signature of a `POST /bet` over the raw bytes of its body (contract, Authentication 2), then reads the body. */
export function verifyBet(signed: SignedBody): Verified<BetRequest> {
  return verifyBody(betSchema, signed);
}

/** Verifies the signature of a `POST /win` over the raw bytes of its body (contract, Authentication 2), then reads the body. */
export function verifyWin(signed: SignedBody): Verified<WinRequest> {
  return verifyBody(winSchema, signed);
}

/**
 * Verifies the signature of a `POST /refund` over the raw bytes of its body (contract, Authentication 2), then reads the body.
 */
export function verifyRefund(signed: SignedBody): Verified<RefundRequest> {
  return verifyBody(refundSchema, signed);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function verifyBody<Call>(schema: z.ZodType<Call>, { body, signature, key }: SignedBody): Verified<Call> {
  if (!isSigned({ method: 'POST', query: null, body, signature }, [key])) return badSignature(signature);
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(body));
  } catch (error) {
    const detail = `the body is not JSON in UTF-8: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'refused', reason: 'malformed', detail };
  }
  return checked(schema, value);
}

function checked<Call>(schema: z.ZodType<Call>, value: unknown): Verified<Call> {
  const result = schema.safeParse(value);
  if (result.success) return { kind: 'call', call: result.data };
  const detail = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
  return { kind: 'refused', reason: 'invalid', detail };
}

function badSignature(signature: string | undefined): Refused {
  const detail = signature
    ? 'the caller signed other content than this body or query, or used another key'
    : 'the header X-REQUEST-SIGN is missing or empty';
  return { kind: 'refused', reason: 'bad-signature', detail };
}
