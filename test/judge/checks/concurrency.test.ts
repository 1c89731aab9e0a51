import { at, withFields } from '../faults.ts';
import { error, type Fault } from '../toy-wallet.ts';
import { judges } from './table.ts';

const MIXED =
  'steps: [{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { win: { round: a, amount: "5.00" } }, { bet: { amount: "3.00" } }] }, { balance: }]';

const OVERDRAFT =
  'steps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]';

/** Accepts all calls of a race, and loses all except the first. */
const lastWriteWins: Fault = (request, honest, wallet) => {
  if (!request.key.startsWith('3.') || request.key === '3.1x1') return honest();
  return wallet.ok();
};

judges('concurrency', {
  'concurrency.no-lost-update': [
    {
      yaml: MIXED,
      faults: {
        'loses an update': [
          (request, honest, wallet) => (request.key === '3.3' ? wallet.ok('p1', wallet.balance()) : honest()),
          'fail',
        ],
        'replies a balance that no set of the calls gives': withFields('3.2', { balance: '77.00' }),
        'moves money without a call': at('3.3', (_request, honest, wallet) => {
          const reply = honest();
          wallet.move('-0.50');
          return reply;
        }),
        'declines all but one': [
          (request, honest) => (request.key === '3.1' || request.key === '3.3' ? error(409, 'Busy') : honest()),
          'skip',
        ],
      },
    },
    { yaml: MIXED, options: { overlap: false }, honest: 'untested', faults: {} },
  ],
  'concurrency.order': {
    yaml: MIXED,
    honest: 'note',
    faults: {
      'reads after all have committed': [(_request, honest, wallet) => honest() && wallet.ok(), 'note'],
    },
  },
  'concurrency.no-overdraft': {
    yaml: OVERDRAFT,
    faults: {
      'accepts them all': lastWriteWins,
      'declines them all': [
        (request, honest) => (request.key.startsWith('3.') ? error(402, 'Not enough', 'insufficient_funds') : honest()),
        'pass',
      ],
    },
  },
});
