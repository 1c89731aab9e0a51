import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ByteText, fourBytes } from '../read/templates/byte-text.ts';

/** Number of parts into which the ids are divided. Only one part at a time is in memory when croupier looks for repeated ids. */
const PARTS = 32;
/** Number of ids of one part that are kept in memory. When there are more, the ids are written to the file of this part. */
const BLOCK = 4096;

/**
 * Finds the wallets with an id that also occurs in another call. Keeps 16 bytes for each id in files, because a log can have more
 * ids than fit in memory. Very rarely, two different ids have the same hash and count as equal. This does no harm: croupier then
 * checks one more wallet than necessary.
 */
export class RepeatedIds {
  readonly #folder: string;
  readonly #name: string;
  /**
   * For each part, the ids that are not yet in its file. Each id is stored as two numbers: the hash of the id, and the number of
   * its wallet.
   */
  readonly #blocks = Array.from({ length: PARTS }, () => new Float64Array(2 * BLOCK));
  readonly #lengths = Array.from({ length: PARTS }, () => 0);

  /**
   * @param folder the folder for the files with the ids
   * @param name the beginning of the names of these files
   */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  add(kind: 'transaction' | 'round', { bytes, from, to }: ByteText, wallet: number): void {
    let [low, high] = kind === 'round' ? [0xdeadbeef, 0x41c6ce57] : [0x1b873593, 0x85ebca6b];
    for (let at = from; at < to; at += 4) {
      const four = fourBytes(bytes, at, to);
      low = Math.imul(low ^ four, 0x9e3779b1);
      low ^= low >>> 16;
      high = Math.imul(high ^ ((four >>> 16) | (four << 16)), 0x5f356495);
      high ^= high >>> 15;
    }
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
    const part = high & (PARTS - 1);
    const block = this.#blocks[part];
    const length = this.#lengths[part] ?? 0;
    if (!block) return;
    block[length] = (high >>> 11) * 4_294_967_296 + (low >>> 0);
    block[length + 1] = wallet;
    this.#lengths[part] = length + 2;
    if (length + 2 === block.length) this.#write(part);
  }

  /** Returns the numbers of the wallets. */
  wallets(): ReadonlySet<number> {
    return new Set([...this.#repeated()].flatMap((numbers) => [...numbers]));
  }

  /** True if calls of two numbers have the same id. */
  isShared(): boolean {
    for (const numbers of this.#repeated()) if (numbers.size > 1) return true;
    return false;
  }

  /** Yields the numbers of each id that was added more than once. */
  *#repeated(): Generator<ReadonlySet<number>> {
    for (let part = 0; part < PARTS; part += 1) {
      const all = this.#read(part);
      const twice = repeatedIn(all);
      if (twice.size === 0) continue;
      for (let index = 0; index < all.length; index += 2) twice.get(all[index] ?? 0)?.add(all[index + 1] ?? 0);
      yield* twice.values();
    }
  }

  #write(part: number): void {
    const block = this.#blocks[part];
    if (block)
      appendFileSync(this.#file(part), new Uint8Array(block.buffer, 0, 8 * (this.#lengths[part] ?? 0)), {
        mode: 0o600,
      });
    this.#lengths[part] = 0;
  }

  #read(part: number): Float64Array {
    const kept = (this.#blocks[part] ?? new Float64Array(0)).slice(0, this.#lengths[part]);
    const file = this.#file(part);
    if (!existsSync(file)) return kept;
    const bytes = readFileSync(file);
    const all = new Float64Array(bytes.length / 8 + kept.length);
    new Uint8Array(all.buffer).set(bytes);
    all.set(kept, bytes.length / 8);
    return all;
  }

  #file(part: number): string {
    return path.join(this.#folder, `${this.#name}-${part}`);
  }
}

/**
 * Returns the hashes that occur more than once. Each has an empty set, into which the caller puts the numbers of the wallets.
 *
 * @param all pairs of numbers: a hash, then the number of its wallet
 */
function repeatedIn(all: Float64Array): Map<number, Set<number>> {
  const twice = new Map<number, Set<number>>();
  // A table with free places finds equal hashes in less time than sorting them.
  const mask = 2 ** Math.ceil(Math.log2(all.length + 1)) - 1;
  const table = new Float64Array(mask + 1);
  for (let index = 0; index < all.length; index += 2) {
    const hash = all[index] ?? 0;
    // A free place is 0. The hash 0 has no place of its own, so its ids count as repeated.
    if (hash === 0) {
      twice.set(hash, new Set());
      continue;
    }
    let at = (hash >>> 0) & mask;
    while (table[at] !== 0 && table[at] !== hash) at = (at + 1) & mask;
    if (table[at] === hash) twice.set(hash, new Set());
    table[at] = hash;
  }
  return twice;
}
