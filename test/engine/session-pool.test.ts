import { describe, expect, it } from 'vitest';
import { movingCallsOf, rareAmountsOf } from '../../src/engine/moving-calls.ts';
import type { SessionAssignment, SessionUnderTest } from '../../src/engine/run-options.ts';
import { SessionPool, walletIdOf } from '../../src/engine/session-pool.ts';
import type { Needs } from '../../src/scenario/plan/plan.ts';
import { planOf } from '../judge/judged-scenario.ts';

const SESSIONS: readonly SessionUnderTest[] = [
  { sessionID: 'a', player: 'p1', currency: 'USD', gameID: 'catch' },
  { sessionID: 'b', player: 'p1', currency: 'USD', gameID: 'swipe' },
  { sessionID: 'c', player: 'p2', currency: 'JPY', gameID: 'catch' },
  { sessionID: 'd', player: 'p3', currency: 'USD', state: 'expired' },
];

function needs(yaml: string): Needs {
  const alias = /other:/.test(yaml) ? ', { balance: { session: other } }' : '';
  return planOf(`rules: [balance.read]\nneeds: ${yaml}\nsteps: [{ balance: }${alias}]`).needs;
}

const ids = (assignment: SessionAssignment | undefined): string =>
  [...(assignment?.values() ?? [])].map(({ sessionID }) => sessionID).join(' ');

function cast(yaml: string, sessions = SESSIONS): readonly string[] | string {
  const assignments = new SessionPool(sessions).assign(needs(yaml));
  return 'reason' in assignments ? assignments.reason : assignments.map(ids);
}

describe('session assignment', () => {
  it.each([
    ['{}', ['a', 'b', 'c']],
    ['{ state: expired }', ['d']],
    ['{ currency: { decimals: 0 } }', ['c']],
    ['{ currency: { code: JPY } }', ['c']],
    ['{ currency: { decimals: some } }', ['a', 'b']],
    ['{ other: { player: other } }', ['a c', 'b c', 'c a', 'c b']],
    ['{ other: { player: same, game: other } }', ['a b', 'b a']],
    ['{ other: { game: same } }', ['a c', 'c a']],
    ['{ other: { currency: other } }', ['a c', 'b c', 'c a', 'c b']],
    ['{ other: { currency: JPY } }', ['a c', 'b c']],
    ['{ other: { player: other, state: expired } }', ['a d', 'b d', 'c d']],
  ])('a scenario with the needs %s gets the sessions %j', (yaml, expected) => {
    expect(cast(yaml)).toEqual(expected);
  });

  it.each([
    ['{ currency: { code: EUR } }', 'the scenario needs a session in EUR'],
    ['{ currency: { kind: crypto } }', 'the scenario needs a session in a configured crypto currency'],
    [
      '{ other: { player: other } }',
      'the scenario needs another session of another player (with `player` configured for both)',
    ],
    ['{ other: { currency: JPY } }', 'the scenario needs another session in JPY (with `currency` configured for both)'],
    ['{ state: expired }', 'the scenario needs an expired session (`state: expired`)'],
  ])('no session fits the needs %s, and the reason is: %s', (yaml, reason) => {
    expect(cast(yaml, [{ sessionID: 'a' }, { sessionID: 'b' }])).toBe(reason);
  });
});

it('a player plays only one scenario at a time, over all the sessions of the player', () => {
  const pool = new SessionPool(SESSIONS);
  const any = pool.assign(needs('{}'));
  if ('reason' in any) throw new Error(any.reason);
  const first = pool.take(any);
  expect(ids(first)).toBe('a');
  expect(ids(pool.take(any))).toBe('c');
  expect(pool.take(any)).toBeUndefined();
  if (first) pool.release(first);
  expect(ids(pool.take(any))).toBe('b');
  expect(pool.players).toBe(3);
});

it('every player and every session plays about as many scenarios, in whatever order the sessions are configured', () => {
  const pool = new SessionPool(SESSIONS);
  const [any, both] = [pool.assign(needs('{}')), pool.assign(needs('{ other: { player: other } }'))];
  if ('reason' in any || 'reason' in both) throw new Error('The sessions are too few.');
  const played = [any, any, any, both, any].map((assignments) => {
    const assignment = pool.take(assignments);
    if (assignment) pool.release(assignment);
    return ids(assignment);
  });
  expect(played).toEqual(['a', 'c', 'b', 'a c', 'c']);
});

describe('scenarios with wins or refunds', () => {
  const anyOf = (pool: SessionPool) => {
    const any = pool.assign(needs('{}'));
    if ('reason' in any) throw new Error(any.reason);
    return any;
  };

  it('are played by every player about as often as by the others', () => {
    const pool = new SessionPool(SESSIONS);
    const any = anyOf(pool);
    const played = (['win', null, 'win', 'refund', 'refund', null] as const).map((call) => {
      const assignment = pool.take(any, { calls: call === null ? [] : [call], left: { win: 99, refund: 99 } });
      if (assignment) pool.release(assignment);
      return ids(assignment);
    });
    expect(played).toEqual(['a', 'c', 'c', 'b', 'c', 'a']);
  });

  it('are kept for a player who has played few of them, when only as many are left', () => {
    const pool = new SessionPool(SESSIONS);
    const any = anyOf(pool);
    // The player of the session a is busy for a long time.
    const busy = pool.take(any, { calls: [], left: { win: 9, refund: 0 } });
    const played: string[] = [];
    let left = 11;
    for (let times = 0; times < 20; times += 1) {
      const assignment = pool.take(any, { calls: ['win'], left: { win: left, refund: 0 } });
      if (!assignment) continue;
      left -= 1;
      played.push(ids(assignment));
      pool.release(assignment);
    }
    expect([busy && ids(busy), ids(pool.take(any))]).toEqual(['a', 'c']);
    expect([played, left]).toEqual([Array.from({ length: 6 }, () => 'c'), 5]);
    if (busy) pool.release(busy);
    expect(ids(pool.take(any, { calls: ['win'], left: { win: left, refund: 0 } }))).toBe('b');
  });

  it('of rare amounts are divided among the players, also if one of them has played more other scenarios', () => {
    const pool = new SessionPool(SESSIONS);
    const any = pool.assign(needs('{}'));
    if ('reason' in any) throw new Error(any.reason);
    const takes = (amounts: readonly ('decimals' | 'balance')[], from = any): string | undefined => {
      const taken = pool.take(from, { calls: [], left: { win: 0, refund: 0 }, amounts });
      if (taken) pool.release(taken);
      return taken?.get('main')?.player;
    };
    const first = takes(['decimals']);
    const others = any.filter((one) => one.get('main')?.player !== first);
    for (const _ of [1, 2, 3]) takes([], others);
    expect([takes(['decimals']), takes([])]).toEqual([others[0]?.get('main')?.player, first]);
  });

  it('have rare amounts if a call that the operator should accept has decimals, or is about the whole balance', () => {
    const amountsOf = (steps: string) => rareAmountsOf(planOf(`rules: [balance.read]\nsteps: [${steps}]`));
    expect(amountsOf('{ bet: { amount: "${stake + unit}" } }')).toEqual(['decimals']);
    expect(amountsOf('{ bet: { amount: "${balance}" } }')).toEqual(['balance']);
    expect(amountsOf('{ bet: { amount: "${2 * balance}" }, expect: declined }')).toEqual(['above']);
    expect(amountsOf('{ bet: }, { bet: { amount: "1.50" }, sign: wrong-key, expect: refused }')).toEqual([]);
  });

  it('count if the operator should accept the win or refund', () => {
    const callsOf = (steps: string) => movingCallsOf(planOf(`rules: [balance.read]\nsteps: [${steps}]`));
    expect(callsOf('{ bet: , as: one }, { refund: { of: one } }')).toEqual(['refund']);
    expect(callsOf('{ bet: }, { together: [{ win: }, { balance: }] }')).toEqual(['win']);
    expect(callsOf('{ bet: }, { win: , sign: wrong-key, expect: refused }')).toEqual([]);
  });
});

it('sessions without `player` count as sessions of one player, each with a wallet of its own', () => {
  const pool = new SessionPool([{ sessionID: 'a' }, { sessionID: 'b' }]);
  expect(pool.players).toBe(1);
  expect(walletIdOf({ sessionID: 'a' })).not.toBe(walletIdOf({ sessionID: 'b' }));
  expect(walletIdOf({ sessionID: 'a', player: 'p', currency: 'USD' })).toBe(
    walletIdOf({ sessionID: 'b', player: 'p', currency: 'USD' }),
  );
});
