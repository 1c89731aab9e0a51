import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { WrongSum } from './money-sums.ts';

/** All verdicts on a rule, most severe first. If a rule has several verdicts, the most severe one counts. */
export const VERDICTS = ['fail', 'inconclusive', 'warn', 'note', 'pass', 'skip', 'untested'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** Returns the more severe of two verdicts. */
export function graver(a: Verdict, b: Verdict): Verdict {
  return VERDICTS.indexOf(a) <= VERDICTS.indexOf(b) ? a : b;
}

/** A position in a scenario file. Lines and columns are counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * A scenario can have an expectation of its own. If a reply does not meet this expectation, the finding has this name instead of a
 * rule id. It fails a run like the breach of a MUST rule.
 */
export const EXPECTATION = 'expectation';

/** The verdict on one rule at one step of one scenario. */
export interface Finding {
  readonly rule: RuleId | typeof EXPECTATION;
  readonly verdict: Exclude<Verdict, 'untested'>;
  /** The endpoint of the call, if the rule has a separate verdict for each endpoint; otherwise null. */
  readonly endpoint: CallName | null;
  /** The key of the step; null if the finding belongs to no single step. */
  readonly step: string | null;
  readonly place: Place | null;
  /** The id of the exchange that shows the finding; null if no exchange shows it. */
  readonly exchange: string | null;
  /**
   * The expected behaviour, as a sentence for people. This text and `actual` may contain text from the operator that is not escaped
   * yet.
   */
  readonly expected: string;
  readonly actual: string;
  /** Other rules that, if they are broken, explain this finding. */
  readonly causes: readonly RuleId[];
  /**
   * For a skip: true if the operator declined a call that the test needs. The operator may do so, and then the rule stays untested.
   */
  readonly declined?: true;
  /** For a rule about money: true if the breach itself moved no money. */
  readonly noMoney?: true;
  /** The sum by which the breach made a balance wrong. It is left out if no balance shows it. */
  readonly wrongSum?: WrongSum;
  /**
   * True if the balance in the reply to a bet or win is not the balance of the next read, whether the money is right or not. It is left
   * out for all other findings.
   */
  readonly wrongReply?: true;
  /** For `wrongReply`: the sum by which the balance in the reply is wrong. `moved` is the amount of the call. */
  readonly repliedSum?: WrongSum;
  /** True if the replies to calls show the wrong sum, without the balances of reads. So reads of old balances do not explain it. */
  readonly shownByReplies?: true;
  /** True if a balance call showed an old balance, as the replies to other calls or a later read prove. */
  readonly staleRead?: true;
  /**
   * True if croupier repeated the scenario, and the failure did not occur again in the same way. So the failure may come from
   * somebody else who moved the balance, or from an operator that fails only now and then. It is left out for all other findings.
   */
  readonly unrepeated?: true;
  /**
   * True if croupier must repeat the scenario before the failure counts. The repetition begins another attempt, whose findings
   * replace this one. So if this finding still counts, the run ended before the repetition, or the repetition could not be played up to
   * the step of the failure. It is left out for all other findings.
   */
  readonly awaitsRepetition?: true;
  /**
   * Only for a warning about a MUST rule: the reason why it is a warning and not a failure. It completes "It only warns, because
   * …".
   */
  readonly why?: string;
}
