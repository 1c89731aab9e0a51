import { Money } from '../contract/money.ts';
import type { WindowAmounts } from './amounts.ts';
import type { Caller, LoadSession, Overdraft } from './caller.ts';
import { explainAcrossCrash } from './cause/across-crash.ts';
import { type Evidence, type Explanation, explain } from './cause/explanation.ts';
import { explainOddReply, type OddReply } from './cause/odd-reply.ts';
import { missingAmong, type Suspicion } from './cause/suspicions.ts';
import type { LoadContext } from './load-context.ts';
import type { TracedSuspicion } from './money-problem.ts';
import type { LoadTransaction } from './wallet.ts';

/** A wallet at a quiet point: no call is in flight, and no call has an unknown outcome. */
export interface QuietWallet {
  readonly caller: Caller;
  readonly session: LoadSession;
  /** All sessions of the player. */
  readonly sessions: readonly LoadSession[];
  readonly amounts: WindowAmounts;
  readonly decimals: number;
}

/** Number of attempts to read a balance. */
const MAX_READS = 5;
const PAUSE_MS = 300;
/** A bet is hardly ever taken later than this time after its refund. */
const MAX_LATE_DEBIT_MS = 60_000;

/**
 * Reads the balance of a wallet and compares the balance with croupier's account of the wallet. A wrong balance is read again
 * after the linger, because a late debit may still be reversed. A difference that remains is a money problem. After that, the
 * account continues with the balance that was read.
 *
 * @returns false if the balance could not be read
 */
export async function verifyBalance(wallet: QuietWallet, context: LoadContext): Promise<boolean> {
  const { caller, amounts } = wallet;
  const account = caller.wallet;
  let shown = await readBalance(wallet, context);
  if (!shown) return false;
  let isDrift = false;
  let isExplained = true;
  if (!account.differenceAt(shown).isZero()) {
    const [first, firstAt] = [shown, context.now()];
    for (let waits = 0; waits < 2 && !account.differenceAt(shown).isZero(); waits += 1) {
      await context.wait(context.lingerMs);
      const again: Money | undefined = await readBalance(wallet, context);
      if (!again) return false;
      // The balance has changed while croupier sent nothing. So somebody else has changed it, or the operator is still processing a
      // call.
      isDrift = waits > 0 && !again.equals(shown);
      if (waits === 0 && again.equals(first)) break;
      shown = again;
    }
    if (account.differenceAt(shown).isZero()) {
      context.remark('healed');
      if (!account.mayStillShow(first)) reportStaleRead(wallet, first, context);
    } else {
      // A late debit may still have been in progress at the first read, and then this read proves no fault of its own.
      const isFault = !first.equals(shown) && !account.mayStillShow(first);
      isExplained = reportDifference(
        wallet,
        shown,
        isFault ? { shown: first, at: firstAt } : undefined,
        isDrift,
        context,
      );
    }
  } else if (caller.oddReply) reportOddReply(caller, caller.oddReply);
  caller.oddReply = undefined;
  if (caller.overdraft) reportOverdraft(caller, caller.overdraft, isExplained);
  caller.overdraft = undefined;
  caller.comparedAtMs = context.stamp(context.now());
  account.take(shown);
  amounts.begin();
  return true;
}

/** Reads the balance until it is answered 200. @returns undefined if it is never answered 200 */
async function readBalance({ caller, session }: QuietWallet, context: LoadContext): Promise<Money | undefined> {
  for (let tries = 0; tries < MAX_READS; tries += 1) {
    const due = await context.schedule.ticket();
    const { answer, balance } = await caller.read(session, due, false);
    if (answer === 'accepted' && balance) return balance;
    if (!session.isOpen || context.isOver()) return undefined;
    await context.wait(PAUSE_MS * 2 ** tries);
  }
  return undefined;
}

/** A read that showed a wrong balance. */
interface WrongRead {
  readonly shown: Money;
  readonly at: number;
}

/**
 * Reports a wrong balance.
 *
 * @param first the first read, if it showed another wrong balance. Then a crash may have changed the balance since this read
 * @returns true if transactions explain the balance
 */
function reportDifference(
  wallet: QuietWallet,
  shown: Money,
  first: WrongRead | undefined,
  isDrift: boolean,
  context: LoadContext,
): boolean {
  const { expected } = wallet.caller.wallet;
  const evidence = evidenceOf(wallet, context);
  if (first !== undefined && evidence.crashes.some((at) => at >= first.at)) {
    const reads = { before: first.shown.minus(expected), inCrash: shown.minus(first.shown), readAt: first.at };
    const [before, inCrash] = explainAcrossCrash(reads, evidence) ?? [];
    if (before && inCrash) {
      const isAfterCrash = evidence.crashes.some((at) => at < first.at);
      report({ expected, shown: first.shown, at: first.at, isAfterCrash, isDrift: false }, before);
      report({ expected: first.shown, shown, at: context.now(), isAfterCrash: true, isDrift: false }, inCrash);
      return true;
    }
  }
  const explanation = explain(shown.minus(expected), evidence);
  report({ expected, shown, at: context.now(), isAfterCrash: evidence.crashes.length > 0, isDrift }, explanation);
  return explanation.suspicions.length > 0;

  function report(
    read: WrongRead & { readonly expected: Money; readonly isAfterCrash: boolean; readonly isDrift: boolean },
    { rule, suspicions, isOneOfSeveral, possible }: Explanation,
  ): void {
    const { caller, session, decimals } = wallet;
    const traced = (one: Suspicion): TracedSuspicion => ({
      ...one,
      traceID: context.requests.traceIDOf(one.transaction.number),
    });
    context.moneyProblem({
      player: caller.player,
      sessionID: session.sessionID,
      currency: session.currency,
      decimals,
      rule,
      expected: read.expected,
      shown: read.shown,
      suspicions: suspicions.map(traced),
      ...(possible && { possible: possible.map(traced) }),
      missing: missingAmong(evidence.window, evidence.unit).map(traced),
      isOneOfSeveral,
      windowSize: caller.wallet.window.length,
      sinceMs: caller.comparedAtMs,
      atMs: context.stamp(read.at),
      // If no transaction explains the balance, somebody else may have changed it.
      isDrift: suspicions.length === 0,
      hasMovedInSilence: read.isDrift,
      isAfterCrash: read.isAfterCrash,
    });
  }
}

function evidenceOf({ caller, sessions, decimals }: QuietWallet, context: LoadContext): Evidence {
  const { window, earlier, lateBets, olderRefunded, suspects, repeated } = caller.wallet;
  const own = new Set(sessions.map(({ sessionID }) => sessionID));
  const isOwn = ({ sessionID }: LoadTransaction): boolean => own.has(sessionID);
  const recent = context.recent.all();
  const known = new Set([...earlier, ...window]);
  return {
    suspects: [...lateBets, ...suspects],
    window: [...lateBets, ...window],
    earlier,
    olderRefunded: olderRefunded.filter(({ endedAt }) => context.now() - endedAt < MAX_LATE_DEBIT_MS),
    repeated,
    others: recent.filter((one) => !isOwn(one)),
    older: recent.filter((one) => isOwn(one) && !known.has(one)).toSorted((one, other) => one.number - other.number),
    crashes: context.crashes.times.filter((at) => context.stamp(at) >= caller.comparedAtMs),
    unit: Money.unit(decimals),
  };
}

/** Reports a read that showed a wrong balance once, and the right one later. A late debit cannot be the reason. */
function reportStaleRead({ caller, session }: QuietWallet, shown: Money, { lingerMs }: LoadContext): void {
  caller.report('balance.read', 'fail', 'balance', session.sessionID, undefined, {
    expected: `with no call in progress, the balance is ${caller.wallet.expected}`,
    actual: `the balance was ${shown}, and ${lingerMs} ms later it was right`,
  });
}

/**
 * Reports a bet above the balance that was accepted. If no transaction explains the balance now, somebody else may have paid money in
 * before the bet, so this is only a warning.
 */
function reportOverdraft(caller: Caller, overdraft: Overdraft, isExplained: boolean): void {
  const { rule, sessionID, transaction, expected, actual } = overdraft;
  const doubt = isExplained ? '' : '. But the balance changed for an unknown reason, perhaps before this bet';
  const verdict = isExplained ? 'fail' : 'warn';
  caller.report(rule, verdict, 'bet', sessionID, transaction, { expected, actual: `${actual}${doubt}` });
}

/** Reports a reply that showed a wrong balance, although the stored balance is right. */
function reportOddReply(caller: Caller, odd: OddReply): void {
  const { earlier, window } = caller.wallet;
  const { rule, call, sessionID, transaction, ...texts } = explainOddReply(odd, [...earlier, ...window]);
  caller.report(rule, 'fail', call, sessionID, transaction, texts);
}
