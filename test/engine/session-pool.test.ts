import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { builtInSource, loadSuite } from '../../src/app/suite.ts';
import { coreChecksOf } from '../../src/engine/core-checks.ts';
import { inOrder } from '../../src/engine/run/order.ts';
import type { SessionAssignment, SessionUnderTest } from '../../src/engine/run-options.ts';
import { type ScenarioToPlay, SessionPool, walletIdOf } from '../../src/engine/session-pool.ts';
import { CORE_CHECK_IDS, type CoreCheck } from '../../src/journal/results/core-check.ts';
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

describe('scenarios with a kind of calls', () => {
  const anyOf = (pool: SessionPool) => {
    const any = pool.assign(needs('{}'));
    if ('reason' in any) throw new Error(any.reason);
    return any;
  };
  const leftOf = (count: number, ...checks: CoreCheck[]): ScenarioToPlay[] =>
    Array.from({ length: count }, () => ({ checks, needs: needs('{}') }));

  it('are played by every player about as often as by the others', () => {
    const pool = new SessionPool(SESSIONS);
    const any = anyOf(pool);
    const played = (['win', null, 'win', 'refund', 'refund', null] as const).map((check) => {
      const left = leftOf(99, 'win', 'refund');
      const assignment = pool.take(any, { checks: check === null ? [] : [check], left });
      if (assignment) pool.release(assignment);
      return ids(assignment);
    });
    expect(played).toEqual(['a', 'c', 'c', 'b', 'c', 'a']);
  });

  it('are kept for a player who has played few of them, when only as many are left', () => {
    const pool = new SessionPool(SESSIONS);
    const any = anyOf(pool);
    // The player of the session a is busy for a long time.
    const busy = pool.take(any, { checks: [], left: leftOf(9, 'win') });
    const played: string[] = [];
    let left = 11;
    for (let times = 0; times < 20; times += 1) {
      const assignment = pool.take(any, { checks: ['win'], left: leftOf(left, 'win') });
      if (!assignment) continue;
      left -= 1;
      played.push(ids(assignment));
      pool.release(assignment);
    }
    expect([busy && ids(busy), ids(pool.take(any))]).toEqual(['a', 'c']);
    expect([played, left]).toEqual([Array.from({ length: 6 }, () => 'c'), 5]);
    if (busy) pool.release(busy);
    expect(ids(pool.take(any, { checks: ['win'], left: leftOf(left, 'win') }))).toBe('b');
  });

  it('are kept for a busy player if only two are left, and for the player who can play fewer of them', () => {
    const pool = new SessionPool(SESSIONS);
    const any = anyOf(pool);
    const [ofUSD] = any;
    const busy = ofUSD && pool.take([ofUSD]);
    // The second scenario needs decimals, so the player of the session c cannot play it.
    const left = [
      ...leftOf(1, 'race'),
      { checks: ['race'] as const, needs: needs('{ currency: { decimals: some } }') },
    ];
    expect(ids(pool.take(any, { checks: ['race'], left }))).toBe('c');
    const decimals = pool.assign(needs('{ currency: { decimals: some } }'));
    if ('reason' in decimals) throw new Error(decimals.reason);
    expect(pool.take(decimals, { checks: ['race'], left: left.slice(1) })).toBeUndefined();
    if (busy) pool.release(busy);
    expect(ids(pool.take(decimals, { checks: ['race'], left: left.slice(1) }))).toBe('b');
  });

  it('go to the player who needs the kind of which fewer scenarios are left', () => {
    const pool = new SessionPool(SESSIONS);
    const any = anyOf(pool);
    const tries = (player: string, check: CoreCheck): void => {
      const own = any.filter((one) => one.get('main')?.player === player);
      const taken = pool.take(own, { checks: [check], left: [] });
      if (taken) pool.release(taken);
    };
    tries('p1', 'race');
    tries('p2', 'free');
    const left = [...leftOf(1, 'race', 'free'), ...leftOf(3, 'free')];
    expect(pool.take(any, { checks: ['race', 'free'], left })?.get('main')?.player).toBe('p2');
  });

  it.each<[string, CoreCheck[]]>([
    ['{ bet: { amount: "${stake + unit}" } }', ['decimal-bet']],
    ['{ bet: }, { win: { amount: "0.57" } }', ['win', 'decimal-win']],
    ['{ bet: { amount: "${balance}" } }', ['whole-balance']],
    [
      '{ bet: { amount: "${2 * balance}" }, expect: { outcome: declined, code: insufficient_funds } }',
      ['above-balance'],
    ],
    ['{ bet: { amount: "${2 * balance}" }, expect: declined }', []],
    ['{ bet: { amount: "1.50" }, sign: wrong-key, expect: refused }', []],
    ['{ bet: , as: one }, { refund: { of: one } }', ['refund']],
    ['{ bet: }, { together: [{ win: }, { balance: }] }', ['win']],
    ['{ together: [{ bet: }, { bet: }] }', ['race']],
    ['{ bet: { type: free } }', ['free']],
    ['{ refund: { of: unknown } }', ['refund', 'unknown-refund']],
    ['{ bet: , as: one }, { resend: one }', ['repeated-bet']],
    ['{ bet: , as: one }, { resend: one, sign: wrong-key, expect: refused }', []],
    ['{ bet: , as: one }, { refund: { of: one } }, { resend: one, expect: either }', ['refund', 'refunded-bet']],
  ])('the scenario with the steps %s has %j', (steps, expected) => {
    expect(coreChecksOf(planOf(`rules: [balance.read]\nsteps: [${steps}]`))).toEqual(expected);
  });
});

it.each(['m1', 'm3', 'n19a', 'n19b', 'q1'])(
  'with the seed %s, each of three players tries each kind of calls',
  (seed) => {
    const sessions: readonly SessionUnderTest[] = [
      { sessionID: 'a', player: 'p1', currency: 'USD' },
      { sessionID: 'b', player: 'p2', currency: 'EUR' },
      { sessionID: 'c', player: 'p3', currency: 'JPY' },
    ];
    const pool = new SessionPool(sessions);
    const queue = inOrder(loadSuite([builtInSource()], process.cwd(), randomUUID).scenarios, seed)
      .map((scenario) => scenario.plan())
      .filter(({ needs: { sessions: further, earlierRun, launches, largeAmounts, otherClient } }) => {
        return further.size === 0 && !earlierRun && !launches && !largeAmounts && !otherClient;
      })
      .map((plan) => ({ plan, assignments: pool.assign(plan.needs), checks: coreChecksOf(plan), needs: plan.needs }))
      .flatMap((one) => ('reason' in one.assignments ? [] : [{ ...one, assignments: one.assignments }]));
    const tried = new Map(sessions.map(({ player }) => [player, new Set<CoreCheck>()]));
    const running: { assignment: SessionAssignment; until: number }[] = [];
    for (let step = 0; queue.length > 0; step += 1) {
      for (const one of running.filter(({ until }) => until <= step)) {
        pool.release(one.assignment);
        running.splice(running.indexOf(one), 1);
      }
      for (const one of queue.slice(0, 12)) {
        const assignment = pool.take(one.assignments, { checks: one.checks, left: queue });
        if (!assignment) continue;
        queue.splice(queue.indexOf(one), 1);
        for (const check of one.checks) tried.get(assignment.get('main')?.player)?.add(check);
        // The first player is watched for a long time after each scenario.
        const isFirst = assignment.get('main')?.player === 'p1';
        running.push({ assignment, until: step + (isFirst ? 12 : 1 + (one.plan.steps.length % 4)) });
      }
    }
    const decimals: readonly CoreCheck[] = ['decimal-bet', 'decimal-win'];
    expect([...tried].map(([player, checks]) => [player, CORE_CHECK_IDS.filter((one) => !checks.has(one))])).toEqual([
      ['p1', []],
      ['p2', []],
      ['p3', CORE_CHECK_IDS.filter((one) => decimals.includes(one) && !tried.get('p3')?.has(one))],
    ]);
  },
);

it('sessions without `player` count as sessions of one player, each with a wallet of its own', () => {
  const pool = new SessionPool([{ sessionID: 'a' }, { sessionID: 'b' }]);
  expect(pool.players).toBe(1);
  expect(walletIdOf({ sessionID: 'a' })).not.toBe(walletIdOf({ sessionID: 'b' }));
  expect(walletIdOf({ sessionID: 'a', player: 'p', currency: 'USD' })).toBe(
    walletIdOf({ sessionID: 'b', player: 'p', currency: 'USD' }),
  );
});
