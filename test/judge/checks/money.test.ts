import { expect, test } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { moneyChecks } from '../../../src/judge/checks/money.ts';
import type { ObservedCall } from '../../../src/judge/observed-call.ts';
import { at, moving, movingSilently, withFields } from '../faults.ts';
import { error, type Fault, type ToyWallet } from '../toy-wallet.ts';
import { judges } from './table.ts';

const ROUND = 'steps: [{ bet: { amount: "3.00" } }, { balance: }, { win: { amount: "2.00" } }, { balance: }]';

/** Writes the balance in another form. */
const written =
  (write: (wallet: ToyWallet) => string | number): Fault =>
  (request, honest, wallet) =>
    request.key === '1'
      ? withFields('1', { balance: 0 })(request, honest, wallet) && balanceOf(wallet, write)
      : honest();

const balanceOf = (wallet: ToyWallet, write: (wallet: ToyWallet) => string | number) => ({
  status: 200,
  body: { balance: write(wallet), txID: 'op-1x' },
});

judges('money', {
  'money.decimal-string': {
    yaml: ROUND,
    faults: {
      'is a number': written((wallet) => Number(wallet.balance())),
      'has an exponent': written(() => '9.7e1'),
      'has a sign': written(() => '+97.00'),
      'has a mark of the currency': written(() => '$97.00'),
      'is not there': withFields('1', { balance: undefined }),
    },
  },
  'money.main-unit': {
    yaml: ROUND,
    faults: {
      'takes cents': moving('1', '2.97'),
      'credits cents': moving('3', '-1.98'),
    },
  },
  'money.precision': [
    {
      yaml: ROUND,
      faults: {
        'has a third decimal': [written(() => '97.001'), 'fail', ['bet.debit']],
        'has a zero too many': [written(() => '97.000'), 'warn'],
      },
    },
    { yaml: ROUND, options: { currency: 'JPY' }, honest: 'warn', faults: {} },
    { yaml: ROUND, options: { currency: 'CLP', balance: '100.50' }, honest: 'warn', faults: {} },
  ],
  'money.exact': {
    yaml: 'steps: [{ bet: { amount: "4.35" } }, { balance: }, { bet: { amount: "${balance}" } }, { balance: }]',
    faults: {
      'cuts a unit off': moving('1', '0.01'),
      'has a unit less than it shows': [
        at('3', () => error(402, 'Not enough', 'insufficient_funds')),
        'fail',
        ['bet.exact-balance'],
      ],
    },
  },
  'money.large': {
    yaml: 'needs: { amounts: large }\nsteps: [{ bet: , as: r }, { balance: }, { win: { round: r, amount: "${9007199254740993 * unit}" } }, { balance: }]',
    faults: {
      'is rounded to a double': [moving('3', '0.01'), 'warn'],
      'is declined': [at('3', () => error(400, 'Too much')), 'skip'],
    },
  },
  'money.conservation': {
    yaml: 'steps: [{ bet: { amount: "3.00" } }, { win: { amount: "2.00" } }, { balance: }]',
    faults: {
      'loses some on the way': [movingSilently('2', '-0.77'), 'fail', []],
    },
  },
});

test.each([
  ['another amount', '2.72', '0.01', 'the bet of 2.72 moved 272'],
  ['another unit', '4.35', '0.001', 'the bet of 4.35 moved 4350'],
  ['the same amount again', '4.35', '0.01', 'the bet of 4.35 moved 435'],
])('the wrong sums after a bet of 4.35 are those of the next bet, which has %s', (_, amount, unit, meaning) => {
  const hypotheses = (bet: string, smallest: string) => {
    const [effect, money, one] = [bet, bet, smallest].map((text) => Money.of(text));
    const observed = { answer: 'accepted', amount: money, effect: effect?.negated(), unit: one };
    const call = { ...observed, planned: { step: { call: 'bet' } } } as unknown as ObservedCall;
    const [units = [], exact = []] = (['money.main-unit', 'money.exact'] as const).map((rule) =>
      moneyChecks[rule]?.hypotheses?.(call),
    );
    return { meanings: units.map((one) => one.meaning), sums: exact.map(({ by }) => String(by)) };
  };
  hypotheses('4.35', '0.01');
  const next = hypotheses(amount, unit);
  expect(next.meanings).toContain(meaning);
  expect(next.sums).toContain(unit);
});
