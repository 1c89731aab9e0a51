import type { LoadWallet } from './load.ts';
import type { Arrivals } from './schedule.ts';

/** The part of a load that one worker sends. */
export interface LoadShare {
  readonly wallets: readonly LoadWallet[];
  readonly arrivals: Arrivals;
}

/**
 * Divides a load between workers. Each wallet belongs to one worker, so each worker can compute the balances of its wallets alone.
 * A worker with half of the wallets makes half of the calls.
 *
 * @param count the number of workers. There must be at least as many wallets
 */
export function sharesOf(wallets: readonly LoadWallet[], arrivals: Arrivals, count: number): readonly LoadShare[] {
  return Array.from({ length: count }, (_, worker) => {
    const own = wallets.filter((_wallet, at) => at % count === worker);
    return { wallets: own, arrivals: shareOf(arrivals, { worker, count, own: own.length, all: wallets.length }) };
  });
}

function shareOf(
  arrivals: Arrivals,
  { worker, count, own, all }: Readonly<Record<'worker' | 'count' | 'own' | 'all', number>>,
): Arrivals {
  switch (arrivals.kind) {
    case 'rate':
      return { kind: 'rate', from: (arrivals.from * own) / all, to: (arrivals.to * own) / all };
    case 'closed':
      return { kind: 'closed', players: own };
    case 'recorded':
      // The wallets take turns: each call belongs to the next wallet, and so to the worker of this wallet.
      return { kind: 'recorded', offsets: arrivals.offsets.filter((_, at) => (at % all) % count === worker) };
  }
}
