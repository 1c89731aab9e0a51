import { appendFileSync, createReadStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { KnownSession } from '../call-selection.ts';
import type { LoggedExchange } from '../logged-exchange.ts';
import { type CallPaths, type RecordedCall, recordedCall } from '../recorded-call.ts';
import { AlikeCallLines } from './alike-lines.ts';
import {
  CallCollector,
  type GatheredCalls,
  MAX_CALLS,
  type ReopenableSource,
  sessionFilter,
  withShortBodies,
} from './gather.ts';
import { readBatches, type Source } from './read-entries.ts';
import type { AlikeCall } from './templates/line-template.ts';

/**
 * A group of wallets that are judged together, with all their calls. `nobody`: the calls that belong to no wallet. `large`: the
 * calls of one wallet that has more calls than fit in memory, in the order of the files.
 */
export type WalletGroup =
  | { readonly kind: 'wallets' | 'nobody'; readonly calls: readonly RecordedCall[] }
  | { readonly kind: 'large'; readonly calls: AsyncIterable<RecordedCall> };

/** Counts about all sources, without the calls. */
export type GatheredCounts = Omit<GatheredCalls, 'calls'>;

/** Receives each call while the logs are read for the first time. Finds the wallets whose calls need not be read a second time. */
export interface Survey<W extends SurveyedWallet> {
  /** Adds a wallet. */
  add(): W;
  /** True if {@link takeAlike} can take the calls on lines that are like the line of this call. */
  isExample(exchange: LoggedExchange): boolean;
  takeAlike(wallet: W, call: AlikeCall, file: string, line: number): void;
  takeWhole(wallet: W, call: RecordedCall): void;
  /** Ends the survey. `sessionsOf` returns the sessions of a wallet. */
  finish(sessionsOf: (wallet: W) => readonly string[]): void;
}

/** The part of a survey that is about one wallet. */
export interface SurveyedWallet {
  /** False if the calls of the wallet must be read again. */
  readonly isOrdinary: boolean;
  /** Says that the calls of the wallet must be read again. */
  spoil(): void;
}

/** The owner of a wallet, as far as the log shows. */
export interface WalletOwner<W> {
  /** The name of the wallet: the player, or the session if the player is not known. */
  readonly name: string;
  readonly player: string | null;
  readonly sessions: readonly string[];
  readonly calls: number;
  readonly surveyed: W;
}

interface OpenOwner<W> extends WalletOwner<W> {
  readonly number: number;
  readonly sessions: string[];
  calls: number;
}

/**
 * Reads logs that have more calls than fit in memory. The first pass makes the survey and counts the calls of each wallet. The
 * second pass writes the calls of all wallets that are not ordinary into files. There is one file for each group of wallets, so
 * only the calls of one group must be in memory at a time.
 */
export class WalletGroups<W extends SurveyedWallet> {
  readonly #sources: readonly ReopenableSource[];
  readonly #paths: CallPaths;
  readonly #folder: string;
  readonly #maxCalls: number;
  readonly #largest: number;
  readonly #survey: Survey<W>;
  /** The player of each session. */
  readonly #players = new Map<string, string>();
  readonly #owners = new Map<string, OpenOwner<W>>();
  readonly #ofSession = new Map<string, OpenOwner<W>>();
  /** Sessions that were looked up, each at the place that its hash gives. A later session replaces an earlier one. */
  readonly #lookedUp: ({ readonly session: Uint8Array; readonly owner: OpenOwner<W> } | null)[] = Array.from(
    { length: LOOKED_UP },
    () => null,
  );
  /** The owners of the lines of each source, as far as these lines are alike. */
  readonly #ownersOfLines: OwnersOfLines[] = [];
  /** The number of the group of each wallet that is not ordinary. */
  readonly #groups = new Map<string, number>();
  /** The calls that name no session and no player. Their other ids may show to which wallet they belong. */
  readonly #ownerless: RecordedCall[] = [];
  readonly #groupOfID = new Map<string, number | null>();
  #groupCount = 0;
  /** The calls of each group, if the calls of all groups fit in memory. Otherwise they are in files. */
  #inMemory: RecordedCall[][] | null = null;
  /** The number of calls of all groups. */
  #inGroups = 0;
  /** The number of bytes of the files that the first pass has read. */
  #bytesRead = 0;
  /**
   * The numbers of the groups with a single wallet. Such a wallet has a group of its own, because it has more than `largest` calls.
   */
  readonly #large = new Set<number>();

  /**
   * @param folder an empty folder for the files of the groups. Bodies may be secret, so only the user may read it
   * @param maxCalls the maximum number of calls of a group with several wallets
   * @param largest the maximum number of calls of a group with one wallet
   */
  constructor(
    sources: readonly ReopenableSource[],
    known: ReadonlyMap<string, KnownSession>,
    survey: Survey<W>,
    {
      paths,
      folder,
      maxCalls,
      largest,
    }: { readonly paths: CallPaths; readonly folder: string; readonly maxCalls: number; readonly largest: number },
  ) {
    this.#sources = sources;
    this.#paths = paths;
    this.#folder = folder;
    this.#maxCalls = maxCalls;
    this.#largest = largest;
    this.#survey = survey;
    for (const [session, { player }] of known) if (player !== null) this.#players.set(session, player);
  }

  /**
   * Makes both passes. Returns the counts of everything that was read. Returns null if the logs do not have more calls than
   * `fewest`.
   *
   * @param mayGuess if true, also returns null if the first part of the logs shows that they probably have fewer calls
   */
  async read(fewest = 0, mayGuess = false): Promise<GatheredCounts | null> {
    // This collector only counts, and keeps no calls.
    const counts = new CallCollector('nobody');
    const hasFew = (): boolean => mayGuess && this.#probably(counts.total) < fewest;
    for (const source of this.#sources) {
      await this.#look(source, counts, hasFew);
      if (hasFew()) return null;
    }
    if (counts.total <= fewest) return null;
    // The line with such a body may come before the call, and the first pass does not parse lines that are alike.
    if (counts.hasSent) for await (const call of this.#calls()) counts.markShown(call);
    const { calls: _none, ...rest } = counts.result();
    await this.#claim();
    const sessions = new Map([...this.#owners.values()].map((owner) => [owner.surveyed, owner.sessions]));
    this.#survey.finish((wallet) => sessions.get(wallet) ?? []);
    this.#divide();
    if (this.#groupCount > 0) await this.#write();
    return { ...rest, isCut: false };
  }

  /** Yields the calls of each group. The calls that belong to no wallet come last. */
  async *groups(): AsyncGenerator<WalletGroup> {
    const ownerless = Map.groupBy(this.#ownerless, (call) => this.#groupByID(call));
    for (let group = 0; group < this.#groupCount; group += 1) {
      const calls = this.#load(group, ownerless.get(group) ?? []);
      if (this.#large.has(group)) yield { kind: 'large', calls };
      else {
        const all: RecordedCall[] = [];
        for await (const call of calls) all.push(call);
        yield { kind: 'wallets', calls: all };
      }
    }
    const nobodys = ownerless.get(null) ?? [];
    if (nobodys.length > 0) yield { kind: 'nobody', calls: nobodys };
  }

  /** Returns the wallets whose calls are in no group. */
  ordinary(): readonly WalletOwner<W>[] {
    return [...this.#owners.values()].filter(({ surveyed }) => surveyed.isOrdinary);
  }

  /** The number of calls about money that belong to no wallet. */
  get nobodys(): number {
    const known = this.#ownerless.filter((call) => call.call !== 'balance' && this.#groupByID(call) === null);
    return known.length;
  }

  /** Returns the number of calls that the logs have at most, if all parts have about as many calls as the part that was read. */
  #probably(found: number): number {
    const bytes = this.#sources.reduce((sum, source) => sum + (source.bytes ?? Number.NaN), 0);
    const share = this.#bytesRead / bytes;
    return share >= FIRST_SHARE && share < 1 ? (MARGIN * found) / share : Number.POSITIVE_INFINITY;
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytesRead += chunk.length;
      yield chunk;
    }
  }

  /** Makes the first pass over one file. Stops early if `isEnough` returns true. */
  async #look(source: ReopenableSource, counts: CallCollector, isEnough: () => boolean): Promise<void> {
    const ownersOfLines = new OwnersOfLines();
    this.#ownersOfLines.push(ownersOfLines);
    const alike = new AlikeCallLines(source.form, this.#paths, {
      isExample: (exchange) => this.#survey.isExample(exchange),
      take: (call, line) => {
        counts.countAlike(call);
        const owner = this.#ownerOfAlike(call);
        if (!owner) return;
        owner.calls += 1;
        ownersOfLines.set(line, owner.number);
        this.#survey.takeAlike(owner.surveyed, call, source.file, line);
      },
    });
    const groups: [from: number, to: number, call: number][] = [];
    const ofOneCall = (from: number, to: number, call: number): void => void groups.push([from, to, call]);
    let owners = new Map<number, number>();
    for await (const entries of readBatches(this.#counted(source.open()), { ...source, alike, ofOneCall })) {
      if (isEnough()) return;
      for (const entry of entries) {
        const call = counts.add(entry, source.file, this.#paths);
        const owner = call && this.#count(call);
        if (owner) owners.set(call.exchange.place.line, owner.number);
      }
      for (const [from, to, call] of groups)
        for (let line = from; line <= to; line += 1) ownersOfLines.set(line, owners.get(call) ?? 0);
      groups.length = 0;
      // The next lines can repeat only the last call.
      owners = new Map([...owners].slice(-1));
    }
  }

  /** Counts a call. Returns its owner, if it has one. */
  #count(call: RecordedCall): OpenOwner<W> | undefined {
    const owner = this.#ownerOf(call.sessionID, call.player);
    if (owner) {
      owner.calls += 1;
      this.#survey.takeWhole(owner.surveyed, call);
      return owner;
    }
    // The collector counts those that are left out.
    if (this.#ownerless.length >= MAX_CALLS) return undefined;
    this.#ownerless.push(call);
    for (const id of idsOf(call)) this.#groupOfID.set(id, null);
    return undefined;
  }

  /** Does the same as {@link #ownerOf}. Finds a session that was looked up before without making a string of it. */
  #ownerOfAlike({ sessionID, player }: AlikeCall): OpenOwner<W> | undefined {
    if (sessionID === null) return this.#ownerOf(null, player?.toString() ?? null);
    const place = sessionID.hash() % LOOKED_UP;
    const before = this.#lookedUp[place];
    if (before && sessionID.hasBytes(before.session)) {
      const { owner } = before;
      if (player === null || (owner.player !== null && player.equals(owner.player))) return owner;
    }
    const owner = this.#ownerOf(sessionID.toString(), player?.toString() ?? null);
    if (owner) this.#lookedUp[place] = { session: sessionID.copy(), owner };
    return owner;
  }

  /** Returns the owner of a call. Undefined if the call names nobody. */
  #ownerOf(session: string | null, player: string | null): OpenOwner<W> | undefined {
    const before = session === null ? undefined : this.#ofSession.get(session);
    if (before && (player === null || before.player === player)) return before;
    if (session === null && player === null) return undefined;
    const named = player ?? (session === null ? undefined : this.#players.get(session)) ?? null;
    const name = named === null ? `session ${session}` : `player ${named}`;
    const owner = this.#owners.get(name) ?? this.#newOwner(name, named);
    if (session === null) return owner;
    const kept = copyOf(session);
    // If there is a `before`, earlier calls of this session were counted for that wallet, because they named no player or another
    // player. Then both wallets must be judged again from all their calls.
    before?.surveyed.spoil();
    if (before) owner.surveyed.spoil();
    if (before) this.#lookedUp.fill(null);
    if (named !== null) this.#players.set(kept, named);
    this.#ofSession.set(kept, owner);
    if (!owner.sessions.includes(kept)) owner.sessions.push(kept);
    return owner;
  }

  #newOwner(name: string, player: string | null): OpenOwner<W> {
    const owner = {
      number: this.#owners.size + 1,
      name: copyOf(name),
      player: player === null ? null : copyOf(player),
      sessions: [],
      calls: 0,
      surveyed: this.#survey.add(),
    };
    this.#owners.set(owner.name, owner);
    return owner;
  }

  /**
   * Some calls name no session and no player. Finds the wallets with calls that have an id of such a call. These wallets are not
   * ordinary, because their surveys do not contain such calls.
   */
  async #claim(): Promise<void> {
    if (this.#groupOfID.size === 0) return;
    for await (const call of this.#calls()) {
      if (idsOf(call).some((id) => this.#groupOfID.has(id)))
        this.#ownerOf(call.sessionID, call.player)?.surveyed.spoil();
    }
  }

  /** Reads all calls again. */
  async *#calls(needed?: Needed): AsyncGenerator<RecordedCall> {
    for (const [index, source] of this.#sources.entries()) {
      const owners = this.#ownersOfLines[index];
      const isNeeded = needed && owners ? (line: number) => needed.isOwner(owners.get(line)) : undefined;
      for await (const entries of readBatches(source.open(), { ...source, ownerOf: needed?.ownerOf, isNeeded })) {
        for (const entry of entries) {
          const call = entry.kind === 'exchange' ? recordedCall(withShortBodies(entry.exchange), this.#paths) : null;
          if (call) yield call;
        }
      }
    }
  }

  /** Divides the wallets that are not ordinary into groups. All sessions of a player are in one group. */
  #divide(): void {
    const sizes = new Map<string, number>();
    for (const { name, player, sessions, calls, surveyed } of this.#owners.values()) {
      if (surveyed.isOrdinary) continue;
      const [session] = sessions;
      const known = player ?? (session === undefined ? undefined : this.#players.get(session));
      const wallet = known === undefined ? name : `player ${known}`;
      sizes.set(wallet, (sizes.get(wallet) ?? 0) + calls);
    }
    let size = 0;
    for (const [wallet, calls] of sizes) {
      if (this.#groupCount === 0 || size + calls > this.#maxCalls) {
        this.#groupCount += 1;
        size = 0;
      }
      size += calls;
      this.#inGroups += calls;
      this.#groups.set(wallet, this.#groupCount - 1);
      if (calls > this.#largest) this.#large.add(this.#groupCount - 1);
    }
  }

  async #write(): Promise<void> {
    const waiting = new Map<number, string[]>();
    let length = 0;
    const flush = (): void => {
      for (const [group, lines] of waiting) appendFileSync(this.#file(group), lines.join(''), { mode: 0o600 });
      waiting.clear();
      length = 0;
    };
    const ofSession = (session: string): boolean => this.#ofSession.get(session)?.surveyed.isOrdinary !== true;
    const ordinary = [false, ...[...this.#owners.values()].map(({ surveyed }) => surveyed.isOrdinary)];
    const needed = { ownerOf: sessionFilter(ofSession), isOwner: (owner: number) => ordinary[owner] !== true };
    const isFew = this.#inGroups <= MAX_CALLS_IN_MEMORY && this.#large.size === 0;
    this.#inMemory = isFew ? Array.from({ length: this.#groupCount }, () => []) : null;
    for await (const call of this.#calls(needed)) {
      const group = this.#groupOf(call);
      if (group === null) continue;
      for (const id of idsOf(call)) if (this.#groupOfID.has(id)) this.#groupOfID.set(id, group);
      if (this.#inMemory) {
        this.#inMemory[group]?.push(call);
        continue;
      }
      const line = `${JSON.stringify(call.exchange)}\n`;
      const lines = waiting.get(group) ?? [];
      lines.push(line);
      waiting.set(group, lines);
      length += line.length;
      if (length > MAX_WAITING) flush();
    }
    flush();
  }

  async *#load(group: number, ownerless: readonly RecordedCall[]): AsyncGenerator<RecordedCall> {
    if (this.#inMemory) {
      yield* this.#inMemory[group] ?? [];
      yield* ownerless;
      this.#inMemory[group] = [];
      return;
    }
    for await (const line of createInterface({ input: createReadStream(this.#file(group)) })) {
      const call = recordedCall(JSON.parse(line) as LoggedExchange, this.#paths);
      if (call) yield call;
    }
    yield* ownerless;
  }

  #groupOf({ sessionID, player }: RecordedCall): number | null {
    const owner = player ?? (sessionID === null ? undefined : this.#players.get(sessionID));
    const wallet = owner === undefined ? (sessionID === null ? null : `session ${sessionID}`) : `player ${owner}`;
    return wallet === null ? null : (this.#groups.get(wallet) ?? null);
  }

  #groupByID(call: RecordedCall): number | null {
    for (const id of idsOf(call)) {
      const group = this.#groupOfID.get(id) ?? null;
      if (group !== null) return group;
    }
    return null;
  }

  #file(group: number): string {
    return path.join(this.#folder, `wallets-${group}.ndjson`);
  }
}

/** The share of the logs that must be read before it shows how many calls all the logs probably have. */
const FIRST_SHARE = 0.1;
/** The other parts of the logs may have this many times as many calls as the part that was read. */
const MARGIN = 1.4;

/** Maximum number of sessions whose owners are found without making a string of the session. */
const LOOKED_UP = 131_072;

/** Which lines are read again. */
interface Needed {
  readonly ownerOf: Source['ownerOf'];
  /** False for the number of a wallet whose lines are not needed. Lines whose wallet is not known have the number 0. */
  readonly isOwner: (owner: number) => boolean;
}

/** Maximum number of lines of a file whose owners are kept. Each needs 4 bytes. */
const MAX_OWNED_LINES = 16 * 1024 * 1024;

/** The number of the owner of each line of a file; 0 for a line whose owner is not known. */
class OwnersOfLines {
  #owners = new Int32Array(1024);

  set(line: number, owner: number): void {
    if (line >= MAX_OWNED_LINES) return;
    if (line >= this.#owners.length) {
      const larger = new Int32Array(Math.min(MAX_OWNED_LINES, 2 * line));
      larger.set(this.#owners);
      this.#owners = larger;
    }
    this.#owners[line] = owner;
  }

  get(line: number): number {
    return this.#owners[line] ?? 0;
  }
}

/** Maximum number of calls of all groups together that are kept in memory. More calls are written into files. */
const MAX_CALLS_IN_MEMORY = 20_000;

/** Maximum number of characters that wait to be written. */
const MAX_WAITING = 8 * 1024 * 1024;

function idsOf({ txID, origTxID, roundID }: RecordedCall): readonly string[] {
  return [txID, origTxID, roundID].filter((id) => id !== null);
}

/** Copies a text that may be a substring of a line. Without the copy, the substring would keep the whole line in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
