import { compressedText, decompressedText } from './compression.ts';
import { databaseTime } from './dialect.ts';
import type { History } from './history.ts';
import { LeaseLost } from './lease-lost.ts';
import type { LoadPartState } from './tables.ts';

/** A client and its operator. Workers play only loads of clients that they have in their configuration. */
export interface LoadClient {
  readonly extCID: string;
  /** The base URL of the operator, as the history names it. */
  readonly operator: string;
}

/** The parts that a worker may take. */
type Wanted = 'waiting' | 'lost';

/** A part of a load that a worker has taken. */
export interface HeldPart {
  readonly id: number;
  readonly load: number;
  readonly token: number;
  readonly number: number;
  readonly extCID: string;
  /** The first event of the load's journal, as JSON. */
  readonly started: string;
  /** The order, as JSON. */
  readonly content: string;
}

/** The state of a load, as its workers see it. */
export interface LoadState {
  /** The time of the database, in ms since 1970. */
  readonly now: number;
  readonly step: number;
  readonly beginAt: number | null;
  readonly isStopped: boolean;
  readonly isClosed: boolean;
  readonly hasEnded: boolean;
  /** False if the command that started the load has vanished. */
  readonly isAlive: boolean;
}

/** The state of a part, as the command that started the load sees it. */
export interface PartState {
  readonly id: number;
  readonly number: number;
  readonly state: LoadPartState;
  readonly phase: 'taken' | 'opened' | 'ended';
  readonly worker: string | null;
  /** The result, as JSON. */
  readonly result: string | null;
}

/** If the command that started a load no longer runs, the remaining rows of this load are removed after this time, in ms. */
const KEPT_MS = 30 * 86_400_000;

/**
 * Adds a load that has no parts yet. Workers wait until {@link addStep} adds the parts of the first step.
 *
 * @param aliveMs if the command that started the load does not report for this time, the load counts as abandoned
 * @returns the id of the load
 */
export async function addLoad(
  history: History,
  { extCID, operator }: LoadClient,
  started: string,
  aliveMs: number,
): Promise<number> {
  const now = databaseTime(history);
  await history
    .deleteFrom('load')
    .where((of) => of('alive_until', '<', of(now, '-', KEPT_MS)))
    .execute();
  const { id } = await history
    .insertInto('load')
    .values((of) => ({
      ext_cid: extCID,
      operator,
      started,
      alive_until: of(now, '+', aliveMs),
      step: 0,
      begin_at: null,
      stopped: 0,
      closed: 0,
      ended: 0,
    }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds the parts of the next step. @param orders the orders to the workers, as JSON without keys */
export async function addStep(history: History, load: number, step: number, orders: readonly string[]): Promise<void> {
  await history.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('load')
      .set({ step, begin_at: null, stopped: 0, closed: 0 })
      .where('id', '=', load)
      .execute();
    for (const [number, order] of orders.entries())
      await transaction
        .insertInto('load_part')
        .values({
          load,
          step,
          number,
          content: compressedText(order),
          state: 'waiting',
          token: 0,
          phase: 'taken',
          worker: null,
          lease_until: null,
          result: null,
        })
        // An earlier attempt may have failed after its commit.
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
}

/** Writes a message for the workers of a load into the database: when to begin, or that the load is stopped, closed or ended. */
export async function sendToWorkers(
  history: History,
  load: number,
  message: { readonly stopped?: 1; readonly closed?: 1; readonly ended?: 1; readonly beginInMs?: number },
): Promise<void> {
  const { beginInMs, ...columns } = message;
  await history
    .updateTable('load')
    .set((of) => ({
      ...columns,
      ...(beginInMs !== undefined && { begin_at: of(databaseTime(history), '+', beginInMs) }),
    }))
    .where('id', '=', load)
    .execute();
}

/**
 * Records that the command which started a load is still running, and returns the states of the parts of a step. If the lease of a
 * part has ended, the part becomes `lost`.
 */
export async function partsOf(
  history: History,
  { load, step, aliveMs }: { readonly load: number; readonly step: number; readonly aliveMs: number },
): Promise<readonly PartState[]> {
  const now = databaseTime(history);
  await history
    .updateTable('load')
    .set((of) => ({ alive_until: of(now, '+', aliveMs) }))
    .where('id', '=', load)
    .execute();
  await history
    .updateTable('load_part')
    .set((of) => ({ state: 'lost', token: of('token', '+', 1) }))
    .where('load', '=', load)
    .where('state', 'in', ['playing', 'settling'])
    .where('lease_until', '<', now)
    .execute();
  const rows = await history
    .selectFrom('load_part')
    .select(['id', 'number', 'state', 'phase', 'worker', 'result'])
    .where('load', '=', load)
    .where('step', '=', step)
    .orderBy('number')
    .execute();
  return rows.map(({ result, ...row }) => ({ ...row, result: result && decompressedText(result) }));
}

/**
 * Returns what a worker has written about a part since an earlier call, as JSON. @param after the number of the latest known second
 */
export async function secondsAfter(history: History, part: number, after: number): Promise<readonly string[]> {
  const rows = await history
    .selectFrom('load_second')
    .select('content')
    .where('part', '=', part)
    .where('number', '>', after)
    .orderBy('number')
    .execute();
  return rows.map(({ content }) => decompressedText(content));
}

/** Removes a load. If players are still owed something, keeps the parts of these players for a later worker. */
export async function endLoad(history: History, load: number): Promise<void> {
  await history.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('load')
      .set({ ended: 1, stopped: 1, alive_until: 0 })
      .where('id', '=', load)
      .execute();
    await transaction
      .deleteFrom('load_part')
      .where('load', '=', load)
      .where('state', 'in', ['waiting', 'done', 'settled'])
      .execute();
    await removeIfEmpty(transaction, load);
  });
}

async function removeIfEmpty(history: History, load: number): Promise<void> {
  const left = await history.selectFrom('load_part').select('id').where('load', '=', load).limit(1).executeTakeFirst();
  if (!left) await history.deleteFrom('load').where('id', '=', load).execute();
}

/**
 * Takes a part of a load.
 *
 * @param wanted `waiting` to play a part, `lost` to settle the players of a worker that has vanished
 * @param only the load to which the part must belong; undefined for every load
 * @returns undefined if there is no such part
 */
export async function takePart(
  history: History,
  clients: readonly LoadClient[],
  { wanted, worker, leaseMs, only }: { wanted: Wanted; worker: string; leaseMs: number; only: number | undefined },
): Promise<HeldPart | undefined> {
  const now = databaseTime(history);
  for (;;) {
    const found = await history
      .selectFrom('load_part')
      .innerJoin('load', 'load.id', 'load_part.load')
      .select(['load_part.id', 'load_part.load', 'load_part.token', 'load_part.number', 'load_part.content'])
      .select(['load.ext_cid', 'load.started'])
      .where((of) =>
        of.or(
          clients.map(({ extCID, operator }) =>
            of.and([of('load.ext_cid', '=', extCID), of('load.operator', '=', operator)]),
          ),
        ),
      )
      .where((of) =>
        wanted === 'waiting'
          ? of.and([
              of('load_part.state', '=', 'waiting'),
              of('load.alive_until', '>', now),
              of('load.stopped', '=', 0),
            ])
          : of.or([
              of('load_part.state', 'in', ['lost', 'unsettled']),
              of.and([of('load_part.state', 'in', ['playing', 'settling']), of('load_part.lease_until', '<', now)]),
            ]),
      )
      // A part whose settlement failed is tried again only by a later command.
      .where((of) => of.or([of('load_part.state', '<>', 'unsettled'), of('load.alive_until', '<', now)]))
      .$if(only !== undefined, (query) => query.where('load_part.load', '=', only ?? 0))
      .orderBy('load_part.id')
      .limit(1)
      .executeTakeFirst();
    if (!found) return undefined;
    const { id, load, token, number, ext_cid: extCID, started, content } = found;
    // If another worker has taken the part since it was read, the token of the part has changed. Then the next part is tried.
    const taken = await history
      .updateTable('load_part')
      .set((of) => ({
        state: wanted === 'waiting' ? 'playing' : 'settling',
        phase: 'taken',
        token: of('token', '+', 1),
        worker,
        lease_until: of(now, '+', leaseMs),
      }))
      .where('id', '=', id)
      .where('token', '=', token)
      .returning('token')
      .executeTakeFirst();
    if (taken) return { id, load, token: taken.token, number, extCID, started, content: decompressedText(content) };
  }
}

/** A message of a worker about its part. */
export interface Beat {
  /** The work since the message before, numbered from 0; undefined if there is none. */
  readonly second: { readonly number: number; readonly content: Uint8Array } | undefined;
  readonly phase: PartState['phase'];
  /** The result, as JSON; undefined before the end. */
  readonly result?: string | undefined;
}

/**
 * Renews the lease of a part, and stores what the worker has done. May be called again with the same work, because an earlier
 * attempt may have failed after its commit.
 *
 * @throws LeaseLost if the part is not this worker's any more
 */
export async function beat(
  history: History,
  { id, load, token }: HeldPart,
  { second, phase, result }: Beat,
  leaseMs: number,
): Promise<LoadState> {
  const now = databaseTime(history);
  return history.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('load_part')
      .set((of) => ({
        lease_until: of(now, '+', leaseMs),
        phase,
        ...(result !== undefined && { state: 'done', result: compressedText(result) }),
      }))
      .where('id', '=', id)
      .where('token', '=', token)
      .where('state', 'in', ['playing', 'done', 'settling'])
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new LeaseLost('this part of the load was given to another worker');
    if (second)
      await transaction
        .insertInto('load_second')
        .values({ part: id, ...second })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    return loadState(transaction, load);
  });
}

/** Returns the state of a load. A load that was removed has ended. */
export async function loadState(history: History, load: number): Promise<LoadState> {
  const row = await history
    .selectFrom('load')
    .select(['step', 'begin_at', 'stopped', 'closed', 'ended', 'alive_until'])
    .select(databaseTime(history).as('now'))
    .where('id', '=', load)
    .executeTakeFirst();
  if (!row) return { now: 0, step: 0, beginAt: null, isStopped: true, isClosed: true, hasEnded: true, isAlive: false };
  return {
    now: row.now,
    step: row.step,
    beginAt: row.begin_at,
    isStopped: row.stopped === 1,
    isClosed: row.closed === 1,
    hasEnded: row.ended === 1,
    isAlive: row.alive_until > row.now,
  };
}

/** Returns the time of the database, in ms since 1970. */
export async function timeOf(history: History): Promise<number> {
  const { now } = await history.selectNoFrom(databaseTime(history).as('now')).executeTakeFirstOrThrow();
  return now;
}

/** Ends the settlement of a part. @throws LeaseLost if the part is not this worker's any more */
export async function endSettlement(
  history: History,
  { id, load, token }: HeldPart,
  isSettled: boolean,
): Promise<void> {
  await history.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('load_part')
      .set({ state: isSettled ? 'settled' : 'unsettled', lease_until: null })
      .where('id', '=', id)
      .where('token', '=', token)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new LeaseLost('the settlement of these players was given to another worker');
    // The command that started the load removes it. If this command no longer runs, the worker removes the load.
    const { isAlive } = await loadState(transaction, load);
    if (isAlive || !isSettled) return;
    await transaction.deleteFrom('load_part').where('id', '=', id).execute();
    await removeIfEmpty(transaction, load);
  });
}
