import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import type { Suspicion } from '../../../src/load/cause/suspicions.ts';
import { withWrongWallets } from '../../../src/load/cause/wrong-wallets.ts';
import type { TracedSuspicion } from '../../../src/load/money-problem.ts';
import { doubled, lost as lostBet, problem } from '../problem.ts';
import { transaction } from '../transaction.ts';

const bet = transaction({ number: 7, amount: '1.51', sentAtMs: 150 });
const lost: Suspicion = { ...lostBet, transaction: bet };

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

it.each([
  ['in another currency', problem('ada', '8.49', [], { currency: 'EUR' })],
  ['by another amount', problem('ada', '8.50')],
  ['after a crash', problem('ada', '8.49', [], { isAfterCrash: true })],
  ['at another time', problem('ada', '8.49', [], { sinceMs: 300, atMs: 400 })],
  ['of the same player', problem('ben', '8.49')],
])('a balance that is wrong %s does not belong to a missing bet', (_, other) => {
  const problems = [other, problem('ben', '11.51', [lost])];
  expect(withWrongWallets(problems)).toEqual(problems);
});

const missing = (number: number, amount: string, delta: Money): TracedSuspicion => ({
  ...lost,
  transaction: transaction({ number, amount }),
  delta,
  traceID: undefined,
});

it('a refunded bet that was taken from another player is named, although its refund was paid here', () => {
  const unknown = { ...lost, kind: 'unknown' } as const;
  const [first, second] = withWrongWallets([problem('ada', '8.49'), problem('ben', '11.51', [unknown])]);
  expect(first?.suspicions.map(({ what }) => what)).toEqual(['was taken from this wallet, but belongs to ben']);
  expect(second?.suspicions.map(({ what }) => what)).toEqual([
    'was refunded in this wallet, but was taken from the wallet of ada',
  ]);
  expect([first?.isDrift, second?.isDrift]).toEqual([false, false]);
});

const [won, paid] = [Money.of('1.51'), Money.of('1.22')];

it.each([
  [
    'one wallet lost two wins to two players',
    [
      problem('ada', '7.27', [], {
        missing: [
          missing(1, '1.51', won.negated()),
          missing(2, '1.22', paid.negated()),
          missing(3, '9', Money.of('9')),
        ],
      }),
      problem('ben', '11.51'),
      problem('eve', '11.22'),
    ],
    [['tx-1', 'tx-2'], ['tx-1'], ['tx-2']],
  ],
  [
    'one wallet got the wins of two players',
    [
      problem('ada', '12.73'),
      problem('ben', '8.49', [missing(1, '1.51', won.negated())]),
      problem('eve', '8.78', [missing(2, '1.22', paid.negated())]),
    ],
    [['tx-1', 'tx-2'], ['tx-1'], ['tx-2']],
  ],
  [
    'one wallet got a win, and lost another one',
    [
      problem('ada', '9.71', [], { missing: [missing(1, '1.51', won.negated())] }),
      problem('ben', '11.51'),
      problem('eve', '8.78', [missing(2, '1.22', paid.negated())]),
    ],
    [['tx-1', 'tx-2'], ['tx-1'], ['tx-2']],
  ],
])('several transactions in wrong wallets are named, although %s between two quiet points', (_, problems, named) => {
  const explained = withWrongWallets(problems);
  expect(explained.map(({ suspicions }) => suspicions.map(({ transaction: { txID } }) => txID).sort())).toEqual(named);
  expect(explained.map(({ rule, isDrift, isOneOfSeveral }) => [rule, isDrift, isOneOfSeveral])).toEqual(
    problems.map(() => ['session.isolated', false, false]),
  );
  // If the sums do not agree to the unit, nothing is proven.
  const [first, ...others] = problems;
  const wrong = [{ ...(first ?? expect.fail()), shown: Money.of('5.55') }, ...others];
  expect(withWrongWallets(wrong)[0]).toMatchObject({ suspicions: [], isDrift: true });
});

it('nothing is proven if different partners explain a wrong balance', () => {
  const two = [missing(1, '1.51', won.negated()), missing(2, '1.22', paid.negated())];
  const problems = [
    problem('ada', '7.27', [], { missing: two }),
    problem('ben', '11.51'),
    problem('eve', '11.22'),
    problem('pam', '11.22'),
  ];
  expect(withWrongWallets(problems)).toEqual(problems);
});

const repeated: Suspicion = { ...doubled, transaction: transaction({ number: 8, amount: '1.51', copies: 2 }) };
const lostWin: Suspicion = { ...doubled, kind: 'lost' };
const alone = { ...missing(9, '1.33', Money.of('1.33')) };

it.each([
  ['a repeated call may have been booked twice', repeated],
  ['a win of the same amount may be missing', lostWin],
] as const)('a missing bet may be in a wallet where %s, so both are possible', (_, own) => {
  const problems = [problem('ada', '8.49', [own]), problem('ben', '11.51', [lost])];
  const [first] = withWrongWallets(problems);
  expect([first?.isOneOfSeveral, first?.rule]).toEqual([true, own.rule]);
  expect(first?.suspicions.map(({ what }) => what)).toEqual([
    own.what,
    'was booked in this wallet, but belongs to ben',
  ]);
  // An operator that loses many transactions also loses two of the same amount.
  const others = ['eve', 'pam', 'tom'].map((player) => problem(player, '11.33', [alone]));
  expect(withWrongWallets([...problems, ...others])).toEqual([...problems, ...others]);
});
