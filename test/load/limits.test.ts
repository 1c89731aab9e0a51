import { expect, it } from 'vitest';
import { readLimit } from '../../src/load/limits.ts';

it('a limit names a call or all calls, a percentile or the maximum, and a time; or the share of errors', () => {
  expect(readLimit('bet p99 < 300ms')).toEqual({
    text: 'bet p99 < 300ms',
    kind: 'time',
    call: 'bet',
    percentile: 99,
    belowMs: 300,
  });
  expect(readLimit(' p99.9<1.5s ')).toMatchObject({ kind: 'time', call: 'all', percentile: 99.9, belowMs: 1500 });
  expect(readLimit('win max < 5s')).toMatchObject({ call: 'win', percentile: 100, belowMs: 5000 });
  expect(readLimit('errors < 0.1%')).toEqual({ text: 'errors < 0.1%', kind: 'errors', belowPercent: 0.1 });
});

it.each([
  '',
  'bet < 300ms',
  'p99 < 300',
  'p0 < 1s',
  'p100 < 1s',
  'bets p99 < 1s',
  'p99 > 1s',
  'errors < 1',
  'p99 < 0ms',
])('refuses the limit %j', (text) => {
  expect(readLimit(text)).toBeUndefined();
});
