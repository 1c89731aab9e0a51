import type { LoadResult } from '../journal/load/result.ts';
import { type Comparison, compare } from '../report/comparison/comparison.ts';
import type { RunSummary } from '../report/comparison/run-summary.ts';
import { ByClient, type ClientAt } from './client.ts';
import { decompressed, decompressedText } from './compression.ts';
import type { History } from './history.ts';
import { inParts } from './recent-runs.ts';
import type { RunRow } from './tables.ts';

/** A run of the history, without its compressed summary. */
export type PastRun = Omit<RunRow, 'summary'>;

/** The differences between a run and the run before it. Both have the same client, operator and selection. */
interface ChangesSince {
  /** The number of the earlier run. */
  readonly number: number;
  /**
   * Null for a load test. Also null if one of the two runs was written by a version of croupier whose summaries have another
   * format.
   */
  readonly comparison: Comparison | null;
}

/** A run in the list of runs, with the changes since the run before; null if there is no run before. */
export interface ListedRun {
  readonly run: PastRun;
  readonly before: ChangesSince | null;
}

const COLUMNS = [
  'number',
  'run_id',
  'kind',
  'started_at',
  'duration_ms',
  'ext_cid',
  'operator',
  'verdict',
  'exit_code',
  'first_line',
  'ended',
  'croupier',
  'contract',
  'build',
  'labels',
  'selection',
  'whole',
  'rules_digest',
  'suite_digest',
  'config_digest',
  'played_digest',
  'journal',
  'evidence',
  'pinned',
] as const satisfies readonly (keyof RunRow)[];

/** Returns the latest runs, the newest first. @param client the ExtCID; undefined for the runs of all clients */
export async function latestRuns(
  history: History,
  { client, limit }: { readonly client: string | undefined; readonly limit: number },
): Promise<readonly ListedRun[]> {
  const runs = await history
    .selectFrom('run')
    .select(COLUMNS)
    .$if(client !== undefined, (query) => query.where('ext_cid', '=', client ?? ''))
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  const listed: ListedRun[] = [];
  for (const run of runs) listed.push({ run, before: await changesSinceBefore(history, run) });
  return listed;
}

async function changesSinceBefore(history: History, run: PastRun): Promise<ChangesSince | null> {
  const before = await history
    .selectFrom('run')
    .select('number')
    .where('ext_cid', '=', run.ext_cid)
    .where('operator', '=', run.operator)
    .where('kind', '=', run.kind)
    .where('selection', '=', run.selection)
    .where((of) =>
      of.or([
        of('started_at', '<', run.started_at),
        of.and([of('started_at', '=', run.started_at), of('number', '<', run.number)]),
      ]),
    )
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!before) return null;
  const [earlier, later] = [await summaryOf(history, before.number), await summaryOf(history, run.number)];
  return { number: before.number, comparison: earlier && later ? compare(earlier, later) : null };
}

/** The ends of runs that judged nothing: interrupted runs, and runs whose players were used by another command. */
const NOT_JUDGED = ['in-use', 'interrupted'];

/** True if a run counts as a run of its due time. An interrupted run does not count, because it is repeated. */
export function isDueRun({ kind, ended }: Pick<RunRow, 'kind' | 'ended'>): boolean {
  return kind === 'run' && (ended === null || !NOT_JUDGED.includes(ended));
}

/** Returns the start of the latest run of a client that counts as a run of its due time ({@link isDueRun}), in UTC (ISO 8601). */
export async function latestStart(history: History, { extCID, operator }: ClientAt): Promise<string | undefined> {
  const run = await history
    .selectFrom('run')
    .select('started_at')
    .where('ext_cid', '=', extCID)
    .$if(operator !== undefined, (query) => query.where('operator', '=', operator ?? ''))
    .where('kind', '=', 'run')
    .where((of) => of.or([of('ended', 'is', null), of('ended', 'not in', NOT_JUDGED)]))
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return run?.started_at;
}

/**
 * Returns, for each client, the start of its latest run since a time. Leaves out clients without such a run, and runs that do not
 * count as a run of their due time ({@link isDueRun}).
 *
 * @param since in UTC (ISO 8601)
 */
export async function latestStartsSince(history: History, since: string): Promise<ByClient<{ startedAt: string }>> {
  const rows = await history
    .selectFrom('run')
    .select(({ fn }) => ['ext_cid', 'operator', fn.max('started_at').as('startedAt')])
    .where('started_at', '>=', since)
    .where('kind', '=', 'run')
    .where((of) => of.or([of('ended', 'is', null), of('ended', 'not in', NOT_JUDGED)]))
    .groupBy(['ext_cid', 'operator'])
    .execute();
  return new ByClient(rows, ({ ext_cid, operator }) => ({ extCID: ext_cid, operator }));
}

/** Returns the latest run of a client; undefined if the history has no run of this client. */
export async function latestRunOf(history: History, { extCID, operator }: ClientAt): Promise<PastRun | undefined> {
  return history
    .selectFrom('run')
    .select(COLUMNS)
    .where('ext_cid', '=', extCID)
    .$if(operator !== undefined, (query) => query.where('operator', '=', operator ?? ''))
    .where('kind', '=', 'run')
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the start of the latest run of a client that found no breach, in UTC (ISO 8601). */
export async function latestSuccess(history: History, { extCID, operator }: ClientAt): Promise<string | undefined> {
  const run = await history
    .selectFrom('run')
    .select('started_at')
    .where('ext_cid', '=', extCID)
    .$if(operator !== undefined, (query) => query.where('operator', '=', operator ?? ''))
    .where('kind', '=', 'run')
    .where('verdict', '=', 'conforming')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return run?.started_at;
}

/** Returns the runs with these numbers, by number. */
export async function runsNumbered(
  history: History,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, PastRun>> {
  const found = new Map<number, PastRun>();
  for (const part of inParts(numbers)) {
    const runs = await history.selectFrom('run').select(COLUMNS).where('number', 'in', part).execute();
    for (const run of runs) found.set(run.number, run);
  }
  return found;
}

/** Returns the number of runs in the history. */
export async function runCount(history: History): Promise<number> {
  const { count } = await history
    .selectFrom('run')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  // PostgreSQL returns the count as text.
  return Number(count);
}

/**
 * A user can name a run by the beginning of its `runID`, which must have at least this length. A shorter text of digits is the
 * number of a run.
 */
const MIN_ID = 4;

/**
 * Finds a run.
 *
 * @param id its number, the beginning of its `runID`, or `latest`
 * @returns undefined if no run has this id, or if several runs have a `runID` with this beginning
 */
export async function findRun(history: History, id: string): Promise<PastRun | undefined> {
  const runs = history.selectFrom('run').select(COLUMNS);
  if (id === 'latest') return runs.orderBy('started_at', 'desc').orderBy('number', 'desc').limit(1).executeTakeFirst();
  const byNumber = /^[1-9]\d{0,14}$/.test(id)
    ? await runs.where('number', '=', Number(id)).executeTakeFirst()
    : undefined;
  if (byNumber || id.length < MIN_ID || !/^[\da-f-]+$/i.test(id)) return byNumber;
  const found = await runs.where('run_id', 'like', `${id.toLowerCase()}%`).limit(2).execute();
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the summary of a run; undefined for a load test. */
export async function summaryOf(history: History, number: number): Promise<RunSummary | undefined> {
  const row = await history.selectFrom('run').select('summary').where('number', '=', number).executeTakeFirst();
  return row?.summary ? (JSON.parse(decompressedText(row.summary)) as RunSummary) : undefined;
}

/** Returns the text of the stored journal of a run, in pieces. */
export function storedJournal(history: History, number: number): AsyncIterable<string> {
  return decompressed(partsOf(history, number));
}

/** Returns the stored result of a load test. */
export async function storedLoad(history: History, number: number): Promise<LoadResult> {
  let text = '';
  for await (const piece of decompressed(partsOf(history, number))) text += piece;
  return JSON.parse(text) as LoadResult;
}

async function* partsOf(history: History, number: number): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part += 1) {
    const row = await history
      .selectFrom('evidence')
      .select('content')
      .where('run', '=', number)
      .where('part', '=', part)
      .executeTakeFirst();
    if (!row) return;
    yield row.content;
  }
}

/** Pins a run, so that the retention never removes it. If `isPinned` is false, makes it an ordinary run again. */
export async function setPinned(history: History, number: number, isPinned: boolean): Promise<void> {
  await history
    .updateTable('run')
    .set({ pinned: Number(isPinned) })
    .where('number', '=', number)
    .execute();
}
