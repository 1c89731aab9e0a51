import { expect, it } from 'vitest';
import { Pace } from '../../src/engine/pace.ts';

it('keeps calls apart, those that ask at once too', async () => {
  const pace = new Pace(50, () => performance.now());
  const start = performance.now();
  await Promise.all([pace.turn(), pace.turn(), pace.turn(), pace.turn()]);
  expect(performance.now() - start).toBeGreaterThan(50);
});

it('waits for nothing without a cap', async () => {
  const start = performance.now();
  const pace = new Pace(null, () => performance.now());
  for (let turn = 0; turn < 1000; turn += 1) await pace.turn();
  expect(performance.now() - start).toBeLessThan(200);
});
