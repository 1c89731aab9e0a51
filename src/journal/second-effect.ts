import type { RuleId } from '../contract/catalogue.ts';
import type { Finding } from './finding.ts';

/** Rules about one call that is sent again. An operator may break them by a wrong reply alone. */
const OF_REPLAYS: readonly Finding['rule'][] = ['idempotency.bet', 'idempotency.win', 'idempotency.refund'];

/** Rules whose breach always means that a call took effect again. */
const OF_SECOND_EFFECTS: readonly Finding['rule'][] = ['idempotency.concurrent', 'idempotency.after-refund'];

/**
 * True if a named cause explains a finding only if the breach of the cause moved money. An operator that only answers a repeated call
 * wrongly does not carry it out again, so this breach does not explain that a call took effect twice elsewhere.
 */
export function needsMovedMoney(cause: RuleId, { rule, wrongSum }: Pick<Finding, 'rule' | 'wrongSum'>): boolean {
  const tookEffect = OF_SECOND_EFFECTS.includes(rule) || (rule === 'free-rounds.replay' && wrongSum !== undefined);
  return tookEffect && OF_REPLAYS.includes(cause);
}
