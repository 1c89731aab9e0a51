import { describe, expect, it } from 'vitest';
import { foldJournal } from '../../../src/journal/fold.ts';
import { RateLimit, rateLimitText, retryAfterMs } from '../../../src/journal/network/rate-limit.ts';
import { exchange, planned, runEnded, runStarted } from '../events.ts';

/** Sends calls evenly to an operator that takes a number of calls in each window. */
function of({
  limit,
  windowMs,
  perSecond,
  seconds,
  headers = () => [],
}: {
  readonly limit: number;
  readonly windowMs: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly headers?: (restMs: number) => readonly (readonly [string, string])[];
}): RateLimit {
  const found = new RateLimit();
  let taken = 0;
  let window = 0;
  for (let atMs = 0; atMs < seconds * 1000; atMs += 1000 / perSecond) {
    if (Math.floor(atMs / windowMs) > window) {
      window = Math.floor(atMs / windowMs);
      taken = 0;
    }
    taken += 1;
    const isRefused = taken > limit;
    const restMs = (window + 1) * windowMs - atMs;
    found.note({
      atMs,
      call: 'balance',
      status: isRefused ? 429 : 200,
      headers: isRefused ? headers(restMs).map(([name, value]) => [name, value] as [string, string]) : [],
    });
  }
  return found;
}

describe('the limit of the rate of calls', () => {
  it.each([
    [45, 1000, 500, 10],
    [10, 1000, 100, 10],
    [5, 1000, 20, 10],
  ])('of %i calls in %i ms is found, a little lower', (limit, windowMs, perSecond, seconds) => {
    const { perSecond: rate } = of({ limit, windowMs, perSecond, seconds }).summary;
    expect(rate).toBeGreaterThan(limit * 0.6);
    expect(rate).toBeLessThanOrEqual(limit);
  });

  it('of a longer window is found by Retry-After, or by the time in which no call is taken', () => {
    const long = { limit: 300, windowMs: 20_000, perSecond: 100, seconds: 65 };
    for (const headers of [
      () => [],
      (restMs: number) => [['Retry-After', String(Math.ceil(restMs / 1000))]] as const,
    ]) {
      const { perSecond } = of({ ...long, headers }).summary;
      expect(perSecond).toBeGreaterThan(10);
      expect(perSecond).toBeLessThanOrEqual(15);
    }
  });

  it.each([2, 10, 60])(
    'of a token bucket is found in %i s, although croupier pauses as Retry-After says',
    (seconds) => {
      const perSecond = 30;
      const found = new RateLimit();
      let [tokens, lastMs] = [perSecond, 0];
      for (let atMs = 0; atMs < seconds * 1000; atMs += 1000 / 150) {
        tokens = Math.min(perSecond, tokens + ((atMs - lastMs) / 1000) * perSecond);
        lastMs = atMs;
        const isRefused = tokens < 1;
        if (!isRefused) tokens -= 1;
        // Three calls are in flight when the first of them is refused. Then croupier pauses for a second.
        for (let inFlight = isRefused ? 3 : 1; inFlight > 0; inFlight -= 1)
          found.note({
            atMs,
            call: 'balance',
            status: isRefused ? 429 : 200,
            headers: isRefused ? [['Retry-After', '1']] : [],
          });
        if (isRefused) atMs += 1000;
      }
      expect(found.perSecond).toBeGreaterThan(22);
      expect(found.perSecond).toBeLessThanOrEqual(perSecond);
    },
  );

  it('of a window of ten seconds is found although croupier may send all its calls at the beginning', () => {
    const found = of({ limit: 50, windowMs: 10_000, perSecond: 9, seconds: 60 });
    expect(found.perSecond).toBeGreaterThanOrEqual(4);
    expect(found.perSecond).toBeLessThanOrEqual(5);
  });

  it('is not called nearly zero if the operator accepts single calls between long times of refusals', () => {
    const found = new RateLimit();
    for (let atMs = 0; atMs < 8000; atMs += 50)
      found.note({ atMs, call: 'balance', status: atMs % 1200 === 0 ? 200 : 429, headers: [] });
    expect(found.perSecond).toBeGreaterThan(0.5);
    expect(found.perSecond).toBeLessThanOrEqual(1);
  });

  it('is unknown if the operator refuses only calls of one kind, or single calls', () => {
    const replays = new RateLimit();
    for (let atMs = 0; atMs < 100; atMs += 1)
      expect(replays.note({ atMs, call: 'bet', status: 429, headers: [] })).toBe(false);
    expect(replays.summary).toEqual({ refused: 100, replies: 100, perSecond: null });
    expect(rateLimitText(replays.summary)).toBeNull();
    const single = new RateLimit();
    for (let atMs = 0; atMs < 3000; atMs += 10)
      single.note({ atMs, call: 'balance', status: atMs % 1000 === 500 ? 429 : 200, headers: [] });
    expect(single.summary).toMatchObject({ refused: 3, perSecond: null });
  });

  it('is named with the number of refused calls and the setting', () => {
    expect(rateLimitText({ refused: 952, replies: 3617, perSecond: 45 })).toBe(
      '952 of 3,617 replies were 429: set `rate: 45`',
    );
  });
});

it.each([
  ['2', 2000],
  [' 30 ', 30_000],
  ['Wed, 25 Nov 2026 10:00:07 GMT', 7000],
  ['Wed, 25 Nov 2026 09:00:00 GMT', undefined],
  ['soon', undefined],
  ['-1', undefined],
])('Retry-After %j is read as %j ms', (value, expected) => {
  const headers: [string, string][] = [
    ['date', 'Wed, 25 Nov 2026 10:00:00 GMT'],
    ['Retry-After', value],
  ];
  expect(retryAfterMs(headers)).toBe(expected);
});

it('a limit of the rate does not follow from a reply of 429 to a wrong signature', async () => {
  const story = planned('signature/mismatch', ['signature.mismatch']);
  const refusedOf = async (signed: { readonly signed?: string }): Promise<number> => {
    const [sending, received] = exchange('x1', story.id);
    const body = { encoding: 'utf8', data: '', length: 0, truncated: false } as const;
    const outcome = { kind: 'reply', reply: { status: 429, headers: [], body } } as const;
    const events = [runStarted([story]), { ...sending, ...signed }, { ...received, outcome }, runEnded()];
    return (await foldJournal(events)).rateLimit.refused;
  };
  expect([await refusedOf({}), await refusedOf({ signed: 'garbage' })]).toEqual([1, 0]);
});
