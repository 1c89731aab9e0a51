import { describe, expect, it } from 'vitest';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { budgetResults } from '../../src/journal/latency.ts';
import { reportOfEvents } from '../report/journals.ts';
import { ended, exchange, found, planned, runEnded, runStarted, started } from './events.ts';

const SCENARIO = planned('balance/read', ['balance.read']);

/** A run with some balance calls that are each answered after 2 ms, and a budget for them. */
function run(
  replies: number,
  budgetMs: number,
  { fails = true, whole = false, events = [] as readonly JournalEvent[], how = 'complete' as const } = {},
): readonly JournalEvent[] {
  const start = runStarted([SCENARIO], false, whole);
  const settings = {
    ...start.settings,
    budgetMs: { balance: budgetMs },
    ...(fails && { budgetFails: ['balance'] as const }),
  };
  return [
    { ...start, settings },
    started(SCENARIO.id),
    ...Array.from({ length: replies }, (_, at) => exchange(`x${at}`, SCENARIO.id)).flat(),
    ...events,
    ended(SCENARIO.id, { passes: { 'balance.read': { '*': 1 } } }),
    runEnded(how),
  ];
}

const conclusion = async (events: readonly JournalEvent[]) => conclude(await foldJournal(events));

describe('a budget for the response times', () => {
  it('fails the run if it says so and the replies are too slow', async () => {
    expect(await conclusion(run(20, 1))).toEqual({
      verdict: 'nonconforming',
      exitCode: 1,
      firstLine:
        'NOT CONFORMING TO THE BUDGET: acme is over the budget of balance (95 of 100 replies within 2.0 ms, budget 1.0 ms).',
    });
    expect(await conclusion(run(20, 1, { fails: false }))).toMatchObject({ exitCode: 0 });
    expect(await conclusion(run(20, 3))).toMatchObject({ exitCode: 0 });
  });

  it('is named beside a broken rule', async () => {
    const { firstLine, exitCode } = await conclusion(
      run(20, 1, { events: [found(SCENARIO.id, 'balance.read', 'fail')] }),
    );
    expect([exitCode, firstLine]).toEqual([
      1,
      expect.stringMatching(/^NOT CONFORMING: acme .*\. It is also over the budget of balance /),
    ]);
  });

  it('fails no run with fewer than 20 replies, and leaves a run of the whole suite undecided', async () => {
    expect(budgetResults(await foldJournal(run(19, 1)))).toMatchObject([{ state: 'unmeasured', replies: 19 }]);
    expect(await conclusion(run(19, 1))).toMatchObject({ exitCode: 0 });
    expect(await conclusion(run(19, 1, { whole: true }))).toMatchObject({
      exitCode: 3,
      firstLine:
        'UNDECIDED: acme gave too few replies to check the budget of balance (19 replies): at least 20 are needed.',
    });
  });

  it('is a test in JUnit', async () => {
    const name =
      '<testcase name="95 of 100 balance calls are answered within 1 ms" classname="croupier.acme.budget" time="0.000">';
    expect(await reportOfEvents(run(20, 1), 'junit')).toContain(`${name}\n      <failure message="95 of 100 replies`);
    expect(await reportOfEvents(run(20, 1, { fails: false }), 'junit')).toContain(`${name}\n      <system-out>warn: `);
    expect(await reportOfEvents(run(19, 1), 'junit')).toContain(
      `${name}\n      <skipped message="too few replies (19)`,
    );
    expect(await reportOfEvents(run(20, 1), 'github')).toMatch(
      /^::error title=acme%3A replies to balance are slower than the budget::95 of/,
    );
    expect(await reportOfEvents(run(20, 1), 'html')).toContain('The replies to balance took longer than their budget');
  });
});
