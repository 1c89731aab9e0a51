import type { RuleId } from '../../contract/catalogue.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { isPublishedCode } from '../../reply/classify.ts';
import { readReply } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import { isRightlyDeclined, type LoggedCall } from '../calls/logged-call.ts';
import { transactionsOf } from '../calls/transaction.ts';

const CONFLICT = 409;

/** The rule by which a run judges a repeated call in another session of the same player. */
export const RULE_OF_OTHER_SESSION: RuleId = 'idempotency.conflicting-body';

/** An accepted call that was sent again in another session of its player, with the same amount, and accepted again. */
export interface RepeatInOtherSession {
  readonly first: LoggedCall;
  readonly again: LoggedCall;
}

/** A broken rule, with the number of the call that broke it. Null if it was not a repeated call, or if the call is unknown. */
export interface RuleAtCall {
  readonly rule: string;
  readonly call: number | null;
}

/** Finds the calls that were sent again in another session of their player. */
export function repeatsInOtherSession(calls: readonly LoggedCall[]): readonly RepeatInOtherSession[] {
  return transactionsOf(calls).flatMap(({ attempts, isCampaign }) => {
    const first = attempts.find(({ done, ending }) => done === 'yes' && ending === 'accepted');
    if (!first || isCampaign || first.seen.type === 'free') return [];
    return attempts.filter((again) => isInOtherSession(first, again)).map((again) => ({ first, again }));
  });
}

function isInOtherSession(first: LoggedCall, again: LoggedCall): boolean {
  const isSameAmount = first.amount !== null && again.amount !== null && first.amount.equals(again.amount);
  return (
    again.number > first.number &&
    again.ending === 'accepted' &&
    !isRightlyDeclined(again) &&
    isSameAmount &&
    first.seen.type === again.seen.type &&
    first.wallet !== null &&
    first.wallet === again.wallet &&
    first.seen.sessionID !== null &&
    again.seen.sessionID !== null &&
    first.seen.sessionID !== again.seen.sessionID
  );
}

/** Returns the repeats that broke the rule about repeats of their call, such as `idempotency.win`. */
export function wrongRepeats(
  repeats: readonly RepeatInOtherSession[],
  broken: readonly RuleAtCall[],
): readonly RepeatInOtherSession[] {
  return repeats.filter(({ again }) =>
    broken.some(({ rule, call }) => call === again.number && rule === `idempotency.${again.seen.call}`),
  );
}

/**
 * Returns the rules that only repeats in another session broke. A run judges these repeats by {@link RULE_OF_OTHER_SESSION}
 * instead, because the service sends a call again only in its own session.
 */
export function rulesOfRepeats(
  wrong: readonly RepeatInOtherSession[],
  broken: readonly RuleAtCall[],
): ReadonlySet<string> {
  const numbers = new Set(wrong.map(({ again }) => again.number));
  const rules = new Set(wrong.map(({ again }) => `idempotency.${again.seen.call}`));
  return new Set(
    [...rules].filter((id) => broken.every(({ rule, call }) => rule !== id || (call !== null && numbers.has(call)))),
  );
}

/** The facts of a replay that show whether it repeated a call in another session. */
export interface ReplayedRepeats {
  /** The calls that were replayed. */
  readonly calls: readonly LoggedCall[];
  /** The outcome of each call, by its number. */
  readonly outcomes: ReadonlyMap<number, Outcome>;
  /** The session of each call, by its number. */
  readonly sessions: ReadonlyMap<number, Session>;
  /** True if the replay sent some calls in parallel. */
  readonly hasParallelCalls: boolean;
  /** Numbers of the calls whose amount depends on the balance. */
  readonly ofBalance: ReadonlySet<number>;
  /** The number of checks of {@link RULE_OF_OTHER_SESSION} that passed. 0 if any check did not pass. */
  readonly passes: number;
}

/** A session of the test. */
export interface Session {
  readonly sessionID: string;
  readonly player: string | null;
  readonly gameID: string | null;
}

/**
 * Returns the reasons why the replay does not show that these repeats are right now, as sentences without a full stop. The list is
 * empty if each of these calls was accepted, and its repeat meets all conditions: it was sent in another session of the same
 * player, it was answered 409 or 200 with the same txID, and it moved no money.
 */
export function repeatsNotTested(
  wrong: readonly RepeatInOtherSession[],
  { calls, outcomes, sessions, hasParallelCalls, ofBalance, passes }: ReplayedRepeats,
): readonly string[] {
  // The passes are counted for all calls together. So it is certain that each wrong repeat passed only if the rule judged exactly
  // as many calls as there are passes.
  const isJudged = !hasParallelCalls && passes >= judgedCalls(calls);
  return wrong.flatMap(({ first, again }) => {
    const pair = `call ${again.number}, which repeats call ${first.number} in another session,`;
    const then = replyTo(outcomes.get(first.number));
    const now = replyTo(outcomes.get(again.number));
    const [from, to] = [sessions.get(first.number), sessions.get(again.number)];
    if (!isJudged || ofBalance.has(again.number)) return [`${pair} was not tested again`];
    if (!then || !isSuccess(then.status))
      return [`call ${first.number}, which call ${again.number} repeats, was not answered 200 in the replay`];
    if (!now || !(isSuccess(now.status) || isConflict(now)))
      return [`${pair} was not answered 200 or 409 in the replay`];
    if (isSuccess(now.status) && (then.txID === undefined || then.txID !== now.txID))
      return [`${pair} was answered with another txID in the replay`];
    if (!from || !to || from.sessionID === to.sessionID || from.player === null || from.player !== to.player)
      return [
        `in the replay, the calls ${first.number} and ${again.number} were not in two sessions of the same player`,
      ];
    const isSame = from.sessionID === first.seen.sessionID && to.sessionID === again.seen.sessionID;
    // An operator may look up repeated calls by game. Then it finds a call again only in a session with the same game.
    if (!isSame && from.gameID !== null && from.gameID === to.gameID)
      return [
        `in the replay, the calls ${first.number} and ${again.number} were in the same game; the logs do not show whether the recorded calls were too`,
      ];
    return [];
  });
}

/**
 * Returns the number of calls that {@link RULE_OF_OTHER_SESSION} may judge: used txIDs with a change, and refunds of their bets.
 */
function judgedCalls(calls: readonly LoggedCall[]): number {
  const changed = transactionsOf(calls).map(({ call, txID, attempts }) => ({
    bet: call === 'bet' ? txID : null,
    count: attempts.filter(
      ({ seen }) => seen.sessionID !== attempts[0]?.seen.sessionID || seen.amount !== attempts[0]?.seen.amount,
    ).length,
  }));
  const bets = new Set(changed.flatMap(({ bet, count }) => (bet !== null && count > 0 ? [bet] : [])));
  const refunds = calls.filter(({ seen }) => seen.call === 'refund' && bets.has(seen.origTxID ?? ''));
  return changed.reduce((sum, { count }) => sum + count, refunds.length);
}

function replyTo(outcome: Outcome | undefined): RepeatReply | undefined {
  if (outcome?.kind !== 'reply') return undefined;
  const { txID, code } = readReply(outcome.reply);
  return { status: outcome.reply.status, txID, code };
}

/** The parts of a reply that show how the operator handled a repeated call. */
interface RepeatReply {
  readonly status: number;
  readonly txID: string | undefined;
  readonly code: string | undefined;
}

/**
 * True if the operator refused a call because its txID is used in another session. Other errors may have a different reason, such
 * as a session that has ended. Such an error does not show whether the operator looked up the txID.
 */
function isConflict({ status, code }: RepeatReply): boolean {
  return status === CONFLICT && !isPublishedCode(code);
}
