import type { History } from './history.ts';

/** The runs that a history keeps. Pinned runs are kept with their evidence in any case. */
export interface Retention {
  /** Maximum number of runs. */
  readonly runs: number;
  /** Maximum age of a run, in days. */
  readonly days: number;
  /** The compressed journals of this number of runs are kept too: those of the latest runs. */
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
 * Removes the runs that are too old, and the oldest runs if there are too many. If there are too many journals, also removes the
 * oldest journals.
 */
export async function applyRetention(history: History, retention: Retention): Promise<Removed> {
  const expired = await expiredRuns(history, retention);
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
  const expired = await expiredRuns(history, retention);
  return { runs: expired.length, journals: (await runsToBare(history, retention, expired)).length };
}

async function expiredRuns(history: History, { runs, days, now }: Retention): Promise<readonly number[]> {
  const oldest = new Date(now - days * DAY_MS).toISOString();
  const unpinned = await history
    .selectFrom('run')
    .select(['number', 'started_at'])
    .where('pinned', '=', 0)
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .execute();
  return unpinned.filter(({ started_at }, at) => at >= runs || started_at < oldest).map(({ number }) => number);
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
    .where('pinned', '=', 0)
    .where('evidence', 'is not', null)
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .execute();
  return withEvidence.slice(journals).flatMap(({ number }) => (expired.includes(number) ? [] : [number]));
}
