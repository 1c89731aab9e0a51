import type { CallName } from './call-name.ts';
import type { RuleId } from './catalogue.ts';

/**
 * How much a rule binds. A breach of a MUST is a `fail`, of a SHOULD a `warn` (a `fail` when strict); a NOTE has no
 * breach, what was seen is written down.
 */
export type Level = 'MUST' | 'SHOULD' | 'NOTE';

/** In the order of the catalogue. The part of a rule's id before its dot. */
export const RULE_GROUPS = [
  'balance',
  'bet',
  'win',
  'refund',
  'idempotency',
  'concurrency',
  'signature',
  'free-rounds',
  'reply',
  'money',
  'session',
  'robustness',
  'launch',
] as const;

export type RuleGroup = (typeof RULE_GROUPS)[number];

/** What the catalogue says about one rule, under its id. */
export type RuleEntry = RuleText &
  (
    | {
        readonly level: 'MUST' | 'SHOULD';
        /** What a breach can do to players, their money or the operator: one sentence for whoever answers them. */
        readonly means: string;
      }
    // What the contract leaves open has no breach, and so no consequence.
    | { readonly level: 'NOTE'; readonly means?: never }
  );

interface RuleText {
  /** True when a breach loses or invents money. Left out means false. */
  readonly money?: true;
  /** The section of the contract it comes from, or `position` where the contract leaves the point open. */
  readonly clause: string;
  /** Completes "an operator conforms when …"; a NOTE completes "it is written down …". */
  readonly sentence: string;
  /** The contract version since which it holds. Left out means the first, 1.0.0. */
  readonly since?: string;
  /** For the person who must mend it: where to look in the wallet's code. */
  readonly hint: string;
  /** The endpoints that each get a verdict of their own behind the rule's one verdict. Left out means no such split. */
  readonly endpoints?: readonly CallName[];
}

/** One thing that an operator can get right or wrong, seen from outside, over HTTP. */
export interface Rule {
  readonly id: RuleId;
  readonly group: RuleGroup;
  readonly level: Level;
  readonly money: boolean;
  readonly clause: string;
  readonly sentence: string;
  readonly since: string;
  readonly hint: string;
  /** What a breach can do to players, their money or the operator, in plain words; null for a NOTE, which has no breach. */
  readonly means: string | null;
  readonly endpoints?: readonly CallName[];
}
