import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { readJournal } from '../../../src/journal/read.ts';
import { writeScenario } from '../../../src/scenario/write.ts';
import { searchOf } from './search-of.ts';

/** The calls of each history, without ids, which are always new. */
function scenariosOf(events: readonly JournalEvent[]): Map<string, string[]> {
  const scenarios = new Map<string, string[]>();
  for (const event of events) {
    if (event.event !== 'sending' || event.scenario === null || event.purpose !== 'step') continue;
    const amount = /amount\\*":\\*"([\d.]+)/.exec(JSON.stringify(event.request))?.[1] ?? '';
    scenarios.set(event.scenario, [...(scenarios.get(event.scenario) ?? []), `${event.step} ${event.call} ${amount}`]);
  }
  return scenarios;
}

/** High enough for a busy machine: these tests count histories, not time. */
const SLOW_MS = 60_000;

describe('a search for broken rules', () => {
  it.each(['one', 'two'])(
    'finds nothing wrong with a correct operator (seed %s)',
    { timeout: SLOW_MS },
    async (seed) => {
      const search = await searchOf(null, { seed });
      expect([search.finds, search.flaky, search.histories, search.ended.how]).toEqual([[], [], 30, 'complete']);
      expect(search.judged).toBeGreaterThan(15);
      const ended = search.events.filter((event) => event.event === 'scenario-ended');
      expect(ended).toHaveLength(30);
      expect(ended.filter(({ restored }) => restored === false)).toEqual([]);
    },
  );

  it('a search with the same seed plays the same histories with new ids', { timeout: SLOW_MS }, async () => {
    const first = await searchOf(null, { seed: 'same', runs: 8, workers: 1 });
    const again = await searchOf(null, { seed: 'same', runs: 8, workers: 1 });
    const other = await searchOf(null, { seed: 'other', runs: 8, workers: 1 });
    expect(scenariosOf(again.events)).toEqual(scenariosOf(first.events));
    expect(scenariosOf(other.events)).not.toEqual(scenariosOf(first.events));
    const ids = (events: readonly JournalEvent[]) =>
      new Set(JSON.stringify(events).match(/txID\\*":\\*"[\da-f-]{36}/g));
    expect([...ids(first.events)].filter((id) => ids(again.events).has(id))).toEqual([]);
  });

  it.each([
    ['bet-free-of-charge', 'bet.debit', [{ bet: { amount: '${stake}' } }]],
    [
      'refund-moves-nothing',
      'refund.restore',
      [{ bet: { amount: '${stake}' }, as: 'bet1' }, { refund: { of: 'bet1' } }],
    ],
    ['replayed-bet-charged', 'idempotency.bet', [{ bet: { amount: '${stake}' }, as: 'bet1' }, { resend: 'bet1' }]],
  ])('a history that shows %s is shortened as far as possible', { timeout: SLOW_MS }, async (defect, rule, steps) => {
    const search = await searchOf(defect, { bail: 1, runs: 60, workers: 1, seed: 'short' });
    expect(search.finds).toHaveLength(1);
    expect(search.finds[0]).toMatchObject({ rules: [rule], failed: 3, played: 3, unfinished: false });
    expect(search.finds[0]?.draft.steps).toEqual(steps);
    expect(search.finds[0]?.stepsBefore).toBeGreaterThan(steps.length);
    expect(search.ended.how).toBe('bail');
  });

  it('the search continues with other rules after it has found a broken rule', { timeout: SLOW_MS }, async () => {
    const search = await searchOf('replay-other-tx-id', { bail: 2, runs: 400 });
    const rules = search.finds.flatMap((find) => find.rules);
    expect(search.finds).toHaveLength(2);
    expect(new Set(rules).size).toBe(rules.length);
  });

  it('a fault that only shows in a race is found by repeating the race', { timeout: SLOW_MS }, async () => {
    const search = await searchOf('lost-update', { runs: 60, bail: 1, workers: 1 });
    const rules = search.finds[0]?.rules ?? [];
    expect(rules).not.toEqual([]);
    // The timing decides which of the two shows first: bets that overwrite each other can overdraw the wallet too.
    expect(['concurrency.no-lost-update', 'concurrency.no-overdraft']).toEqual(expect.arrayContaining([...rules]));
    expect(writeScenario(search.finds[0]?.draft ?? { title: '', steps: [] })).toContain('together:');
  });

  it('a broken SHOULD is reported only in strict mode', { timeout: SLOW_MS }, async () => {
    const lenient = await searchOf('replay-current-balance', { runs: 15 });
    expect(lenient.finds).toEqual([]);
    const strict = await searchOf('replay-current-balance', { runs: 60, bail: 1, strict: true });
    expect(strict.finds.map((find) => find.rules)).toEqual([['idempotency.same-reply']]);
  });

  it('the search ends when its time is over', async () => {
    const search = await searchOf(null, { runs: Number.POSITIVE_INFINITY, timeMs: 300 });
    expect(search.ended.how).toBe('complete');
    expect(search.histories).toBeGreaterThan(0);
  });

  it('an interrupted search ends and restores the balances', async () => {
    const controller = new AbortController();
    const search = await searchOf(null, {
      runs: Number.POSITIVE_INFINITY,
      signal: controller.signal,
      onProgress: ({ histories }) => {
        if (histories >= 3) controller.abort('SIGTERM');
      },
    });
    expect(search.ended).toMatchObject({ how: 'interrupted', signal: 'SIGTERM' });
    const ended = search.events.filter((event) => event.event === 'scenario-ended');
    expect(ended.filter(({ restored }) => restored === false)).toEqual([]);
  });

  it('a search of an operator that does not answer ends as unreachable', async () => {
    const search = await searchOf(null, {
      client: {
        extCID: 'nobody',
        integratorBaseUrl: 'http://127.0.0.1:9/x',
        integrationApiKey: 'key',
        paths: {},
        headers: {},
        wire: {},
        sessions: [{ sessionID: 's', currency: 'USD' }],
      },
    });
    expect(search.ended.how).toBe('unreachable');
    expect(search.histories).toBe(1);
    expect(search.judged).toBe(0);
  });

  it('a search works with one session that has no player and no currency', async () => {
    const search = await searchOf(null, { runs: 5, sessions: [{ sessionID: 'eu-carla-usd' }] });
    expect([search.finds, search.flaky, search.histories]).toEqual([[], [], 5]);
    expect(search.judged).toBeGreaterThan(10);
  });

  it('the journal of a search can be read like that of a run', async () => {
    const search = await searchOf('bet-free-of-charge', { bail: 1 });
    const lines = search.events.map((event) => `${JSON.stringify(event)}\n`);
    const fold = await foldJournal(readJournal(lines));
    expect(fold.run.selection).toEqual(['explore']);
    expect(fold.rules.find(({ rule }) => rule.id === 'bet.debit')?.verdict).toBe('fail');
    expect(fold.exchanges.sent).toBe(search.calls);
  });
});
