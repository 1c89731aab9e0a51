import { expect, it } from 'vitest';
import { readLimit } from '../../src/load/limits.ts';
import { Measures } from '../../src/load/measures.ts';
import { checkedLimit } from '../../src/load/result.ts';

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

it.each([
  [90, 0, true],
  [150, 20, false],
  [150, 80, null],
])(
  'if the slowest call takes %d ms and croupier is late by %d ms, the limit of 100 ms is held: %s',
  (ms, late, isHeld) => {
    const measures = new Measures(
      () => 0,
      () => null,
    );
    measures.byCall.bet.response.record(ms * 1000);
    const limit = readLimit('max < 100ms') ?? expect.fail();
    expect(checkedLimit(limit, measures, { p99Ms: late, stalledShare: 0 }).isHeld).toBe(isHeld);
  },
);

it.each([
  ['p90 < 100ms', 0, false],
  // Twice this share of the calls may be slow because croupier stood still.
  ['p90 < 100ms', 0.03, null],
  ['p90 < 100ms', 0.02, false],
  ['p90 < 100ms', 0.6, null],
  ['p80 < 100ms', 0.6, true],
  ['max < 100ms', 0.08, null],
])(
  'if 15 of 100 calls are slow, and croupier stood still, the limit %s with a share of %d is held: %s',
  (text, share, isHeld) => {
    const measures = new Measures(
      () => 0,
      () => null,
    );
    for (let call = 0; call < 100; call += 1)
      measures.byCall.bet.response.record(call < 80 ? 5000 : call < 85 ? 50_000 : 900_000);
    const limit = readLimit(text) ?? expect.fail();
    expect(checkedLimit(limit, measures, { p99Ms: 0, stalledShare: share }).isHeld).toBe(isHeld);
  },
);
