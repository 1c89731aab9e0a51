import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import {
  cut,
  isNothingInCents,
  mayBeRounded,
  RightUnit,
  rounded,
  sumsInUnit,
  withZeros,
} from '../../../src/judge/attribution/units.ts';
import { Wallet } from '../../../src/judge/wallet/wallet.ts';
import { at } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';

const step = { key: '1' } as never;

function readAfter(
  moves: readonly (readonly [string, Money])[],
  id = 'p1',
  right: RightUnit = new RightUnit(),
): RightUnit {
  const wallet = new Wallet(id, Money.unit(2));
  wallet.anchor(Money.of('100'));
  for (const [call, delta] of moves) wallet.move(call, delta);
  right.record({ wallet, value: Money.of('100'), step, exchange: 'e1', lingered: false }, (key) =>
    key === 'bet' || key === 'win' ? key : 'refund',
  );
  return right;
}

it('a kind of call that moved exactly its amount is in the right unit in that wallet only', () => {
  const right = readAfter([['bet', Money.of('3').negated()]]);
  expect([right.has('bet', 'p1'), right.has('win', 'p1'), right.has('bet', 'p2')]).toEqual([true, false, false]);
});

it('a read after calls that cancel each other shows nothing about the unit', () => {
  const right = readAfter([
    ['bet', Money.of('3').negated()],
    ['refund', Money.of('3')],
  ]);
  expect(right.has('bet', 'p1')).toBe(false);
});

it('a kind that is right in one wallet is right in another wallet whose other kind is right', () => {
  const right = readAfter([['win', Money.of('3')]], 'p2');
  expect(right.has('win', 'p1')).toBe(false);
  readAfter([['bet', Money.of('3').negated()]], 'p1', right);
  expect([right.has('win', 'p1'), right.has('bet', 'p2'), right.has('win', 'p3')]).toEqual([true, true, false]);
});

it('a win that pays a tenth is a wrong unit, unless another win was right', () => {
  const fault = at('4', (_request, honest, wallet) => {
    honest();
    wallet.move('-45.00');
    return wallet.ok();
  });
  const yaml =
    'rules: [win.credit]\nsteps: [{ bet: }, { win: { amount: "2.00" }, as: a }, { bet: }, { win: { amount: "50.00" } }, { balance: }]';
  expect(judgeScenario(yaml, { fault }).broken).toContain('money.main-unit');
  const seen = yaml.replace(
    '{ win: { amount: "2.00" }, as: a }',
    '{ balance: }, { win: { amount: "2.00" } }, { balance: }',
  );
  const later = at('6', (_request, honest, wallet) => {
    honest();
    wallet.move('-45.00');
    return wallet.ok();
  });
  expect(judgeScenario(seen, { fault: later }).broken).toEqual(['win.credit']);
});

const CENT = Money.of('0.01');

it.each([
  ['1.23', 2, ['123']],
  ['1.23', -2, ['0.01']],
  ['1.50', -2, ['0.01', '0.02']],
  ['0.57', -2, ['0.01']],
  ['0.49', -2, []],
])(
  'a sum of %s that is shifted by %i digits is cut off or rounded to the smallest unit, but is never 0',
  (sum, scale, sums) => {
    expect(sumsInUnit(Money.of(sum), scale, CENT).map(String)).toEqual(sums);
  },
);

it('less than a main unit, read as cents, is nothing', () => {
  expect([isNothingInCents(Money.of('0.99'), CENT), isNothingInCents(Money.of('1.00'), CENT)]).toEqual([true, false]);
});

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));

it.each([
  ['1.239', '0.01', '1.23', '1.24'],
  ['-1.239', '0.01', '-1.23', '-1.24'],
  ['1.234', '0.01', '1.23', '1.23'],
  ['1.20', '0.01', '1.20', '1.20'],
  ['100.5', '1', '100', '101'],
  ['0.001', '0.01', '0', '0'],
])('%s in steps of %s is cut to %s and rounded to %s', (sum, unit, kept, nearest) => {
  expect([cut(money(sum), Money.of(unit)).toString(), rounded(money(sum), Money.of(unit)).toString()]).toEqual([
    kept,
    nearest,
  ]);
});

it.each([
  ['0.02', '348.80', '0.01', true],
  ['1', '998', '0.01', true],
  ['1', '998.50', '0.01', false],
  ['2', '998', '0.01', false],
  ['1', '998', '1', false],
])(
  'a difference of %s of a balance of %s in steps of %s may be one of rounding: %s',
  (sum, balance, unit, expected) => {
    expect(mayBeRounded(money(sum), Money.of(balance), Money.of(unit))).toBe(expected);
  },
);

/** Returns the balance whose zeros were left out, after a wallet with the balance `start` moved by `delta`. */
function wholeOf(start: string, delta: string, value: string): string | undefined {
  const wallet = new Wallet('p1', Money.unit(2));
  wallet.anchor(Money.of(start));
  wallet.move('bet', Money.of(delta).negated());
  return withZeros({ wallet, value: Money.of(value) })?.whole.format();
}

it('a balance of which only the zeros at the end are missing is the expected balance', () => {
  expect([wholeOf('291', '1', '29'), wholeOf('1001', '1', '1')]).toEqual(['290', '1000']);
});

it('a balance that follows a balance without its zeros is the balance that was read', () => {
  expect(wholeOf('1', '1', '999')).toBe('999');
});

it('a balance that lacks only the zeros after the point is the expected balance', () => {
  expect([wholeOf('6.05', '1', '5.5'), wholeOf('6.05', '1', '5.50'), wholeOf('6.05', '1', '5.05')]).toEqual([
    '5.05',
    '5.05',
    undefined,
  ]);
});

it('a balance that follows a balance without the zeros after its point is the balance that was read', () => {
  expect(wholeOf('994.9', '0.01', '994.08')).toBe('994.08');
});

it('another wrong balance does not lack zeros', () => {
  expect([wholeOf('291', '1', '28'), wholeOf('291', '1', '2900'), wholeOf('291', '1', '2.9')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
