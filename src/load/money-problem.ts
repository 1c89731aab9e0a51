import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { FaultKind, Suspicion } from './cause/suspicions.ts';

/** A suspicion with the trace of the first sending of its transaction; undefined if the calls are not traced. */
interface TracedSuspicion extends Suspicion {
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
  /** Transactions of which each fits the difference, but perhaps by chance. Only if `suspicions` is empty. */
  readonly possible?: readonly TracedSuspicion[];
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
   * A player whose balance is wrong by the opposite amount. If `isDrift` is true, no transaction has this amount. Then somebody else
   * may have moved money between the two players.
   */
  readonly otherPlayer?: string;
}

/**
 * Finds money that the operator booked in the wallet of another player (`session.isolated`). Then two wallets are wrong by
 * opposite amounts. One wallet alone does not show this fault: its own transaction is only missing, and the other wallet changed
 * for a reason that none of its own transactions explains.
 *
 * @returns all problems, with a new explanation for those that belong together
 */
export function withWrongWallets(problems: readonly MoneyProblem[]): readonly MoneyProblem[] {
  const byChange = Map.groupBy(problems, (one) => changeOf(one, false));
  const explained = new Map<MoneyProblem, MoneyProblem>();
  const oppositeOf = (own: MoneyProblem, fits: (other: MoneyProblem) => boolean): MoneyProblem | undefined =>
    byChange
      .get(changeOf(own, true))
      ?.find(
        (other) =>
          other.player !== own.player &&
          !explained.has(other) &&
          !other.isAfterCrash &&
          isAtTheSameTime(own, other) &&
          fits(other),
      );
  for (const own of problems) {
    // A crash makes many balances wrong, so that two of them may be opposite by chance.
    const lost = own.isAfterCrash ? undefined : missingIn(own);
    const other = lost && oppositeOf(own, isOfAnotherPlayer);
    if (!other) continue;
    const suspicion = { ...lost, rule: 'session.isolated' } as const;
    const change = { rule: suspicion.rule, isDrift: false, isOneOfSeveral: own.isOneOfSeveral };
    const what = `was booked in the wallet of ${other.player}`;
    const whatOther = `was booked in this wallet, but belongs to ${own.player}`;
    explained.set(own, { ...own, ...change, otherPlayer: other.player, suspicions: [{ ...suspicion, what }] });
    explained.set(other, {
      ...other,
      ...change,
      otherPlayer: own.player,
      suspicions: [{ ...suspicion, what: whatOther, delta: lost.delta.negated() }],
    });
  }
  for (const own of problems) {
    if (!isUnexplained(own) || own.isAfterCrash || explained.has(own)) continue;
    const other = oppositeOf(own, isUnexplained);
    if (!other) continue;
    // No transaction has this amount. A transfer by somebody else looks the same, so this proves no fault of the operator.
    explained.set(own, { ...own, otherPlayer: other.player });
    explained.set(other, { ...other, otherPlayer: own.player });
  }
  return problems.map((one) => explained.get(one) ?? one);
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

/** Returns the currency and the amount by which a balance is wrong, or the opposite amount, as a key. */
function changeOf({ currency, shown, expected }: MoneyProblem, isOpposite: boolean): string {
  return `${currency ?? ''} ${isOpposite ? expected.minus(shown) : shown.minus(expected)}`;
}

/** True if both wallets may have become wrong at the same moment. */
function isAtTheSameTime(one: MoneyProblem, other: MoneyProblem): boolean {
  return one.sinceMs <= other.atMs && other.sinceMs <= one.atMs;
}

const MISSING: ReadonlySet<FaultKind> = new Set(['lost', 'refund']);

/** Returns the transaction that alone explains a wrong balance, because its money is missing. */
function missingIn(problem: MoneyProblem): MoneyProblem['suspicions'][number] | undefined {
  return problem.suspicions.find((one) => MISSING.has(one.kind) && isAlone(one, problem));
}

/** True if the suspicion explains the whole difference, without another transaction. */
function isAlone({ delta }: Suspicion, { shown, expected }: MoneyProblem): boolean {
  return delta.equals(shown.minus(expected));
}

function isUnexplained({ isDrift, hasMovedInSilence }: MoneyProblem): boolean {
  return isDrift && !hasMovedInSilence;
}

/**
 * True if a wrong balance has no likely explanation of its own. A call that was sent once is hardly ever booked twice, and the
 * amounts of two players are often equal by chance.
 */
function isOfAnotherPlayer(problem: MoneyProblem): boolean {
  return problem.isDrift || problem.suspicions.every((one) => isUnlikely(one) && isAlone(one, problem));
}

function isUnlikely({ kind, transaction }: Suspicion): boolean {
  return kind === 'swapped' || (kind === 'doubled' && transaction.copies === 1);
}
