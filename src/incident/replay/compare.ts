import type { Money } from '../../contract/money.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { readReply } from '../../judge/reading.ts';
import type { ToldCall } from '../story/told-call.ts';

/** What a call came to, as far as it can be compared: ids and the balance itself are others each time. */
export interface Came {
  /** null: there was no reply, or nobody wrote down which. */
  readonly status: number | null;
  /** Why there was no reply; null: there was one, or that isn't known. */
  readonly reason: string | null;
  readonly code: string | null;
  /** By how much the balance differs from the one that the wallet's call before it was answered with; null: not known. */
  readonly change: Money | null;
}

/** One call then and now. `now` is null where it was not played. */
export interface ComparedCall {
  readonly number: number;
  readonly call: ToldCall;
  readonly past: Came;
  readonly now: Came | null;
  /** `unknown`: what was answered then is not known. */
  readonly verdict: 'same' | 'differs' | 'unknown' | 'not played';
  /** In what they differ. */
  readonly differences: readonly ('answer' | 'code' | 'change')[];
}

/** What was found wrong: rules by their ids, and calls by their numbers. */
export interface Wrong {
  readonly rules: ReadonlySet<string>;
  readonly calls: ReadonlySet<number>;
}

/** `same`: it is as it was, and nothing is wrong with it. */
export type ReplayVerdict = 'fixed' | 'same' | 'still failing' | 'regressed' | 'differs' | 'undecided';

/**
 * Compares the replies, call by call.
 *
 * @param now what came of each call, by its number
 * @param atOnce calls whose order is not told, so that the balances in their replies can't be compared
 */
export function compareReplies(
  calls: readonly ToldCall[],
  now: ReadonlyMap<number, Outcome>,
  atOnce: ReadonlySet<number>,
): readonly ComparedCall[] {
  const balances = new Map<string | null, { readonly past: Money | null; readonly now: Money | null } | null>();
  return calls.map((call) => {
    const outcome = now.get(call.number);
    const reply = outcome?.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const before = balances.get(call.wallet) ?? null;
    const past = isAccepted(call.status) ? call.balance : null;
    const present =
      outcome?.kind === 'reply' && isAccepted(outcome.reply.status) ? (reply?.balance.money ?? null) : null;
    const isBlurred = atOnce.has(call.number);
    // After calls whose order isn't told nothing can be reckoned from what they answered.
    if (isBlurred) balances.set(call.wallet, null);
    else if (past || present) balances.set(call.wallet, { past, now: present });
    const cameThen: Came = {
      // What came too late was no reply to the service.
      status: call.ending === 'late' ? null : call.status,
      reason: call.ending === 'late' ? 'too-late' : reasonOf(call),
      code: isAccepted(call.status) ? null : call.code,
      change: isBlurred ? null : change(before?.past, past),
    };
    if (!outcome) return row(call, cameThen, null);
    const isReply = outcome.kind === 'reply';
    return row(call, cameThen, {
      status: isReply ? outcome.reply.status : null,
      reason: isReply ? null : outcome.reason,
      code: isReply && !isAccepted(outcome.reply.status) ? (reply?.code ?? null) : null,
      change: isBlurred ? null : change(before?.now, present),
    });
  });
}

function reasonOf({ seen }: ToldCall): string | null {
  const { answer } = seen.exchange;
  return answer.kind === 'none' ? answer.reason : null;
}

function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function change(before: Money | null | undefined, after: Money | null): Money | null {
  return before && after ? after.minus(before) : null;
}

function row(call: ToldCall, past: Came, now: Came | null): ComparedCall {
  const base = { number: call.number, call, past, now };
  if (!now) return { ...base, verdict: 'not played', differences: [] };
  if (past.status === null && past.reason === null) return { ...base, verdict: 'unknown', differences: [] };
  const differences = [
    ...(past.status !== now.status || (past.status === null && past.reason !== now.reason) ? ['answer' as const] : []),
    ...(past.status === now.status && past.code !== null && past.code !== now.code ? ['code' as const] : []),
    ...(past.change && now.change && !past.change.equals(now.change) ? ['change' as const] : []),
  ];
  return { ...base, verdict: differences.length > 0 ? 'differs' : 'same', differences };
}

/** Calls that were answered as no operator should answer them: 500, too late, an error with the status 200. */
export function failedCalls(calls: readonly ToldCall[]): ReadonlySet<number> {
  return new Set(calls.flatMap(({ number, ending }) => (FAILED.has(ending) ? [number] : [])));
}

const FAILED: ReadonlySet<ToldCall['ending']> = new Set(['failed', 'late', 'error-200']);

/** Calls of the replay that ended so. */
export function failedNow(compared: readonly ComparedCall[]): ReadonlySet<number> {
  return new Set(compared.flatMap(({ number, now }) => (now && isFailure(now) ? [number] : [])));
}

function isFailure({ status, reason }: Came): boolean {
  return reason === 'too-late' || (status !== null && status >= 500);
}

/**
 * What has become of it.
 *
 * @param past what is wrong in the record
 * @param now what is wrong in the replay
 * @param isDecided the replay was played whole, and nothing was left open
 */
export function verdictOf(
  compared: readonly ComparedCall[],
  past: Wrong,
  now: Wrong,
  isDecided: boolean,
): ReplayVerdict {
  const wasWrong = past.rules.size > 0 || past.calls.size > 0;
  if (now.rules.size > 0 || now.calls.size > 0) {
    const isShared =
      [...now.rules].some((rule) => past.rules.has(rule)) || [...now.calls].some((call) => past.calls.has(call));
    // The judge of a run sees more than a record alone can show: what is answered as before was wrong before.
    const isAsBefore = compared.every(({ verdict }) => verdict === 'same' || verdict === 'unknown');
    return isShared || isAsBefore ? 'still failing' : 'regressed';
  }
  if (!isDecided || compared.some(({ verdict }) => verdict === 'not played')) return 'undecided';
  // A request alone shows what is answered now, and nothing of what became otherwise.
  if (compared.every(({ verdict }) => verdict === 'unknown')) return 'undecided';
  if (!wasWrong) return compared.some(({ verdict }) => verdict === 'differs') ? 'differs' : 'same';
  // Where something is mended, balances move otherwise than before; another answer to a call that was right is news.
  const isNews = compared.some(
    ({ number, differences }) => !past.calls.has(number) && differences.some((difference) => difference !== 'change'),
  );
  return isNews ? 'differs' : 'fixed';
}
