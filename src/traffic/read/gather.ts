import type { Body } from '../../journal/exchange.ts';
import { isClientError } from '../../reply/status.ts';
import type { CallSelection, KnownSession } from '../call-selection.ts';
import type { Judgement, LogEntry, LoggedExchange, LogPlace, LogTime, SentIDs } from '../logged-exchange.ts';
import { isMasked } from '../masked.ts';
import { type CallPaths, type OtherCall, otherCall, type RecordedCall, recordedCall } from '../recorded-call.ts';
import type { Line } from './file-bytes.ts';
import { LineSearch, SessionSearch } from './line-search.ts';
import { mayBeCall } from './may-be-call.ts';
import { type LineOwner, readEntries, type Source } from './read-entries.ts';
import { SentBodies } from './sent-bodies.ts';
import type { AlikeCall } from './templates/line-template.ts';

/** Maximum number of calls that are kept in memory. */
export const MAX_CALLS = 50_000;
/** Maximum number of calls of other providers that are kept. */
export const MAX_OTHER_CALLS = 50_000;
const UNSHOWN = 'it has the body of a call, but croupier does not know its other fields';
/** Maximum number of unreadable entries that are listed one by one. All unreadable entries are counted. */
const MAX_NAMED = 50;
/** Maximum number of characters of a body that are kept. The bodies of the contract are shorter, so none of them is cut. */
const MAX_BODY = 64 * 1024;
/**
 * The time in ms by which the first pass widens the selected time window, because the clocks of the two sides may
 * differ.
 */
const CLOCKS_MAY_DIFFER_MS = 15 * 60_000;

/** A source that can be opened more than once. */
export interface ReopenableSource extends Source {
  readonly open: () => AsyncIterable<Uint8Array>;
  /** The size of the file in bytes. Left out if it is not known. */
  readonly bytes?: number;
}

/** True if the sources probably have more calls than fit in memory. */
export function isLarge(sources: readonly ReopenableSource[]): boolean {
  return sources.reduce((sum, { bytes = 0 }) => sum + bytes, 0) > MAX_CALLS * USUAL_BYTES;
}

/** The usual size of a logged call in bytes. */
const USUAL_BYTES = 300;

/** A judgement with the place of its call. */
export interface JudgedCall extends Judgement {
  readonly place: LogPlace;
}

/** An entry that can't be read. */
interface UnreadEntry {
  readonly place: LogPlace;
  readonly why: string;
  /** The beginning of the line of the entry; null if the entry is not one line. */
  readonly text: string | null;
  /** True if the end of the line is missing, and the rest is like the beginning of lines with calls. */
  readonly isCutCall?: true;
}

/** The calls of other providers in one file that were left out. */
export interface LostOtherCalls {
  /** The place of the first of these calls. The others come after it in the same file. */
  readonly first: LogPlace;
  readonly count: number;
}

/** The calls in all sources, with counts of the entries that were not used. */
export interface GatheredCalls {
  /** All calls of the selected players, and calls that name no player but may belong to one of them. */
  readonly calls: readonly RecordedCall[];
  /** The number of calls in all sources. */
  readonly total: number;
  /** The number of entries that are readable but are not a call of the wallet API. */
  readonly others: number;
  /** The calls of other providers that may have moved money, in the order of the files. At most {@link MAX_OTHER_CALLS}. */
  readonly otherCalls: readonly OtherCall[];
  /** The calls of other providers that were left out, because there were too many: for each file, the first one and their number. */
  readonly lostOtherCalls: readonly LostOtherCalls[];
  readonly unreadable: readonly UnreadEntry[];
  /** The unreadable entries that may be calls of the selected players: the first ones, and the number of all of them. */
  readonly unreadCalls: { readonly first: readonly UnreadEntry[]; readonly count: number };
  readonly unreadableCount: number;
  /** The number of calls without session, player and transaction. They cannot be assigned to a wallet. */
  readonly nameless: number;
  /** The number of calls about money without session and player that were left out, because there were too many. */
  readonly lostOwnerless: number;
  /** The number of entries with the body of a call that were left out, because there were too many. */
  readonly lostSent: number;
  /** True if there were too many calls, and the last ones were left out. */
  readonly isCut: boolean;
  /** The rules that croupier found broken, from its journals. */
  readonly judgements: readonly JudgedCall[];
  /** The number of calls whose time was logged without a time zone. */
  readonly zoneless: number;
  /** The number of calls of which only the time of day was logged. */
  readonly dateless: number;
  /** The `txID`s and `origTxID`s of declined calls that are also the `txID` of a call of another session. */
  readonly usedElsewhere: ReadonlySet<string>;
}

/** The sessions and players to which the selected calls belong. */
interface Owners {
  readonly sessions: Set<string>;
  readonly players: Set<string>;
}

/**
 * Reads all sources as streams and keeps the calls of the selected players. A first pass finds the players and sessions
 * of the selected calls. A second pass keeps all calls of these players, because each balance depends on all of them.
 */
export async function gatherCalls(
  sources: readonly ReopenableSource[],
  selection: CallSelection,
  known: ReadonlyMap<string, KnownSession>,
  paths: CallPaths,
): Promise<GatheredCalls> {
  const isAll = Object.values(selection).every((value) => value === undefined);
  const owners = isAll ? null : await findOwners(sources, selection, known, paths);
  const keeper = new CallCollector(owners);
  const ownerOf = owners === null ? undefined : ownerFilter(owners);
  for (const source of sources) {
    for await (const entry of readEntries(source.open(), { ...source, ownerOf })) keeper.add(entry, source.file, paths);
    // If there are more calls than fit in memory, the caller reads them in another way, wallet by wallet.
    if (isAll && keeper.isCut) break;
  }
  const gathered = keeper.result();
  const declined = owners === null ? [] : declinedIDs(gathered.calls);
  return declined.length === 0
    ? gathered
    : { ...gathered, usedElsewhere: await elsewhere(declined, gathered, sources, paths) };
}

/** Returns the ids of the transactions that were answered with an error, and of the bets that such a refund names. */
function declinedIDs(calls: readonly RecordedCall[]): readonly string[] {
  return calls.flatMap(({ txID, origTxID, exchange: { answer } }) =>
    answer.kind === 'reply' && isClientError(answer.status) ? [txID, origTxID].filter((id) => id !== null) : [],
  );
}

/**
 * Finds the `txID`s that a call of another session has too. The lines of other sessions are not read before, but an operator may
 * decline a call whose `txID` was used in another session.
 */
async function elsewhere(
  ids: readonly string[],
  { calls }: GatheredCalls,
  sources: readonly ReopenableSource[],
  paths: CallPaths,
): Promise<ReadonlySet<string>> {
  const wanted = new Set(ids);
  const sessions = new Set(calls.map(({ sessionID }) => sessionID));
  const used = new Set<string>();
  const mayMatter = someOf(ids);
  for (const source of sources) {
    for await (const sighting of readEntries(source.open(), { ...source, mayMatter })) {
      const call = sighting.kind === 'exchange' ? recordedCall(sighting.exchange, paths) : null;
      if (call?.txID != null && wanted.has(call.txID) && !sessions.has(call.sessionID)) used.add(call.txID);
    }
  }
  return used;
}

/**
 * Finds the first logged time. Its date is used for a selection that gives only a time of day. Returns null if no entry
 * has a time.
 */
export async function firstTime(sources: readonly ReopenableSource[]): Promise<LogTime | null> {
  for (const source of sources) {
    for await (const sighting of readEntries(source.open(), source)) {
      if (sighting.kind === 'exchange' && sighting.exchange.time) return sighting.exchange.time;
    }
  }
  return null;
}

async function findOwners(
  sources: readonly ReopenableSource[],
  selection: CallSelection,
  known: ReadonlyMap<string, KnownSession>,
  paths: CallPaths,
): Promise<Owners> {
  const players = new Map<string, string>();
  for (const [session, { player }] of known) if (player !== null) players.set(session, player);
  const owners: Owners = { sessions: new Set(), players: new Set() };
  const mayMatter = isSelectable(selection, known);
  for (const source of sources) {
    for await (const sighting of readEntries(source.open(), { ...source, mayMatter })) {
      const call = sighting.kind === 'exchange' ? recordedCall(sighting.exchange, paths) : null;
      if (!call) continue;
      const { sessionID } = call;
      if (sessionID !== null && call.player !== null) players.set(sessionID, call.player);
      const player = call.player ?? (sessionID === null ? null : (players.get(sessionID) ?? null));
      if (!mayBeSelected(call, player, selection)) continue;
      if (sessionID !== null) owners.sessions.add(sessionID);
      if (player !== null) owners.players.add(player);
    }
  }
  // A later entry may name the player of a session. A player has one wallet for all sessions. So all sessions of a selected player
  // are selected too.
  for (const session of owners.sessions) {
    const player = players.get(session);
    if (player !== undefined) owners.players.add(player);
  }
  for (const [session, player] of players) if (owners.players.has(player)) owners.sessions.add(session);
  if (selection.player !== undefined) owners.players.add(selection.player);
  // The user selected no player, so only lines that may belong to the selected sessions were read. The player of a selected call
  // may have other sessions, on other lines. So the logs are read again to find these sessions.
  else if (mayMatter && owners.players.size > 0) await addSessions(owners, sources, paths);
  return owners;
}

/** Adds all sessions of the players. */
async function addSessions(owners: Owners, sources: readonly ReopenableSource[], paths: CallPaths): Promise<void> {
  const mayMatter = someOf([...owners.players]);
  for (const source of sources) {
    for await (const sighting of readEntries(source.open(), { ...source, mayMatter })) {
      const call = sighting.kind === 'exchange' ? recordedCall(sighting.exchange, paths) : null;
      if (call?.sessionID != null && call.player !== null && owners.players.has(call.player))
        owners.sessions.add(call.sessionID);
    }
  }
}

/** Matches ids that stand in JSON as they are, without escapes. */
const PLAIN_ID = /^[\w.:-]+$/;

/**
 * Returns a function that says for a line whether the line can contain a selected call. Returns undefined if lines do not show
 * this.
 */
function isSelectable(
  { player, session, round, tx }: CallSelection,
  known: ReadonlyMap<string, KnownSession>,
): Source['mayMatter'] {
  // A line must contain each id that the user gave. It need not contain the player, who may be known only by the session.
  const ids = [session, round, tx].filter((id) => id !== undefined);
  const sessions = [...known].flatMap(([id, owner]) => (owner.player === player ? [id] : []));
  if (player !== undefined && ids.length === 0) return someOf([player, ...sessions]);
  return ids.length === 0 ? undefined : someOf(ids);
}

function someOf(ids: readonly string[]): Source['mayMatter'] {
  if (!ids.every((id) => PLAIN_ID.test(id))) return undefined;
  const search = new LineSearch(ids);
  return (line) => search.isIn(line);
}

/**
 * Matches the session of a call in JSON, together with the quotation marks around it. Also matches it in a body that was logged as
 * a string.
 */
const SESSION = /sessionID[\\"']{0,6}\s{0,2}[:=]\s{0,2}([\\"']{0,6})([\w.:-]+)(…|[\\"']{0,6})/;

/** Returns a function that says whether a line belongs to one of the owners. */
function ownerFilter({ sessions, players }: Owners): Source['ownerOf'] {
  const ids = [...sessions, ...players];
  if (!ids.every((id) => PLAIN_ID.test(id))) return undefined;
  const search = ids.length <= MAX_SEARCHED ? new LineSearch(ids) : undefined;
  const shown = new SessionSearch();
  const ofSession = sessionFilter((session) => sessions.has(session));
  return (line) => {
    // Most lines have none of the ids. Then their text is needed only if their session is masked or cut.
    const found = search?.isIn(line) === false ? shown.in(line) : 'unsure';
    if (found !== 'unsure') return found === 'none' ? 'unknown' : 'other';
    const owner = ofSession(line);
    const text = line.text ?? '';
    if (owner !== 'wanted') for (const player of players) if (text.includes(player)) return 'wanted';
    return owner;
  };
}

/** Maximum number of ids that are searched for one after another. */
const MAX_SEARCHED = 20;

/** Returns a function that says whether the session on a line is wanted. */
export function sessionFilter(isWanted: (session: string) => boolean): (line: Line) => LineOwner {
  return ({ text }) => {
    const [, mark = '', session, end = ''] = SESSION.exec(text ?? '') ?? [];
    if (session === undefined) return 'unknown';
    // The logger may have cut the text within the id.
    const isCut = end === '…' || !end.startsWith(mark);
    return isCut || isMasked(session) || isWanted(session) ? 'wanted' : 'other';
  };
}

function mayBeSelected(call: RecordedCall, player: string | null, selection: CallSelection): boolean {
  const { session, round, tx, fromMs, toMs } = selection;
  if (selection.player !== undefined && player !== selection.player) return false;
  if (session !== undefined && call.sessionID !== session) return false;
  if (round !== undefined && call.roundID !== round) return false;
  if (tx !== undefined && call.txID !== tx && call.origTxID !== tx) return false;
  const at = call.exchange.time?.ms;
  const latest = call.exchange.time?.laterMs ?? at;
  if (fromMs !== undefined && (latest === undefined || latest < fromMs - CLOCKS_MAY_DIFFER_MS)) return false;
  return toMs === undefined || (at !== undefined && at <= toMs + CLOCKS_MAY_DIFFER_MS);
}

/** Returns the exchange with shorter bodies: cuts each body after the maximum size that a call can need. */
export function withShortBodies(exchange: LoggedExchange): LoggedExchange {
  const { request, answer } = exchange;
  if (isShort(request.body) && (answer.kind !== 'reply' || isShort(answer.body))) return exchange;
  const cut = (body: Body): Body =>
    body.data.length <= MAX_BODY ? body : { ...body, data: body.data.slice(0, MAX_BODY), truncated: true };
  const sent = request.body === null || request.body === 'unknown' ? request.body : cut(request.body);
  const isReply = answer.kind === 'reply' && answer.body !== null;
  return {
    ...exchange,
    request: { ...request, body: sent },
    answer: isReply && answer.body ? { ...answer, body: cut(answer.body) } : answer,
  };
}

function isShort(body: Body | null | 'unknown'): boolean {
  return body === null || body === 'unknown' || body.data.length <= MAX_BODY;
}

function hasOwner({ sessionID, player }: RecordedCall): boolean {
  return sessionID !== null || player !== null;
}

/** Collects the calls of some owners, and counts all entries. */
export class CallCollector {
  readonly #owners: Owners | null;
  /** The calls in the order of the files. The times can't give this order, because they may have only whole seconds. */
  readonly #calls: RecordedCall[] = [];
  #withOwner = 0;
  /**
   * The number of kept calls that name no session and no player. Their transaction or time may show to which wallet
   * they belong.
   */
  #withoutOwner = 0;
  #lostOwnerless = 0;
  readonly #otherCalls: OtherCall[] = [];
  readonly #lostOtherCalls = new Map<string, LostOtherCalls>();
  readonly #sent = new SentBodies();
  readonly #unreadable: UnreadEntry[] = [];
  #unreadableCount = 0;
  readonly #unreadCalls: UnreadEntry[] = [];
  #unreadCallCount = 0;
  #total = 0;
  #nameless = 0;
  #zoneless = 0;
  #dateless = 0;
  #isCut = false;
  others = 0;
  skipped = 0;
  readonly judgements: JudgedCall[] = [];

  readonly #onlyCounts: boolean;

  /** @param owners the owners whose calls are kept. null: all. `nobody`: no call is kept, and the entries of all are counted */
  constructor(owners: Owners | 'nobody' | null) {
    this.#onlyCounts = owners === 'nobody';
    this.#owners = owners === 'nobody' ? { sessions: new Set(), players: new Set() } : owners;
  }

  /** The number of calls so far. */
  get total(): number {
    return this.#total + this.skipped;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Adds an entry of a file. Returns its call, or null if it is no call. */
  add(entry: LogEntry, file: string, paths: CallPaths): RecordedCall | null {
    switch (entry.kind) {
      case 'exchange': {
        const exchange = withShortBodies(entry.exchange);
        const call = recordedCall(exchange, paths);
        if (call) this.take(call);
        else this.#takeOther(exchange, paths);
        return call;
      }
      case 'other':
        this.others += 1;
        if (entry.sent) this.#noteSent(entry.sent, { file, line: entry.line });
        return null;
      case 'skipped':
        this.skipped += entry.count;
        return null;
      case 'judged':
        this.judgements.push({ place: { file, line: entry.line }, ...entry.judgement });
        return null;
      case 'unreadable':
        this.unreadable({
          place: { file, line: entry.line },
          why: entry.why,
          text: entry.text ?? null,
          ...(entry.isCutCall && { isCutCall: entry.isCutCall }),
        });
        return null;
    }
  }

  /** Counts a call that is like an earlier one. */
  countAlike({ time, txID }: AlikeCall): void {
    this.#total += 1;
    if (time.zoneless) this.#zoneless += 1;
    if (txID !== null && this.#sent.hasAny) this.#sent.markShown(txID.toString());
  }

  take(call: RecordedCall): void {
    this.#total += 1;
    if (this.#onlyCounts) this.markShown(call);
    if (call.exchange.time?.zoneless) this.#zoneless += 1;
    if (call.exchange.time === null && call.exchange.isDateless) this.#dateless += 1;
    if (!hasOwner(call)) {
      if (call.txID === null) this.#nameless += 1;
      if (this.#withoutOwner >= MAX_CALLS) {
        if (call.call !== 'balance') this.#lostOwnerless += 1;
        return;
      }
      this.#withoutOwner += 1;
      this.#calls.push(call);
      this.markShown(call);
      return;
    }
    if (!this.#isOfOwners(call)) return;
    this.#isCut ||= this.#withOwner >= MAX_CALLS;
    if (this.#isCut) return;
    this.#withOwner += 1;
    this.#calls.push(call);
    this.markShown(call);
  }

  #takeOther(exchange: LoggedExchange, paths: CallPaths): void {
    this.others += 1;
    const other = otherCall(exchange, paths);
    if (other === null) return;
    if (this.#otherCalls.length < MAX_OTHER_CALLS) {
      this.#otherCalls.push(other);
      return;
    }
    const { first, count } = this.#lostOtherCalls.get(other.place.file) ?? { first: other.place, count: 0 };
    this.#lostOtherCalls.set(other.place.file, { first, count: count + 1 });
  }

  unreadable(entry: UnreadEntry): void {
    this.#unreadableCount += 1;
    if (this.#unreadable.length < MAX_NAMED) this.#unreadable.push(entry);
    if (entry.isCutCall !== true && !mayBeCall(entry.text)) return;
    this.#unreadCallCount += 1;
    if (this.#unreadCalls.length < MAX_NAMED) this.#unreadCalls.push(entry);
  }

  /** Keeps the body in an entry that is no call, because the entry may be about a call that the logs show nowhere else. */
  #noteSent({ sessionID, txID }: SentIDs, place: LogPlace): void {
    if (!this.#onlyCounts && this.#owners !== null && !this.#owners.sessions.has(sessionID)) return;
    this.#sent.note(txID, place);
  }

  /** True if some entries that are no calls have the body of a call. */
  get hasSent(): boolean {
    return !this.#sent.isEmpty;
  }

  /** Says that a call was read, so an entry with its body needs no mention. */
  markShown({ txID }: Pick<RecordedCall, 'txID'>): void {
    if (txID !== null) this.#sent.markShown(txID);
  }

  /** Returns the entries with the body of a call that no other entry shows. */
  #unshown(): readonly UnreadEntry[] {
    if (this.#sent.isEmpty) return [];
    const shown = new Set(this.#calls.map(({ txID }) => txID));
    return [...this.#sent].flatMap(([txID, place]) => (shown.has(txID) ? [] : [{ place, why: UNSHOWN, text: null }]));
  }

  result(): GatheredCalls {
    const transactions = new Set(this.#calls.filter(hasOwner).map(({ txID }) => txID));
    const unshown = this.#unshown();
    return {
      calls: this.#calls.filter(
        (call) => this.#owners === null || hasOwner(call) || call.txID === null || transactions.has(call.txID),
      ),
      total: this.total,
      others: this.others,
      otherCalls: this.#otherCalls,
      lostOtherCalls: [...this.#lostOtherCalls.values()],
      unreadable: [...this.#unreadable, ...unshown].slice(0, MAX_NAMED),
      unreadableCount: this.#unreadableCount + unshown.length,
      unreadCalls: {
        first: [...this.#unreadCalls, ...unshown].slice(0, MAX_NAMED),
        count: this.#unreadCallCount + unshown.length,
      },
      nameless: this.#nameless,
      lostOwnerless: this.#lostOwnerless,
      lostSent: this.#sent.lost,
      isCut: this.#isCut,
      zoneless: this.#zoneless,
      dateless: this.#dateless,
      judgements: this.judgements,
      usedElsewhere: new Set(),
    };
  }

  #isOfOwners({ sessionID, player }: RecordedCall): boolean {
    if (this.#owners === null) return true;
    return (
      (sessionID !== null && this.#owners.sessions.has(sessionID)) ||
      (player !== null && this.#owners.players.has(player))
    );
  }
}
