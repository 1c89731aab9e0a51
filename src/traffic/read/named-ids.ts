import type { KnownSession } from '../call-selection.ts';
import { type CallPaths, recordedCall } from '../recorded-call.ts';
import type { ReopenableSource } from './gather.ts';
import { readEntries } from './read-entries.ts';

/** The ids in logs. They help a user whose selection matches no call. */
export interface NamedIDs {
  /** The player of each session; null if no log names the player. */
  readonly sessions: ReadonlyMap<string, string | null>;
  readonly players: ReadonlySet<string>;
  readonly rounds: ReadonlySet<string>;
  readonly transactions: ReadonlySet<string>;
  /** The times of the first and the last call in ms since 1970; null if no call has a time. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Maximum number of ids of one kind that are kept. */
const MAX_IDS = 100_000;

/** Reads all sources and collects the ids in their calls. */
export async function namedIDs(
  sources: readonly ReopenableSource[],
  known: ReadonlyMap<string, KnownSession>,
  paths: CallPaths,
): Promise<NamedIDs> {
  const sessions = new Map<string, string | null>();
  const [players, rounds, transactions] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let [firstMs, lastMs]: [number | null, number | null] = [null, null];
  const add = (ids: Set<string>, id: string | null): void => {
    if (id !== null && ids.size < MAX_IDS) ids.add(id);
  };
  for (const source of sources) {
    for await (const entry of readEntries(source.open(), source)) {
      const call = entry.kind === 'exchange' ? recordedCall(entry.exchange, paths) : null;
      if (!call) continue;
      const { sessionID, exchange } = call;
      const player = call.player ?? (sessionID === null ? null : (known.get(sessionID)?.player ?? null));
      add(players, player);
      add(rounds, call.roundID);
      add(transactions, call.txID);
      if (sessionID !== null && (sessions.size < MAX_IDS || sessions.has(sessionID)))
        sessions.set(sessionID, player ?? sessions.get(sessionID) ?? null);
      const at = exchange.time?.ms;
      if (at === undefined) continue;
      firstMs = firstMs === null ? at : Math.min(firstMs, at);
      lastMs = lastMs === null ? at : Math.max(lastMs, at);
    }
  }
  return { sessions, players, rounds, transactions, firstMs, lastMs };
}
