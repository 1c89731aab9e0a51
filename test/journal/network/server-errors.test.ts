import { expect, it } from 'vitest';
import { ServerErrors } from '../../../src/journal/network/server-errors.ts';

it('tells how many calls of each kind were answered 500, if there were at least five', () => {
  const errors = new ServerErrors();
  for (let call = 0; call < 95; call += 1) errors.note('bet', 200);
  for (let call = 0; call < 4; call += 1) errors.note('balance', 500);
  errors.note('balance', 503);
  expect(errors.text).toBeNull();
  errors.note('bet', 500);
  expect(errors.text).toContain('answered 5 of 101 calls (5.0 %) with status 500: 4 of 5 balance calls, 1 of 96 bets.');
});
