import type { NoReplyReason } from '../../journal/exchange.ts';

/**
 * The end of a call that got no reply in time. `late`: the service stopped waiting. `lost`: the connection broke. `not-sent`: there
 * was no connection.
 */
export type NoReplyEnding = 'late' | 'lost' | 'not-sent';

/**
 * The ending for each reason of a missing reply. In each case, the service refunds a bet, and sends a win or a refund again
 * (contract, "States" and "Errors"; position "a bet whose connection could not be made at all"). Only for `not-sent`, it is certain
 * that the operator did not book the call.
 */
export const ENDINGS: Readonly<Record<NoReplyReason, NoReplyEnding>> = {
  'too-late': 'late',
  unresolved: 'not-sent',
  refused: 'not-sent',
  unreachable: 'not-sent',
  'connect-timeout': 'not-sent',
  tls: 'not-sent',
  proxy: 'not-sent',
  // A part of the request may have arrived, and the server may process this part.
  'send-timeout': 'lost',
  broken: 'lost',
  reset: 'lost',
  'stale-connection': 'lost',
  'closed-early': 'lost',
  'too-large': 'lost',
  'not-http': 'lost',
  'bad-encoding': 'lost',
  aborted: 'lost',
};

/**
 * The statuses that a server or a load balancer logs if its client has closed the connection before the reply. The service did not
 * get such a status. For the service, the call had no reply in time.
 *
 * - 499: nginx, `ngx_http_request.h` (NGX_HTTP_CLIENT_CLOSED_REQUEST)
 * - 460: Elastic Load Balancing, "the client closed the connection"
 */
const CLIENT_CLOSED: ReadonlySet<number> = new Set([460, 499]);

/** True for a status that only the log shows. The service got no such status, because it had stopped waiting. */
export function isClientClosed(status: number): boolean {
  return CLIENT_CLOSED.has(status);
}

/**
 * True for a status that a server in front of the operator may have sent while the operator still carried out the call: 408 (RFC
 * 9110, 15.5.9) and every 5xx. The service counts a bet with such a status as declined, except for 500.
 */
export function mayBeBooked(status: number): boolean {
  return status === 408 || status >= 500;
}
