import type { Money } from '../../contract/money.ts';
import type { ToldCall } from './told-call.ts';

/** One action with its `txID`, and every time that it was sent. */
export interface Transaction {
  /** The `txID`; where none is known, a name of its own. */
  readonly key: string;
  readonly txID: string | null;
  readonly call: 'bet' | 'win' | 'refund';
  readonly wallet: string | null;
  readonly amount: Money | null;
  readonly roundID: string | null;
  readonly origTxID: string | null;
  /** Of a free-rounds campaign: what it moves is not agreed. */
  readonly isCampaign: boolean;
  readonly attempts: readonly ToldCall[];
  /**
   * Where it stands for the service. `accepted`: answered 200 in time. `failed`: it may have been carried out, and must be refunded
   * (a bet) or sent again. `declined`: answered with another error. `unknown`: nobody wrote down how it was answered.
   */
  readonly state: 'accepted' | 'declined' | 'failed' | 'unknown';
}

/** Bets by their `txID`. */
export type Bets = ReadonlyMap<string, Transaction>;

/** The key of a bet that is known by its `txID`. */
export function betKey(txID: string): string {
  return `bet ${txID}`;
}

/** The transactions of a story, in the order in which each was first sent. */
export function transactionsOf(calls: readonly ToldCall[]): readonly Transaction[] {
  const groups = new Map<string, ToldCall[]>();
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
  // A refund may carry no round: it is its bet's.
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

/** One transaction, from every time that it was sent, in order of time. */
export function transactionOf(key: string, call: Transaction['call'], attempts: readonly ToldCall[]): Transaction {
  const known = <T>(read: (attempt: ToldCall) => T | null): T | null =>
    attempts.map(read).find((value) => value !== null) ?? null;
  return {
    key,
    txID: known(({ seen }) => seen.txID),
    call,
    wallet: known(({ wallet }) => wallet),
    // Sent with several amounts, it is the one that was carried out.
    amount:
      attempts.find(({ done, amount }) => done === 'yes' && amount !== null)?.amount ?? known(({ amount }) => amount),
    roundID: known(({ seen }) => seen.roundID),
    origTxID: known(({ seen }) => seen.origTxID),
    isCampaign: known(({ seen }) => seen.frID) !== null || known(({ seen }) => seen.type) === 'free',
    attempts,
    state: stateOf(attempts),
  };
}

function stateOf(attempts: readonly ToldCall[]): Transaction['state'] {
  const endings = attempts.map(({ ending }) => ending);
  if (endings.includes('accepted')) return 'accepted';
  if (endings.some((ending) => ending === 'failed' || ending === 'late' || ending === 'lost')) return 'failed';
  return endings.includes('unknown') ? 'unknown' : 'declined';
}
