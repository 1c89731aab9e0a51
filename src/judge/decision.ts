import type { RuleId } from '../contract/catalogue.ts';
import type { WrongSum } from '../journal/money-sums.ts';

/** A decision that the rule is broken. The level of the rule decides whether it is a fail, a warning or a note. */
export interface Breach {
  readonly kind: 'breach';
  readonly expected: string;
  readonly actual: string;
  readonly causes?: readonly RuleId[];
  /** True if the reply shows that the call moved no money. */
  readonly noMoney?: true;
  /** The sum by which the breach made a balance wrong. */
  readonly wrongSum?: WrongSum;
  /** True if the balance in the reply to the call is not the balance of the next read. */
  readonly wrongReply?: true;
  /** For `wrongReply`: the sum by which the reply is wrong, and the amount of its call. */
  readonly repliedSum?: WrongSum;
  /** True if the replies to calls show the wrong sum, without the balances of reads. */
  readonly shownByReplies?: true;
  /** True if a balance lacked money, and croupier had waited before it read this balance. So the money did not arrive late. */
  readonly lacksMoney?: true;
  /** True if a balance call showed an old balance. */
  readonly staleRead?: true;
}

/** The result of judging one rule by one call or balance read. */
export type Decision =
  | { readonly kind: 'pass' }
  | Breach
  /**
   * The rule is broken in a minor way. The result is a warning, whatever the level of the rule. `why` completes "It only warns,
   * because …".
   */
  | {
      readonly kind: 'warn';
      readonly expected: string;
      readonly actual: string;
      readonly why: string;
      /** Rules that explain the warning if they are broken. */
      readonly causes?: readonly RuleId[];
      readonly noMoney?: true;
    }
  | { readonly kind: 'note'; readonly actual: string }
  /** `declined`: true if the call would have tested the rule, but the operator declined the call. */
  | { readonly kind: 'skip'; readonly reason: string; readonly declined?: true }
  /** `causes`: the broken rules because of which the call decides nothing. */
  | { readonly kind: 'undecided'; readonly reason: string; readonly causes?: readonly RuleId[] };

/**
 * The reason in the report if a breach gives only a warning, because no call that the service would send has shown it. Completes
 * "It only warns, because …".
 */
export const SHOWN_BY_PROBE = 'only a call that the service never sends has shown it';

export const PASS: Decision = { kind: 'pass' };

export function breach(expected: string, actual: string, causes: readonly RuleId[] = []): Breach {
  return { kind: 'breach', expected, actual, causes };
}

/** Adds rules that explain the decision, if it is a breach. */
export function explainedBy<D extends Decision | undefined>(decision: D, rules: readonly RuleId[]): D | Breach {
  return decision?.kind === 'breach'
    ? breach(decision.expected, decision.actual, [...(decision.causes ?? []), ...rules])
    : decision;
}
