import { expect, it } from 'vitest';
import { plural } from '../../src/contract/plural.ts';

it('writes a noun in the singular only after the number 1', () => {
  expect([0, 1, 2].map((count) => plural(count, 'call'))).toEqual(['0 calls', '1 call', '2 calls']);
  expect([1, 2].map((count) => plural(count, 'reply', 'replies'))).toEqual(['1 reply', '2 replies']);
});
