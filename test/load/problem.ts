import { Money } from '../../src/contract/money.ts';
import type { Suspicion } from '../../src/load/cause/suspicions.ts';
import type { MoneyProblem } from '../../src/load/money-problem.ts';
import { transaction } from './transaction.ts';

/** A bet of 1.51 that took nothing. */
export const lost: Suspicion = {
  transaction: transaction({ amount: '1.51' }),
  rule: 'bet.debit',
  what: 'was answered 200, but took nothing',
  delta: Money.of('1.51'),
  kind: 'lost',
};

/** A bet of 1.51 that was taken twice. */
export const doubled: Suspicion = {
  transaction: transaction({ number: 8, amount: '1.51' }),
  rule: 'bet.debit',
  what: 'was taken twice',
  delta: Money.of('1.51').negated(),
  kind: 'doubled',
};

/** Returns a wrong balance, which should be 10 USD. */
export function problem(
  player: string,
  shown: string,
  suspicions: readonly Suspicion[] = [],
  own: Partial<MoneyProblem> = {},
): MoneyProblem {
  return {
    player,
    sessionID: `${player}-1`,
    currency: 'USD',
    decimals: 2,
    rule: suspicions[0]?.rule ?? 'money.conservation',
    expected: Money.of('10'),
    shown: Money.of(shown),
    suspicions: suspicions.map((one) => ({ ...one, traceID: undefined })),
    missing: [],
    isOneOfSeveral: false,
    windowSize: 4,
    sinceMs: 100,
    atMs: 200,
    isDrift: suspicions.length === 0,
    hasMovedInSilence: false,
    isAfterCrash: false,
    ...own,
  };
}
