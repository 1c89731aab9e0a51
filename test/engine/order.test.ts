import { expect, it } from 'vitest';
import { inOrder } from '../../src/engine/order.ts';
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
