import { otherAmountKey } from '../books/effects.ts';
import type { Books } from '../books/wallet-books.ts';
import { isApplied } from '../books/worlds.ts';
import { isPerhapsDeclined, type LoggedCall } from '../calls/logged-call.ts';
import { type Bets, isBefore, settlingWin, type Transaction } from '../calls/transaction.ts';
import { isTypeCut } from './missing-bodies.ts';
import type { Oddity } from './oddity-type.ts';

/**
 * Finds calls that the contract forbids the service to make (contract, "States" and "Errors"). The operator must not be blamed for
 * the effects of such a call. Calls with which croupier tests an operator are left out.
 */
export function serviceFaultsOf(
  calls: readonly LoggedCall[],
  books: Pick<Books, 'transactions' | 'worlds' | 'unknown'>,
  bets: Bets,
  isKeyProven: boolean,
): readonly Oddity[] {
  const { transactions } = books;
  const own = transactions.filter(({ attempts }) => !attempts.some(({ seen }) => isOfCroupier(seen.exchange)));
  const rounds = Map.groupBy(
    own.filter(({ roundID }) => roundID !== null),
    ({ roundID }) => roundID,
  );
  return [
    ...[...rounds.values()].flatMap((round) => winFaults(round)),
    ...own.flatMap((one) => [...refundFaults(one, own, bets), ...contentFaults(one, books)]),
    // If no other call is signed with the given key, this key may belong to another client.
    ...(isKeyProven ? calls.flatMap(signatureFaults) : []),
  ];
}

/**
 * Returns the oddities that prove a fault of the service. Only the service's own log shows how a bet ended for the service. So if a
 * needless refund or a repeated bet is only in the operator's log, it proves no fault.
 */
export function provenFaults(oddities: readonly Oddity[], calls: readonly LoggedCall[]): readonly Oddity[] {
  const ofService = new Set(
    calls.flatMap(({ number, seen: { exchange } }) =>
      exchange.side === 'service' && exchange.answer.kind !== 'unknown' && !isOfCroupier(exchange) ? [number] : [],
    ),
  );
  const certain = new Set(oddities.flatMap(({ kind, calls: [first] }) => (kind === 'service-fault' ? first : [])));
  return oddities.filter(
    ({ kind, calls: named }) =>
      kind === 'service-fault' ||
      ((kind === 'needless-refund' || kind === 'retried-bet') &&
        named.every((number) => ofService.has(number) && !certain.has(number))),
  );
}

/** True for a call that croupier sent, in a run or as a test of its proxy. */
export function isOfCroupier({ isOfRun, isProbe }: LoggedCall['seen']['exchange']): boolean {
  return isOfRun === true || isProbe === true;
}

/** True for a call that croupier sent in a run, and whose money the journal of this run judges. */
export function isJudgedInRun({ seen: { exchange } }: LoggedCall): boolean {
  return exchange.isOfRun === true && exchange.isJudged === true && exchange.isByHand !== true;
}

function fault(calls: readonly LoggedCall[], text: string): Oddity {
  return { kind: 'service-fault', calls: calls.map(({ number }) => number), text };
}

/** True for a win that the service must not send, because its round has no bet that counts for the service. */
function isWinWithoutBet(win: Transaction, round: readonly Transaction[]): boolean {
  const before = round.filter(({ call, attempts }) => call === 'bet' && isBefore(attempts, win.attempts));
  return (
    before.length > 0 &&
    before.every((bet) => bet.state === 'declined' || isFailedForService(bet) || isRefunded(bet, win, round))
  );
}

/** True if the service's own log shows that a bet failed, so that the service must refund the bet. */
function isFailedForService({ state, attempts }: Transaction): boolean {
  return state === 'failed' && attempts.every(({ seen }) => seen.exchange.side === 'service');
}

/**
 * Returns the wins in rounds whose bets all failed, if only the operator's log shows that they failed. The service may have got a
 * different reply to a bet, and may count this bet as accepted.
 */
export function winsOfFailedBets(transactions: readonly Transaction[]): readonly Transaction[] {
  const rounds = Map.groupBy(
    transactions.filter(({ roundID }) => roundID !== null),
    ({ roundID }) => roundID,
  );
  return [...rounds.values()].flatMap((round) =>
    round.filter((win) => {
      if (win.call !== 'win' || win.isCampaign || isWinWithoutBet(win, round)) return false;
      const before = round.filter(({ call, attempts }) => call === 'bet' && isBefore(attempts, win.attempts));
      return before.length > 0 && before.every((bet) => bet.state === 'failed' && !isRefunded(bet, win, round));
    }),
  );
}

function isRefunded(bet: Transaction, win: Transaction, round: readonly Transaction[]): boolean {
  return round.some(
    ({ call, origTxID, attempts }) =>
      call === 'refund' &&
      origTxID !== null &&
      origTxID === bet.txID &&
      isBefore(attempts, win.attempts) &&
      !attempts.every(isPerhapsDeclined),
  );
}

function winFaults(round: readonly Transaction[]): readonly Oddity[] {
  return round.flatMap((win): readonly Oddity[] => {
    const [first] = win.attempts;
    if (win.call !== 'win' || win.isCampaign || !first || win.attempts.some(isTypeCut)) return [];
    if (isWinWithoutBet(win, round))
      return [fault([first], `the service sent the win of call ${first.number} in a round without an accepted bet`)];
    const settling = round.find((other) => isSettledBefore(other, win, round));
    if (settling)
      return [
        fault(
          [settling.attempts[0] ?? first, first],
          `the service sent the win of call ${first.number} with another txID, although the win of call ${settling.attempts[0]?.number} had settled the round`,
        ),
      ];
    const [again] = round.filter((other) => isSentAgain(win, other, round));
    const sent = again?.attempts[0];
    if (!again || !sent) return [];
    const text = `the win of call ${first.number} was not answered 200, so the service must send it again with the same txID; but call ${sent.number} is a win of the same round with another txID`;
    return [fault([first, sent], text)];
  });
}

/**
 * True if the round was settled before a win, because another win of the same round was answered 200. Free rounds do not count,
 * because each of them may have its own win. If a bet came between the two wins, the wins may belong to two rounds, because two
 * games can use the same round id.
 */
function isSettledBefore(other: Transaction, win: Transaction, round: readonly Transaction[]): boolean {
  if (other.call !== 'win' || other.key === win.key || other.isCampaign || other.state !== 'accepted') return false;
  return isNextWin(other, win, round);
}

/** True if a win came after another win of the same round, without a bet between them. */
function isNextWin(first: Transaction, second: Transaction, round: readonly Transaction[]): boolean {
  const isFree = [first, second].some(({ attempts }) => attempts.some(({ seen }) => seen.type === 'free'));
  if (isFree || !isBefore(first.attempts, second.attempts)) return false;
  return !round.some(
    ({ call, attempts }) => call === 'bet' && isBefore(first.attempts, attempts) && isBefore(attempts, second.attempts),
  );
}

/** True if the service has no right to a win: the round has no accepted bet, or another win had settled it. */
export function isUndueWin(win: Transaction, round: readonly Transaction[]): boolean {
  if (win.roundID === null || win.isCampaign) return false;
  return isWinWithoutBet(win, round) || round.some((other) => isSettledBefore(other, win, round));
}

/** Finds each txID with which the service sent calls of two wallets. */
export function sharedTransactions(calls: readonly LoggedCall[]): readonly Oddity[] {
  const first = new Map<string, LoggedCall>();
  return calls.flatMap((call) => {
    const { txID } = call.seen;
    if (txID === null || call.wallet === null || isOfCroupier(call.seen.exchange)) return [];
    const before = first.get(txID);
    if (!before) {
      first.set(txID, call);
      return [];
    }
    if (before.wallet === call.wallet) return [];
    return [
      fault(
        [before, call],
        `the service sent the txID ${txID} for two players or currencies (calls ${before.number} and ${call.number})`,
      ),
    ];
  });
}

/**
 * True if a win was not answered 200, and the service then sent another win of the same round with another txID. A round has only
 * one win, so the second one probably stands for the first one.
 */
export function isSentAgain(win: Transaction, other: Transaction, round: readonly Transaction[]): boolean {
  return (
    other.call === 'win' &&
    other.key !== win.key &&
    win.state !== 'accepted' &&
    // A call that the operator did not have to accept may not be of the service.
    !win.attempts.every(isPerhapsDeclined) &&
    !win.isCampaign &&
    !other.isCampaign &&
    isNextWin(win, other, round)
  );
}

function refundFaults(
  { call, origTxID, amount, attempts }: Transaction,
  transactions: readonly Transaction[],
  bets: Bets,
): readonly Oddity[] {
  const [first] = attempts;
  if (call !== 'refund' || !first || origTxID === null) return [];
  const bet = bets.get(origTxID);
  if (!bet) {
    const win = transactions.find((one) => one.call === 'win' && one.txID === origTxID);
    return win ? [fault([first], `the refund of call ${first.number} names a win, and only bets are refunded`)] : [];
  }
  const win = settlingWin(bet, transactions, attempts);
  if (win)
    return [
      fault(
        [first, ...win.attempts.slice(0, 1)],
        `the service sent the refund of call ${first.number} after the win of the round (call ${win.attempts[0]?.number}), and only a bet with an unknown outcome is refunded`,
      ),
    ];
  if (amount === null || bet.amount === null || amount.equals(bet.amount)) return [];
  const text = `the refund of call ${first.number} has the amount ${amount.format(2)}, and its bet has ${bet.amount.format(2)}`;
  return [fault([first], text)];
}

/** Finds a txID that was sent with two different amounts, or in two different rounds. Says which amounts the operator carried out. */
function contentFaults(transaction: Transaction, books: Pick<Books, 'worlds' | 'unknown'>): readonly Oddity[] {
  const { txID, call, attempts } = transaction;
  const [first, ...again] = attempts;
  if (!first || txID === null) return [];
  return again.flatMap((one) => {
    const isSame =
      (first.amount === null || one.amount === null || first.amount.equals(one.amount)) &&
      (first.seen.roundID === null || one.seen.roundID === null || first.seen.roundID === one.seen.roundID);
    const carriedOut = carriedOutText(transaction, one, books);
    return isSame
      ? []
      : [
          fault(
            [first, one],
            `the service sent the ${call} with txID ${txID} twice, with different contents (calls ${first.number} and ${one.number})${carriedOut}`,
          ),
        ];
  });
}

/**
 * Says whether the operator carried out the second amount too. Returns an empty text if it is not known, or if the amounts are
 * the same.
 */
function carriedOutText(
  { call, amount, attempts }: Transaction,
  again: LoggedCall,
  { worlds, unknown }: Pick<Books, 'worlds' | 'unknown'>,
): string {
  const isFirstDone = attempts.some(({ number, done }) => number < again.number && done === 'yes');
  if (!isFirstDone || unknown !== null || amount === null || again.amount === null || amount.equals(again.amount))
    return '';
  const key = otherAmountKey(again);
  if (worlds.every((world) => isApplied(world, key)))
    return `, and the operator ${call === 'bet' ? 'took' : 'paid'} both ${amount.format(2)} and ${again.amount.format(2)}`;
  const isOne = !worlds.some((world) => isApplied(world, key));
  return isOne ? `, and the operator did not ${call === 'bet' ? 'take' : 'pay'} ${again.amount.format(2)}` : '';
}

function signatureFaults(call: LoggedCall): readonly Oddity[] {
  if (call.signature !== 'wrong' || call.ending !== 'refused' || isOfCroupier(call.seen.exchange)) return [];
  return [fault([call], `the service signed call ${call.number} wrongly, so the operator refused it with 401`)];
}
