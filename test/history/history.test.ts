import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type History, openHistory } from '../../src/history/history.ts';
import { addRun, type FinishedRun } from '../../src/history/record.ts';
import {
  findRun,
  latestRunOf,
  latestRuns,
  latestStartsSince,
  setPinned,
  storedJournal,
} from '../../src/history/runs.ts';

let folder = '';
let file = '';
let history: History;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'croupier-history-'));
  file = path.join(folder, 'history.sqlite');
  history = await openHistory(file);
});
afterEach(async () => {
  await history.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const NOW = Date.parse('2026-11-25T12:00:00Z');
const ALL = { runs: 100, days: 400, journals: 100, now: NOW };

function run(id: string, day: string, client = 'acme'): FinishedRun {
  return {
    run: {
      run_id: id,
      kind: 'run',
      started_at: `2026-11-${day}T01:00:00.000Z`,
      duration_ms: 1000,
      ext_cid: client,
      operator: 'https://wallet.example/eu',
      verdict: 'conforming',
      exit_code: 0,
      first_line: 'CONFORMING',
      ended: 'complete',
      croupier: '1.0.0',
      contract: '1.10.2',
      build: null,
      labels: '{}',
      selection: '[]',
      whole: 1,
      rules_digest: 'r',
      suite_digest: 's',
      config_digest: 'c',
      played_digest: `played by ${id}`,
      journal: 'run.ndjson',
      summary: null,
    },
    rules: [{ rule: 'bet.debit', verdict: 'pass', flaky: 0, reason: null, failing: '[]' }],
    played: ['bet/debit'],
  };
}

const journal = (text: string) => ({ kind: 'journal' as const, content: [Buffer.from(text)] });
const numbers = async () => (await latestRuns(history, { client: undefined, limit: 50 })).map((one) => one.run.number);
const count = async (table: 'rule_result' | 'played' | 'evidence') =>
  (await history.selectFrom(table).selectAll().execute()).length;

describe('the history', () => {
  it('gives a journal back that is longer than one part', async () => {
    // Random digits compress only to half, so that the compressed text has several parts.
    const text = Array.from({ length: 400_000 }, (_, at) => ((at * 2_654_435_761) % 4_294_967_296).toString(36)).join(
      '',
    );
    await addRun(history, run('aaaa', '01'), journal(text), ALL);
    expect(await count('evidence')).toBeGreaterThan(1);
    let read = '';
    for await (const piece of storedJournal(history, 1)) read += piece;
    expect(read === text).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('adds a run only once, and finds it by its number, the beginning of its runID, or as the latest', async () => {
    await addRun(history, run('aaaa1111', '02'), null, ALL);
    await addRun(history, run('aaaa2222', '01'), null, ALL);
    expect(await addRun(history, run('aaaa1111', '02'), null, ALL)).toBe(1);
    const found = async (id: string) => (await findRun(history, id))?.number;
    expect([await found('2'), await found('AAAA2'), await found('latest')]).toEqual([2, 2, 1]);
    expect([await found('3'), await found('aaaa'), await found('%%%%')]).toEqual([undefined, undefined, undefined]);
  });

  it('removes runs that are too old or too many, and journals that are too many, but none that is pinned', async () => {
    for (const [at, day] of ['01', '02', '03', '04', '05'].entries())
      await addRun(history, run(`aaaa${at}`, day), journal(day), ALL);
    await setPinned(history, 1, true);
    await addRun(history, run('bbbb', '06'), journal('06'), { ...ALL, runs: 4, days: 22, journals: 2 });
    expect(await numbers()).toEqual([6, 5, 4, 1]);
    const stored = await history.selectFrom('run').select(['number', 'evidence']).orderBy('number').execute();
    expect(stored).toEqual([
      { number: 1, evidence: 'journal' },
      { number: 4, evidence: null },
      { number: 5, evidence: 'journal' },
      { number: 6, evidence: 'journal' },
    ]);
    expect([await count('rule_result'), await count('played'), await count('evidence')]).toEqual([4, 4, 3]);
  });

  it('counts the runs of each client at each operator, so that many operators do not remove their runs', async () => {
    const at = (id: string, day: string, operator: string) => {
      const one = run(id, day);
      return { ...one, run: { ...one.run, operator } };
    };
    const keep = { ...ALL, runs: 2, journals: 1 };
    for (const [index, day] of ['01', '02', '03'].entries()) {
      await addRun(history, at(`aaaa${index}`, day, 'https://one.example'), journal('a'), keep);
      await addRun(history, at(`bbbb${index}`, day, 'https://two.example'), journal('b'), keep);
    }
    expect((await numbers()).toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6]);
    const stored = await history.selectFrom('run').select('number').where('evidence', 'is not', null).execute();
    // The latest run of each operator has its journal.
    expect(stored.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([5, 6]);
  });

  it('adds nothing of a run if the disk becomes full', async () => {
    const { page_count } = (await sql<{ page_count: number }>`PRAGMA page_count`.execute(history)).rows[0] ?? {
      page_count: 0,
    };
    await sql.raw(`PRAGMA max_page_count = ${page_count + 2}`).execute(history);
    const text = Array.from({ length: 40_000 }, (_, at) => ((at * 2_654_435_761) % 4_294_967_296).toString(36)).join(
      '',
    );
    await expect(addRun(history, run('aaaa', '01'), journal(text), ALL)).rejects.toThrow(/full/);
    expect([await numbers(), await count('rule_result')]).toEqual([[], 0]);
  });

  it('updates the tables of the version before, and keeps their runs', async () => {
    await addRun(history, run('aaaa1111', '01'), journal('01'), ALL);
    for (const table of ['load_second', 'load_part', 'load']) await history.schema.dropTable(table).execute();
    await history.schema.dropIndex('run_with_evidence').execute();
    await sql`UPDATE schema_version SET version = 2`.execute(history);
    const updated = await openHistory(file);
    expect(await updated.selectFrom('load').selectAll().execute()).toEqual([]);
    const client = { extCID: 'acme', operator: 'https://wallet.example/eu' };
    expect((await latestRunOf(updated, client))?.run_id).toBe('aaaa1111');
    await updated.destroy();
  });

  it('keeps two operators with the same ExtCID apart by their base URLs', async () => {
    const other = run('bbbb1111', '02');
    await addRun(history, run('aaaa1111', '01'), null, ALL);
    await addRun(history, { ...other, run: { ...other.run, operator: 'https://other.example' } }, null, ALL);
    const latest = async (operator: string | undefined) =>
      (await latestRunOf(history, { extCID: 'acme', operator }))?.run_id;
    expect(await latest('https://wallet.example/eu')).toBe('aaaa1111');
    expect(await latest('https://other.example')).toBe('bbbb1111');
    expect(await latest('https://a-third.example')).toBeUndefined();
    // If the base URL is not known, only the ExtCID counts.
    expect(await latest(undefined)).toBe('bbbb1111');
  });

  it('says which operators were judged since a time, and leaves interrupted runs and load tests out', async () => {
    const as = (one: FinishedRun, more: Partial<FinishedRun['run']>) => ({ ...one, run: { ...one.run, ...more } });
    const all = [
      run('aaaa1111', '02'),
      run('aaaa2222', '04'),
      as(run('aaaa3333', '05'), { ended: 'interrupted' }),
      run('bbbb1111', '02', 'borealis'),
      as(run('bbbb2222', '06', 'borealis'), { kind: 'load' }),
    ];
    for (const one of all) await addRun(history, one, null, ALL);
    const since = async (day: string, extCID: string) => {
      const starts = await latestStartsSince(history, `2026-11-${day}T01:00:00.000Z`);
      return starts
        .of({ extCID, operator: 'https://wallet.example/eu' })
        .map(({ startedAt }) => startedAt.slice(0, 10));
    };
    expect(await since('02', 'acme')).toEqual(['2026-11-04']);
    expect([await since('02', 'borealis'), await since('03', 'borealis')]).toEqual([['2026-11-02'], []]);
    expect(await since('05', 'acme')).toEqual([]);
  });

  it('refuses a file of a newer version, of another program, and one that is no database', async () => {
    await sql`UPDATE schema_version SET version = 99`.execute(history);
    await expect(openHistory(file)).rejects.toThrow(/newer version of croupier/);
    const foreign = path.join(folder, 'foreign.sqlite');
    const other = new DatabaseSync(foreign);
    other.exec('CREATE TABLE invoice (id INTEGER)');
    other.close();
    await expect(openHistory(foreign)).rejects.toThrow(/another program/);
    const text = path.join(folder, 'text.sqlite');
    writeFileSync(text, 'no database, but long enough to have a header of one\n'.repeat(50));
    await expect(openHistory(text)).rejects.toThrow(/not a database/);
  });
});
