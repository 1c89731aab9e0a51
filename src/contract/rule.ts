import type { CallName } from './call-name.ts';

/**
 * The level of a rule. A breach of a MUST is a `fail`. A breach of a SHOULD is a `warn`, and a `fail` in strict mode. A NOTE
 * cannot be broken: reports only describe what the operator does.
 */
export const LEVELS = ['MUST', 'SHOULD', 'NOTE'] as const;

export type Level = (typeof LEVELS)[number];

/** The groups of the rules, in the order of the catalogue. A group is the part of a rule id before its dot. */
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

/** The entry of one rule in the catalogue, without its id. */
export type RuleEntry = RuleText &
  (
    | {
        readonly level: 'MUST' | 'SHOULD';
        /** The harm that a breach can do to players, their money or the operator: one sentence for support staff. */
        readonly means: string;
      }
    // The contract leaves the subject of a NOTE open. So a NOTE cannot be broken, and no harm can follow.
    | { readonly level: 'NOTE'; readonly means?: never }
  );

interface RuleText {
  /** True when a breach loses or invents money. Left out means false. */
  readonly money?: true;
  /** The section of the contract, or `position` if the contract leaves the point open. */
  readonly clause: string;
  /** A clause that completes "An operator conforms when …". For a NOTE, it completes "The report notes …". */
  readonly sentence: string;
  /** The first version of the contract that has the requirement. Left out means 1.0.0. */
  readonly since?: string;
  /** A hint for the person who fixes a breach: where to look in the code of the wallet. */
  readonly hint: string;
  /**
   * The endpoints that each get their own verdict, in addition to the verdict of the rule. Left out means that the rule has
   * only one verdict.
   */
  readonly endpoints?: readonly CallName[];
}
