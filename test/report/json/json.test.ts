import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import { conclude } from '../../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { jsonReport } from '../../../src/report/json/json.ts';
import { ended, exchange, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { foldOf, JOURNALS, OPTIONS, reportOfEvents, reportText } from '../journals.ts';

interface Report {
  readonly verdict: string;
  readonly exitCode: number;
  readonly firstLine: string;
  readonly interrupted: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly causes: readonly unknown[];
  readonly rules: readonly { readonly id: string; readonly verdict: string; readonly endpoints: readonly unknown[] }[];
  readonly scenarios: readonly {
    readonly id: string;
    readonly state: string;
    readonly findings: readonly { readonly exchange: string | null }[];
    readonly exchanges?: readonly { readonly id: string; readonly outcome: unknown }[];
    readonly exchangeCount: number;
  }[];
}

const story = planned('bet/debit', ['bet.debit']);
const parse = (text: string): Report => JSON.parse(text) as Report;

async function longestPiece(exchanges: number): Promise<number> {
  function* events(): Generator<JournalEvent> {
    yield runStarted([story]);
    yield started(story.id);
    for (let index = 0; index < exchanges; index += 1) yield* exchange(`x${index % 1000}`, story.id);
    yield ended(story.id);
    yield runEnded();
  }
  let max = 0;
  const options = { ...OPTIONS, exchangesPerScenario: 20 };
  for await (const piece of jsonReport(await foldJournal(events()), events, options)) max = Math.max(max, piece.length);
  return max;
}

describe('the JSON report', () => {
  it.each(JOURNALS)('of the journal %s has the verdict of the conclusion', async (name) => {
    const report = parse(await reportText(name, 'json'));
    const fold = await foldOf(name);
    expect(report).toMatchObject({ schema: 'croupier-report/1', ...conclude(fold) });
    expect(report.rules.map(({ id }) => id)).toEqual(RULES.map(({ id }) => id));
    expect(report.rules.map(({ verdict }) => verdict)).toEqual(fold.rules.map(({ verdict }) => verdict));
    expect(Object.values(report.counts).reduce((sum, count) => sum + count, 0)).toBe(RULES.length);
    expect(report.scenarios.map(({ id }) => id).toSorted()).toEqual(
      fold.scenarios.map(({ planned: { id } }) => id).toSorted(),
    );
  });

  it('names the likely causes with their effects, the rules that they explain, and the place to look at', async () => {
    const events = [
      runStarted([story]),
      started(story.id),
      found(story.id, 'idempotency.bet', 'fail', { exchange: 'x7' }),
      found(story.id, 'bet.debit', 'fail', { causes: ['idempotency.bet'] }),
      ended(story.id, { verdict: 'fail' }),
      runEnded(),
    ];
    const { causes } = parse(await reportOfEvents(events, 'json'));
    expect(causes).toEqual([
      {
        rule: 'idempotency.bet',
        level: 'MUST',
        money: true,
        means: expect.stringMatching(/^A player can be charged twice/),
        explains: ['bet.debit'],
        findings: 2,
        wrongSums: {},
        scenarios: [story.id],
        seenIn: story.id,
        exchange: 'x7',
      },
    ]);
    expect(parse(await reportText('green', 'json')).causes).toEqual([]);
  });

  it('says that the run was interrupted', async () => {
    expect(parse(await reportText('interrupted', 'json'))).toMatchObject({ interrupted: true, exitCode: 143 });
  });

  it('holds the exchanges of the last attempt only, also of a scenario that was cut off', async () => {
    const interrupted = parse(await reportText('interrupted', 'json'));
    expect(interrupted.scenarios[0]?.exchanges?.map(({ id }) => id)).toEqual(['x2']);
    const killed = parse(await reportText('killed', 'json'));
    const cut = killed.scenarios.find(({ state }) => state === 'cut-off');
    expect(cut?.exchanges).toEqual([expect.objectContaining({ id: 'x9', outcome: null })]);
  });

  it('limits the number of exchanges, but keeps those that a finding names', async () => {
    const many = Array.from({ length: 50 }, (_, at) => exchange(`x${at}`, story.id)).flat();
    const proof = found(story.id, 'bet.debit', 'fail', { exchange: 'x40' });
    const events = [runStarted([story]), started(story.id), ...many, proof, ended(story.id), runEnded()];
    const [scenario] = parse(await reportOfEvents(events, 'json', { exchangesPerScenario: 3 })).scenarios;
    expect(scenario?.exchanges?.map(({ id }) => id)).toEqual(['x0', 'x1', 'x2', 'x40']);
    expect(scenario?.exchangeCount).toBe(50);
    const bare = parse(await reportOfEvents(events, 'json', { exchangesPerScenario: 0 })).scenarios[0];
    expect(bare).not.toHaveProperty('exchanges');
  });

  it('separates the exchanges of scenarios that were played at the same time', async () => {
    const other = planned('win/credit', ['win.credit']);
    const events = [
      runStarted([story, other]),
      started(story.id),
      started(other.id),
      ...exchange('a', story.id),
      ...exchange('b', other.id),
      ended(other.id),
      ...exchange('c', story.id),
      ended(story.id),
      runEnded(),
    ];
    const report = parse(await reportOfEvents(events, 'json'));
    expect(report.scenarios.map(({ id, exchanges }) => [id, exchanges?.map((each) => each.id)])).toEqual([
      ['win/credit', ['b']],
      ['bet/debit', ['a', 'c']],
    ]);
  });

  it('is written in pieces whose size does not depend on the number of exchanges', async () => {
    expect((await longestPiece(10_000)) - (await longestPiece(100))).toBeLessThan(20);
  });
});
