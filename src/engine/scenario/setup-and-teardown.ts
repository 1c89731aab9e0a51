import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { PendingCheck } from '../../judge/pending-check.ts';
import type { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import type { Wallet } from '../../judge/wallet/wallet.ts';
import { evaluateMoney } from '../../scenario/expressions/evaluate.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { BalanceChanges } from '../balances/balance-changes.ts';
import type { CompletedRound, KnownBalances } from '../balances/known-balances.ts';
import type { ScenarioContext, StopReason } from '../scenario-context.ts';
import { scopeOf } from '../scope.ts';
import { accountOf, endRounds, roundToPay } from './round-ends.ts';
import type { ScenarioRunner } from './scenario-runner.ts';

/**
 * Notes the balance of every wallet before the scenario begins. If the scenario needs a higher balance, raises the balance of the
 * main session. Does not read a wallet whose balance is known from the last repetition or from an earlier scenario.
 *
 * @param openings the balances before the first repetition; missing balances are added
 * @param known the balances that earlier scenarios have left
 * @param balancesOfOthers the balances of all players. A first balance that seems to be another player's is read once more
 */
export async function setUp(
  context: ScenarioContext,
  runner: ScenarioRunner,
  adjuster: BalanceAdjuster,
  openings: Map<Wallet, Money>,
  known: KnownBalances | undefined,
  balancesOfOthers: BalancesOfOthers,
): Promise<StopReason | null> {
  for (const { alias, wallet } of context.wallets) {
    const lastLeft = wallet.known ? undefined : known?.of(wallet.id);
    const left = lastLeft?.balance ?? ofLastRepetition(wallet);
    if (left) {
      context.judge.reads.open(wallet, left);
      // The last scenario completed these rounds with wins of 0, and the replies to the wins had the right balance. If such a win
      // moved money nevertheless, the next read shows it.
      for (const { step, exchange } of lastLeft?.completed ?? [])
        context.judge.roundEnded({ ...step, session: alias, place: context.plan.place }, exchange);
    } else {
      const { stopReason } = await runner.read(alias);
      if (stopReason) return stopReason;
      // This balance is the base of all others. If it is a fault of the read, the second read has the right one.
      const first = context.judge.reads.lastRead(wallet);
      if (first && balancesOfOthers.ownerOf(wallet.id, first) !== undefined) {
        const again = await adjuster.read(accountOf(context, alias), 'prepare');
        if (again) context.judge.reads.open(wallet, again);
      }
    }
    const found = context.judge.reads.lastRead(wallet);
    if (found && !openings.has(wallet)) openings.set(wallet, found);
  }
  const wanted = context.plan.needs.balance;
  const wallet = context.names.walletOf('main');
  const has = wallet?.certain();
  if (!wanted || !wallet || !has) return null;
  const needed = evaluateMoney(wanted, scopeOf(context.names, undefined));
  if (has.compare(needed) >= 0) return null;
  if (context.staleReads.areReadsOld(wallet.id)) {
    const said = context.staleReads.repliesOf(wallet.id).lastReply;
    if (said && said.compare(needed) >= 0) {
      context.judge.reads.open(wallet, said);
      return null;
    }
    // An old balance does not show how much money is missing. With it, croupier could bet money that the player needs.
    const reason = `the scenario needs a balance of ${needed}, but the reads of this player show old balances, the last one ${has}`;
    return { verdict: 'inconclusive', reason, connection: false, causes: ['balance.read'] };
  }
  // The scenario may spend the whole balance. To win the money back, croupier needs a stake for one bet. So it raises the balance
  // by one more stake.
  const account = accountOf(context, 'main');
  // The replies to these calls are not judged.
  context.judge.reads.forgetReplies(wallet);
  const raised = await adjuster.bring(account, has, needed.plus(account.denomination.stake), 'prepare');
  if (raised) context.judge.reads.open(wallet, raised);
  else context.judge.reads.forgetLast(wallet);
  if (raised && raised.compare(needed) >= 0) return null;
  const reason = `the scenario needs a balance of ${needed}, but the session has ${has}, and croupier could not raise it`;
  const miss = adjuster.missOf(account.sessionID);
  if (!miss) return { verdict: 'skip', reason, connection: false, causes: [], needed };
  // The operator accepted the calls, so money is not what is missing. A skipped scenario would hide that balances are wrong.
  return {
    verdict: 'inconclusive',
    reason: `${reason}: after a bet and a win that were accepted, the balance was ${miss.actual} instead of ${miss.expected}`,
    connection: false,
    causes: WRONG_BOOKING_RULES,
  };
}

function ofLastRepetition(wallet: Wallet): Money | undefined {
  return wallet.moves.length === 0 ? wallet.certain() : undefined;
}

/** The rules that an operator breaks if it moves a wrong amount of money for a call. */
export const WRONG_BOOKING_RULES: readonly RuleId[] = [
  'bet.debit',
  'win.credit',
  'money.main-unit',
  'money.exact',
  'balance.read-only',
];

/**
 * Reads the balances once more if something is still uncertain: an effect that no read has shown, or a call that may have taken
 * effect late.
 *
 * @param when `now`: does not wait for late effects; `lingered`: waits for them first
 */
export async function readLast(
  context: ScenarioContext,
  runner: ScenarioRunner,
  when: 'now' | 'lingered',
): Promise<void> {
  const isWaitedFor = ({ until }: PendingCheck): boolean => when === 'lingered' || until === 'read';
  const late = context.wallets.some(({ wallet }) => wallet.pendingChecks.some(({ until }) => until === 'linger'));
  if (late && when === 'lingered') await runner.linger();
  for (const { alias, wallet } of context.wallets) {
    const pending =
      wallet.moves.length > 0 ||
      wallet.branches.length > 0 ||
      wallet.openSince !== null ||
      wallet.pendingChecks.some((pendingCheck) => !pendingCheck.reported && isWaitedFor(pendingCheck));
    if (pending && wallet.known) await runner.read(alias);
  }
}

/**
 * Completes the rounds that are still open, as the service does, and restores the balance of every wallet. If money is missing, one
 * of these rounds gets a win of the missing amount, so that croupier need not play another round. The wins of all other rounds are
 * 0. A small change of the balance is not restored before the end of the run.
 *
 * @param completed receives the wins of 0 that were sent after the last read, by wallet
 * @param isBroken true if the scenario has shown that a rule is broken
 * @returns true if every balance is the same as before the scenario, and false if a balance could not be restored. Null if this is
 * not known, or if croupier restores a balance only at the end of the run
 */
export async function restore(
  context: ScenarioContext,
  openings: ReadonlyMap<Wallet, Money>,
  {
    adjuster,
    balanceChanges,
    completed,
  }: {
    readonly adjuster: BalanceAdjuster;
    readonly balanceChanges?: BalanceChanges;
    readonly completed: Map<Wallet, readonly CompletedRound[]>;
  },
  isBroken: (rule: RuleId) => boolean,
): Promise<boolean | null> {
  // If the operator moves wrong amounts, more calls would only make the balance worse.
  const wrong = WRONG_BOOKING_RULES.some(isBroken);
  let all: boolean | null = null;
  let isSure = true;
  for (const { alias, wallet } of context.wallets) {
    const from = openings.get(wallet);
    const account = accountOf(context, alias);
    const last = isUnread(wallet) ? undefined : context.judge.reads.lastRead(wallet);
    const read = async () => (await adjuster.read(account, 'restore')) ?? certainZero(wallet);
    const found = last ?? (from && (await read()));
    // An old balance does not show how much money is missing.
    const mayRestore = !wrong && !context.staleReads.areReadsOld(wallet.id) && !isUncertain(wallet, context);
    const mayKeep = (balance: Money, before: Money): boolean =>
      mayRestore && balanceChanges?.mayKeep(wallet.id, account, before, balance) === true;
    const isPaid = mayRestore && found && from && found.compare(from) < 0 && !mayKeep(found, from);
    const paid = isPaid ? roundToPay(context, wallet) : undefined;
    const ended = await endRounds(context, adjuster, wallet, paid);
    // The replies to these wins are not compared.
    if (ended.isAnyEnded) context.judge.reads.forgetReplies(wallet);
    const now = ended.fits || !from ? found : await read();
    completed.set(wallet, ended.completed);
    if (!from) {
      isSure = false;
      continue;
    }
    if (now && from.equals(now)) {
      // A win of 0 may have moved money after the last read.
      context.judge.reads.open(wallet, now);
      all ??= true;
      continue;
    }
    if (now && !paid && mayKeep(now, from)) {
      balanceChanges?.keep(wallet.id, account, now.minus(from));
      context.judge.reads.open(wallet, now);
      isSure = false;
      continue;
    }
    completed.delete(wallet);
    const wanted = from.minus(balanceChanges?.of(wallet.id) ?? Money.zero);
    if (now && mayRestore) context.judge.reads.forgetReplies(wallet);
    const back =
      now && mayRestore
        ? await adjuster.bring(paid ? accountOf(context, paid.alias) : account, now, wanted, 'restore', paid)
        : now;
    if (back) context.judge.reads.open(wallet, back);
    else context.judge.reads.forgetLast(wallet);
    const isRestored = back?.equals(wanted) === true;
    if (isRestored) balanceChanges?.clear(wallet.id);
    else if (back) balanceChanges?.leave(wallet.id, account, back.minus(wanted));
    all = (all ?? true) && isRestored;
  }
  return all === true && !isSure ? null : all;
}

/**
 * Completes the game rounds that one round of a race has left open. If the balance is too low for the next round of the race, one
 * of the game rounds gets a win that raises the balance. So no further bet is necessary.
 */
export async function endRoundsOfRace(
  context: ScenarioContext,
  adjuster: BalanceAdjuster,
  openings: ReadonlyMap<Wallet, Money>,
): Promise<void> {
  const main = context.names.walletOf('main');
  const wanted = context.plan.needs.balance;
  for (const { wallet } of context.wallets) {
    const has = wallet.certain();
    const needed = wallet === main && wanted ? evaluateMoney(wanted, scopeOf(context.names, undefined)) : undefined;
    const from = openings.get(wallet);
    const isShort = has && needed && from && has.compare(needed) < 0 && has.compare(from) < 0;
    const paid = isShort ? roundToPay(context, wallet) : undefined;
    const { fits } = await endRounds(context, adjuster, wallet, paid);
    context.judge.reads.forgetReplies(wallet);
    if (!fits) wallet.setUnknown('a completed round');
    if (!fits || !paid || !has || !from) continue;
    const raised = await adjuster.bring(accountOf(context, paid.alias), has, from, 'prepare', paid);
    if (raised) context.judge.reads.open(wallet, raised);
    else wallet.setUnknown('a completed round');
  }
}

/** True if calls moved money and no read has shown this yet. */
function isUnread(wallet: Wallet): boolean {
  return wallet.moves.length > 0;
}

/**
 * Some operators return no balance for an empty wallet. So this function returns zero if the balance could not be read and the
 * wallet can only be empty. Otherwise it returns undefined.
 */
function certainZero(wallet: Wallet): Money | undefined {
  const certain = wallet.certain();
  return isUnread(wallet) && certain?.isZero() ? certain : undefined;
}

/** True if a call may still move money. A declined call moves no money, unless it is sent again. */
export function isUncertain({ branches, openSince }: Wallet, { judge }: ScenarioContext): boolean {
  if (openSince !== null) return true;
  return branches.some(({ kind, txID }) => kind !== 'either' && judge.effects.ofTxID(txID)?.answer !== 'declined');
}
