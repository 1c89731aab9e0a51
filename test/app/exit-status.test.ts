import { expect, it } from 'vitest';
import { worstStatus } from '../../src/app/exit-status.ts';

it.each([
  [[], 0],
  [[0, 0], 0],
  [[0, 3], 3],
  [[3, 1], 1],
  [[1, 2], 2],
  [[2, 143], 143],
  [[143, 130], 130],
  [[130, 70, 1], 70],
])('of the exit statuses %j, %i is the most severe', (statuses, expected) => {
  expect(worstStatus(statuses)).toBe(expected);
});
