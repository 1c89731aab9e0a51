import type { CallName } from '../contract/call-name.ts';
import { PUBLISHED_ERROR_CODES } from '../contract/error-codes.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { ReplyReading } from './read.ts';
import { isRedirect, isServerError, isSuccess, type Status } from './status.ts';

/**
 * The meaning of a reply for its call, by the contract.
 *
 * - `accepted`: 200, or another 2xx. Another 2xx breaks `reply.success-is-200` and is then read as a success
 * - `error-200`: a 2xx with the body of an error
 * - `refused`: 401
 * - `declined`: any other status except 500. A declined bet has taken nothing (contract, States and Errors). This includes a
 * 502, 503 or 504, see {@link mayHaveBeenProcessed}
 * - `failed`: 500 or a redirect, which the service does not follow. The outcome is unknown
 */
export type ReplyAnswer = 'accepted' | 'error-200' | 'refused' | 'declined' | 'failed';

/**
 * The result of a call, with or without a reply.
 *
 * - `late`: no complete reply within the deadline
 * - `broken`: croupier closed the connection on purpose
 * - `lost`: no reply because of a transport error
 */
export type Answer = ReplyAnswer | 'late' | 'broken' | 'lost';

/**
 * Returns the result of a call.
 *
 * @param reading undefined if no reply came
 */
export function answerOf(
  { call, outcome }: Pick<Exchange, 'call' | 'outcome'>,
  reading: ReplyReading | undefined,
): Answer {
  if (outcome.kind === 'none' || !reading) {
    const reason = outcome.kind === 'none' ? outcome.reason : 'reset';
    return reason === 'too-late' ? 'late' : reason === 'broken' ? 'broken' : 'lost';
  }
  return answerOfReply(call, reading.status, reading);
}

/**
 * Returns the meaning of a reply.
 *
 * @param reading null if the body is unknown; every 2xx then counts as a success
 */
export function answerOfReply(call: CallName, status: number, reading: ReplyReading | null): ReplyAnswer {
  if (isSuccess(status)) return reading && isErrorBody(call, reading) ? 'error-200' : 'accepted';
  if (status === 401) return 'refused';
  return status === 500 || isRedirect(status) ? 'failed' : 'declined';
}

/** True for a body with a published error code, and for a body with the fields of an error and without a `balance`. */
function isErrorBody(call: CallName, reading: ReplyReading): boolean {
  const { object, code } = reading;
  if (!object) return false;
  if (isPublishedCode(code)) return true;
  if (reading.balance.form !== 'missing') return false;
  if (call !== 'balance' && reading.txIDForm !== 'missing' && reading.txIDForm !== 'empty') return false;
  return ['message', 'code', 'error', 'errors', 'errorCode', 'error_code'].some((name) => name in object);
}

const PUBLISHED: ReadonlySet<string> = new Set(PUBLISHED_ERROR_CODES);

/** True for an error code of a published version of the contract. */
export function isPublishedCode(code: string | null | undefined): boolean {
  return code != null && PUBLISHED.has(code);
}

/** False if the request certainly did not reach the operator. */
export function mayHaveArrived({ outcome, connection }: Pick<Exchange, 'outcome' | 'connection'>): boolean {
  return outcome.kind === 'reply' || connection !== null;
}

/**
 * True if money may have moved although the call was not accepted: no reply came, or the reply was a 5xx or a redirect.
 *
 * A bet with a reply of 502, 503 or 504 can be seen in two ways:
 *
 * 1. By the contract, only a 500 or a timeout leads to a refund, so a bet with another error has taken nothing. {@link
 * answerOfReply} therefore returns `declined`. `run` expects an unchanged balance, and `incident` and `proxy` expect no refund. If
 * a balance shows a debit anyway, croupier reports `bet.declined-takes-nothing`, because the player has lost the stake.
 * 2. In practice, a gateway may answer 502 or 504 while the wallet behind it still carries out the bet. Code that gives money back
 * must expect both outcomes, so this function returns true:
 *
 * - `run` waits as long as after a 500 before a balance counts as final.
 * - `run` refunds such a bet if croupier sent it only to set a balance. A refund of a bet that took nothing pays nothing.
 * - `settle` and `--after` keep both balances as possible. `settle` sends the refund, and gives back only what is certain.
 *
 * With a 4xx the operator itself says that it rejected the call, so there is no doubt.
 */
export function mayHaveBeenProcessed(answer: Answer, status: Status): boolean {
  switch (answer) {
    case 'failed':
    case 'late':
    case 'broken':
    case 'lost':
      return true;
    case 'declined':
      return isServerError(status);
    case 'accepted':
    case 'error-200':
    case 'refused':
      return false;
  }
}
