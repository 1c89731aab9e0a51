import type { SignatureState } from '../../contract/signature.ts';
import { hasCutMark } from '../cut-body.ts';
import type { RecordedCall } from '../recorded-call.ts';

/** A reason why the operator may decline a call without breaking the contract. */
export interface Excuse {
  /** True if the logs prove the reason. False if the logs only lack a part of the request, so that the reason is possible. */
  readonly isCertain: boolean;
  /** The reason as a clause. The call is its subject, for example `has no valid amount`. */
  readonly text: string;
}

/** The facts about a call that are not in its request. */
interface Context {
  readonly isRefused: boolean;
  /** True if only the operator logged the call. */
  readonly isOfOperator: boolean;
  readonly signature: SignatureState;
  /** The contradiction to another call of the logs, as the end of a sentence about this call. Null if there is none. */
  readonly contradiction: string | null;
  /** True if other calls of the logs have an amount. */
  readonly areAmountsLogged: boolean;
}

/**
 * Returns a reason why the operator may decline a call. Returns null if the logs show a complete and valid request. Then the
 * contract decides which answer is right.
 */
export function excuseOf(call: RecordedCall, context: Context): Excuse | null {
  if (context.contradiction !== null) return { isCertain: true, text: context.contradiction };
  const { amount, money, exchange } = call;
  if (call.call !== 'balance' && amount !== null && money === null && exchange.amount === undefined)
    return { isCertain: true, text: 'has an amount that is not a plain decimal' };
  if (context.isRefused && context.isOfOperator) {
    // Anybody can send a call to an operator. So if the signature is not known to be right, the call may not be of the service.
    if (context.signature === 'wrong') return { isCertain: true, text: 'has a wrong signature' };
    if (context.signature === 'missing') return { isCertain: true, text: 'has no signature' };
    if (context.signature === 'unknown')
      return { isCertain: false, text: 'was answered 401, and its signature cannot be verified' };
  }
  const { body } = exchange.request;
  if (body !== null && body !== 'unknown' && body.truncated && !hasCutMark(body.data))
    return { isCertain: false, text: 'may be invalid, because its body has no end in the log' };
  const missing = missingIn(call, context.areAmountsLogged);
  return missing.length === 0
    ? null
    : { isCertain: false, text: `may be invalid, because the log does not show its ${list(missing)}` };
}

/**
 * Returns the names of the required fields that the log does not show. Either the logger left them out, or they were not sent. A
 * body that is not JSON shows no field: some loggers write other text in place of the body.
 */
function missingIn(call: RecordedCall, areAmountsLogged: boolean): readonly string[] {
  const { exchange, whole } = call;
  const hasBody = whole && exchange.request.body !== 'unknown';
  const needed: readonly (readonly [name: string, value: string | null, isNeeded: boolean])[] =
    call.call === 'balance'
      ? [['sessionID', call.sessionID, true]]
      : [
          ['txID', call.txID, true],
          ['origTxID', call.origTxID, call.call === 'refund'],
          ['amount', call.isBareAmount ? null : call.amount, hasBody || areAmountsLogged],
          ['sessionID', call.sessionID, hasBody],
          ['roundID', call.roundID, hasBody && call.call !== 'refund'],
        ];
  return needed.flatMap(([name, value, isNeeded]) => (isNeeded && value === null ? [name] : []));
}

function list(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}
