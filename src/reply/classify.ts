import type { CallName } from '../contract/call-name.ts';
import { PUBLISHED_ERROR_CODES } from '../contract/error-codes.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { ReplyReading } from './read.ts';
import { isRedirect, isServerError, isSuccess, type Status } from './status.ts';

/**
 * The meaning of a reply for its call, in the contract's terms.
 *
 * - `accepted`: 200; also another 2xx, which breaks a rule of its own and is then read as a success
 * - `error-200`: a 2xx with the body of an error
 * - `refused`: 401
 * - `declined`: any other status except 500. A bet that is declined has taken nothing (contract, States and Errors), also with a 502,
 *   503 or 504: see {@link mayHaveBeenProcessed}
 * - `failed`: 500, or a redirect, which the service does not follow: the outcome is unknown
 */
export type ReplyAnswer = 'accepted' | 'error-200' | 'refused' | 'declined' | 'failed';

/**
 * The result of a call, with or without a reply.
 *
 * - `late`: no whole reply within the deadline
 * - `broken`: croupier closed the connection on purpose
 * - `lost`: no reply because of a transport error
 */
export type Answer = ReplyAnswer | 'late' | 'broken' | 'lost';

/** @param reading undefined if no reply came */
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

/** @param reading null if the body is unknown: then any 2xx counts as a success */
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

/** True for an error code of a published version of the contract. */
export function isPublishedCode(code: string | null | undefined): boolean {
  return PUBLISHED_ERROR_CODES.some((published) => published === code);
}

/** False if the request cannot have reached the operator. */
export function mayHaveArrived({ outcome, connection }: Pick<Exchange, 'outcome' | 'connection'>): boolean {
  return outcome.kind === 'reply' || connection !== null;
}

/**
 * True if money may have moved although the call was not accepted: no reply came, it failed (500 or a redirect), or the reply was
 * another 5xx. Bets with a reply of 502, 503 or 504 raise two questions:
 *
 * 1. Which balance must a conforming operator have? By the contract, only a 500 or a timeout leads to a refund, so a bet with any
 *    other error has taken nothing. {@link answerOfReply} says `declined`: the wallet model of `run` moves nothing, `incident` and
 *    `proxy` book nothing and expect no refund. If a debit shows nevertheless, `bet.declined-takes-nothing` is reported, because the
 *    player has lost the stake.
 * 2. What may the operator have done? A gateway also answers 502 or 504 while the wallet behind it goes on, so the money may be
 *    gone, now or a moment later. Code that gives money back must expect both, so this function returns true:
 *
 *    - `run` waits as long as after a 500 before a balance counts as final.
 *    - `run` refunds such a bet of croupier's own (to raise or restore a balance). A refund of a bet that took nothing pays nothing.
 *    - `settle` and `--after` keep both balances as possible; `settle` sends the refund, and gives back only what is certain.
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
