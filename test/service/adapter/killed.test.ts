import { expect, it } from 'vitest';
import { killRepeatedly } from './killing.ts';

it('owes nothing and has doubled nothing after it was killed again and again under play', async () => {
  const { bets, refunded, wins, toldRounds } = await killRepeatedly(15, 20, 12_000);
  expect(bets).toBeGreaterThan(50);
  expect(refunded).toBeGreaterThan(3);
  expect(wins).toBe(bets - refunded);
  expect(toldRounds).toBeGreaterThan(10);
}, 60_000);
