import { expect, it } from 'vitest';
import { killRepeatedly } from './killing.ts';

it('a service that was killed many times during play owes nothing, and has paid nothing twice', async () => {
  const { bets, refunded, wins, reportedRounds } = await killRepeatedly(15, 20, 12_000);
  expect(bets).toBeGreaterThan(50);
  expect(refunded).toBeGreaterThan(3);
  expect(wins).toBe(bets - refunded);
  expect(reportedRounds).toBeGreaterThan(10);
}, 60_000);
