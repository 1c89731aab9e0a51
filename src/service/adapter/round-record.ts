import { z } from 'zod';
import type { ActionType } from '../../contract/call-name.ts';
import { AMOUNT_PATTERN, betRequestSchema, winRequestSchema } from '../../contract/calls.ts';
import { type OwedCall, outstandingCalls, type Round, type RoundEvent } from '../../contract/round.ts';

/** The player, game and session of a round. */
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
  /** The number of free rounds of each player. */
  readonly quantity: number;
}

/** One round, with everything that is needed to finish it after a restart. */
export interface RoundRecord extends RoundSession {
  readonly round: Round;
  /**
   * The win that was drawn and that follows an accepted bet, so that a round whose service died between bet and win still pays it.
   * null: the caller places the win.
   */
  readonly plannedWin: string | null;
  /** null for a round with money. */
  readonly free: FreeTerms | null;
  /** Its last win was placed; no bet or win may follow. */
  readonly over: boolean;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** The number of failed attempts of each owed call, by `txID`. */
  readonly failed: Readonly<Record<string, number>>;
}

const text = z.string().min(1);
const amount = z.string().regex(AMOUNT_PATTERN);
const count = z.int().nonnegative();
const betStatus = z.enum(['sent', 'accepted', 'declined', 'refund-owed', 'refund-pending', 'refunded']);

export const roundRecordSchema = z.object({
  gsID: text,
  extCID: text,
  sessionID: text,
  player: z.string(),
  currency: text,
  gameID: text,
  round: z.object({
    sessionID: text,
    roundID: text,
    bets: z.array(z.object({ status: betStatus, request: betRequestSchema, refundTxID: text })),
    wins: z.array(z.object({ status: z.enum(['sent', 'pending', 'settled']), request: winRequestSchema })),
  }),
  plannedWin: amount.nullable(),
  free: z.object({ frID: text, quantity: count }).nullable(),
  over: z.boolean(),
  openedAt: z.number(),
  failed: z.record(z.string(), count),
}) satisfies z.ZodType<RoundRecord>;

/** Whether nothing is owed in the round, and nothing more can happen in it. */
export function isFinished({ round, over }: RoundRecord): boolean {
  if (round.bets.length === 0 || outstandingCalls(round).length > 0) return false;
  return !hasAcceptedBet(round) || (over && round.wins.length > 0);
}

/** Whether all calls are answered, and there is a win. */
export function isSettled({ round }: RoundRecord): boolean {
  return outstandingCalls(round).length === 0 && round.wins.length > 0;
}

function hasAcceptedBet(round: Round): boolean {
  return round.bets.some(({ status }) => status === 'accepted');
}

/** The drawn win that is due and not placed yet; undefined when there is none, or a bet is unanswered. */
export function plannedWinOf({ round, plannedWin }: RoundRecord): string | undefined {
  if (plannedWin === null || round.wins.length > 0 || outstandingCalls(round).length > 0) return undefined;
  return hasAcceptedBet(round) ? plannedWin : undefined;
}

/** The wins and refunds that have to be sent until they are answered 200. */
export function debtsOf({ round }: RoundRecord): readonly Debt[] {
  return outstandingCalls(round).filter((owed): owed is Debt => owed.call !== 'bet');
}

export type Debt = Exclude<OwedCall, { readonly call: 'bet' }>;

/** The `txID`s of the bets without an answer. */
export function betsInDoubt({ round }: RoundRecord): readonly string[] {
  return round.bets.filter(({ status }) => status === 'sent').map(({ request }) => request.txID);
}

/** The record after an event, with the failed attempts counted. @param round the round after the event */
export function advanced(record: RoundRecord, event: RoundEvent, round: Round, over: boolean): RoundRecord {
  const failed = { ...record.failed };
  if (event.kind !== 'bet' && event.kind !== 'win') {
    const isOwed = outstandingCalls(round).some(({ body }) => body.txID === event.txID);
    if (isOwed) failed[event.txID] = (failed[event.txID] ?? 0) + 1;
    else delete failed[event.txID];
  }
  return { ...record, round, over: record.over || over, failed };
}

/** The `type` and `frID` of a round's calls. @param type of a free round; all others are `regular` */
export function kindOf({ free }: RoundRecord, type: ActionType): { type: ActionType; frID?: string } {
  return free === null ? { type: 'regular' } : { type, frID: free.frID };
}

/** @throws Error when none of the calls has the `txID` */
export function callOf<C extends OwedCall>(calls: readonly C[], txID: string): C {
  const call = calls.find(({ body }) => body.txID === txID);
  if (call === undefined) throw new Error(`${txID} was placed but is not in its round`);
  return call;
}
