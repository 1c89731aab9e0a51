import { z } from 'zod';
import { ACTION_TYPES, type CallName } from './call-name.ts';
import { TX_ID_WINDOW_MONTHS } from './limits.ts';
import { AMOUNT_PATTERN } from './money.ts';
import { field } from './versions.ts';

const sessionID = z.string().min(1).describe("The operator's own reference of the player's session.");
const txID = z
  .uuidv4()
  .describe(
    `The id of one bet, win or refund, and its idempotency key. For at least ${TX_ID_WINDOW_MONTHS} months, no other bet, win or refund gets the same id.`,
  );
const roundID = z.uuid().describe('The same for all bets, wins and refunds of one round. Unique only within one game.');
const amount = z
  .string()
  .regex(AMOUNT_PATTERN, 'write a plain decimal such as 0.90')
  .describe("Plain decimal in the currency's main unit, such as 0.90.");
const type = z.enum(ACTION_TYPES).describe('`free` marks an action of a free-rounds campaign.');
const frID = z.string().min(1).describe('The free-rounds campaign that the action belongs to.');
const balance = z
  .string()
  .regex(AMOUNT_PATTERN)
  .describe("The player's balance after the call, a plain decimal in the main unit.");

/**
 * The query of `GET /balance`. All parameters are text. All of them are signed, including those that this schema does not
 * name.
 */
const balanceQuerySchema = z.object({ sessionID }).catchall(z.string()).describe('The query of GET /balance.');

/** The body of `POST /bet`. Further fields are allowed, so that the contract can grow. */
export const betRequestSchema = z
  .looseObject({ sessionID, txID, roundID, amount, type, frID: frID.optional() })
  .refine((bet) => (bet.type === 'free') === (bet.frID !== undefined), {
    path: ['frID'],
    error: 'a free bet carries an frID, and a regular bet carries none',
  })
  .meta({
    description: 'The body of POST /bet.',
    // JSON Schema form of the check above.
    anyOf: [
      { properties: { type: { const: 'free' } }, required: ['frID'] },
      { properties: { type: { const: 'regular' } }, not: { required: ['frID'] } },
    ],
  });

/**
 * The body of `POST /win`. A regular win with an `frID` pays out the bonus of a campaign. This is a position of croupier: the
 * contract does not say it.
 */
export const winRequestSchema = z
  .looseObject({ sessionID, txID, roundID, amount, type, frID: frID.optional() })
  .refine((win) => win.type === 'regular' || win.frID !== undefined, {
    path: ['frID'],
    error: 'a free win carries an frID',
  })
  .meta({
    description: 'The body of POST /win. The amount is 0 when nothing was won.',
    // JSON Schema form of the check above.
    anyOf: [{ properties: { type: { const: 'regular' } } }, { required: ['frID'] }],
  });

/** The body of `POST /refund`. */
export const refundRequestSchema = z
  .looseObject({
    sessionID,
    txID,
    origTxID: z.uuid().describe('The `txID` of the bet to give back.'),
    roundID: roundID.optional().meta(field('The round of the bet.', '1.5.0')),
    amount,
  })
  .describe('The body of POST /refund. The amount is always the whole bet.');

/** The reply to a `GET /balance` that succeeds. */
export const balanceReplySchema = z.looseObject({ balance }).describe('The 200 body of GET /balance.');

/** The reply to a bet, win or refund that succeeds. */
export const transactionReplySchema = z
  .looseObject({ txID: z.string().min(1).describe("The operator's own id of the transaction."), balance })
  .describe('The 200 body of POST /bet, /win and /refund.');

/**
 * The body of a reply with any status but 200. Only a 401 must have a `message`. All other fields are optional, because the
 * contract does not say which fields an error must have.
 */
export const errorReplySchema = z
  .looseObject({
    message: z.string().describe('May be shown to the player.').optional(),
    code: z
      .string()
      .describe('A code by which a game client recognises the error, such as insufficient_funds.')
      .optional(),
    details: z.unknown().describe('Details for developers, which a player never sees.').optional(),
    action: z.literal('refresh').describe('The action that the game client must take.').optional(),
    actionData: z.unknown().describe('Data for the action.').optional(),
  })
  .describe('The body of an error.');

/** The body of a 401, which is the only error that must have a `message` (contract, Authentication). */
export const unauthorizedReplySchema = errorReplySchema
  .required({ message: true })
  .describe('The body of a 401. It must have a message.');

export type BetRequest = z.infer<typeof betRequestSchema>;
export type WinRequest = z.infer<typeof winRequestSchema>;
export type RefundRequest = z.infer<typeof refundRequestSchema>;

/** The schema of each request: the query of a balance call, the body of the other calls. */
export const REQUEST_SCHEMAS = {
  balance: balanceQuerySchema,
  bet: betRequestSchema,
  win: winRequestSchema,
  refund: refundRequestSchema,
} as const satisfies Record<CallName, z.ZodType>;

/** The schema of the body of each reply when the call succeeds. */
export const REPLY_SCHEMAS = {
  balance: balanceReplySchema,
  bet: transactionReplySchema,
  win: transactionReplySchema,
  refund: transactionReplySchema,
} as const satisfies Record<CallName, z.ZodType>;
