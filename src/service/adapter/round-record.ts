import { z } from 'zod';
import type { ActionType } from '../../contract/call-name.ts';
import { betRequestSchema, winRequestSchema } from '../../contract/calls.ts';
import { AMOUNT_PATTERN } from '../../contract/money.ts';
import { type OwedCall, outstandingCalls, type Round, type RoundEvent } from '../../contract/round.ts';

/** The game session of a round, with its player and game. */
export interface RoundSession {
  readonly gsID: string;
  readonly extCID: string;
  readonly sessionID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
}

/** The campaign of a free round. */
export interface FreeTerms {
  readonly frID: string;
  /** The number of free rounds that each player may play. */
  readonly quantity: number;
}

/** A round as it is stored, with all data that are needed to finish it after a restart. */
export interface RoundRecord extends RoundSession {
  readonly round: Round;
  /**
   * The win that was drawn before the bet. It is stored, so that the service pays the win even if the service is killed between
   * bet and win. Null if the caller decides on the win later.
   */
  readonly plannedWin: string | null;
  /** The campaign of a free round; null for other rounds. */
  readonly free: FreeTerms | null;
  /** True after the last win was placed. Then no bet or win may follow. */
  readonly over: boolean;
  /** The time when the round was opened, in milliseconds since 1970. */
  readonly openedAt: number;
  /** For each call that must be sent again, by `txID`: the number of attempts that failed. */
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

/** Returns true if all calls of the round are settled and no further call can follow. */
export function isFinished({ round, over }: RoundRecord): boolean {
  if (round.bets.length === 0 || outstandingCalls(round).length > 0) return false;
  return !hasAcceptedBet(round) || (over && round.wins.length > 0);
}

/** Returns true if the round has a win, and every call of the round was sent and answered. */
export function isSettled({ round }: RoundRecord): boolean {
  return outstandingCalls(round).length === 0 && round.wins.length > 0;
}

function hasAcceptedBet(round: Round): boolean {
  return round.bets.some(({ status }) => status === 'accepted');
}

/**
 * Returns the drawn win if it must be sent now. Returns undefined if there is no drawn win, if it was already sent, or if a bet
 * has no answer yet.
 */
export function plannedWinOf({ round, plannedWin }: RoundRecord): string | undefined {
  if (plannedWin === null || round.wins.length > 0 || outstandingCalls(round).length > 0) return undefined;
  return hasAcceptedBet(round) ? plannedWin : undefined;
}

/** Returns the wins and refunds that must be sent until the operator answers 200. */
export function debtsOf({ round }: RoundRecord): readonly Debt[] {
  return outstandingCalls(round).filter((owed): owed is Debt => owed.call !== 'bet');
}

export type Debt = Exclude<OwedCall, { readonly call: 'bet' }>;

/** Returns the `txID` of each bet that has no answer yet. */
export function betsInDoubt({ round }: RoundRecord): readonly string[] {
  return round.bets.filter(({ status }) => status === 'sent').map(({ request }) => request.txID);
}

/**
 * Returns the record after an event, with the number of failed attempts updated.
 *
 * @param round the round after the event
 */
export function advanced(record: RoundRecord, event: RoundEvent, round: Round, over: boolean): RoundRecord {
  const failed = { ...record.failed };
  if (event.kind !== 'bet' && event.kind !== 'win') {
    const isOwed = outstandingCalls(round).some(({ body }) => body.txID === event.txID);
    if (isOwed) failed[event.txID] = (failed[event.txID] ?? 0) + 1;
    else delete failed[event.txID];
  }
  return { ...record, round, over: record.over || over, failed };
}

/**
 * Returns the fields `type` and `frID` of a round's calls.
 *
 * @param type the type in a free round; calls of other rounds are `regular`
 */
export function kindOf({ free }: RoundRecord, type: ActionType): { type: ActionType; frID?: string } {
  return free === null ? { type: 'regular' } : { type, frID: free.frID };
}

/**
 * Returns the call with a `txID`.
 *
 * @throws Error when none of the calls has this `txID`
 */
export function callOf<C extends OwedCall>(calls: readonly C[], txID: string): C {
  const call = calls.find(({ body }) => body.txID === txID);
  if (call === undefined) throw new Error(`the call ${txID} was stored, but its round does not contain it`);
  return call;
}
