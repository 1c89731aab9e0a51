import type { BetRequest, RefundRequest, WinRequest } from './calls.ts';

/**
 * Where a bet is. `refund-owed` and `refund-pending` are bets declined by a 500 or without a reply in time: the refund
 * was not answered yet, or answered with an error.
 */
type BetStatus = 'sent' | 'accepted' | 'declined' | 'refund-owed' | 'refund-pending' | 'refunded';

/** Where a win is. `pending`: it failed at least once and is sent again until it is answered 200. */
type WinStatus = 'sent' | 'pending' | 'settled';

interface RoundBet {
  readonly status: BetStatus;
  readonly request: BetRequest;
  /** Reserved when the bet is placed, so that every retry of the refund, also after a crash, carries the same `txID`. */
  readonly refundTxID: string;
}

interface RoundWin {
  readonly status: WinStatus;
  readonly request: WinRequest;
}

/** Everything that happened in one round so far, oldest first. */
export interface Round {
  readonly sessionID: string;
  readonly roundID: string;
  readonly bets: readonly RoundBet[];
  readonly wins: readonly RoundWin[];
}

/** What a bet or win says beside the session and the round. */
interface Placed {
  readonly txID: string;
  readonly amount: string;
  readonly type: 'regular' | 'free';
  readonly frID?: string;
}

export type RoundEvent =
  | ({ readonly kind: 'bet'; readonly refundTxID: string } & Placed)
  | ({ readonly kind: 'win' } & Placed)
  /** A whole reply came in time to the call with this `txID`. */
  | { readonly kind: 'reply'; readonly txID: string; readonly status: number }
  /** No whole reply came within five seconds. */
  | { readonly kind: 'timeout'; readonly txID: string }
  /** The connection broke before the reply, so that nobody knows whether the operator acted: as bad as a timeout. */
  | { readonly kind: 'broken'; readonly txID: string };

/** A call that the service has to make, with the body to send. Retries carry the same body. */
export type OwedCall =
  | { readonly call: 'bet'; readonly body: BetRequest }
  | { readonly call: 'win'; readonly body: WinRequest }
  | { readonly call: 'refund'; readonly body: RefundRequest };

/**
 * Why an event cannot happen in a round: its `txID` was given to another action, no action has it, that action awaits
 * no answer any more, or it is a win while no bet of the round is accepted.
 */
type RoundRefusal = 'tx-id-used' | 'tx-id-unknown' | 'not-awaited' | 'no-accepted-bet';

/** `owed` are the calls that became due by this event; each has to be sent once, and its answer reported back. */
export type RoundStep =
  | { readonly kind: 'moved'; readonly round: Round; readonly owed: readonly OwedCall[] }
  | { readonly kind: 'refused'; readonly round: Round; readonly owed: readonly []; readonly reason: RoundRefusal };

/** A round in which nothing was placed yet. */
export function startRound(sessionID: string, roundID: string): Round {
  return { sessionID, roundID, bets: [], wins: [] };
}

/**
 * The round as a state machine (contract, States and transitions). Only a 500 or no reply in time on a bet leads to a
 * refund; a bet is never sent again; wins and refunds are sent again with the same ids until they are answered 200; a
 * win is never refunded. Several bets and several wins may share the round.
 *
 * An event that cannot happen leaves the round as it is and says why.
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
 * Every call that was owed and is not concluded yet, whether it is in flight or waits for a retry. Empty when the round
 * owes nothing more. After a crash a bet among them must not be sent again: report it as `broken`, and its refund is due.
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

/** The reserved `txID` of a refund counts as used from the moment when its bet is placed. */
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
