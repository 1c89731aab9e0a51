import { expect, it } from 'vitest';
import { inOrder, inPhases } from '../../../src/engine/run/order.ts';
import { scenarioOf } from '../operator-server.ts';

const all = ['ours/x', 'refund/b', 'refund/a', 'balance/z', 'bet/y'].map((id) =>
  scenarioOf(id, 'rules: [balance.read]\nsteps: [{ balance: }]'),
);
const order = (seed: string): string[] => inOrder(all, seed).map(({ id }) => id);

it('scenarios are ordered by group, with basic groups first and unknown groups last', () => {
  const ids = order('seed');
  expect(ids.slice(0, 2)).toEqual(['balance/z', 'bet/y']);
  expect(ids.at(-1)).toBe('ours/x');
});

it('scenarios of a quick run come before the others of their group', () => {
  const quick = new Set(['refund/b', 'bet/y']);
  const ids = inOrder(
    all.map((scenario) => ({ ...scenario, quick: quick.has(scenario.id) })),
    'seed',
  ).map(({ id }) => id);
  expect(ids).toEqual(['balance/z', 'bet/y', 'refund/b', 'refund/a', 'ours/x']);
});

it('the seed decides the order within a group', () => {
  expect(order('seed')).toEqual(order('seed'));
  expect(new Set(['1', '2', '3', '4', '5', '6'].map((seed) => order(seed).join())).size).toBe(2);
});

it('scenarios about the isolation of players come first, and scenarios about launches come last', () => {
  const scenario = (id: string, rules: string, last = false) => ({
    ...scenarioOf(id, `rules: [${rules}]\nsteps: [{ balance: }]`),
    last,
  });
  const acts = inPhases([
    scenario('launch/x', 'launch.request', true),
    scenario('bet/late', 'bet.debit', true),
    scenario('bet/x', 'bet.debit'),
    scenario('session/x', 'session.isolated'),
  ]);
  expect(
    Object.entries(acts).map(([act, scenarios]) => [act, ...scenarios.map(({ id }: { id: string }) => id)]),
  ).toEqual([
    ['isolation', 'session/x'],
    ['main', 'bet/x'],
    ['last', 'bet/late'],
    ['launches', 'launch/x'],
  ]);
});
