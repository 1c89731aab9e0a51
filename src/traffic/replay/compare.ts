import type { Money } from '../../contract/money.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { readReply } from '../../reply/read.ts';
import { isServerError, isSuccess } from '../../reply/status.ts';
import type { LoggedCall } from '../calls/logged-call.ts';

/**
 * The parts of a call's result that can be compared between two runs. Ids and absolute balances differ in every run, so
 * they are left out.
 */
export interface CallResult {
  /** The status of the reply; null if there was no reply, or if it was not logged. */
  readonly status: number | null;
  /** The reason why there was no reply; null if there was a reply, or if the reason is unknown. */
  readonly reason: string | null;
  readonly code: string | null;
  /** The change of the balance since the previous reply of the wallet; null if it is unknown. */
  readonly change: Money | null;
}

/** One call in the record and in the replay. `now` is null if the call was not replayed. */
export interface ComparedCall {
  readonly number: number;
  readonly call: LoggedCall;
  readonly past: CallResult;
  readonly now: CallResult | null;
  /** `unknown`: the recorded reply is unknown, so it can't be compared. */
  readonly verdict: 'same' | 'differs' | 'unknown' | 'not played';
  /** True for a bet that was higher than the balance in the record, but is not higher than the balance now. */
  readonly wasScarce: boolean;
  /** The parts of the result that differ. */
  readonly differences: readonly ('answer' | 'code' | 'change')[];
}

/** The failures of a record or a replay: ids of the broken rules, and numbers of the failed calls. */
export interface Failures {
  readonly rules: ReadonlySet<string>;
  readonly calls: ReadonlySet<number>;
  /** Other rules that, if they are broken, explain one of the failures. Left out if there are none. */
  readonly causes?: ReadonlySet<string>;
  /** True if a wrong balance shows one of the failures. */
  readonly isInBalance?: boolean;
}

/** All verdicts of a replay. */
export const REPLAY_VERDICTS = [
  /**
   * For each broken rule of the record, the replay tested the rule again in the same situation, and the operator now follows it.
   */
  'fixed',
  /** The replies are the same, and neither record nor replay has a failure. */
  'same',
  'still failing',
  'regressed',
  'differs',
  /** Nothing is wrong now. But in the record something was wrong, and the replay did not repeat that situation. */
  'not reproduced',
  'undecided',
] as const;

export type ReplayVerdict = (typeof REPLAY_VERDICTS)[number];

/**
 * Compares the replies, call by call.
 *
 * @param now the outcome of each call in the replay, by its number
 * @param atOnce calls in unknown order, so that the balances in their replies can't be compared
 * @param ofBalance calls whose amount depends on the balance, so that the amount differs from the recorded amount
 */
export function compareReplies(
  calls: readonly LoggedCall[],
  now: ReadonlyMap<number, Outcome>,
  atOnce: ReadonlySet<number>,
  ofBalance: ReadonlySet<number> = new Set(),
): readonly ComparedCall[] {
  const balances = new Map<string | null, { readonly past: Money | null; readonly now: Money | null } | null>();
  return calls.map((call) => {
    const outcome = now.get(call.number);
    const reply = outcome?.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const before = balances.get(call.wallet) ?? null;
    // If the replay broke the connection, its result has no balance. So the balance in the record is left out too.
    const isBroken = call.ending === 'late' && outcome?.kind === 'none' && outcome.reason === 'broken';
    const past = isSuccess(call.status) && !isBroken ? call.balance : null;
    const present =
      outcome?.kind === 'reply' && isSuccess(outcome.reply.status) ? (reply?.balance.money ?? null) : null;
    const isUnordered = atOnce.has(call.number);
    const hasNoChange = isUnordered || ofBalance.has(call.number);
    // The order of these calls is unknown. So a change between two of their balances does not show how much one call changed the
    // balance.
    if (isUnordered) balances.set(call.wallet, null);
    else if (past || present) balances.set(call.wallet, { past, now: present });
    const recorded: CallResult = {
      // The service treats a late reply as no reply.
      status: call.ending === 'late' ? null : call.status,
      reason: call.ending === 'late' ? 'too-late' : noReplyReason(call),
      code: isSuccess(call.status) ? null : call.code,
      change: hasNoChange ? null : change(before?.past, past),
    };
    if (!outcome) return row(call, recorded, null, false);
    const wasScarce = !ofBalance.has(call.number) && isScarce(call, before?.past) && !isScarce(call, before?.now);
    const isReply = outcome.kind === 'reply';
    return row(
      call,
      recorded,
      {
        status: isReply ? outcome.reply.status : null,
        reason: isReply ? null : outcome.reason,
        code: isReply && !isSuccess(outcome.reply.status) ? (reply?.code ?? null) : null,
        change: hasNoChange ? null : change(before?.now, present),
      },
      wasScarce,
    );
  });
}

/** Returns why the call has no reply. Null if it has one. */
export function noReplyReason({ seen }: LoggedCall): string | null {
  const { answer } = seen.exchange;
  return answer.kind === 'none' ? answer.reason : null;
}

/** Returns the round and the transactions that the call names. */
export function idsOf({ seen }: LoggedCall): readonly string[] {
  return [seen.roundID, seen.txID, seen.origTxID].flatMap((id) => id ?? []);
}

/** Returns the first call after a call that names the same round or transaction. */
export function nextRelated(call: LoggedCall, calls: readonly LoggedCall[]): LoggedCall | undefined {
  const keys = new Set(idsOf(call));
  return calls.find((other) => other.number > call.number && idsOf(other).some((key) => keys.has(key)));
}

/**
 * The reasons of a missing reply for which the replay breaks the connection itself. The operator may have carried out the call, and
 * the service does not know it. A correct operator would reply to the call now, and the replay would not repeat this situation.
 */
const CUT_OFF: ReadonlySet<string> = new Set(['too-late', 'reset', 'closed-early', 'stale-connection']);

/** True if the replay must break the connection of the call to repeat the situation of the record. */
export function mustBeCutOff(call: LoggedCall): boolean {
  const reason = call.ending === 'late' ? 'too-late' : noReplyReason(call);
  return call.seen.call !== 'balance' && reason !== null && CUT_OFF.has(reason);
}

/** True if the service itself broke the connection of the call, some time after it had sent the whole call. */
export function wasBrokenAfterSending({ seen }: LoggedCall): boolean {
  const { answer, deviation } = seen.exchange;
  const isBroken = answer.kind === 'none' && (answer.reason === 'broken' || answer.reason === 'aborted');
  return isBroken && deviation?.brokenAt === undefined;
}

/** True if the replay broke the connection of a call that had no reply, or no reply in time, in the record. */
export function isCutOff(past: CallResult, now: CallResult): boolean {
  return past.reason !== null && CUT_OFF.has(past.reason) && now.reason === 'broken';
}

function change(before: Money | null | undefined, after: Money | null): Money | null {
  return before && after ? after.minus(before) : null;
}

/** True for a bet that is certainly higher than the balance before it. */
function isScarce({ seen, amount }: LoggedCall, before: Money | null | undefined): boolean {
  return seen.call === 'bet' && amount !== null && before != null && amount.compare(before) > 0;
}

function row(call: LoggedCall, past: CallResult, now: CallResult | null, wasScarce: boolean): ComparedCall {
  const base = { number: call.number, call, past, now, wasScarce };
  if (!now) return { ...base, verdict: 'not played', differences: [] };
  if (past.status === null && past.reason === null) return { ...base, verdict: 'unknown', differences: [] };
  const differences = [
    ...(past.status !== now.status || (past.status === null && past.reason !== now.reason && !isCutOff(past, now))
      ? ['answer' as const]
      : []),
    ...(past.status === now.status && past.code !== null && past.code !== now.code ? ['code' as const] : []),
    ...(past.change && now.change && !past.change.equals(now.change) ? ['change' as const] : []),
  ];
  return { ...base, verdict: differences.length > 0 ? 'differs' : 'same', differences };
}

/** Returns the numbers of recorded calls with a failed reply: a 500, a late reply, or an error with status 200. */
export function failedCalls(calls: readonly LoggedCall[]): ReadonlySet<number> {
  return new Set(calls.flatMap(({ number, ending }) => (FAILED.has(ending) ? [number] : [])));
}

const FAILED: ReadonlySet<LoggedCall['ending']> = new Set(['failed', 'late', 'error-200']);

/** Returns the numbers of replayed calls with a 5xx or a late reply. */
export function failedNow(compared: readonly ComparedCall[]): ReadonlySet<number> {
  return new Set(compared.flatMap(({ number, now }) => (now && isFailure(now) ? [number] : [])));
}

function isFailure({ status, reason }: CallResult): boolean {
  return reason === 'too-late' || isServerError(status);
}

/** The facts that decide the verdict of a replay, together with the replies. */
export interface ReplayFacts {
  /** True if the whole replay was played, and every rule has a verdict. */
  readonly isDecided: boolean;
  /** True if the replay repeated the situation of the record, and tested again each rule that was broken in the record. */
  readonly isRepeated: boolean;
  /** True if the record does not show for certain how much money the player should have. */
  readonly isUnexplained?: boolean;
  /** Numbers of the calls that did not fail, but whose replies a fix may change. */
  readonly affected?: ReadonlySet<number>;
}

/**
 * Decides the verdict of a replay.
 *
 * @param past the failures of the record
 * @param now the failures of the replay
 * @param replay what is known about the replay
 */
export function verdictOf(
  compared: readonly ComparedCall[],
  past: Failures,
  now: Failures,
  { isDecided, isRepeated, isUnexplained = false, affected = new Set() }: ReplayFacts,
): ReplayVerdict {
  const wasWrong = past.rules.size > 0 || past.calls.size > 0;
  if (now.rules.size > 0 || now.calls.size > 0) {
    const isShared =
      [...now.rules].some((rule) => past.rules.has(rule)) || [...now.calls].some((call) => past.calls.has(call));
    // A balance can be wrong by an amount that several rules explain. Then two runs may name two different rules for one mistake.
    const isPerhapsShared = haveSameCause(past, now) || (isUnexplained && now.isInBalance === true);
    // The record does not prove each failure. But an error that is wrong now was wrong in the record too.
    const isSameError = compared.some(
      ({ number, past: then, now: again }) =>
        now.calls.has(number) && then.status !== null && then.status === again?.status && !isSuccess(then.status),
    );
    // The replay can find more broken rules than the record. If all replies are the same as in the record, the record broke these
    // rules too.
    const isAsBefore = compared.every(({ verdict }) => verdict === 'same' || verdict === 'unknown');
    return isShared || isPerhapsShared || isSameError || isAsBefore ? 'still failing' : 'regressed';
  }
  if (!isDecided || compared.some(({ verdict }) => verdict === 'not played')) return 'undecided';
  // Without a recorded reply, nothing can be compared.
  if (compared.every(({ verdict }) => verdict === 'unknown')) return 'undecided';
  if (!wasWrong && isUnexplained) return 'undecided';
  if (!wasWrong) return compared.some(({ verdict }) => verdict === 'differs') ? 'differs' : 'same';
  if (!isRepeated) return 'not reproduced';
  // A fix changes balances. But if a call was right in the record and now gets another reply, this is a new difference.
  const hasNewDifference = compared.some(
    ({ number, past: then, now: again, differences }) =>
      !past.calls.has(number) &&
      !affected.has(number) &&
      // A fast operator may answer before the replay breaks the connection. In the record, this call had no reply that could be wrong.
      !(then.reason === 'broken' && isSuccess(again?.status)) &&
      differences.some((difference) => difference !== 'change'),
  );
  return hasNewDifference ? 'differs' : 'fixed';
}

/** True if a broken rule of one of the two explains a failure of the other one. */
function haveSameCause(past: Failures, now: Failures): boolean {
  return (
    [...now.rules].some((rule) => past.causes?.has(rule) === true) ||
    [...past.rules].some((rule) => now.causes?.has(rule) === true)
  );
}

/** True if the operator paid a refund in the record, and the record does not contain the bet of this refund. */
export function hasRefundWithoutBet(compared: readonly ComparedCall[]): boolean {
  const bets = new Set(compared.flatMap(({ call: { seen } }) => (seen.call === 'bet' ? [seen.txID] : [])));
  return compared.some(
    ({ call: { seen }, past }) =>
      seen.call === 'refund' && !bets.has(seen.origTxID) && past.change !== null && !past.change.isZero(),
  );
}
