import { at, moving, movingSilently, nodding, refused, saying, withFields } from '../lies.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

const BET = 'steps: [{ bet: }, { win: { amount: "0" } }, { bet: { type: free } }, { balance: }]';
const WITHDRAWAL =
  'steps: [{ bet: { type: free }, as: r }, { balance: }, { win: { type: free, round: r, amount: "3.00" } }, { balance: }, { win: { frID: "${campaign}", round: r, amount: "3.00" }, expect: either }, { balance: }]';

judges('free-rounds', {
  'free-rounds.bet': [
    {
      story: BET,
      lies: { 'is refused': saying('3', refused), 'takes money, as it may': [moving('3', '-1.00'), 'pass'] },
    },
    {
      story: BET,
      options: { campaignKnown: false },
      lies: {
        'is refused for a campaign that was made up': [saying('3', refused), 'skip'],
        'breaks the operator': saying('3', error(500, 'Oops')),
      },
    },
  ],
  'free-rounds.win': {
    story: 'steps: [{ bet: { type: free } }, { balance: }, { win: { type: free, amount: "3.00" } }, { balance: }]',
    lies: { 'is refused': saying('3', refused), 'is credited, as it may': [moving('3', '3.00'), 'pass'] },
  },
  'free-rounds.replay': {
    story: 'steps: [{ bet: { type: free }, as: f }, { balance: }, { resend: f }, { balance: }]',
    lies: {
      'is taken a second time': movingSilently('3', '-1.00'),
      'has another txID': withFields('3', { txID: 'another' }),
      'is refused': saying('3', refused),
    },
  },
  'free-rounds.empty-wallet': {
    story:
      'steps: [{ bet: { type: free } }, { balance: }, { bet: { amount: "${balance}" } }, { balance: }, { bet: { type: free }, expect: either }, { balance: }]',
    lies: {
      'is declined': [saying('5', error(402, 'No money', 'insufficient_funds')), 'warn'],
      'is declined where free bets take money': [
        (ask, tell, wallet) => {
          if (ask.key === '5') return error(402, 'No money', 'insufficient_funds');
          return moving('1', '-1.00')(ask, tell, wallet);
        },
        'skip',
      ],
    },
  },
  'free-rounds.withdrawal': [
    {
      story: WITHDRAWAL,
      lies: { 'is not credited': [nodding('5'), 'warn'], 'is refused': [saying('5', refused), 'warn'] },
    },
    {
      story: WITHDRAWAL,
      options: { strict: true },
      lies: {
        'is not credited': nodding('5'),
        'pays what the free win has paid': (ask, tell, wallet) => {
          const told = tell();
          if (ask.key !== '3') return told;
          wallet.move('3.00');
          return wallet.ok();
        },
      },
    },
  ],
  'free-rounds.refund': {
    story: 'steps: [{ bet: { type: free, amount: "2.00" }, as: f }, { balance: }, { refund: { of: f } }, { balance: }]',
    lies: {
      'pays what was never taken': moving('3', '2.00'),
      'does not give back what was taken': moving('1', '-2.00'),
    },
  },
  'free-rounds.effect': {
    story: 'steps: [{ bet: { type: free, amount: "2.00" } }, { balance: }]',
    honest: 'note',
    lies: {
      'takes money': [
        at('1', (_ask, tell, wallet) => {
          tell();
          wallet.move('-2.00');
          return wallet.ok();
        }),
        'note',
      ],
    },
  },
});
