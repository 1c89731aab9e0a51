import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import type { JournalEvent, Received } from '../../src/journal/event.ts';
import { Histogram, startLatencyTally } from '../../src/journal/latency.ts';
import { latencyWarnings } from '../../src/report/terminal/latency.ts';
import { ended, started } from './events.ts';

let ids = 0;

function newId(): string {
  ids += 1;
  return `x${ids}`;
}

/** One call of the scenario `s`, sent whole at `at` and answered `ms` later. */
function call(
  name: CallName,
  at: number,
  ms: number,
  outcome?: Received['outcome'],
  id = newId(),
  firstByte: number | null = null,
) {
  const request = { method: 'POST', url: 'http://wallet.example/bet', headers: [], body: null };
  const reply = {
    status: 200,
    headers: [],
    body: { encoding: 'utf8', data: '', length: 0, truncated: false },
  } as const;
  const events: readonly JournalEvent[] = [
    { event: 'sending', id, scenario: 's', step: '1', purpose: 'step', call: name, request },
    {
      event: 'received',
      id,
      scenario: 's',
      outcome: outcome ?? { kind: 'reply', reply },
      stamps: {
        start: at - 1,
        resolved: null,
        connected: null,
        secured: null,
        sent: at,
        firstByte,
        end: at + ms,
      },
      connection: null,
      model: null,
    },
  ];
  return events;
}

function tally(
  events: readonly JournalEvent[],
  budgets: Parameters<ReturnType<typeof startLatencyTally>['result']>[0] = {},
) {
  const latency = startLatencyTally();
  for (const event of [started('s'), ...events, ended('s')]) latency.add(event);
  return latency.result(budgets);
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe('a histogram of latencies', () => {
  it('gives quantiles that are exact to 1 %, and the exact maximum', () => {
    const histogram = new Histogram();
    for (const index of range(10_000)) histogram.add((index + 1) / 10);
    for (const share of [0.01, 0.5, 0.95, 0.99]) {
      expect(histogram.quantile(share) / (share * 1000)).toBeGreaterThan(0.99);
      expect(histogram.quantile(share) / (share * 1000)).toBeLessThan(1.0101);
    }
    expect(histogram.maxMs).toBe(1000);
  });

  it('has buckets without gaps that hold every time, for any number of times', () => {
    const histogram = new Histogram();
    for (const index of range(50_000)) histogram.add(10 ** ((index % 1000) / 100 - 4));
    const buckets = histogram.buckets();
    expect(buckets.length).toBeLessThan(905);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
    for (const [at, bucket] of buckets.entries()) {
      expect(bucket.fromMs).toBeGreaterThanOrEqual((buckets[at - 1]?.toMs ?? 0) * 0.999_999);
    }
  });

  it('is 0 while it is empty', () => {
    expect(new Histogram().quantile(0.5)).toBe(0);
  });
});

describe('the latency of a run', () => {
  it('counts from the last byte of the request, for each call, in the order of the contract', () => {
    const [balance, bet] = tally([...call('bet', 10, 40), ...call('balance', 100, 7), ...call('bet', 200, 50)]);
    expect(balance).toMatchObject({ call: 'balance', count: 1, maxMs: 7 });
    expect(bet).toMatchObject({ call: 'bet', count: 2, maxMs: 50, budgetMs: null, isOverBudget: false, drift: null });
    expect(bet?.p50Ms).toBeCloseTo(40, -0.5);
  });

  it('leaves out the calls of races and broken connections, and counts calls that timed out', () => {
    const race: JournalEvent = {
      event: 'race',
      scenario: 's',
      attempt: 1,
      round: 1,
      step: '2',
      exchanges: ['raced'],
      barrier: 0,
      staggerMs: 0,
      overlapped: 2,
    };
    const [bet] = tally([
      ...call('bet', 0, 3000, undefined, 'raced'),
      race,
      ...call('bet', 10, 1, { kind: 'none', reason: 'broken', detail: '' }),
      ...call('bet', 20, 5000, { kind: 'none', reason: 'too-late', detail: '' }),
    ]);
    expect(bet).toMatchObject({ count: 1, maxMs: 5000 });
  });

  it('leaves out only the race at the end of a long scenario', () => {
    const long = range(3000).flatMap((at) => call('bet', at, 1));
    const raced = ['r1', 'r2'].flatMap((id) => call('bet', 3000, 900, undefined, id));
    const race: JournalEvent = {
      event: 'race',
      scenario: 's',
      attempt: 1,
      round: 1,
      step: '2',
      exchanges: ['r1', 'r2'],
      barrier: 3000,
      staggerMs: 0,
      overlapped: 2,
    };
    expect(tally([...long, ...raced, race])).toMatchObject([{ call: 'bet', count: 3000, maxMs: 1 }]);
  });

  it('reports a budget as exceeded when more than 5 of 100 replies take longer', () => {
    const calls = (slow: number) => range(100).flatMap((at) => call('bet', at * 10, at < slow ? 900 : 5));
    expect(tally(calls(5), { bet: 800 })[0]?.isOverBudget).toBe(false);
    expect(tally(calls(6), { bet: 800 })[0]?.isOverBudget).toBe(true);
    expect(tally(calls(6), { win: 800 })[0]).toMatchObject({ budgetMs: null, isOverBudget: false });
  });

  it('shows that a wallet becomes slower within a run of any length', () => {
    for (const apart of [5, 500]) {
      const growing = range(300).flatMap((at) => call('win', at * apart, 20 + at));
      const drift = tally(growing)[0]?.drift;
      expect(drift).toMatchObject({ slower: true });
      expect(drift?.earlyMs).toBeLessThan(125);
      expect(drift?.lateMs).toBeGreaterThan(210);
      const steady = range(300).flatMap((at) => call('win', at * apart, 20 + (at % 7)));
      expect(tally(steady)[0]?.drift).toMatchObject({ slower: false });
    }
  });

  it('warns if most bodies come 40 ms after their heads, and does not call the wallet slow', () => {
    const calls = (delayed: number) =>
      range(20).flatMap((at) => call('bet', at * 100, 45, undefined, newId(), at * 100 + (at < delayed ? 4 : 44)));
    expect(tally(calls(10))[0]?.delayedBodies).toBe(10);
    expect(latencyWarnings({ latency: tally(calls(9)) })).toEqual([]);
    expect(latencyWarnings({ latency: tally(calls(10)) })).toEqual([
      expect.stringMatching(
        /^in 10 of 20 replies, the body came about 40 ms after the head\. The wallet is not slow: /,
      ),
    ]);
  });
});
