import { at, changing, moving, movingSilently, nodding, refused, saying } from '../lies.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('bet', {
  'bet.debit': {
    story: 'steps: [{ bet: { amount: "3.00" } }, { balance: }]',
    lies: {
      'is not taken': moving('1', '3.00'),
      'is taken twice': moving('1', '-3.00'),
      'is credited': moving('1', '6.00'),
      'is taken, but not in the reply': at('1', (_ask, tell, wallet) => {
        const before = wallet.balance();
        tell();
        return wallet.ok('p1', before);
      }),
      'is taken wrongly in a way that nobody would guess': moving('1', '-0.77'),
    },
  },

  'bet.decimal-amount': [
    {
      story: 'steps: [{ bet: }, { balance: }, { bet: { amount: "${3 * stake + 7 * unit}" } }, { balance: }]',
      lies: {
        'is refused': saying('3', error(400, 'Whole amounts only')),
        'loses its decimals': moving('3', '0.07'),
        'is rounded up': moving('3', '-0.93'),
        'is held against a limit': [saying('3', error(400, 'Too much', 'bet_limit')), 'skip'],
        'is refused like any other bet': [saying('1', error(400, 'No bets today')), 'untested'],
      },
    },
    {
      story: 'steps: [{ bet: }, { balance: }, { bet: { amount: "1.5" } }, { balance: }]',
      lies: {
        'is refused with one decimal': saying('3', error(400, 'Two decimals, please')),
        'is taken for as many cents as there are digits behind the point': moving('3', '0.45'),
        'loses its point': moving('3', '-13.50'),
      },
    },
  ],

  'bet.insufficient-funds': [
    {
      story:
        'steps: [{ bet: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      lies: {
        'is accepted': at('2', (_ask, _tell, wallet) => {
          wallet.move('-99.01');
          return wallet.ok();
        }),
        'has no code': saying('2', error(402, 'Not enough money')),
        'has another code': saying('2', error(402, 'Not enough money', 'poor')),
        'is a 500': [saying('2', error(500, 'Not enough money', 'insufficient_funds')), 'warn'],
        'is held against a limit': [saying('2', error(403, 'Too much', 'bet_limit')), 'skip'],
        'is told too often': [saying('2', error(429, 'Slow down')), 'skip'],
      },
    },
    {
      story:
        'steps: [{ bet: { amount: "${balance}" }, as: all }, { win: { round: all, amount: "${all.amount}" } }, { bet: }, { balance: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      lies: {
        'is held against a limit that a higher bet had not reached': saying('5', error(403, 'Too much', 'bet_limit')),
        'is held against another limit': [saying('5', error(403, 'Too much', 'loss_limit')), 'skip'],
      },
    },
    {
      story:
        'steps: [{ bet: { amount: "${balance}" } }, { balance: }, { bet: { amount: "${unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      lies: {
        'is held against a least bet, below all that were accepted': [
          saying('3', error(403, 'The least bet is 0.20', 'bet_limit')),
          'skip',
        ],
        'has another code': saying('3', error(403, 'The least bet is 0.20', 'too_little')),
      },
    },
  ],

  'bet.declined-takes-nothing': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
    lies: { 'is taken': movingSilently('3', '-99.01') },
  },

  'bet.exact-balance': {
    story: 'steps: [{ bet: }, { win: }, { balance: }, { bet: { amount: "${balance}" } }, { balance: }]',
    lies: {
      'is not taken': [nodding('4'), 'fail'],
      'is held against a limit': [saying('4', error(403, 'Too much', 'loss_limit')), 'skip'],
    },
  },

  'bet.many-in-round': {
    story: 'steps: [{ bet: , as: a }, { bet: { round: a, amount: "2.00" } }, { balance: }]',
    lies: {
      'is accepted and not taken': nodding('2'),
      'is refused': [saying('2', refused), 'warn'],
      'breaks the operator': saying('2', error(500, 'Oops')),
    },
  },

  'bet.zero': {
    story: 'steps: [{ bet: }, { balance: }, { bet: { amount: "0" }, expect: either }, { balance: }]',
    honest: 'note',
    lies: {
      'is refused': [saying('3', refused), 'note'],
      'takes something': [changing('3', { status: 200 }), 'note'],
    },
  },
});
