import { expect, it } from 'vitest';
import { answering, answeringOnly, at, changing, moving, refused } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('session', {
  'session.unknown': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: { session: unknown }, expect: { outcome: declined, status: 4xx } }, { balance: }]',
    faults: {
      'is taken': [answering('3', { status: 200, body: { balance: '1.00', txID: 'x' } }), 'warn'],
      'breaks the operator': [answering('3', error(500, 'Oops')), 'warn'],
      'has no message': [answering('3', { status: 404, body: { code: 'session_not_found' } }), 'warn'],
    },
  },
  'session.isolated': {
    yaml: 'needs: { other: { player: other } }\nsteps: [{ balance: { session: other } }, { bet: { amount: "3.00" } }, { balance: { session: other } }, { balance: }]',
    faults: {
      "takes the other player's money": at('2', (_request, honest, wallet) => {
        const reply = honest();
        wallet.move('-3.00', 'p2');
        return reply;
      }),
    },
  },
  'session.expired-settles': {
    yaml: 'needs: { state: expired }\nsteps: [{ bet: , expect: declined }, { balance: }, { refund: { of: unknown } }, { balance: }]',
    honest: 'skip',
    faults: {
      'is refused': [answering('3', refused), 'warn'],
      'is refused for the session': [changing('3', error(403, 'Over', 'session_expired')), 'warn'],
    },
  },
  'session.round-id-reuse': {
    yaml: 'needs: { other: { game: other, currency: same } }\nsteps: [{ bet: { amount: "2.00" }, as: here }, { bet: { session: other, round: here, amount: "1.00" } }, { balance: }]',
    faults: {
      'is a conflict': answering('2', error(409, 'That round is open')),
      'is not taken': answeringOnly('2'),
      'is taken correctly': [moving('2', '0'), 'pass'],
    },
  },
});

it('the operator may hide the balance of a session that has expired', () => {
  const yaml = (needs: string) => `rules: [balance.read]\nneeds: ${needs}\nsteps: [{ balance: }, { balance: }]`;
  const fault = answering('2', error(403, 'Over', 'session_expired'));
  expect(judgeScenario(yaml('{ state: expired }'), { fault }).broken).toEqual([]);
  // The session may have ended during the run.
  expect(judgeScenario(yaml('{}'), { fault }).broken).toEqual([]);
});
