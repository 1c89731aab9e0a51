import { describe, expect, it } from 'vitest';
import { distance, nearest } from '../../src/scenario/near.ts';
import * as fc from '../properties.ts';

describe('the distance of two words', () => {
  it.each([
    ['', '', 0],
    ['bet', 'bet', 0],
    ['bet', 'bett', 1],
    ['bet', 'be', 1],
    ['bet', 'bat', 1],
    ['bet', 'bte', 1],
    ['frist', 'first', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('is right: %j and %j have the distance %i', (a, b, mistakes) => {
    expect(distance(a, b)).toBe(mistakes);
  });

  it('is symmetric, and zero only for equal words', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe('the nearest word', () => {
  const verbs = ['bet', 'win', 'refund', 'balance'];
  it.each([
    ['bett', 'bet'],
    ['balanse', 'balance'],
    ['refnud', 'refund'],
    ['REFUND', 'refund'],
    ['deposit', undefined],
    ['x', undefined],
    ['', undefined],
  ])('is right: %j has the nearest word %j', (word, found) => {
    expect(nearest(word, verbs)).toBe(found);
  });

  it('is found as if - and _ were the same character', () => {
    expect(nearest('same_reply', ['same-reply', 'same-repay'])).toBe('same-reply');
  });

  it('is not searched for a very long word, because that would take long', () => {
    expect(nearest('x'.repeat(1e6), ['x'.repeat(1e6 - 1)])).toBeUndefined();
  });
});
