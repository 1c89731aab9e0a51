import { Money } from '../../src/contract/money.ts';
import type { Suspicion } from '../../src/load/cause/suspicions.ts';
import type { MoneyProblem } from '../../src/load/money-problem.ts';

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
