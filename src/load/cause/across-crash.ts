import type { Money } from '../../contract/money.ts';
import type { LoadTransaction } from '../wallet.ts';
import { type Evidence, type Explanation, explain } from './explanation.ts';

/** Two reads of a wrong balance, between which the operator may have crashed. */
export interface ReadsAroundCrash {
  /** The difference that the first read showed. */
  readonly before: Money;
  /** The further change that the second read showed. croupier sent no transaction between the reads. */
  readonly inCrash: Money;
  /** The time of the first read. */
  readonly readAt: number;
}

/**
 * Explains two differences of one wallet: a fault before the first read, and transactions that a crash after this read has lost.
 * A transaction that was lost before the crash is not lost again.
 *
 * @returns the two explanations, or undefined if one of the differences has no explanation
 */
export function explainAcrossCrash(
  { before, inCrash, readAt }: ReadsAroundCrash,
  evidence: Evidence,
): readonly [Explanation, Explanation] | undefined {
  const first = explain(before, { ...evidence, crashes: evidence.crashes.filter((at) => at < readAt) });
  if (first.suspicions.length === 0) return undefined;
  const gone = new Set(first.suspicions.filter(({ kind }) => kind === 'lost').map(({ transaction }) => transaction));
  const left = (all: readonly LoadTransaction[]): readonly LoadTransaction[] => all.filter((one) => !gone.has(one));
  const { suspects, window, earlier, older, crashes } = evidence;
  const second = explain(inCrash, {
    ...evidence,
    suspects: left(suspects),
    window: left(window),
    earlier: left(earlier),
    older: left(older),
    crashes: crashes.filter((at) => at >= readAt),
  });
  return second.suspicions.length === 0 ? undefined : [first, second];
}
