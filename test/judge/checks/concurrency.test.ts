import { at, withFields } from '../lies.ts';
import { error, type Lie } from '../toy-wallet.ts';
import { judges } from './table.ts';

const MIXED =
  'steps: [{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { win: { round: a, amount: "5.00" } }, { bet: { amount: "3.00" } }] }, { balance: }]';

const OVERDRAFT =
  'steps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]';

/** Says yes to all of a race, and loses all but the first. */
const lastWriteWins: Lie = (ask, tell, wallet) => {
  if (!ask.key.startsWith('3.') || ask.key === '3.1x1') return tell();
  return wallet.ok();
};

judges('concurrency', {
  'concurrency.no-lost-update': [
    {
      story: MIXED,
      lies: {
        'loses an update': [
          (ask, tell, wallet) => (ask.key === '3.3' ? wallet.ok('p1', wallet.balance()) : tell()),
          'fail',
        ],
        'replies a balance that no set of the calls gives': withFields('3.2', { balance: '77.00' }),
        'moves what nobody sent': at('3.3', (_ask, tell, wallet) => {
          const told = tell();
          wallet.move('-0.50');
          return told;
        }),
        'declines all but one': [
          (ask, tell) => (ask.key === '3.1' || ask.key === '3.3' ? error(409, 'Busy') : tell()),
          'skip',
        ],
      },
    },
    { story: MIXED, options: { overlap: false }, honest: 'untested', lies: {} },
  ],
  'concurrency.order': {
    story: MIXED,
    honest: 'note',
    lies: {
      'reads after all have committed': [(_ask, tell, wallet) => tell() && wallet.ok(), 'note'],
    },
  },
  'concurrency.no-overdraft': {
    story: OVERDRAFT,
    lies: {
      'accepts them all': lastWriteWins,
      'declines them all': [
        (ask, tell) => (ask.key.startsWith('3.') ? error(402, 'Not enough', 'insufficient_funds') : tell()),
        'pass',
      ],
    },
  },
});
