import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import type { Suspicion } from '../../src/load/cause/suspicions.ts';
import { withoutChance } from '../../src/load/money-problem.ts';
import { problem } from './problem.ts';
import { transaction } from './transaction.ts';

const lost: Suspicion = {
  transaction: transaction({ amount: '1.51' }),
  rule: 'bet.debit',
  what: 'was answered 200, but took nothing',
  delta: Money.of('1.51'),
  kind: 'lost',
};
const doubled: Suspicion = {
  transaction: transaction({ number: 8, amount: '1.51' }),
  rule: 'bet.debit',
  what: 'was taken twice',
  delta: Money.of('1.51').negated(),
  kind: 'doubled',
};

it.each([
  ['a single one is', 1, 0, true],
  ['two of them are not', 2, 0, false],
  ['two of them are, if there are also five unexplained changes', 2, 5, true],
  ['two of them are not, if there are also four unexplained changes', 2, 4, false],
] as const)(
  'explanations by the amount of another player are only possible, because they may be chance: %s',
  (_, swapped, unexplained, isOut) => {
    const ofOther = { ...doubled, kind: 'swapped' } as const;
    const problems = [
      ...Array.from({ length: swapped }, (_item, at) => problem(`ada ${at}`, '8.49', [ofOther])),
      ...Array.from({ length: unexplained }, (_item, at) => problem(`ben ${at}`, '7.77')),
      problem('eve', '11.51', [lost]),
    ];
    const left = withoutChance(problems);
    const byOther = left.slice(0, swapped);
    expect(byOther.map(({ suspicions, possible, isDrift }) => [suspicions.length, possible?.length, isDrift])).toEqual(
      byOther.map(() => (isOut ? [0, 1, true] : [1, undefined, false])),
    );
    expect(left.slice(swapped)).toEqual(problems.slice(swapped));
  },
);
