import { answering, answeringOnly, at, changing, moving, movingSilently, refused } from '../faults.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('bet', {
  'bet.debit': {
    yaml: 'steps: [{ bet: { amount: "3.00" } }, { balance: }]',
    faults: {
      'is not taken': moving('1', '3.00'),
      'is taken twice': moving('1', '-3.00'),
      'is credited': moving('1', '6.00'),
      'is taken, but not in the reply': at('1', (_request, honest, wallet) => {
        const before = wallet.balance();
        honest();
        return wallet.ok('p1', before);
      }),
      'is taken with an unpredictable sum': moving('1', '-0.77'),
    },
  },

  'bet.decimal-amount': [
    {
      yaml: 'steps: [{ bet: }, { bet: { amount: "${5 * stake}" } }, { balance: }, { bet: { amount: "${3 * stake + 7 * unit}" } }, { balance: }]',
      faults: {
        'is refused': answering('4', error(400, 'Whole amounts only')),
        'loses its decimals': moving('4', '0.07'),
        'is rounded up': moving('4', '-0.93'),
        'is declined because of a loss limit': [answering('4', error(400, 'Too much', 'loss_limit')), 'skip'],
        'is refused like any other bet': [answering('1', error(400, 'No bets today')), 'untested'],
      },
    },
    {
      yaml: 'steps: [{ bet: }, { bet: { amount: "${5 * stake}" } }, { balance: }, { bet: { amount: "1.5" } }, { balance: }]',
      faults: {
        'is refused with one decimal': answering('4', error(400, 'Two decimals, please')),
        'has the digits after the point read as cents': moving('4', '0.45'),
        'loses its point': moving('4', '-13.50'),
      },
    },
    {
      yaml: 'steps: [{ bet: { amount: "1.00" } }, { balance: }, { bet: { amount: "1.25" } }, { balance: }]',
      faults: {
        'is refused, and no higher bet was accepted before': [answering('3', error(400, 'Whole amounts only')), 'skip'],
        'loses its decimals as a literal': moving('3', '0.25'),
        'is answered 401 after a whole bet was accepted': [
          answering('3', error(401, 'Who are you?')),
          'fail',
          ['signature.accepted'],
        ],
      },
    },
    {
      yaml: 'steps: [{ bet: { amount: "${0.5 * stake + 0.25}" } }, { balance: }]',
      faults: {
        'is refused, and no other bet was accepted before': [answering('1', error(400, 'Whole amounts only')), 'skip'],
        'is answered 401 without a whole bet before it': [
          answering('1', error(401, 'Who are you?')),
          'untested',
          ['signature.accepted'],
        ],
      },
    },
  ],

  'bet.insufficient-funds': [
    {
      yaml: 'steps: [{ bet: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      faults: {
        'is accepted': at('2', (_request, _honest, wallet) => {
          wallet.move('-99.01');
          return wallet.ok();
        }),
        'has no code, and may be about a limit': [answering('2', error(402, 'Not enough money')), 'skip'],
        'has another code, and may be about a limit': [answering('2', error(402, 'Not enough money', 'poor')), 'skip'],
        'is a 500': [answering('2', error(500, 'Not enough money', 'insufficient_funds')), 'warn'],
        'is declined because of a limit': [answering('2', error(403, 'Too much', 'bet_limit')), 'skip'],
        'is declined because of too many requests': [answering('2', error(429, 'Slow down')), 'skip'],
      },
    },
    {
      yaml: 'steps: [{ bet: { amount: "${balance}" }, as: all }, { win: { round: all, amount: "${all.amount}" } }, { bet: }, { balance: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      faults: {
        'is declined because of a limit although a higher bet was accepted': answering(
          '5',
          error(403, 'Too much', 'bet_limit'),
        ),
        'has no code although a higher bet was accepted': answering('5', error(402, 'Not enough money')),
        'has another code although a higher bet was accepted': answering('5', error(402, 'Not enough money', 'poor')),
        'is declined because of another limit': [answering('5', error(403, 'Too much', 'loss_limit')), 'skip'],
      },
    },
    {
      yaml: 'steps: [{ bet: { amount: "${balance}" } }, { balance: }, { bet: { amount: "${unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      faults: {
        'is declined because of a minimum bet, below all accepted bets': [
          answering('3', error(403, 'The least bet is 0.20', 'bet_limit')),
          'skip',
        ],
        'has another code, and may be about a minimum bet': [
          answering('3', error(403, 'The least bet is 0.20', 'too_little')),
          'skip',
        ],
      },
    },
  ],

  'bet.declined-takes-nothing': [
    {
      yaml: 'steps: [{ bet: }, { balance: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
      faults: { 'is taken': movingSilently('3', '-99.01') },
    },
    {
      yaml: 'steps: [{ bet: , expect: either }, { balance: }]',
      honest: 'untested',
      // The service does not refund a bet with such a reply, so the bet must take nothing (reply/classify.ts, mayHaveBeenProcessed).
      faults: Object.fromEntries(
        [502, 503, 504].map((status) => [
          `is answered ${status}, and taken all the same`,
          changing('1', error(status, 'Please try again later.')),
        ]),
      ),
    },
    {
      // The defect limited-bet-taken loses bets of every kind, so also those that test how the body is read.
      yaml: 'steps: [{ bet: }, { balance: }, { bet: , body: { set: { note: plain } }, expect: accepted }, { balance: }]',
      honest: 'untested',
      faults: {
        'has a further field, is declined because of a limit, and is taken': [
          changing('3', error(403, 'Too much', 'loss_limit')),
          'warn',
        ],
      },
    },
  ],

  'bet.exact-balance': {
    yaml: 'steps: [{ bet: }, { win: }, { balance: }, { bet: { amount: "${balance}" } }, { balance: }]',
    faults: {
      'is not taken': [answeringOnly('4'), 'fail'],
      'is declined because of a limit': [answering('4', error(403, 'Too much', 'loss_limit')), 'skip'],
    },
  },

  'bet.many-in-round': {
    yaml: 'steps: [{ bet: , as: a }, { bet: { round: a, amount: "2.00" } }, { balance: }]',
    faults: {
      'is accepted and not taken': answeringOnly('2'),
      'is refused': [answering('2', refused), 'warn'],
      'breaks the operator': answering('2', error(500, 'Oops')),
    },
  },

  'bet.zero': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: { amount: "0" }, expect: either }, { balance: }]',
    honest: 'note',
    faults: {
      'is refused': [answering('3', refused), 'note'],
      'takes something': [changing('3', { status: 200 }), 'note'],
    },
  },
});
