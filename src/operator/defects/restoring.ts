import type { Behaviour } from '../behaviour.ts';
import type { Claim, Transaction } from '../store.ts';

/** Refunds that give back what `otherwise` says, in the smallest unit; the right sum where it says nothing. */
export function restoring(
  right: Behaviour,
  otherwise: (refund: Claim, original: Transaction | undefined) => bigint | undefined,
): Partial<Behaviour> {
  return { restoredBy: (refund, original) => otherwise(refund, original) ?? right.restoredBy(refund, original) };
}
