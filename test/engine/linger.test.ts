import { expect, it } from 'vitest';
import { Linger } from '../../src/engine/linger.ts';

it('waits for the last call that may still land, and for none where there was none', () => {
  let now = 1000;
  const linger = new Linger(500, () => now);
  expect(linger.restMs).toBe(0);
  linger.risk(900);
  linger.risk(800);
  expect(linger.restMs).toBe(400);
  now = 1400;
  expect(linger.restMs).toBe(0);
});
