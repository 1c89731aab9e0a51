import { describe, expect, it } from 'vitest';
import { timeAxis } from '../../../src/report/terminal/time-axis.ts';
import * as fc from '../../properties.ts';

const stretches = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 500 }))
    .map(([from, length]) => ({ from, to: from + length })),
  { minLength: 1, maxLength: 20 },
);

describe('a time axis', () => {
  it('shows time in proportion', () => {
    const axis = timeAxis([{ from: 100, to: 200 }], 50);
    expect([100, 120, 150, 198, 200].map((at) => axis.column(at))).toEqual([0, 10, 25, 49, 49]);
    expect(axis.cuts).toEqual([]);
  });

  it('keeps a short wait, and shortens one that would leave no room for the calls', () => {
    const short = timeAxis(
      [
        { from: 0, to: 10 },
        { from: 15, to: 25 },
      ],
      25,
    );
    expect(short.cuts).toEqual([]);
    expect(short.column(15)).toBe(15);
    const long = timeAxis(
      [
        { from: 0, to: 10 },
        { from: 2000, to: 2010 },
      ],
      23,
    );
    expect(long.cuts).toEqual([11]);
    expect([10, 2000, 2005].map((at) => long.column(at))).toEqual([10, 13, 18]);
  });

  it('puts a moment before the first into the first column, and one after the last into the last', () => {
    const axis = timeAxis([{ from: 5, to: 6 }], 10);
    expect([axis.column(0), axis.column(99)]).toEqual([0, 9]);
  });

  it('never leaves its columns, and later times are never further left', () => {
    fc.assert(
      fc.property(stretches, fc.integer({ min: 10, max: 60 }), (some, width) => {
        const axis = timeAxis(some, width);
        const moments = some.flatMap(({ from, to }) => [from, to]).toSorted((a, b) => a - b);
        const columns = moments.map((at) => axis.column(at));
        expect(columns).toEqual(columns.toSorted((a, b) => a - b));
        for (const column of columns) expect(column >= 0 && column < width).toBe(true);
      }),
    );
  });
});
