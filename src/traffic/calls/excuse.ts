import { ACTION_TYPES } from '../../contract/call-name.ts';
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
  readonly logged: LoggedForm;
}

/** The fields whose values are UUIDs by the contract. */
const UUID_FIELDS = ['txID', 'origTxID', 'roundID'] as const;

/** The form in which the logs have the fields of calls. It shows whether a log has the values that were sent. */
export interface LoggedForm {
  /** True if a call has an amount. */
  readonly hasAmounts: boolean;
  /** True if a call has a type. */
  readonly hasTypes: boolean;
  /** The fields of which most values are UUIDs. Logs with shortened ids do not show which ids were sent. */
  readonly uuids: ReadonlySet<(typeof UUID_FIELDS)[number]>;
}

/** Finds out in which form the logs have the fields of these calls. */
export function loggedForm(calls: readonly RecordedCall[]): LoggedForm {
  return {
    hasAmounts: calls.some(({ amount }) => amount !== null),
    hasTypes: calls.some(({ type, call }) => type !== null && call !== 'balance'),
    uuids: new Set(
      UUID_FIELDS.filter((field) => {
        // An origTxID is the txID of another call.
        const ids = field === 'origTxID' ? 'txID' : field;
        const values = new Set(calls.flatMap((call) => call[ids] ?? []));
        return [...values].filter((id) => UUID.test(id)).length > values.size * MOST;
      }),
    ),
  };
}

/** The share of the values of a field that must be UUIDs. Then another value in this field is an exception. */
const MOST = 0.75;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

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
  const missing = missingIn(call, context.logged);
  if (missing.length > 0)
    return { isCertain: false, text: `may be invalid, because the log does not show its ${list(missing)}` };
  const invalid = call.whole ? invalidIn(call, context.logged) : null;
  return invalid === null ? null : { isCertain: false, text: `is invalid, because ${invalid}` };
}

/**
 * Says which field of a whole request breaks the contract. Returns null if there is none. The service must not send such a call, and
 * the contract does not say how an operator answers it.
 */
function invalidIn(sent: RecordedCall, { uuids }: LoggedForm): string | null {
  const { call, type, frID } = sent;
  if (call === 'balance') return null;
  for (const field of UUID_FIELDS) {
    const value = sent[field];
    if (value !== null && uuids.has(field) && !UUID.test(value)) return `its ${field} is not a UUID`;
  }
  if (call === 'refund' || type === null) return null;
  if (!ACTION_TYPES.some((known) => known === type)) return 'its type is not known';
  if (type === 'free' && frID === null) return 'it is free and has no frID';
  return call === 'bet' && type !== 'free' && frID !== null ? 'it is not free and has an frID' : null;
}

/**
 * Returns the names of the required fields that the log does not show. Either the logger left them out, or they were not sent. A
 * body that is not JSON shows no field: some loggers write other text in place of the body.
 */
function missingIn(call: RecordedCall, { hasAmounts, hasTypes }: LoggedForm): readonly string[] {
  const { exchange, whole } = call;
  const hasBody = whole && exchange.request.body !== 'unknown';
  const needed: readonly (readonly [name: string, value: string | null, isNeeded: boolean])[] =
    call.call === 'balance'
      ? [['sessionID', call.sessionID, true]]
      : [
          ['txID', call.txID, true],
          ['origTxID', call.origTxID, call.call === 'refund'],
          ['amount', call.isBareAmount ? null : call.amount, hasBody || hasAmounts],
          ['sessionID', call.sessionID, hasBody],
          ['roundID', call.roundID, hasBody && call.call !== 'refund'],
          ['type', call.type, hasBody && hasTypes && call.call !== 'refund'],
        ];
  return needed.flatMap(([name, value, isNeeded]) => (isNeeded && value === null ? [name] : []));
}

function list(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}
