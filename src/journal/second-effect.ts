import type { RuleId } from '../contract/catalogue.ts';
import type { Finding } from './finding.ts';

/** Rules about one call that is sent again. An operator may break them by a wrong reply alone. */
const OF_REPLAYS: readonly Finding['rule'][] = ['idempotency.bet', 'idempotency.win', 'idempotency.refund'];

/** Rules about calls that must take effect once. If their breach made a balance wrong, a call was carried out a second time. */
const OF_SECOND_EFFECTS: readonly Finding['rule'][] = [
  'idempotency.concurrent',
  'idempotency.after-refund',
  'free-rounds.replay',
];

/** Rules about bets above the balance. If the operator accepts one, perhaps the wallet has more money than croupier expects. */
const OF_BETS_ABOVE: readonly Finding['rule'][] = ['bet.insufficient-funds', 'concurrency.no-overdraft'];

/** Rules about the effect of one kind of call. An operator may break them by a wrong balance in the reply alone. */
const OF_EFFECTS: readonly Finding['rule'][] = ['bet.debit', 'win.credit', 'refund.restore'];

/**
 * True if this cause explains the finding only when its breach moved money. The finding says that a call took effect twice, and the
 * cause is a rule about a repeated call. An operator can break this rule with a wrong reply alone, without carrying out the call
 * again. Such a breach does not explain a second effect. The same is true for a bet above the balance: a wrong balance in a reply gives the
 * wallet no money.
 */
export function needsMovedMoney(cause: RuleId, { rule, wrongSum }: Pick<Finding, 'rule' | 'wrongSum'>): boolean {
  const tookEffect = OF_SECOND_EFFECTS.includes(rule) && wrongSum !== undefined;
  return (tookEffect && OF_REPLAYS.includes(cause)) || (OF_BETS_ABOVE.includes(rule) && OF_EFFECTS.includes(cause));
}
