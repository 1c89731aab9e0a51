import type { z } from 'zod';
import {
  type BalanceQuery,
  type BetRequest,
  balanceQuerySchema,
  betRequestSchema,
  type RefundRequest,
  refundRequestSchema,
  type WinRequest,
  winRequestSchema,
} from '../contract/calls.ts';
import { queryPayload, verifySignature } from '../contract/signature.ts';

/** A `GET /balance` as it arrived. */
export interface SignedQuery {
  /** What followed the `?`, still percent-encoded. */
  readonly query: string;
  /** The value of the `X-REQUEST-SIGN` header; undefined when there was none. */
  readonly signature: string | undefined;
  /** The client's Integration API key. */
  readonly key: string;
}

/** A `POST /bet`, `/win` or `/refund` as it arrived. */
export interface SignedBody {
  /** Exactly the bytes that were received: not parsed, not written anew. */
  readonly body: Uint8Array;
  /** The value of the `X-REQUEST-SIGN` header; undefined when there was none. */
  readonly signature: string | undefined;
  /** The client's Integration API key. */
  readonly key: string;
}

export interface Refused {
  readonly kind: 'refused';
  /**
   * `bad-signature`: missing, or made over something else or with another key; answer 401 with a `message`.
   * `malformed`: rightly signed, but no JSON in UTF-8. `invalid`: JSON, but not what such a call must say.
   */
  readonly reason: 'bad-signature' | 'malformed' | 'invalid';
  /** For developers: what was wrong, and where. */
  readonly detail: string;
}

export type Verified<Call> = { readonly kind: 'call'; readonly call: Call } | Refused;

/**
 * Verifies and reads a `GET /balance`. What is signed is the canonical JSON of all parameters, decoded as forms are: `%2B`
 * is a plus sign, `+` and `%20` are spaces (contract, Authentication 3). A parameter given twice cannot be verified.
 */
export function verifyBalance({ query, signature, key }: SignedQuery): Verified<BalanceQuery> {
  // The question mark keeps the parser from taking one that belongs to the first name for the separator.
  const params = [...new URLSearchParams(`?${query}`)];
  const payload = payloadOf(params);
  if (payload === undefined || !verifySignature(payload, key, signature)) return badSignature(signature);
  return checked(balanceQuerySchema, Object.fromEntries(params));
}

/** Verifies a `POST /bet` over its raw bytes (contract, Authentication 2), then reads it. */
export function verifyBet(signed: SignedBody): Verified<BetRequest> {
  return verifyBody(betRequestSchema, signed);
}

/** Verifies a `POST /win` over its raw bytes (contract, Authentication 2), then reads it. */
export function verifyWin(signed: SignedBody): Verified<WinRequest> {
  return verifyBody(winRequestSchema, signed);
}

/** Verifies a `POST /refund` over its raw bytes (contract, Authentication 2), then reads it. */
export function verifyRefund(signed: SignedBody): Verified<RefundRequest> {
  return verifyBody(refundRequestSchema, signed);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function verifyBody<Call>(schema: z.ZodType<Call>, { body, signature, key }: SignedBody): Verified<Call> {
  if (!verifySignature(body, key, signature)) return badSignature(signature);
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(body));
  } catch (error) {
    const detail = `the body is not JSON in UTF-8: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'refused', reason: 'malformed', detail };
  }
  return checked(schema, value);
}

function payloadOf(params: readonly (readonly [string, string])[]): string | undefined {
  try {
    return queryPayload(params);
  } catch {
    return undefined;
  }
}

function checked<Call>(schema: z.ZodType<Call>, value: unknown): Verified<Call> {
  const result = schema.safeParse(value);
  if (result.success) return { kind: 'call', call: result.data };
  const detail = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
  return { kind: 'refused', reason: 'invalid', detail };
}

function badSignature(signature: string | undefined): Refused {
  const detail = signature
    ? 'X-REQUEST-SIGN was made over something else, or with another key'
    : 'X-REQUEST-SIGN is missing or empty';
  return { kind: 'refused', reason: 'bad-signature', detail };
}
