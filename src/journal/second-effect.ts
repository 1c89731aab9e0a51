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

/**
 * True if this cause explains the finding only when its breach moved money. The finding says that a call took effect twice, and the
 * cause is a rule about a repeated call. An operator can break this rule with a wrong reply alone, without carrying out the call
 * again. Such a breach does not explain a second effect.
 */
export function needsMovedMoney(cause: RuleId, { rule, wrongSum }: Pick<Finding, 'rule' | 'wrongSum'>): boolean {
  const tookEffect = OF_SECOND_EFFECTS.includes(rule) && wrongSum !== undefined;
  return tookEffect && OF_REPLAYS.includes(cause);
}
