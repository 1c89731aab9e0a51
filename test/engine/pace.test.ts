import { expect, it } from 'vitest';
import { Pace } from '../../src/engine/pace.ts';

it('keeps calls apart, those that ask at once too', async () => {
  const pace = new Pace(50, 100, () => performance.now());
  const start = performance.now();
  await Promise.all([pace.enter(1), pace.enter(1), pace.enter(1), pace.enter(1)]);
  expect(performance.now() - start).toBeGreaterThan(50);
});

it('waits for nothing without a cap', async () => {
  const start = performance.now();
  const pace = new Pace(null, 100, () => performance.now());
  for (let turn = 0; turn < 1000; turn += 1) {
    await pace.enter(1);
    pace.leave(1);
  }
  expect(performance.now() - start).toBeLessThan(200);
});

it('lets no more calls be under way than the cap, and a larger set only by itself', async () => {
  const pace = new Pace(null, 2, () => performance.now());
  const entered: string[] = [];
  const enter = (name: string, calls: number) => pace.enter(calls).then(() => entered.push(name));
  await Promise.all([enter('a', 1), enter('b', 1)]);
  const third = enter('c', 1);
  const race = enter('race', 5);
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual(['a', 'b']);
  pace.leave(1);
  await third;
  expect(entered).toEqual(['a', 'b', 'c']);
  pace.leave(2);
  await race;
  expect(entered).toEqual(['a', 'b', 'c', 'race']);
});
