import { at, moving, movingSilently, withFields } from '../lies.ts';
import { error, type Lie, type ToyWallet } from '../toy-wallet.ts';
import { judges } from './table.ts';

const ROUND = 'steps: [{ bet: { amount: "3.00" } }, { balance: }, { win: { amount: "2.00" } }, { balance: }]';

/** Writes the balance in another way. */
const written =
  (write: (wallet: ToyWallet) => string | number): Lie =>
  (ask, tell, wallet) =>
    ask.key === '1' ? withFields('1', { balance: 0 })(ask, tell, wallet) && balanceOf(wallet, write) : tell();

const balanceOf = (wallet: ToyWallet, write: (wallet: ToyWallet) => string | number) => ({
  status: 200,
  body: { balance: write(wallet), txID: 'op-1x' },
});

judges('money', {
  'money.decimal-string': {
    story: ROUND,
    lies: {
      'is a number': written((wallet) => Number(wallet.balance())),
      'has an exponent': written(() => '9.7e1'),
      'has a sign': written(() => '+97.00'),
      'has a mark of the currency': written(() => '$97.00'),
      'is not there': withFields('1', { balance: undefined }),
    },
  },
  'money.main-unit': {
    story: ROUND,
    lies: {
      'takes cents': moving('1', '2.97'),
      'credits cents': moving('3', '-1.98'),
    },
  },
  'money.precision': [
    {
      story: ROUND,
      lies: {
        'has a third decimal': [written(() => '97.001'), 'fail', ['bet.debit']],
        'has a zero too many': [written(() => '97.000'), 'warn'],
      },
    },
    { story: ROUND, options: { currency: 'JPY' }, honest: 'warn', lies: {} },
  ],
  'money.exact': {
    story: 'steps: [{ bet: { amount: "4.35" } }, { balance: }, { bet: { amount: "${balance}" } }, { balance: }]',
    lies: {
      'cuts a unit off': moving('1', '0.01'),
      'has a unit less than it shows': [
        at('3', () => error(402, 'Not enough', 'insufficient_funds')),
        'fail',
        ['bet.exact-balance'],
      ],
    },
  },
  'money.large': {
    story:
      'needs: { amounts: large }\nsteps: [{ bet: , as: r }, { balance: }, { win: { round: r, amount: "${9007199254740993 * unit}" } }, { balance: }]',
    lies: {
      'is rounded to a double': [moving('3', '0.01'), 'warn'],
      'is declined': [at('3', () => error(400, 'Too much')), 'skip'],
    },
  },
  'money.conservation': {
    story: 'steps: [{ bet: { amount: "3.00" } }, { win: { amount: "2.00" } }, { balance: }]',
    lies: {
      'loses some on the way': [movingSilently('2', '-0.77'), 'fail', []],
    },
  },
});
