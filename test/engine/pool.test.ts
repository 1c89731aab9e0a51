import { describe, expect, it } from 'vitest';
import { type Casting, Pool, walletIdOf } from '../../src/engine/pool.ts';
import type { SessionUnderTest } from '../../src/engine/run-options.ts';
import type { Needs } from '../../src/scenario/plan.ts';
import { planOf } from '../judge/story-builder.ts';

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

const ids = (casting: Casting | undefined): string =>
  [...(casting?.values() ?? [])].map(({ sessionID }) => sessionID).join(' ');

function cast(yaml: string, sessions = SESSIONS): readonly string[] | string {
  const castings = new Pool(sessions).cast(needs(yaml));
  return 'reason' in castings ? castings.reason : castings.map(ids);
}

describe('casting', () => {
  it.each([
    ['{}', ['a', 'b', 'c']],
    ['{ state: expired }', ['d']],
    ['{ currency: { decimals: 0 } }', ['c']],
    ['{ currency: { decimals: some } }', ['a', 'b']],
    ['{ other: { player: other } }', ['a c', 'b c', 'c a', 'c b']],
    ['{ other: { player: same, game: other } }', ['a b', 'b a']],
    ['{ other: { game: same } }', ['a c', 'c a']],
    ['{ other: { currency: other } }', ['a c', 'b c', 'c a', 'c b']],
    ['{ other: { player: other, state: expired } }', ['a d', 'b d', 'c d']],
  ])('%s: %j', (yaml, expected) => {
    expect(cast(yaml)).toEqual(expected);
  });

  it.each([
    ['{ currency: { kind: crypto } }', 'needs a session whose `currency` is given and is one crypto'],
    ['{ other: { player: other } }', 'needs a further session of another player (with `player` given for both)'],
    ['{ state: expired }', 'needs a session that has expired (`state: expired`)'],
  ])('%s is missing: %s', (yaml, reason) => {
    expect(cast(yaml, [{ sessionID: 'a' }, { sessionID: 'b' }])).toBe(reason);
  });
});

it('hands out players, not sessions', () => {
  const pool = new Pool(SESSIONS);
  const any = pool.cast(needs('{}'));
  if ('reason' in any) throw new Error(any.reason);
  const first = pool.take(any);
  expect(ids(first)).toBe('a');
  expect(ids(pool.take(any))).toBe('c');
  expect(pool.take(any)).toBeUndefined();
  if (first) pool.release(first);
  expect(ids(pool.take(any))).toBe('a');
  expect(pool.players).toBe(3);
});

it('takes sessions without a player for one player with a wallet each', () => {
  const pool = new Pool([{ sessionID: 'a' }, { sessionID: 'b' }]);
  expect(pool.players).toBe(1);
  expect(walletIdOf({ sessionID: 'a' })).not.toBe(walletIdOf({ sessionID: 'b' }));
  expect(walletIdOf({ sessionID: 'a', player: 'p', currency: 'USD' })).toBe(
    walletIdOf({ sessionID: 'b', player: 'p', currency: 'USD' }),
  );
});
