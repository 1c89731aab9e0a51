import { expect, it } from 'vitest';
import { LastKeys } from '../../../src/traffic/read/last-keys.ts';

it('forgets the oldest key when there is one too many, again and again', () => {
  const keys = new LastKeys<number>(3);
  expect([1, 2, 3, 4, 5, 6, 7].map((key) => keys.add(key))).toEqual([undefined, undefined, undefined, 1, 2, 3, 4]);
});
