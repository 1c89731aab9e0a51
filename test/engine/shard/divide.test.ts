import { describe, expect, it } from 'vitest';
import type { SessionUnderTest } from '../../../src/engine/run-options.ts';
import { divide, divisionHash, playablePlayers } from '../../../src/engine/shard/divide.ts';
import { expectedTime } from '../../../src/engine/shard/expected-time.ts';
import { scenarioOf } from '../operator-server.ts';

const session = (player: string | undefined, currency = 'USD', more: Partial<SessionUnderTest> = {}) => ({
  sessionID: `${player}-${currency}-${more.state ?? 'active'}`,
  player,
  currency,
  ...more,
});
const SESSIONS = ['p1', 'p2', 'p3', 'p4', 'p5'].map((player) => session(player));
const plain = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    scenarioOf(`bet/s${at}`, 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]'),
  );
const TWO = scenarioOf(
  'session/two',
  'rules: [session.isolated]\nneeds: { other: { player: other } }\nsteps: [{ bet: }, { balance: { session: other } }]',
);
const YEN = scenarioOf(
  'money/yen',
  'rules: [money.precision]\nneeds: { currency: { decimals: 0 } }\nsteps: [{ bet: }, { balance: }]',
);
const OLD = scenarioOf(
  'session/old',
  'rules: [session.unknown]\nneeds: { state: expired }\nsteps: [{ balance: , expect: refused }]',
);

const options = (count: number, weights: Readonly<Record<string, number>> = {}) => ({
  count,
  workers: 8,
  weightOf: ({ id }: { readonly id: string }) => weights[id] ?? 10,
  fitting: <T>(_plan: unknown, assignments: T) => assignments,
});

describe('a run that is divided into parts', () => {
  it('each scenario and each player belongs to exactly one part', () => {
    const scenarios = [...plain(20), TWO, YEN, OLD];
    const sessions = [...SESSIONS, session('p6', 'JPY'), session('gone', 'USD', { state: 'expired' as const })];
    for (const count of [1, 2, 3, 4, 5, 6]) {
      const parts = divide(scenarios, sessions, options(count));
      expect(parts).toHaveLength(count);
      expect(parts.flatMap((part) => part.scenarios.map(({ id }) => id)).toSorted()).toEqual(
        scenarios.map(({ id }) => id).toSorted(),
      );
      expect(parts.flatMap((part) => part.sessions.map(({ player }) => String(player))).toSorted()).toEqual([
        'gone',
        'p1',
        'p2',
        'p3',
        'p4',
        'p5',
        'p6',
      ]);
      for (const { sessions: own } of parts) expect(playablePlayers(own).length).toBeGreaterThan(0);
    }
  });

  it('a scenario goes to a part with the players, the currency or the expired session that the scenario needs', () => {
    const sessions = [session('p1'), session('p2'), session('p3', 'JPY'), session('gone', 'USD', { state: 'expired' })];
    const parts = divide([...plain(9), TWO, YEN, OLD], sessions, options(2));
    const of = (id: string) =>
      parts.find((part) => part.scenarios.some((scenario) => scenario.id === id))?.sessions ?? [];
    expect(new Set(of('session/two').map(({ player }) => player)).size).toBeGreaterThan(1);
    expect(of('money/yen').map(({ currency }) => currency)).toContain('JPY');
    expect(of('session/old').map(({ state }) => state)).toContain('expired');
  });

  it('a scenario that nobody can play goes to one part, so that it is reported once', () => {
    const parts = divide([...plain(4), TWO], SESSIONS.slice(0, 2), options(2));
    expect(parts.filter((part) => part.scenarios.includes(TWO))).toHaveLength(1);
  });

  it('all parts take about the same time', () => {
    const scenarios = plain(12);
    const weights = Object.fromEntries(scenarios.map(({ id }, at) => [id, at === 0 ? 110 : 10]));
    const [first, second] = divide(scenarios, SESSIONS.slice(0, 2), options(2, weights));
    expect([first?.scenarios.length, second?.scenarios.length]).toEqual([1, 11]);
  });

  it('the expected time of a part takes its parallel players into account', () => {
    const parts = divide(plain(30), SESSIONS.slice(0, 3), options(2));
    expect(parts.map(({ sessions, scenarios }) => [sessions.length, scenarios.length])).toEqual([
      [2, 20],
      [1, 10],
    ]);
  });

  it('the same input is always divided in the same way, and gives another hash if anything differs', () => {
    const hash = (count: number, weights = {}, sessions = SESSIONS) =>
      divisionHash(divide([...plain(20), TWO], sessions, options(count, weights)));
    expect(hash(3)).toBe(hash(3));
    expect(new Set([hash(3), hash(2), hash(3, { 'bet/s3': 99 }), hash(3, {}, SESSIONS.slice(1))]).size).toBe(4);
  });

  it('a run with many players can be divided among them', () => {
    const sessions = Array.from({ length: 60 }, (_, at) => session(`p${at}`));
    const parts = divide([...plain(200), TWO, { ...TWO, id: 'session/three' }], sessions, options(50));
    expect(parts.every((part) => part.scenarios.length > 0)).toBe(true);
  });
});

it('a scenario with waits is expected to take longer', () => {
  const time = (yaml: string) => expectedTime(scenarioOf('a/b', `rules: [bet.debit]\nsteps: ${yaml}`).plan(), 2000);
  const short = time('[{ bet: }, { balance: }]');
  expect(short).toBeLessThan(100);
  expect(time('[{ bet: }, { balance: , after: linger }]')).toBeGreaterThan(2000);
  expect(time('[{ bet: , as: lost, break: sent }, { refund: { of: lost } }, { balance: }]')).toBeGreaterThan(2000);
  expect(time('[{ wait: 3s }, { balance: }]')).toBeGreaterThan(3000);
  expect(time('[{ together: [{ bet: , times: 3 }] }, { balance: }]')).toBeGreaterThan(short + 500);
  expect(time('[{ bet: , times: 100 }, { balance: }]')).toBeGreaterThan(short + 100);
});
