import { RULE_GROUPS, type Rule, type RuleEntry, type RuleGroup } from './rule.ts';
import { balanceRules } from './rules/balance.ts';
import { betRules } from './rules/bet.ts';
import { concurrencyRules } from './rules/concurrency.ts';
import { freeRoundsRules } from './rules/free-rounds.ts';
import { idempotencyRules } from './rules/idempotency.ts';
import { launchRules } from './rules/launch.ts';
import { moneyRules } from './rules/money.ts';
import { refundRules } from './rules/refund.ts';
import { replyRules } from './rules/reply.ts';
import { robustnessRules } from './rules/robustness.ts';
import { sessionRules } from './rules/session.ts';
import { signatureRules } from './rules/signature.ts';
import { winRules } from './rules/win.ts';

const ENTRIES = {
  ...balanceRules,
  ...betRules,
  ...winRules,
  ...refundRules,
  ...idempotencyRules,
  ...concurrencyRules,
  ...signatureRules,
  ...freeRoundsRules,
  ...replyRules,
  ...moneyRules,
  ...sessionRules,
  ...robustnessRules,
  ...launchRules,
};

/** Every id of the catalogue as a literal: naming a rule that does not exist does not compile. */
export type RuleId = keyof typeof ENTRIES;

const FIRST_VERSION = '1.0.0';

function toRule(id: RuleId, entry: RuleEntry): Rule {
  return {
    id,
    group: id.slice(0, id.indexOf('.')) as RuleGroup,
    level: entry.level,
    money: entry.money === true,
    clause: entry.clause,
    sentence: entry.sentence,
    since: entry.since ?? FIRST_VERSION,
    hint: entry.hint,
    means: entry.means ?? null,
    ...(entry.endpoints && { endpoints: entry.endpoints }),
  };
}

/** The whole catalogue, group by group, in the order in which reports list it. */
export const RULES: readonly Rule[] = Object.entries(ENTRIES).map(([id, entry]) => toRule(id as RuleId, entry));

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** The groups in catalogue order, each with its rules. */
export const GROUPS: readonly { readonly name: RuleGroup; readonly rules: readonly Rule[] }[] = RULE_GROUPS.map(
  (name) => ({ name, rules: RULES.filter((rule) => rule.group === name) }),
);

export function isRuleId(text: string): text is RuleId {
  return BY_ID.has(text);
}

/** The rule of an id. Every {@link RuleId} has one; ids from outside go through {@link isRuleId} first. */
export function ruleById(id: RuleId): Rule {
  const rule = BY_ID.get(id);
  if (!rule) throw new RangeError(`no rule is called ${JSON.stringify(id)}`);
  return rule;
}
