import type { CallName } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import type { Move, Wallet } from './wallet.ts';

/**
 * Of which kinds the calls are that a balance leaves out: the last ones, one of them, or all of one kind. Where nothing
 * fits, the last call that moved money.
 *
 * @param told the balance that was read, which is not what it must be
 */
export function leftOut(
  wallet: Wallet,
  told: Money,
  of: {
    /** What kind of call a step was. */
    readonly callOf: (step: string) => CallName | undefined;
    /** Calls of the kind were seen to be left out before. */
    readonly isLate: (kind: CallName) => boolean;
  },
): CallName[] {
  const { moves } = wallet;
  const missing = wallet.possible().map((possible) => possible.minus(told));
  const isMissing = (some: readonly Move[]): boolean => {
    const sum = some.reduce((total, { delta }) => total.plus(delta), Money.zero);
    return some.length > 0 && missing.some((one) => one.equals(sum));
  };
  const kindsOf = (some: readonly Move[]): CallName[] => [
    ...new Set(some.map(({ step }) => of.callOf(step)).filter((kind) => kind !== undefined)),
  ];
  const fitting = [
    ...moves.map((_, index) => moves.slice(moves.length - 1 - index)),
    ...moves.map((move) => [move]),
    ...kindsOf(moves).map((kind) => moves.filter(({ step }) => of.callOf(step) === kind)),
  ]
    .filter(isMissing)
    .map(kindsOf);
  // What is known already explains more cheaply, and then what takes the fewest kinds.
  const news = (kinds: readonly CallName[]): number => kinds.filter((kind) => !of.isLate(kind)).length;
  const [cheapest] = fitting.sort((a, b) => news(a) - news(b) || a.length - b.length);
  return cheapest ?? kindsOf(moves.slice(-1));
}
