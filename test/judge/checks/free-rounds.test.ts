import { answering, answeringOnly, at, moving, movingSilently, refused, withFields } from '../faults.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

const BET = 'steps: [{ bet: }, { win: { amount: "0" } }, { bet: { type: free } }, { balance: }]';
const WITHDRAWAL =
  'steps: [{ bet: { type: free }, as: r }, { balance: }, { win: { type: free, round: r, amount: "3.00" } }, { balance: }, { win: { frID: "${campaign}", round: r, amount: "3.00" }, expect: either }, { balance: }]';

judges('free-rounds', {
  'free-rounds.bet': [
    {
      yaml: BET,
      faults: { 'is refused': answering('3', refused), 'takes money, as it may': [moving('3', '-1.00'), 'pass'] },
    },
    {
      yaml: BET,
      options: { campaignKnown: false },
      faults: {
        'is refused for a campaign that was made up': [answering('3', refused), 'skip'],
        'breaks the operator': answering('3', error(500, 'Oops')),
      },
    },
  ],
  'free-rounds.win': {
    yaml: 'steps: [{ bet: { type: free } }, { balance: }, { win: { type: free, amount: "3.00" } }, { balance: }]',
    faults: { 'is refused': answering('3', refused), 'is credited, as it may': [moving('3', '3.00'), 'pass'] },
  },
  'free-rounds.replay': {
    yaml: 'steps: [{ bet: { type: free }, as: f }, { balance: }, { resend: f }, { balance: }]',
    faults: {
      'is taken a second time': movingSilently('3', '-1.00'),
      'has another txID': withFields('3', { txID: 'another' }),
      'is refused': answering('3', refused),
    },
  },
  'free-rounds.empty-wallet': {
    yaml: 'steps: [{ bet: { type: free } }, { balance: }, { bet: { amount: "${balance}" } }, { balance: }, { bet: { type: free }, expect: either }, { balance: }]',
    faults: {
      'is declined': [answering('5', error(402, 'No money', 'insufficient_funds')), 'warn'],
      'is declined where free bets take money': [
        (request, honest, wallet) => {
          if (request.key === '5') return error(402, 'No money', 'insufficient_funds');
          return moving('1', '-1.00')(request, honest, wallet);
        },
        'skip',
      ],
    },
  },
  'free-rounds.withdrawal': {
    yaml: WITHDRAWAL,
    options: { strict: true },
    faults: {
      'is refused': [answering('5', refused), 'note'],
      'is not credited': [answeringOnly('5'), 'note'],
      'pays what the free win has paid': [
        (request, honest, wallet) => {
          const reply = honest();
          if (request.key !== '3') return reply;
          wallet.move('3.00');
          return wallet.ok();
        },
        'note',
      ],
    },
  },
  'free-rounds.refund': {
    yaml: 'steps: [{ bet: { type: free, amount: "2.00" }, as: f }, { balance: }, { refund: { of: f } }, { balance: }]',
    faults: {
      'pays what was never taken': moving('3', '2.00'),
      'does not give back what was taken': moving('1', '-2.00'),
    },
  },
  'free-rounds.effect': {
    yaml: 'steps: [{ bet: { type: free, amount: "2.00" } }, { balance: }]',
    honest: 'note',
    faults: {
      'takes money': [
        at('1', (_request, honest, wallet) => {
          honest();
          wallet.move('-2.00');
          return wallet.ok();
        }),
        'note',
      ],
    },
  },
});
