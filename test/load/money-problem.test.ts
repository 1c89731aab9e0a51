import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import type { Suspicion } from '../../src/load/cause/suspicions.ts';
import { type MoneyProblem, withoutChance, withWrongWallets } from '../../src/load/money-problem.ts';
import { transaction } from './transaction.ts';

function problem(
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

const bet = transaction({ number: 7, amount: '1.51', sentAtMs: 150 });
const lost: Suspicion = {
  transaction: bet,
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
  ['which nothing else explains', []],
  ['which only a second booking of a call that was sent once would explain', [doubled]],
  ['which the amount of another player may explain by chance', [{ ...doubled, kind: 'swapped' }]],
] as const)('a missing bet is named in the wallet that lost its amount, %s', (_, own) => {
  const [first, second] = withWrongWallets([problem('ada', '8.49', own), problem('ben', '11.51', [lost])]);
  expect(first).toMatchObject({
    rule: 'session.isolated',
    isDrift: false,
    otherPlayer: 'ben',
    suspicions: [{ transaction: bet, what: 'was booked in this wallet, but belongs to ben' }],
  });
  expect(second).toMatchObject({
    rule: 'session.isolated',
    otherPlayer: 'ada',
    suspicions: [{ transaction: bet, what: 'was booked in the wallet of ada' }],
  });
});

it('two opposite changes that no transaction explains prove no fault, because somebody else may have moved the money', () => {
  const both = withWrongWallets([problem('ada', '7.77'), problem('ben', '12.23')]);
  expect(both.map(({ rule, isDrift, otherPlayer }) => [rule, isDrift, otherPlayer])).toEqual([
    ['money.conservation', true, 'ben'],
    ['money.conservation', true, 'ada'],
  ]);
});

const repeated: Suspicion = { ...doubled, transaction: transaction({ number: 8, amount: '1.51', copies: 2 }) };

it.each([
  ['in another currency', problem('ada', '8.49', [], { currency: 'EUR' })],
  ['by another amount', problem('ada', '8.50')],
  ['after a crash', problem('ada', '8.49', [], { isAfterCrash: true })],
  ['at another time', problem('ada', '8.49', [], { sinceMs: 300, atMs: 400 })],
  ['because a repeated call was booked twice', problem('ada', '8.49', [repeated])],
  ['of the same player', problem('ben', '8.49')],
])('a balance that is wrong %s does not belong to a missing bet', (_, other) => {
  const problems = [other, problem('ben', '11.51', [lost])];
  expect(withWrongWallets(problems)).toEqual(problems);
});

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
