import type { RecordedCall } from '../recorded-call.ts';

/**
 * If this many different calls have the same `txID`, it is not the whole id. A service that uses an id again by mistake uses it for two
 * calls.
 */
const TOO_MANY = 3;

/**
 * Removes the `txID`s that certainly are not whole: the writer of the log has kept only the beginning of each id, or replaced all ids
 * by zeros. Such an id does not show which calls belong together.
 */
export function withoutSharedIDs(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  /** The first use of each `txID`. Nearly all have only one, and need no set. */
  const first = new Map<string, string>();
  const uses = new Map<string, Set<string>>();
  for (const { txID, call, roundID, exchange } of calls) {
    if (txID === null || exchange.isOfRun === true || exchange.isProbe === true) continue;
    const use = `${call} ${roundID}`;
    const known = first.get(txID);
    if (known === undefined) first.set(txID, use);
    else if (known !== use) uses.set(txID, (uses.get(txID) ?? new Set([known])).add(use));
  }
  const shared = new Set([...uses].flatMap(([txID, known]) => (known.size >= TOO_MANY ? [txID] : [])));
  if (shared.size === 0) return calls;
  const whole = (id: string | null): string | null => (id !== null && shared.has(id) ? null : id);
  return calls.map((call) => ({ ...call, txID: whole(call.txID), origTxID: whole(call.origTxID) }));
}
