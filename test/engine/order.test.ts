import { expect, it } from 'vitest';
import { inActs, inOrder } from '../../src/engine/order.ts';
import { scenarioOf } from './operator-server.ts';

const all = ['ours/x', 'refund/b', 'refund/a', 'balance/z', 'bet/y'].map((id) =>
  scenarioOf(id, 'rules: [balance.read]\nsteps: [{ balance: }]'),
);
const order = (seed: string): string[] => inOrder(all, seed).map(({ id }) => id);

it('goes group by group, what others rest on first, and what is no group last', () => {
  const ids = order('seed');
  expect(ids.slice(0, 2)).toEqual(['balance/z', 'bet/y']);
  expect(ids.at(-1)).toBe('ours/x');
});

it('draws the order within a group from the seed', () => {
  expect(order('seed')).toEqual(order('seed'));
  expect(new Set(['1', '2', '3', '4', '5', '6'].map((seed) => order(seed).join())).size).toBe(2);
});

it('plays what tells whether players are kept apart first, and what the operator sends of its own accord last', () => {
  const story = (id: string, rules: string, last = false) => ({
    ...scenarioOf(id, `rules: [${rules}]\nsteps: [{ balance: }]`),
    last,
  });
  const acts = inActs([
    story('launch/x', 'launch.request', true),
    story('bet/late', 'bet.debit', true),
    story('bet/x', 'bet.debit'),
    story('session/x', 'session.isolated'),
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
