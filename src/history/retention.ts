import type { ExpressionBuilder } from 'kysely';
import type { ClientAt } from './client.ts';
import type { History } from './history.ts';
import type { HistoryTables } from './tables.ts';

/** The runs that a history keeps. Pinned runs are kept with their evidence in any case. */
export interface Retention {
  /**
   * Maximum number of runs of one client at one operator. With a common maximum, the runs of one operator would remove the runs of
   * another.
   */
  readonly runs: number;
  /** Maximum age of a run, in days. */
  readonly days: number;
  /**
   * The number of latest runs whose compressed journals are kept. The journals of the latest runs of each client are kept too
   * ({@link JOURNALS_OF_EACH}).
   */
  readonly journals: number;
  /** The current time, in ms since 1970. */
  readonly now: number;
}

/** The number of runs and the number of journals that the retention removed. */
export interface Removed {
  readonly runs: number;
  readonly journals: number;
}

const DAY_MS = 86_400_000;
/**
 * For each client at an operator, the journals of at least this number of latest runs are kept. But if {@link Retention.journals}
 * is lower, that number counts.
 */
const JOURNALS_OF_EACH = 10;

/**
 * Removes the runs that are too old, and the oldest runs if there are too many. If there are too many journals, also removes the
 * oldest journals.
 *
 * @param only the client that has a new run; undefined if this is not known, so that all clients are checked
 */
export async function applyRetention(history: History, retention: Retention, only?: ClientAt): Promise<Removed> {
  const expired = await expiredRuns(history, retention, only);
  const bare = await runsToBare(history, retention, expired);
  for (const number of bare) {
    await history.deleteFrom('evidence').where('run', '=', number).execute();
    await history.updateTable('run').set({ evidence: null }).where('number', '=', number).execute();
  }
  // The database also deletes the rule results and the evidence of these runs (ON DELETE CASCADE).
  for (const number of expired) await history.deleteFrom('run').where('number', '=', number).execute();
  if (expired.length > 0)
    await history
      .deleteFrom('played')
      .where((of) =>
        of.not(
          of.exists(of.selectFrom('run').select('run.number').whereRef('run.played_digest', '=', 'played.digest')),
        ),
      )
      .execute();
  return { runs: expired.length, journals: bare.length };
}

/** Returns how many runs and journals `applyRetention` would remove. Removes nothing. */
export async function wouldRemove(history: History, retention: Retention): Promise<Removed> {
  const expired = await expiredRuns(history, retention, undefined);
  return { runs: expired.length, journals: (await runsToBare(history, retention, expired)).length };
}

/**
 * @param only the client whose runs may be too many; undefined if this is not known, so that all clients are checked
 */
async function expiredRuns(
  history: History,
  { runs, days, now }: Retention,
  only: ClientAt | undefined,
): Promise<readonly number[]> {
  const oldest = new Date(now - days * DAY_MS).toISOString();
  const unpinned = await history
    .selectFrom('run')
    .select(['number', 'started_at'])
    .select(placeOfClient)
    .where('pinned', '=', 0)
    .$if(only !== undefined, (query) =>
      query.where((of) =>
        of.or([
          of.and([of('ext_cid', '=', only?.extCID ?? ''), of('operator', '=', only?.operator ?? '')]),
          of('started_at', '<', oldest),
        ]),
      ),
    )
    .execute();
  return unpinned
    .filter(({ started_at, place }) => Number(place) > runs || started_at < oldest)
    .map(({ number }) => number);
}

/** Selects the place of a run among the runs of its client and operator: 1 for the latest run. */
function placeOfClient({ fn }: ExpressionBuilder<HistoryTables, 'run'>) {
  // PostgreSQL returns the place as a text.
  return fn
    .agg<number | string>('row_number')
    .over((over) => over.partitionBy(['ext_cid', 'operator']).orderBy('started_at', 'desc').orderBy('number', 'desc'))
    .as('place');
}

/** Returns the runs that stay in the history, but lose their evidence. */
async function runsToBare(
  history: History,
  { journals }: Retention,
  expired: readonly number[],
): Promise<readonly number[]> {
  const withEvidence = await history
    .selectFrom('run')
    .select('number')
    .select(placeOfClient)
    .where('pinned', '=', 0)
    .where('evidence', 'is not', null)
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .execute();
  const gone = new Set(expired);
  const ofEach = Math.min(journals, JOURNALS_OF_EACH);
  return withEvidence
    .filter(({ number, place }, at) => at >= journals && Number(place) > ofEach && !gone.has(number))
    .map(({ number }) => number);
}
