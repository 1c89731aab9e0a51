import type { ActionType } from './call-name.ts';
import type { BetRequest, RefundRequest, WinRequest } from './calls.ts';

/**
 * The state of a bet. A bet whose reply was 500 or did not come in time is `refund-owed` until its refund has a reply. It is
 * `refund-pending` if the last reply to the refund was an error.
 */
type BetStatus = 'sent' | 'accepted' | 'declined' | 'refund-owed' | 'refund-pending' | 'refunded';

/** The state of a win. `pending` if the win has failed at least once and is sent again until the reply is 200. */
type WinStatus = 'sent' | 'pending' | 'settled';

interface RoundBet {
  readonly status: BetStatus;
  readonly request: BetRequest;
  /**
   * The txID of the refund. It is chosen when the bet is placed, so that every retry of the refund has the same txID, even
   * after a crash.
   */
  readonly refundTxID: string;
}

interface RoundWin {
  readonly status: WinStatus;
  readonly request: WinRequest;
}

/** All bets and wins of one round, oldest first. */
export interface Round {
  readonly sessionID: string;
  readonly roundID: string;
  readonly bets: readonly RoundBet[];
  readonly wins: readonly RoundWin[];
}

/** The fields of a bet or win, without its session and round. */
interface Placed {
  readonly txID: string;
  readonly amount: string;
  readonly type: ActionType;
  readonly frID?: string;
}

export type RoundEvent =
  | ({ readonly kind: 'bet'; readonly refundTxID: string } & Placed)
  | ({ readonly kind: 'win' } & Placed)
  /** The call with this `txID` got a complete reply in time. */
  | { readonly kind: 'reply'; readonly txID: string; readonly status: number }
  /** No complete reply came before the deadline. */
  | { readonly kind: 'timeout'; readonly txID: string }
  /**
   * The connection broke before the reply. This is handled like a timeout, because the operator may or may not have carried
   * out the call.
   */
  | { readonly kind: 'broken'; readonly txID: string };

/** A call that the service must make. Retries have the same body. */
export type OwedCall =
  | { readonly call: 'bet'; readonly body: BetRequest }
  | { readonly call: 'win'; readonly body: WinRequest }
  | { readonly call: 'refund'; readonly body: RefundRequest };

/**
 * The reason why an event is not possible in a round.
 *
 * - `tx-id-used`: another bet, win or refund has the `txID`
 * - `tx-id-unknown`: no bet, win or refund has the `txID`
 * - `not-awaited`: no reply to this call is expected
 * - `no-accepted-bet`: the event is a win, but no bet of the round was accepted
 */
type RoundRefusal = 'tx-id-used' | 'tx-id-unknown' | 'not-awaited' | 'no-accepted-bet';

/**
 * The result of an event. `owed` lists the calls to send now. Send each call once, and report its reply as the next event.
 */
export type RoundStep =
  | { readonly kind: 'moved'; readonly round: Round; readonly owed: readonly OwedCall[] }
  | { readonly kind: 'refused'; readonly round: Round; readonly owed: readonly []; readonly reason: RoundRefusal };

/** Returns a round without bets and wins. */
export function startRound(sessionID: string, roundID: string): Round {
  return { sessionID, roundID, bets: [], wins: [] };
}

/**
 * Applies an event to a round, by the states and transitions of the contract. A bet is never sent again. It is refunded only
 * if its reply is 500 or does not come in time. Wins and refunds are sent again with the same ids until the reply is 200. A
 * win is never refunded. A round may have several bets and several wins.
 *
 * An event that is not possible does not change the round. The result then gives the reason.
 */
export function stepRound(round: Round, event: RoundEvent): RoundStep {
  switch (event.kind) {
    case 'bet':
      return placeBet(round, event);
    case 'win':
      return placeWin(round, event);
    case 'reply':
      return conclude(round, event.txID, answerOf(event.status));
    case 'timeout':
    case 'broken':
      return conclude(round, event.txID, 'unanswered');
  }
}

/**
 * Returns all calls that are in flight or wait for a retry. After a crash, do not send a bet of this list again. Report it as
 * `broken`, so that it is refunded.
 */
export function outstandingCalls(round: Round): readonly OwedCall[] {
  return [...round.bets.flatMap(owedByBet), ...round.wins.flatMap(owedByWin)];
}

function owedByBet(bet: RoundBet): OwedCall[] {
  switch (bet.status) {
    case 'sent':
      return [{ call: 'bet', body: bet.request }];
    case 'refund-owed':
    case 'refund-pending':
      return [refundOf(bet)];
    case 'accepted':
    case 'declined':
    case 'refunded':
      return [];
  }
}

function owedByWin(win: RoundWin): OwedCall[] {
  switch (win.status) {
    case 'sent':
    case 'pending':
      return [{ call: 'win', body: win.request }];
    case 'settled':
      return [];
  }
}

type Answer = 'success' | 'server-error' | 'other-error' | 'unanswered';

function answerOf(status: number): Answer {
  if (status === 200) return 'success';
  return status === 500 ? 'server-error' : 'other-error';
}

function placeBet(round: Round, event: Extract<RoundEvent, { kind: 'bet' }>): RoundStep {
  if (event.txID === event.refundTxID || isUsed(round, event.txID) || isUsed(round, event.refundTxID)) {
    return refused(round, 'tx-id-used');
  }
  const request = requestOf(round, event);
  const bet: RoundBet = { status: 'sent', request, refundTxID: event.refundTxID };
  return moved({ ...round, bets: [...round.bets, bet] }, [{ call: 'bet', body: request }]);
}

function placeWin(round: Round, event: Extract<RoundEvent, { kind: 'win' }>): RoundStep {
  if (isUsed(round, event.txID)) return refused(round, 'tx-id-used');
  if (!round.bets.some((bet) => bet.status === 'accepted')) return refused(round, 'no-accepted-bet');
  const request = requestOf(round, event);
  return moved({ ...round, wins: [...round.wins, { status: 'sent', request }] }, [{ call: 'win', body: request }]);
}

function conclude(round: Round, txID: string, answer: Answer): RoundStep {
  const bet = round.bets.find((one) => one.request.txID === txID);
  if (bet) return concludeBet(round, bet, answer);
  const reversed = round.bets.find((one) => one.refundTxID === txID);
  if (reversed) return concludeRefund(round, reversed, answer);
  const win = round.wins.find((one) => one.request.txID === txID);
  if (win) return concludeWin(round, win, answer);
  return refused(round, 'tx-id-unknown');
}

function concludeBet(round: Round, bet: RoundBet, answer: Answer): RoundStep {
  if (bet.status !== 'sent') return refused(round, 'not-awaited');
  switch (answer) {
    case 'success':
      return moved(withBet(round, bet, 'accepted'), []);
    case 'other-error':
      return moved(withBet(round, bet, 'declined'), []);
    case 'server-error':
    case 'unanswered':
      return moved(withBet(round, bet, 'refund-owed'), [refundOf(bet)]);
  }
}

function concludeRefund(round: Round, bet: RoundBet, answer: Answer): RoundStep {
  if (bet.status !== 'refund-owed' && bet.status !== 'refund-pending') return refused(round, 'not-awaited');
  switch (answer) {
    case 'success':
      return moved(withBet(round, bet, 'refunded'), []);
    case 'server-error':
    case 'other-error':
    case 'unanswered':
      return moved(withBet(round, bet, 'refund-pending'), [refundOf(bet)]);
  }
}

function concludeWin(round: Round, win: RoundWin, answer: Answer): RoundStep {
  if (win.status === 'settled') return refused(round, 'not-awaited');
  switch (answer) {
    case 'success':
      return moved(withWin(round, win, 'settled'), []);
    case 'server-error':
    case 'other-error':
    case 'unanswered':
      return moved(withWin(round, win, 'pending'), [{ call: 'win', body: win.request }]);
  }
}

/** True if the round uses the `txID`. The `txID` of a refund is used from the moment when its bet is placed. */
function isUsed(round: Round, txID: string): boolean {
  return (
    round.bets.some((bet) => bet.request.txID === txID || bet.refundTxID === txID) ||
    round.wins.some((win) => win.request.txID === txID)
  );
}

function requestOf(round: Round, placed: Placed): BetRequest & WinRequest {
  return {
    sessionID: round.sessionID,
    txID: placed.txID,
    roundID: round.roundID,
    amount: placed.amount,
    type: placed.type,
    ...(placed.frID !== undefined && { frID: placed.frID }),
  };
}

function refundOf(bet: RoundBet): OwedCall {
  const { sessionID, txID, roundID, amount } = bet.request;
  return { call: 'refund', body: { sessionID, txID: bet.refundTxID, origTxID: txID, roundID, amount } };
}

function withBet(round: Round, bet: RoundBet, status: BetStatus): Round {
  return { ...round, bets: round.bets.map((one) => (one === bet ? { ...one, status } : one)) };
}

function withWin(round: Round, win: RoundWin, status: WinStatus): Round {
  return { ...round, wins: round.wins.map((one) => (one === win ? { ...one, status } : one)) };
}

function moved(round: Round, owed: readonly OwedCall[]): RoundStep {
  return { kind: 'moved', round, owed };
}

function refused(round: Round, reason: RoundRefusal): RoundStep {
  return { kind: 'refused', round, owed: [], reason };
}
