import { expect, it } from 'vitest';
import { at, changing, moving, nodding, refused, saying } from '../lies.ts';
import { tell } from '../story-builder.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('session', {
  'session.unknown': {
    story:
      'steps: [{ bet: }, { balance: }, { bet: { session: unknown }, expect: { outcome: declined, status: 4xx } }, { balance: }]',
    lies: {
      'is taken': [saying('3', { status: 200, body: { balance: '1.00', txID: 'x' } }), 'warn'],
      'breaks the operator': [saying('3', error(500, 'Oops')), 'warn'],
      'has no message': [saying('3', { status: 404, body: { code: 'session_not_found' } }), 'warn'],
    },
  },
  'session.isolated': {
    story:
      'needs: { other: { player: other } }\nsteps: [{ balance: { session: other } }, { bet: { amount: "3.00" } }, { balance: { session: other } }, { balance: }]',
    lies: {
      "takes the other player's money": at('2', (_ask, tell, wallet) => {
        const told = tell();
        wallet.move('-3.00', 'p2');
        return told;
      }),
    },
  },
  'session.expired-settles': {
    story:
      'needs: { state: expired }\nsteps: [{ bet: , expect: declined }, { balance: }, { refund: { of: unknown } }, { balance: }]',
    honest: 'skip',
    lies: {
      'is refused': [saying('3', refused), 'warn'],
      'is refused for the session': [changing('3', error(403, 'Over', 'session_expired')), 'warn'],
    },
  },
  'session.round-id-reuse': {
    story:
      'needs: { other: { game: other, currency: same } }\nsteps: [{ bet: { amount: "2.00" }, as: here }, { bet: { session: other, round: here, amount: "1.00" } }, { balance: }]',
    lies: {
      'is a conflict': saying('2', error(409, 'That round is open')),
      'is not taken': nodding('2'),
      'takes what it should': [moving('2', '0'), 'pass'],
    },
  },
});

it('of an expired session the balance need not be shown', () => {
  const story = (needs: string) => `rules: [balance.read]\nneeds: ${needs}\nsteps: [{ balance: }, { balance: }]`;
  const lie = saying('2', error(403, 'Over', 'session_expired'));
  expect(tell(story('{ state: expired }'), { lie }).broken).toEqual([]);
  expect(tell(story('{}'), { lie }).broken).toEqual(['balance.read']);
});
