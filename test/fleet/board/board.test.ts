import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Board } from '../../../src/fleet/board/board.ts';
import { TREND_DAYS } from '../../../src/fleet/board/view.ts';
import { historyFile, openExistingHistory, openHistory } from '../../../src/history/history.ts';
import { addRun, finishedRun } from '../../../src/history/record.ts';
import { ruleResults } from '../../../src/history/rule-results.ts';
import { ruleTrend } from '../../../src/history/rule-trend.ts';
import { foldOf } from '../../report/journals.ts';
import { createFleetStore } from '../fleet-store.ts';
import { operatorChecked } from '../operators.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const LAST_NIGHT = new Date('2026-11-26');
const NAMES = ['acme-eu', 'borealis-eu', 'castor-eu', 'delphi-eu', 'ember-eu', 'fjord-eu'];
const KEEP = { runs: 10_000, days: 10_000, journals: 10_000, now: LAST_NIGHT.getTime() };

let dir = '';
let board: Board;
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-board-'));
  await createFleetStore(dir, { operators: NAMES.length, nights: 40, lastNight: LAST_NIGHT });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
afterEach(() => board.close());

/** Opens the board as it is at a time. */
function openBoard(now: string, names: readonly string[] = NAMES): Board {
  board = new Board({
    operators: names.map((name) => operatorChecked(name, '0 1 * * *')),
    dir,
    openHistory: () => openExistingHistory({ dir, database: undefined }),
    now: () => new Date(now),
  });
  return board;
}

/** Waits until the board has also read the journals and the flakiness. */
async function complete(of: Board) {
  await expect.poll(async () => (await of.overview()).isComplete).toBe(true);
  return of.overview();
}

describe('the board of a fleet', () => {
  it('agrees with the history about the verdicts, the groups, the trend and the flakiness', async () => {
    const { operators, groups } = await complete(openBoard('2026-11-26T09:00:00Z'));
    expect(operators.map(({ name }) => name)).toEqual(NAMES);
    const history = await openExistingHistory({ dir, database: undefined });
    if (!history) throw new Error('no history');
    for (const { name, run, groups: counts, trend, flaky } of operators) {
      const runs = await history
        .selectFrom('run')
        .selectAll()
        .where('ext_cid', '=', name)
        .where('kind', '=', 'run')
        .orderBy('started_at', 'desc')
        .execute();
      const [latest] = runs;
      expect([name, run?.number, run?.verdict]).toEqual([name, latest?.number, latest?.verdict]);
      const marks = runs.map(({ verdict }) => verdict.slice(0, 1));
      const missing = 40 - runs.length;
      expect(trend).toBe(`${marks.toReversed().join('')}${'-'.repeat(missing)}`.slice(-TREND_DAYS));
      const rules = await history
        .selectFrom('rule_result')
        .selectAll()
        .where('run', '=', run?.number ?? 0)
        .execute();
      for (const [at, group] of groups.entries()) {
        const own = rules.filter(({ rule }) => rule.startsWith(`${group}.`));
        const fails = own.filter(({ verdict }) => verdict === 'fail').length;
        expect([group, counts[at]?.failed]).toEqual([group, own.length === 0 ? undefined : fails]);
      }
      const trends = (await ruleResults(history, { rules: undefined, client: name })).map((one) => ruleTrend(one.runs));
      const changing = trends.filter(({ state }) => state === 'flaky' || state === 'unclear');
      expect([name, flaky?.rules]).toEqual([name, changing.length]);
      if (changing.length > 0) expect(flaky?.worst).toBe(Math.max(...changing.map((one) => one.flakiness ?? 0)));
    }
    await history.destroy();
    expect(operators.some(({ flaky }) => (flaky?.rules ?? 0) > 0)).toBe(true);
    expect(operators.some(({ run }) => run?.verdict === 'nonconforming')).toBe(true);
  });

  it('says since when an operator is late, and that one was never judged', async () => {
    const { operators } = await complete(openBoard('2026-11-27T02:00:00Z', ['acme-eu', 'nobody']));
    expect(operators).toMatchObject([
      { name: 'acme-eu', late: { since: '2026-11-27T01:00:00.000Z' } },
      {
        name: 'nobody',
        run: null,
        groups: [],
        trend: '-'.repeat(TREND_DAYS),
        late: { since: null },
        flaky: { rules: 0 },
      },
    ]);
    await board.close();
    expect((await complete(openBoard('2026-11-27T00:30:00Z', ['acme-eu']))).operators[0]?.late).toBeNull();
  });

  it('shows what a killed run owes, with the command that settles it, and gets another version then', async () => {
    const before = await complete(openBoard('2026-11-26T09:00:00Z'));
    expect(before.operators[0]?.owed).toBe(0);
    expect((await board.overview()).version).toBe(before.version);
    const file = path.join(dir, '.croupier/2026-11-26-080000-00000a.ndjson');
    writeFileSync(file, readFileSync(path.join(ROOT, 'fixtures/journals/killed.ndjson')));
    await board.overview();
    await expect.poll(async () => (await board.overview()).operators[0]?.owed).toBeGreaterThan(0);
    expect((await board.overview()).version).not.toBe(before.version);
    expect(await board.operator('acme-eu')).toMatchObject({
      owed: [{ command: 'croupier settle .croupier/2026-11-26-080000-00000a.ndjson' }],
    });
    rmSync(file);
  });

  it('lists the rules that did not pass, and shows a run that was added while it is open', async () => {
    await complete(openBoard('2026-11-26T09:00:00Z'));
    const history = await openHistory(historyFile(dir));
    const fold = await foldOf('failing');
    const added = finishedRun(fold, '.croupier/gone.ndjson', (text) => text);
    await addRun(
      history,
      { ...added, run: { ...added.run, started_at: '2026-11-26T08:00:00.000Z' } },
      { kind: 'journal', content: [readFileSync(path.join(ROOT, 'fixtures/journals/failing.ndjson'))] },
      KEEP,
    );
    await history.destroy();
    const [row] = (await board.overview()).operators;
    const detail = await board.operator('acme-eu');
    expect(detail).toMatchObject({ latest: { number: row?.run?.number, verdict: 'nonconforming', hasReport: true } });
    const failing = fold.rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule.id);
    const listed = detail?.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id) ?? [];
    expect(listed.filter((id) => !id.startsWith('expectation'))).toEqual(failing.toSorted());
    expect(detail?.rules.find(({ id }) => id === failing[0])?.since).toMatchObject({ number: row?.run?.number });
    expect(await board.operator('nobody')).toBeUndefined();
  });
});
