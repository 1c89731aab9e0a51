import { createHistogram } from 'node:perf_hooks';
import { build } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { CALL_NAMES } from '../../../src/contract/call-name.ts';
import { concludeLoad } from '../../../src/journal/load/result.ts';
import { timesOf } from '../../../src/load/result.ts';
import { loadHgrm } from '../../../src/report/load/hgrm.ts';
import { RIGHT_LOAD } from '../../load/load-result.ts';

/** Reads a table of percentiles as plotters do: rows of numbers, without the head and the comments at the end. */
function rowsOf(table: string): readonly (readonly number[])[] {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.shift()?.trim().split(/\s+/)).toEqual(['Value', 'Percentile', 'TotalCount', '1/(1-Percentile)']);
  return lines.map((line) => line.trim().split(/\s+/).map(Number));
}

/** Returns the value in ms up to which a share of all values lies. */
function valueAt(rows: readonly (readonly number[])[], share: number): number {
  return rows.find(([, upTo = 0]) => upTo >= share)?.[0] ?? Number.NaN;
}

describe('the table of percentiles', () => {
  const reference = build({ numberOfSignificantValueDigits: 3 });
  const byCall = Object.fromEntries(
    CALL_NAMES.map((call) => [call, { service: createHistogram(), response: createHistogram() }]),
  ) as unknown as Parameters<typeof timesOf>[0]['byCall'];
  for (let us = 1; us <= 10_000; us += 1) {
    reference.recordValue(us);
    byCall.bet.response.record(us);
  }
  const times = timesOf({ byCall });
  const table = loadHgrm({ ...RIGHT_LOAD, ...concludeLoad(RIGHT_LOAD), times });
  const written = reference.outputPercentileDistribution(5, 1000);

  it('is read like a table that HdrHistogram writes, with the same values', () => {
    const [rows, others] = [rowsOf(table), rowsOf(written)];
    for (const share of [0.5, 0.75, 0.875, 0.9375]) {
      expect(valueAt(rows, share) / valueAt(others, share)).toBeCloseTo(1, 2);
    }
    const [first, last] = [rows[0], rows.at(-1)];
    expect([first?.[1], last]).toEqual([0, [10, 1, 10_000]]);
    for (const [, share = 0, count = 0, inverse] of rows.slice(1, -1)) {
      expect(count).toBe(Math.round(share * 10_000));
      if (share < 1) expect(inverse).toBeCloseTo(1 / (1 - share), 1);
    }
  });

  it('ends with the highest value and the number of all values, in the words of HdrHistogram', () => {
    const end = /^#\[Max {5}= +([\d.]+), Total count {4}= +(\d+)\]$/m;
    const [, max, count] = end.exec(table) ?? [];
    // Node's histogram has three significant digits.
    expect(Number(max)).toBeCloseTo(10, 1);
    expect([count, end.exec(written)?.[2]]).toEqual(['10000', '10000']);
  });
});
