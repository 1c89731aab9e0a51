import type { CallName } from './call-name.ts';
import { type Level, RULE_GROUPS, type RuleEntry, type RuleGroup } from './rule.ts';
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

/** Every id of the catalogue as a literal, so that a misspelled rule id does not compile. */
export type RuleId = keyof typeof ENTRIES;

/** One requirement of the contract that can be checked over HTTP. */
export interface Rule {
  readonly id: RuleId;
  readonly group: RuleGroup;
  readonly level: Level;
  readonly money: boolean;
  readonly clause: string;
  readonly sentence: string;
  readonly since: string;
  readonly hint: string;
  /**
   * The harm that a breach can do to players, their money or the operator, in plain words. null for a NOTE, because a NOTE
   * cannot be broken.
   */
  readonly means: string | null;
  readonly endpoints?: readonly CallName[];
}

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

/** All rules, group by group, in the order in which reports list them. */
export const RULES: readonly Rule[] = Object.entries(ENTRIES).map(([id, entry]) => toRule(id as RuleId, entry));

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** The groups in catalogue order, each with its rules. */
export const GROUPS: readonly { readonly name: RuleGroup; readonly rules: readonly Rule[] }[] = RULE_GROUPS.map(
  (name) => ({ name, rules: RULES.filter((rule) => rule.group === name) }),
);

export function isRuleId(text: string): text is RuleId {
  return BY_ID.has(text);
}

/** Returns the rule with an id. Check an id that comes from outside with {@link isRuleId} first. */
export function ruleById(id: RuleId): Rule {
  const rule = BY_ID.get(id);
  if (!rule) throw new RangeError(`there is no rule ${JSON.stringify(id)}`);
  return rule;
}

/**
 * The rules that a run of the whole suite must judge before the run can say that an operator conforms. The rules
 * require that a balance can be read; that bets, wins and refunds move the right amount, and only once; that a bet
 * above the balance is declined; and that signatures are checked.
 */
export const CORE_RULES: readonly RuleId[] = [
  'balance.read',
  'bet.debit',
  'bet.insufficient-funds',
  'win.credit',
  'refund.restore',
  'refund.unknown',
  'idempotency.bet',
  'idempotency.win',
  'idempotency.refund',
  'signature.accepted',
  'signature.mismatch',
];
