import type { Exchange } from '../journal/exchange.ts';

/** The status of a reply. undefined or null if no reply came, or if its status is unknown. */
export type Status = number | null | undefined;

/** Returns the status of the reply to a call. undefined if no reply came. */
export function replyStatus({ outcome }: Pick<Exchange, 'outcome'>): number | undefined {
  return outcome.kind === 'reply' ? outcome.reply.status : undefined;
}

/**
 * True for 200 to 299. Only 200 is right (contract, Rules 1): any other 2xx breaks `reply.success-is-200`. croupier
 * then reads it as a success, so that one fault gives only one finding.
 */
export function isSuccess(status: Status): boolean {
  return isWithin(status, 200, 299);
}

/** True for 300 to 399. The service follows no redirect. */
export function isRedirect(status: Status): boolean {
  return isWithin(status, 300, 399);
}

/** True for 400 to 499: the operator rejected the call. */
export function isClientError(status: Status): boolean {
  return isWithin(status, 400, 499);
}

/** True for 500 to 599: the call failed at the operator, or on the way to it. */
export function isServerError(status: Status): boolean {
  return isWithin(status, 500, 599);
}

/** True for the status of a gateway that has no reply from the server behind it (RFC 9110, 15.6.3 to 15.6.5). */
export function isGatewayError(status: Status): boolean {
  return status === 502 || status === 503 || status === 504;
}

/**
 * True if the operator asks to send the call again later. An operator may do this for some calls, but not for all
 * (docs/positions.md).
 */
export function isBusy(status: Status): boolean {
  return status === 429 || status === 503;
}

/** Client errors that may go away with time: 408 Request Timeout, 423 Locked, 425 Too Early, 429 Too Many Requests. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 423, 425, 429]);

/** True for an error that may go away with time: the same call may get another reply a moment later. */
export function isTemporary(status: Status): boolean {
  return isServerError(status) || (status != null && TEMPORARY.has(status));
}

/**
 * True if sending the same call again may help: after a temporary error, or after 409 Conflict. Some operators answer 409 while
 * they process the first copy of a call.
 *
 * A 409 is not a temporary error, because other operators answer every replay with 409. A 409 is judged at once, because a replay
 * must be answered 200 (contract, Rules 2). A call is sent again after a 409 only by code that needs a success of this call.
 */
export function isWorthRetrying(status: Status): boolean {
  return isTemporary(status) || status === 409;
}

/**
 * True for a status that rejects the form of a request: its method, its media type or its length. An operator must not reject any
 * call of the service for its form, whatever the content of the call is.
 */
export function isFormRejected(status: Status): boolean {
  return status === 405 || status === 406 || status === 411 || status === 415;
}

function isWithin(status: Status, first: number, last: number): boolean {
  return status != null && status >= first && status <= last;
}
