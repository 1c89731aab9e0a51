import { createHash } from 'node:crypto';

/** The same number for the same words. */
export function numberOf(seed: string, word: string): number {
  return createHash('sha256').update(`${seed} ${word}`).digest().readInt32BE();
}
