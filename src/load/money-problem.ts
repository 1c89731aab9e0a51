import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Suspicion } from './cause/suspicions.ts';

/** A suspicion with the trace of the first sending of its transaction; undefined if the calls are not traced. */
export interface TracedSuspicion extends Suspicion {
  readonly traceID: string | undefined;
}

/** A wallet whose balance differs from the balance that follows from the operator's answers. */
export interface MoneyProblem {
  readonly player: string;
  readonly sessionID: string;
  readonly currency: string | undefined;
  readonly decimals: number;
  readonly rule: RuleId;
  readonly expected: Money;
  readonly shown: Money;
  /** The transactions that explain the difference, as in an explanation. Empty if no transactions explain it. */
  readonly suspicions: readonly TracedSuspicion[];
  /** Transactions that fit the difference, each alone or with another one, but perhaps by chance. Only if `suspicions` is empty. */
  readonly possible?: readonly TracedSuspicion[];
  /**
   * The transactions since the balance was last right whose money may be missing, each with the difference that this would make. If
   * the money of one of them is in the wallet of another player, the balance of that player is wrong by the opposite amount.
   */
  readonly missing: readonly TracedSuspicion[];
  /** True if there are several explanations. */
  readonly isOneOfSeveral: boolean;
  /** Number of transactions since the balance was last right. */
  readonly windowSize: number;
  /** The time of the last comparison before, in milliseconds from the start. */
  readonly sinceMs: number;
  /** The time of the read that showed the wrong balance, in milliseconds from the start. */
  readonly atMs: number;
  /** True if no transaction explains the difference, so that somebody else may have changed the balance. */
  readonly isDrift: boolean;
  /** True if the balance changed while croupier sent nothing. */
  readonly hasMovedInSilence: boolean;
  /** True if the operator may have crashed since the balance was last right. */
  readonly isAfterCrash: boolean;
  /**
   * The other player, if transactions were booked for the wrong player. If `isDrift` is true, the balance of this player changed by
   * the opposite amount, and no transaction has this amount. Then somebody else may have moved money between the two players.
   */
  readonly otherPlayer?: string;
}

/** If at least this share of the problems without another explanation fits the amount of another player, this is not by chance. */
const MAX_BY_CHANCE = 1 / 3;

/**
 * Turns the explanations by the amount of another player into mere possibilities, if they may fit by chance. At the same moment there
 * are many amounts of other players, and one of them fits about a tenth of all changes by somebody else.
 */
export function withoutChance(problems: readonly MoneyProblem[]): readonly MoneyProblem[] {
  const swapped = new Set(
    problems.filter(({ suspicions, isDrift }) => !isDrift && suspicions.every(({ kind }) => kind === 'swapped')),
  );
  const unexplained = problems.filter(({ isDrift }) => isDrift).length;
  if (swapped.size > 1 && swapped.size >= (swapped.size + unexplained) * MAX_BY_CHANCE) return problems;
  return problems.map((one) =>
    swapped.has(one)
      ? {
          ...one,
          rule: 'money.conservation',
          suspicions: [],
          possible: one.suspicions,
          isOneOfSeveral: false,
          isDrift: true,
        }
      : one,
  );
}
