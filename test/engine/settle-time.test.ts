import { expect, it } from 'vitest';
import { SettleTime } from '../../src/engine/settle-time.ts';

it('the settle time follows the last call that may still take effect, and is zero without such a call', () => {
  let now = 1000;
  const linger = new SettleTime(500, () => now);
  expect(linger.restMs).toBe(0);
  linger.noteRisk(900);
  linger.noteRisk(800);
  expect(linger.restMs).toBe(400);
  now = 1400;
  expect(linger.restMs).toBe(0);
});
