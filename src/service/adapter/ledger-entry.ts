import { z } from 'zod';
import { AMOUNT_PATTERN, betRequestSchema, winRequestSchema } from '../../contract/calls.ts';
import type { RoundEvent } from '../../contract/round.ts';
import type { FreeTally } from './free-tally.ts';
import type { RoundRecord } from './round-record.ts';

/** One thing that happened, or one thing as it stands. */
export type LedgerEntry =
  /** A round as it stands: when it begins, and when the ledger is written anew. */
  | { readonly kind: 'round'; readonly record: RoundRecord }
  /** Something happened in a round. `over`: it is the round's last win. */
  | { readonly kind: 'event'; readonly roundID: string; readonly event: RoundEvent; readonly over?: boolean }
  /** What a player has had of a campaign so far, when the ledger is written anew. */
  | { readonly kind: 'tally'; readonly tally: FreeTally }
  /** No free round of the campaign begins any more. */
  | { readonly kind: 'campaign-ended'; readonly extCID: string; readonly frID: string };

/** The first line of a ledger. */
export const LEDGER_HEADER = { 'croupier-ledger': 1 } as const;
export const ledgerHeaderSchema = z.object({ 'croupier-ledger': z.literal(1) });

const text = z.string().min(1);
const amount = z.string().regex(AMOUNT_PATTERN);
const count = z.int().nonnegative();
const placed = { txID: text, amount, type: z.enum(['regular', 'free']), frID: text.exactOptional() };

const event = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('bet'), refundTxID: text, ...placed }),
  z.object({ kind: z.literal('win'), ...placed }),
  z.object({ kind: z.literal('reply'), txID: text, status: z.int() }),
  z.object({ kind: z.literal('timeout'), txID: text }),
  z.object({ kind: z.literal('broken'), txID: text }),
]) satisfies z.ZodType<RoundEvent>;

const betStatus = z.enum(['sent', 'accepted', 'declined', 'refund-owed', 'refund-pending', 'refunded']);

const record = z.object({
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

const tally = z.object({
  frID: text,
  extCID: text,
  player: z.string(),
  gameID: text,
  quantity: count,
  used: count,
  won: amount,
  lastRoundID: text.nullable(),
  withdrawn: z.boolean(),
}) satisfies z.ZodType<FreeTally>;

const entry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('round'), record }),
  z.object({ kind: z.literal('event'), roundID: text, event, over: z.boolean().exactOptional() }),
  z.object({ kind: z.literal('tally'), tally }),
  z.object({ kind: z.literal('campaign-ended'), extCID: text, frID: text }),
]) satisfies z.ZodType<LedgerEntry>;

/** One line of a ledger: entries that hold together or not at all. */
export const ledgerLineSchema = z.array(entry).min(1);
