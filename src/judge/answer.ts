import type { CallName } from '../contract/call-name.ts';
import { PUBLISHED_ERROR_CODES } from '../contract/error-codes.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Answer } from './check.ts';
import type { ReplyReading } from './reading.ts';

/** How a call was answered, in the contract's terms. */
export function answerOf(exchange: Exchange, reading: ReplyReading | undefined): Answer {
  const { outcome } = exchange;
  if (outcome.kind === 'none' || !reading) {
    const reason = outcome.kind === 'none' ? outcome.reason : 'reset';
    return reason === 'too-late' ? 'late' : reason === 'broken' ? 'broken' : 'lost';
  }
  if (reading.status >= 200 && reading.status < 300)
    return tellsOfError(exchange.call, reading) ? 'error-200' : 'accepted';
  if (reading.status === 401) return 'refused';
  // What a redirect did is as unknown as what an internal error did: the service follows none.
  return reading.status === 500 || (reading.status >= 300 && reading.status < 400) ? 'failed' : 'declined';
}

/** A success has a `balance`; what has none and names an error, or names a published code, is none. */
export function tellsOfError(call: CallName, reading: ReplyReading): boolean {
  const { object, code } = reading;
  if (!object) return false;
  if (code !== undefined && (PUBLISHED_ERROR_CODES as readonly string[]).includes(code)) return true;
  if (reading.balance.form !== 'missing') return false;
  if (call !== 'balance' && reading.txIDForm !== 'missing' && reading.txIDForm !== 'empty') return false;
  return ['message', 'code', 'error', 'errors', 'errorCode', 'error_code'].some((name) => name in object);
}

/** False when no byte of the request can have been understood by the operator. */
export function mayHaveArrived(exchange: Exchange): boolean {
  return exchange.outcome.kind === 'reply' || exchange.connection !== null;
}
