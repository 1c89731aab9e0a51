import { appendFileSync, createReadStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { KnownSession } from '../call-selection.ts';
import type { LoggedExchange } from '../logged-exchange.ts';
import { type CallPaths, type RecordedCall, recordedCall } from '../recorded-call.ts';
import { CallCollector, type GatheredCalls, MAX_CALLS, type ReopenableSource, withShortBodies } from './gather.ts';
import { readEntries } from './read-entries.ts';

/** The calls of some wallets, with all calls of each of them. */
export interface WalletGroup {
  readonly calls: readonly RecordedCall[];
  /** True for the calls that belong to no wallet. */
  readonly isOfNobody: boolean;
}

/** Counts about all sources, without the calls. */
export type GatheredCounts = Omit<GatheredCalls, 'calls'>;

/**
 * Reads logs that have more calls than fit in memory. A first pass counts the calls of each wallet, and a second pass writes the calls of
 * each group of wallets to a file of its own. So at most the calls of one group are in memory.
 */
export class WalletGroups {
  readonly #sources: readonly ReopenableSource[];
  readonly #paths: CallPaths;
  readonly #folder: string;
  readonly #maxCalls: number;
  /** The player of each session. */
  readonly #players = new Map<string, string>();
  /** The number of calls of each session, or of a player whose calls name no session. */
  readonly #sizes = new Map<string, number>();
  /** The number of the group of each wallet. */
  readonly #groups = new Map<string, number>();
  /** The calls that name no session and no player, with the ids that may show their wallet. */
  readonly #ownerless: RecordedCall[] = [];
  readonly #groupOfID = new Map<string, number | null>();
  #groupCount = 0;

  /** @param folder an empty folder for the files of the groups. Bodies may be secret, so only the user may read it */
  constructor(
    sources: readonly ReopenableSource[],
    known: ReadonlyMap<string, KnownSession>,
    { paths, folder, maxCalls = MAX_CALLS }: { paths: CallPaths; folder: string; maxCalls?: number },
  ) {
    this.#sources = sources;
    this.#paths = paths;
    this.#folder = folder;
    this.#maxCalls = maxCalls;
    for (const [session, { player }] of known) if (player !== null) this.#players.set(session, player);
  }

  /** Makes both passes. Returns the counts of everything that was read. */
  async read(): Promise<GatheredCounts> {
    // The calls themselves are not kept, so this collector is only asked for its counts.
    const counts = new CallCollector({ sessions: new Set(), players: new Set() });
    for (const source of this.#sources) {
      for await (const entry of readEntries(source.open(), source)) {
        const call = counts.add(entry, source.file, this.#paths);
        if (call) this.#count(call);
      }
    }
    this.#divide();
    await this.#write();
    const { calls: _none, ...rest } = counts.result();
    return { ...rest, isCut: false };
  }

  /** Yields the calls of each group. The calls of nobody come last. */
  async *groups(): AsyncGenerator<WalletGroup> {
    const ownerless = Map.groupBy(this.#ownerless, (call) => this.#groupByID(call));
    for (let group = 0; group < this.#groupCount; group += 1)
      yield { calls: [...(await this.#load(group)), ...(ownerless.get(group) ?? [])], isOfNobody: false };
    const nobodys = ownerless.get(null) ?? [];
    if (nobodys.length > 0) yield { calls: nobodys, isOfNobody: true };
  }

  /** The number of calls about money that belong to no wallet. */
  get nobodys(): number {
    return this.#ownerless.filter((call) => call.call !== 'balance' && this.#groupByID(call) === null).length;
  }

  #count(call: RecordedCall): void {
    const { sessionID, player } = call;
    if (sessionID === null && player === null) {
      if (this.#ownerless.length >= this.#maxCalls) return;
      this.#ownerless.push(call);
      for (const id of idsOf(call)) this.#groupOfID.set(id, null);
      return;
    }
    if (sessionID !== null && player !== null) this.#players.set(sessionID, player);
    const key = sessionID === null ? `player ${player}` : `session ${sessionID}`;
    this.#sizes.set(key, (this.#sizes.get(key) ?? 0) + 1);
  }

  /** Divides the wallets into groups. All sessions of a player are in one group. */
  #divide(): void {
    const sizes = new Map<string, number>();
    for (const [key, size] of this.#sizes) {
      const player = key.startsWith('session ') ? this.#players.get(key.slice('session '.length)) : undefined;
      const wallet = player === undefined ? key : `player ${player}`;
      sizes.set(wallet, (sizes.get(wallet) ?? 0) + size);
    }
    let size = 0;
    for (const [wallet, calls] of sizes) {
      if (this.#groupCount === 0 || size + calls > this.#maxCalls) {
        this.#groupCount += 1;
        size = 0;
      }
      size += calls;
      this.#groups.set(wallet, this.#groupCount - 1);
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
    for (const source of this.#sources) {
      for await (const entry of readEntries(source.open(), source)) {
        if (entry.kind !== 'exchange') continue;
        const exchange = withShortBodies(entry.exchange);
        const call = recordedCall(exchange, this.#paths);
        const group = call === null ? null : this.#groupOf(call);
        if (call === null || group === null) continue;
        for (const id of idsOf(call)) if (this.#groupOfID.has(id)) this.#groupOfID.set(id, group);
        const line = `${JSON.stringify(exchange)}\n`;
        const lines = waiting.get(group) ?? [];
        lines.push(line);
        waiting.set(group, lines);
        length += line.length;
        if (length > MAX_WAITING) flush();
      }
    }
    flush();
  }

  async #load(group: number): Promise<readonly RecordedCall[]> {
    const calls: RecordedCall[] = [];
    for await (const line of createInterface({ input: createReadStream(this.#file(group)) })) {
      const call = recordedCall(JSON.parse(line) as LoggedExchange, this.#paths);
      if (call) calls.push(call);
    }
    return calls;
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

/** Maximum number of characters that wait to be written. */
const MAX_WAITING = 8 * 1024 * 1024;

function idsOf({ txID, origTxID, roundID }: RecordedCall): readonly string[] {
  return [txID, origTxID, roundID].filter((id) => id !== null);
}
