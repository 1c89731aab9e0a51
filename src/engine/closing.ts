import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Obligation } from '../judge/obligation.ts';
import type { Wallet } from '../judge/wallet.ts';
import type { Cashier } from './cashier.ts';
import type { Performance } from './performance.ts';
import { accountOf, type Stage } from './stage.ts';

const SPOILS_BOOKS: readonly RuleId[] = [
  'bet.debit',
  'win.credit',
  'money.main-unit',
  'money.exact',
  'balance.read-only',
];

/**
 * Decides what only a last read can decide: effects that were not read yet, and calls that might have landed late.
 *
 * @param when `now` leaves what may still land late to a later look
 */
export async function lastLook(stage: Stage, performance: Performance, when: 'now' | 'lingered'): Promise<void> {
  const isDue = ({ until }: Obligation): boolean => when === 'lingered' || until === 'read';
  const late = stage.wallets.some(({ wallet }) => wallet.obligations.some(({ until }) => until === 'linger'));
  if (late && when === 'lingered') await performance.linger();
  for (const { alias, wallet } of stage.wallets) {
    const pending =
      wallet.moves.length > 0 ||
      wallet.forks.length > 0 ||
      wallet.openSince !== null ||
      wallet.obligations.some((obligation) => !obligation.reported && isDue(obligation));
    if (pending && wallet.known) await performance.read(alias);
  }
}

/**
 * Brings every wallet back to what was found in it.
 *
 * @param isBroken whether the scenario has shown a rule to be broken
 * @returns false where that did not work, null where nothing was to be done
 */
export async function restore(
  stage: Stage,
  openings: ReadonlyMap<Wallet, Money>,
  cashier: Cashier,
  isBroken: (rule: RuleId) => boolean,
): Promise<boolean | null> {
  // A wallet that books wrongly would only be led further astray.
  const wrong = SPOILS_BOOKS.some(isBroken);
  let all: boolean | null = null;
  for (const { alias, wallet } of stage.wallets) {
    const from = openings.get(wallet);
    const account = accountOf(stage, alias);
    const last = isUnread(wallet) ? undefined : stage.judge.reads.lastRead(wallet);
    const now = last ?? (from && ((await cashier.read(account, 'restore')) ?? nothing(wallet)));
    if (!from || (now && from.equals(now))) continue;
    const back = wrong || !now || isUncertain(wallet, stage) ? now : await cashier.bring(account, now, from, 'restore');
    if (back) stage.judge.reads.open(wallet, back);
    else stage.judge.reads.lose(wallet);
    all = (all ?? true) && back?.equals(from) === true;
  }
  return all;
}

/** Money was moved for sure, and no read has shown it. */
function isUnread(wallet: Wallet): boolean {
  return wallet.moves.length > 0;
}

/** A balance that is told of only where there is one: then what has none, and should have none, is empty. */
function nothing(wallet: Wallet): Money | undefined {
  const certain = wallet.certain();
  return isUnread(wallet) && certain?.isZero() ? certain : undefined;
}

/** What was sent may still move money; what was declined, with an answer, won't unless it is sent again. */
export function isUncertain({ forks }: Wallet, { judge }: Stage): boolean {
  return forks.some(({ kind, txID }) => kind !== 'either' && judge.effects.ofTxID(txID)?.answer !== 'declined');
}
