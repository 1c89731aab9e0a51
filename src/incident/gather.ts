import type { Body } from '../journal/exchange.ts';
import { readSightings, type Source } from './read/read.ts';
import type { SeenExchange, SeenPlace, SeenTime } from './seen.ts';
import { type CallPaths, type SeenCall, seenCall } from './seen-call.ts';
import type { KnownSession, Selection } from './story/story.ts';

/** More calls of the players that are asked for are not kept. */
const MOST_CALLS = 50_000;
/** So many of what could not be read are named; all are counted. */
const MOST_NAMED = 50;
/** No call and no reply of the contract is longer. */
const LONGEST_BODY = 64 * 1024;
/** The clocks of two sides may differ: a window is that much wider while it is only looked for whom it is about. */
const CLOCKS_MAY_DIFFER_MS = 15 * 60_000;

/** Something to read, as often as needed. */
export interface Readable extends Source {
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** What was read, and what was not. */
export interface Gathering {
  /** All calls of the players that are asked for. */
  readonly calls: readonly SeenCall[];
  /** How many calls there were in all. */
  readonly seen: number;
  /** Requests and entries that are no call of the service. */
  readonly others: number;
  readonly unreadable: readonly { readonly place: SeenPlace; readonly why: string }[];
  readonly unreadableCount: number;
  /** How many calls say neither whose they are nor which transaction, so that they belong to no story. */
  readonly nameless: number;
  /** True: there were more than can be kept, and the last of them were left out. */
  readonly isCut: boolean;
  /** How many times were written without a zone. */
  readonly zoneless: number;
  /** Players are named in what was read. */
  readonly namesPlayers: boolean;
}

/** What a selection may be about, before the story is told: sessions and players. */
interface Whom {
  readonly sessions: Set<string>;
  readonly players: Set<string>;
}

/**
 * Reads everything as a stream and keeps the calls of the players that a selection is about. A selection is looked up in a first
 * pass, so that all calls of its players are known in the second.
 */
export async function gather(
  sources: readonly Readable[],
  selection: Selection,
  known: ReadonlyMap<string, KnownSession>,
  paths: CallPaths,
): Promise<Gathering> {
  const isAll = Object.values(selection).every((value) => value === undefined);
  const whom = isAll ? null : await lookUp(sources, selection, known, paths);
  const keeper = new Keeper(whom);
  for (const source of sources) {
    for await (const sighting of readSightings(source.open(), source)) {
      if (sighting.kind === 'exchange') {
        const call = seenCall(slim(sighting.exchange), paths);
        if (call) keeper.take(call);
        else keeper.others += 1;
      } else if (sighting.kind === 'other') keeper.others += 1;
      else keeper.miss({ file: source.file, line: sighting.line }, sighting.why);
    }
  }
  return keeper.result();
}

/** The first time that is written down, for times of day that are asked for. */
export async function firstTime(sources: readonly Readable[]): Promise<SeenTime | null> {
  for (const source of sources) {
    for await (const sighting of readSightings(source.open(), source)) {
      if (sighting.kind === 'exchange' && sighting.exchange.time) return sighting.exchange.time;
    }
  }
  return null;
}

async function lookUp(
  sources: readonly Readable[],
  selection: Selection,
  known: ReadonlyMap<string, KnownSession>,
  paths: CallPaths,
): Promise<Whom> {
  const players = new Map<string, string>();
  for (const [session, { player }] of known) if (player !== null) players.set(session, player);
  const whom: Whom = { sessions: new Set(), players: new Set() };
  for (const source of sources) {
    for await (const sighting of readSightings(source.open(), source)) {
      const call = sighting.kind === 'exchange' ? seenCall(sighting.exchange, paths) : null;
      if (!call) continue;
      const { sessionID } = call;
      if (sessionID !== null && call.player !== null) players.set(sessionID, call.player);
      const player = call.player ?? (sessionID === null ? null : (players.get(sessionID) ?? null));
      if (!mayBeMeant(call, player, selection)) continue;
      if (sessionID !== null) whom.sessions.add(sessionID);
      if (player !== null) whom.players.add(player);
    }
  }
  // Whose session it is may be said after the call that is asked for, and a player's wallet is that of all their sessions.
  for (const session of whom.sessions) {
    const player = players.get(session);
    if (player !== undefined) whom.players.add(player);
  }
  for (const [session, player] of players) if (whom.players.has(player)) whom.sessions.add(session);
  if (selection.player !== undefined) whom.players.add(selection.player);
  return whom;
}

function mayBeMeant(call: SeenCall, player: string | null, selection: Selection): boolean {
  const { session, round, tx, fromMs, toMs } = selection;
  if (selection.player !== undefined && player !== selection.player) return false;
  if (session !== undefined && call.sessionID !== session) return false;
  if (round !== undefined && call.roundID !== round) return false;
  if (tx !== undefined && call.txID !== tx && call.origTxID !== tx) return false;
  const at = call.exchange.time?.ms;
  if (fromMs !== undefined && (at === undefined || at < fromMs - CLOCKS_MAY_DIFFER_MS)) return false;
  return toMs === undefined || (at !== undefined && at <= toMs + CLOCKS_MAY_DIFFER_MS);
}

/** Bodies that are too long for a call are not kept whole. */
function slim(exchange: SeenExchange): SeenExchange {
  const { request, answer } = exchange;
  const cut = (body: Body): Body =>
    body.data.length <= LONGEST_BODY ? body : { ...body, data: body.data.slice(0, LONGEST_BODY), truncated: true };
  const sent = request.body === null || request.body === 'untold' ? request.body : cut(request.body);
  const isReply = answer.kind === 'reply' && answer.body !== null;
  return {
    ...exchange,
    request: { ...request, body: sent },
    answer: isReply && answer.body ? { ...answer, body: cut(answer.body) } : answer,
  };
}

function isOwned({ sessionID, player }: SeenCall): boolean {
  return sessionID !== null || player !== null;
}

class Keeper {
  readonly #whom: Whom | null;
  /** As they came: what was written to the second only stays in the order of its file. */
  readonly #calls: SeenCall[] = [];
  #owned = 0;
  /** Calls that name nobody: those of a transaction are its player's, and of others the time may tell which they are. */
  #unowned = 0;
  readonly #missed: { place: SeenPlace; why: string }[] = [];
  #missedCount = 0;
  #seen = 0;
  #nameless = 0;
  #zoneless = 0;
  #isCut = false;
  #namesPlayers = false;
  others = 0;

  constructor(whom: Whom | null) {
    this.#whom = whom;
  }

  take(call: SeenCall): void {
    this.#seen += 1;
    if (call.exchange.time?.zoneless) this.#zoneless += 1;
    if (call.player !== null) this.#namesPlayers = true;
    if (!isOwned(call)) {
      if (call.txID === null) this.#nameless += 1;
      if (this.#unowned >= MOST_CALLS) return;
      this.#unowned += 1;
      this.#calls.push(call);
      return;
    }
    if (!this.#isWanted(call)) return;
    this.#isCut ||= this.#owned >= MOST_CALLS;
    if (this.#isCut) return;
    this.#owned += 1;
    this.#calls.push(call);
  }

  miss(place: SeenPlace, why: string): void {
    this.#missedCount += 1;
    if (this.#missed.length < MOST_NAMED) this.#missed.push({ place, why });
  }

  result(): Gathering {
    const transactions = new Set(this.#calls.filter(isOwned).map(({ txID }) => txID));
    return {
      calls: this.#calls.filter(
        (call) => this.#whom === null || isOwned(call) || call.txID === null || transactions.has(call.txID),
      ),
      seen: this.#seen,
      others: this.others,
      unreadable: this.#missed,
      unreadableCount: this.#missedCount,
      nameless: this.#nameless,
      isCut: this.#isCut,
      zoneless: this.#zoneless,
      namesPlayers: this.#namesPlayers,
    };
  }

  #isWanted({ sessionID, player }: SeenCall): boolean {
    if (this.#whom === null) return true;
    return (
      (sessionID !== null && this.#whom.sessions.has(sessionID)) || (player !== null && this.#whom.players.has(player))
    );
  }
}
