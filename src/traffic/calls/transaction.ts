import type { TransactionCall } from '../../contract/call-name.ts';
import type { Money } from '../../contract/money.ts';
import type { LoggedCall } from './logged-call.ts';

/** One transaction, with all attempts to send it. */
export interface Transaction {
  /** The name of the call with its `txID`, or with its number in the timeline if the `txID` is unknown. */
  readonly key: string;
  readonly txID: string | null;
  readonly call: TransactionCall;
  readonly wallet: string | null;
  readonly amount: Money | null;
  readonly roundID: string | null;
  readonly origTxID: string | null;
  /**
   * True if the transaction is part of a free-rounds campaign. The contract does not define how such a transaction
   * changes the balance.
   */
  readonly isCampaign: boolean;
  readonly attempts: readonly LoggedCall[];
  /**
   * The state as the service sees it, over all attempts. `accepted`: an attempt was answered 200 in time. `failed`: an attempt had
   * one of the endings in {@link UNANSWERED}, so the operator may have carried out the transaction. Then the service must refund a
   * bet, and must send a win or a refund again. `unknown`: the reply was not logged. `declined`: all other cases.
   */
  readonly state: 'accepted' | 'declined' | 'failed' | 'unknown';
}

/** Bets by their `txID`. */
export type Bets = ReadonlyMap<string, Transaction>;

/** Returns the key of the bet with this `txID`. */
export function betKey(txID: string): string {
  return `bet ${txID}`;
}

/** Groups calls into transactions, in the order in which each transaction was first sent. */
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
  const won = new Set(all.flatMap(({ call, roundID }) => (call === 'win' ? [roundID] : [])));
  return all.map((one) => {
    // Only 200 is a success (contract, Rules 1). But if the service sent the win of the round, the service has treated the bet as
    // accepted, although the status was a different 2xx.
    if (isOtherSuccess(one) && !won.has(one.roundID)) return { ...one, state: 'declined' };
    // A refund may have no round id. Then it gets the round id of its bet.
    if (one.call !== 'refund' || one.roundID !== null || one.origTxID === null) return one;
    return { ...one, roundID: bets.get(one.origTxID)?.roundID ?? null };
  });
}

/** True for a bet that was answered with a 2xx other than 200. A run of croupier counts such a bet as accepted. */
function isOtherSuccess({ call, attempts, state }: Transaction): boolean {
  const accepted = attempts.filter(({ ending }) => ending === 'accepted');
  return (
    call === 'bet' &&
    state === 'accepted' &&
    accepted.every(({ status, seen }) => status !== null && status !== 200 && seen.exchange.isOfRun !== true)
  );
}

/** Returns the bets among the transactions. */
export function betsOf(transactions: readonly Transaction[]): Bets {
  return new Map(
    transactions.flatMap((one) => (one.call === 'bet' && one.txID !== null ? [[one.txID, one] as const] : [])),
  );
}

/** Builds one transaction from all its attempts, which must be in order of time. */
export function transactionOf(key: string, call: Transaction['call'], attempts: readonly LoggedCall[]): Transaction {
  const known = <T>(read: (attempt: LoggedCall) => T | null): T | null =>
    attempts.map(read).find((value) => value !== null) ?? null;
  return {
    key,
    txID: known(({ seen }) => seen.txID),
    call,
    wallet: known(({ wallet }) => wallet),
    // The attempts may have different amounts. The amount of the attempt that was carried out counts.
    amount:
      attempts.find(({ done, amount }) => done === 'yes' && amount !== null)?.amount ?? known(({ amount }) => amount),
    roundID: known(({ seen }) => seen.roundID),
    origTxID: known(({ seen }) => seen.origTxID),
    isCampaign: known(({ seen }) => seen.frID) !== null || known(({ seen }) => seen.type) === 'free',
    attempts,
    state: stateOf(attempts),
  };
}

/** After these endings, the service refunds a bet, and sends a win or a refund again. */
export const UNANSWERED: ReadonlySet<LoggedCall['ending']> = new Set(['failed', 'late', 'lost', 'not-sent']);

function stateOf(attempts: readonly LoggedCall[]): Transaction['state'] {
  const endings = attempts.map(({ ending }) => ending);
  if (endings.includes('accepted')) return 'accepted';
  if (endings.some((ending) => UNANSWERED.has(ending))) return 'failed';
  return endings.includes('unknown') ? 'unknown' : 'declined';
}

/** True if the first attempt of the transaction `a` came before the first attempt of the transaction `b`. */
export function isBefore([a]: readonly LoggedCall[], [b]: readonly LoggedCall[]): boolean {
  return a !== undefined && b !== undefined && a.number < b.number;
}

/**
 * Returns the win that the service sent for an accepted bet, after the bet and before the calls in `later`. Returns undefined if
 * the round has other bets, because the win may belong to them.
 */
export function settlingWin(
  { roundID, state, isCampaign, attempts: placed }: Transaction,
  transactions: Iterable<Transaction>,
  later: readonly LoggedCall[],
): Transaction | undefined {
  if (roundID === null || state !== 'accepted' || isCampaign) return undefined;
  const round = [...transactions].filter((one) => one.roundID === roundID);
  if (round.filter(({ call }) => call === 'bet').length > 1) return undefined;
  return round.find(({ call, attempts }) => call === 'win' && isBefore(placed, attempts) && isBefore(attempts, later));
}

/** True for a refund that the service must not send, because a win had settled the round, or because the refund names a win. */
export function isUndueRefund(
  { call, origTxID, attempts }: Transaction,
  transactions: Iterable<Transaction>,
  bets: Bets,
): boolean {
  if (call !== 'refund' || origTxID === null) return false;
  const bet = bets.get(origTxID);
  if (bet) return settlingWin(bet, transactions, attempts) !== undefined;
  for (const one of transactions) if (one.call === 'win' && one.txID === origTxID) return true;
  return false;
}

/** True if the operator's reply shows that it had carried out the bet before the refund was sent. */
export function isBetKnown(origTxID: string | null, refund: LoggedCall, bets: Bets): boolean {
  const bet = origTxID === null ? undefined : bets.get(origTxID);
  return bet?.attempts.some((placed) => placed.done === 'yes' && wasBefore(placed, refund)) ?? false;
}

/** True if the first call was answered before the second call was sent. */
export function wasBefore(call: LoggedCall, other: LoggedCall): boolean {
  if (call.atMs === null || other.atMs === null) return call.number < other.number;
  const tookMs = Math.max(call.seen.exchange.tookMs ?? 0, call.alsoSeen?.exchange.tookMs ?? 0);
  return call.number < other.number && call.atMs + tookMs <= other.atMs;
}
