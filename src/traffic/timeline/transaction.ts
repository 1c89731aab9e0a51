import type { TransactionCall } from '../../contract/call-name.ts';
import type { Money } from '../../contract/money.ts';
import type { LoggedCall } from './logged-call.ts';

/** One transaction, with all attempts to send it. */
export interface Transaction {
  /** The call with its `txID`, or with its number if the `txID` is not known. */
  readonly key: string;
  readonly txID: string | null;
  readonly call: TransactionCall;
  readonly wallet: string | null;
  readonly amount: Money | null;
  readonly roundID: string | null;
  readonly origTxID: string | null;
  /** Part of a free-rounds campaign: the contract leaves open what it moves. */
  readonly isCampaign: boolean;
  readonly attempts: readonly LoggedCall[];
  /**
   * The state for the service, over all attempts. `accepted`: answered 200 in time. `failed`: it may have been carried out, and must
   * be refunded (a bet) or sent again. `declined`: answered with another error. `unknown`: the answer was not logged.
   */
  readonly state: 'accepted' | 'declined' | 'failed' | 'unknown';
}

/** Bets by their `txID`. */
export type Bets = ReadonlyMap<string, Transaction>;

/** The key of a bet with this `txID`. */
export function betKey(txID: string): string {
  return `bet ${txID}`;
}

/** The transactions of a log, in the order in which each was first sent. */
export function transactionsOf(calls: readonly LoggedCall[]): readonly Transaction[] {
  const groups = new Map<string, LoggedCall[]>();
  for (const call of calls) {
    if (call.seen.call === 'balance') continue;
    const key = call.seen.txID === null ? `call ${call.number}` : `${call.seen.call} ${call.seen.txID}`;
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  const all = [...groups].flatMap(([key, attempts]) => {
    const first = attempts[0];
    return first === undefined || first.seen.call === 'balance' ? [] : [transactionOf(key, first.seen.call, attempts)];
  });
  const bets = betsOf(all);
  // A refund may carry no round. It belongs to the round of its bet.
  return all.map((one) => {
    if (one.call !== 'refund' || one.roundID !== null || one.origTxID === null) return one;
    return { ...one, roundID: bets.get(one.origTxID)?.roundID ?? null };
  });
}

/** The bets among transactions. */
export function betsOf(transactions: readonly Transaction[]): Bets {
  return new Map(
    transactions.flatMap((one) => (one.call === 'bet' && one.txID !== null ? [[one.txID, one] as const] : [])),
  );
}

/** One transaction from all its attempts, in order of time. */
export function transactionOf(key: string, call: Transaction['call'], attempts: readonly LoggedCall[]): Transaction {
  const known = <T>(read: (attempt: LoggedCall) => T | null): T | null =>
    attempts.map(read).find((value) => value !== null) ?? null;
  return {
    key,
    txID: known(({ seen }) => seen.txID),
    call,
    wallet: known(({ wallet }) => wallet),
    // If it was sent with several amounts, the one that was carried out counts.
    amount:
      attempts.find(({ done, amount }) => done === 'yes' && amount !== null)?.amount ?? known(({ amount }) => amount),
    roundID: known(({ seen }) => seen.roundID),
    origTxID: known(({ seen }) => seen.origTxID),
    isCampaign: known(({ seen }) => seen.frID) !== null || known(({ seen }) => seen.type) === 'free',
    attempts,
    state: stateOf(attempts),
  };
}

function stateOf(attempts: readonly LoggedCall[]): Transaction['state'] {
  const endings = attempts.map(({ ending }) => ending);
  if (endings.includes('accepted')) return 'accepted';
  if (endings.some((ending) => ending === 'failed' || ending === 'late' || ending === 'lost')) return 'failed';
  return endings.includes('unknown') ? 'unknown' : 'declined';
}
