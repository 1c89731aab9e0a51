import { answering, at, movingSilently, refused } from '../faults.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('robustness', {
  'robustness.unknown-field': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , body: { set: { device: mobile } }, expect: accepted }, { balance: }]',
    faults: {
      'is refused': [answering('3', refused), 'warn'],
      'is refused like any bet': [(request, honest) => (request.call === 'bet' ? refused : honest()), 'untested'],
    },
  },
  'robustness.malformed-json': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , body: "amount", expect: { outcome: declined, status: 4xx } }, { balance: }]',
    faults: {
      'breaks the operator': [answering('3', error(500, 'Oops')), 'warn'],
      'is never answered': [at('3', () => ({ none: 'too-late' })), 'warn'],
      'is not answered while croupier itself could not run': [
        at('3', () => ({ none: 'too-late', pausedMs: 2000 })),
        'inconclusive',
      ],
      'is answered by a closed connection': [at('3', () => ({ none: 'reset' })), 'untested'],
    },
  },
  'robustness.missing-field': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , body: { drop: [txID] }, expect: { outcome: declined, status: 4xx } }, { balance: }]',
    faults: {
      'breaks the operator': [answering('3', error(500, 'Oops')), 'warn'],
      'is declined and taken': [movingSilently('3', '-1.00'), 'warn'],
    },
  },
  'robustness.bad-amount': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , body: { set: { amount: "-1" } }, expect: { outcome: declined, status: 4xx } }, { balance: }]',
    faults: {
      'is accepted': [
        at('3', (_request, _honest, wallet) => {
          wallet.move('1.00');
          return wallet.ok();
        }),
        'warn',
      ],
      'is declined and carried out': [movingSilently('3', '1.00'), 'warn'],
    },
  },
  'robustness.slow-body': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , trickle: { pieces: 5, gap: 20ms }, expect: accepted }, { balance: }]',
    faults: {
      'is refused': [answering('3', refused), 'warn'],
      'is a 408': [answering('3', error(408, 'Too slow')), 'warn'],
    },
  },
});
