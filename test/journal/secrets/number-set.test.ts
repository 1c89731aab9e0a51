import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NumberSet } from '../../../src/journal/secrets/number-set.ts';

const partOfHash = (of: number): number =>
  Number.parseInt(createHash('sha256').update(String(of)).digest('hex').slice(0, 12), 16);

describe('a set of numbers', () => {
  it('contains the added numbers and no other number, also after it has grown', () => {
    const set = new NumberSet();
    const added = [0, 1, 1024, 2048, 2 ** 48 - 1, ...Array.from({ length: 5000 }, (_, of) => partOfHash(of))];
    for (const number of added) set.add(number);
    expect(added.every((number) => set.has(number))).toBe(true);
    const others = [2, 1023, 1025, 3072, ...Array.from({ length: 5000 }, (_, of) => partOfHash(5000 + of))];
    expect(others.filter((number) => set.has(number))).toEqual([]);
  });

  it('leaves out values that are no whole numbers', () => {
    const set = new NumberSet();
    const values = [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY];
    for (const value of values) set.add(value);
    expect(values.some((value) => set.has(value))).toBe(false);
  });
});
