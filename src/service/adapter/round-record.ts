import { type OwedCall, outstandingCalls, type Round, type RoundEvent } from '../../contract/round.ts';

/** Which player plays which game: what a round has to know of its game session. */
export interface RoundSession {
  readonly gsID: string;
  readonly extCID: string;
  readonly sessionID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
}

/** The campaign that a free round belongs to. */
export interface FreeTerms {
  readonly frID: string;
  /** How many free rounds each player has. */
  readonly quantity: number;
}

/** One round, and all that it takes to finish it after a restart. */
export interface RoundRecord extends RoundSession {
  readonly round: Round;
  /**
   * What the round pays once its bet is accepted, so that a round whose service died between bet and win still ends as it was
   * drawn. null: whoever opened the round places its win.
   */
  readonly plannedWin: string | null;
  /** null for a round that is played with money. */
  readonly free: FreeTerms | null;
  /** Its last win was placed; nothing may follow. */
  readonly over: boolean;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** How many tries of each owed call have failed, by `txID`. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Nothing is owed in the round, and nothing more can happen in it. */
export function isFinished({ round, over }: RoundRecord): boolean {
  if (round.bets.length === 0 || outstandingCalls(round).length > 0) return false;
  return !hasAcceptedBet(round) || (over && round.wins.length > 0);
}

/** All that was sent is answered, and the last accepted bet has its win. */
export function isSettled({ round }: RoundRecord): boolean {
  return outstandingCalls(round).length === 0 && round.wins.length > 0;
}

function hasAcceptedBet(round: Round): boolean {
  return round.bets.some(({ status }) => status === 'accepted');
}

/** The win that a round was drawn to pay and that is not placed yet; undefined while its bets are in doubt. */
export function plannedWinOf({ round, plannedWin }: RoundRecord): string | undefined {
  if (plannedWin === null || round.wins.length > 0 || outstandingCalls(round).length > 0) return undefined;
  return hasAcceptedBet(round) ? plannedWin : undefined;
}

/** Wins and refunds: what has to be sent until it is answered 200. */
export function debtsOf({ round }: RoundRecord): readonly Debt[] {
  return outstandingCalls(round).filter((owed): owed is Debt => owed.call !== 'bet');
}

export type Debt = Exclude<OwedCall, { readonly call: 'bet' }>;

/** Bets that were sent and whose answer is not known. */
export function betsInDoubt({ round }: RoundRecord): readonly string[] {
  return round.bets.filter(({ status }) => status === 'sent').map(({ request }) => request.txID);
}

/** The round after an event, with the failed tries counted. `round` is what the event made of it. */
export function advanced(record: RoundRecord, event: RoundEvent, round: Round, over: boolean): RoundRecord {
  const failed = { ...record.failed };
  if (event.kind !== 'bet' && event.kind !== 'win') {
    const isOwed = outstandingCalls(round).some(({ body }) => body.txID === event.txID);
    if (isOwed) failed[event.txID] = (failed[event.txID] ?? 0) + 1;
    else delete failed[event.txID];
  }
  return { ...record, round, over: record.over || over, failed };
}

/** How the actions of a round are marked. @param type for free rounds; all others are `regular` */
export function kindOf({ free }: RoundRecord, type: 'regular' | 'free'): { type: 'regular' | 'free'; frID?: string } {
  return free === null ? { type: 'regular' } : { type, frID: free.frID };
}

/** @throws Error when none of the calls has the `txID` */
export function callOf<C extends OwedCall>(calls: readonly C[], txID: string): C {
  const call = calls.find(({ body }) => body.txID === txID);
  if (call === undefined) throw new Error(`${txID} was placed but is not in its round`);
  return call;
}
