import { at, movingSilently, refused, saying } from '../lies.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('robustness', {
  'robustness.unknown-field': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: , body: { set: { device: mobile } }, expect: accepted }, { balance: }]',
    lies: {
      'is refused': [saying('3', refused), 'warn'],
      'is refused like any bet': [(ask, tell) => (ask.call === 'bet' ? refused : tell()), 'untested'],
    },
  },
  'robustness.malformed-json': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: , body: "amount", expect: { outcome: declined, status: 4xx } }, { balance: }]',
    lies: {
      'breaks the operator': [saying('3', error(500, 'Oops')), 'warn'],
      'is never answered': [at('3', () => ({ none: 'too-late' })), 'warn'],
      'is answered by a closed connection': [at('3', () => ({ none: 'reset' })), 'untested'],
    },
  },
  'robustness.missing-field': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: , body: { drop: [txID] }, expect: { outcome: declined, status: 4xx } }, { balance: }]',
    lies: {
      'breaks the operator': [saying('3', error(500, 'Oops')), 'warn'],
      'is declined and taken': [movingSilently('3', '-1.00'), 'warn'],
    },
  },
  'robustness.bad-amount': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: , body: { set: { amount: "-1" } }, expect: { outcome: declined, status: 4xx } }, { balance: }]',
    lies: {
      'is accepted': [
        at('3', (_ask, _tell, wallet) => {
          wallet.move('1.00');
          return wallet.ok();
        }),
        'warn',
      ],
      'is declined and carried out': [movingSilently('3', '1.00'), 'warn'],
    },
  },
  'robustness.slow-body': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: , trickle: { pieces: 5, gap: 20ms }, expect: accepted }, { balance: }]',
    lies: { 'is refused': [saying('3', refused), 'warn'], 'is a 408': [saying('3', error(408, 'Too slow')), 'warn'] },
  },
});
