import { z } from 'zod';

/**
 * The replies of the Core API as the SDK reads them. Only the fields that the contract promises are required. Unknown fields
 * are kept. croupier's own Core API sends more fields, which are optional here.
 */
const text = z.string().min(1);
/**
 * A service may write an amount as a JSON number. The amount is read as text, so that nobody computes with it in floating
 * point.
 */
const amount = z.union([z.string(), z.number()]).transform(String);

/** The reply of `POST /create-new-game`. */
export const launchedGameSchema = z.looseObject({
  /** The address of the game, for a redirect or an iframe. */
  gameURL: z.url(),
  /** The service's own id of the game session. It is not the `sessionID`. */
  gsID: text,
});

/** A game of `GET /games` (contract, Game record). */
const listedGameSchema = z.looseObject({
  id: text.optional(),
  title: z.string().optional(),
  locales: z.array(z.string()).optional(),
  currencies: z.array(z.string()),
  platforms: z.array(z.string()).optional(),
  hasFreeSpins: z.boolean().optional(),
  rtp: z.number().optional(),
  images: z.looseObject({ baseURL: z.string().optional(), horizontal_337x181: z.string().optional() }).optional(),
  /** The bets of free rounds, by currency. Left out if `excludeBetLines` is true. */
  betLines: z
    .array(
      z.looseObject({
        currency: z.string(),
        /** Line 1 comes first. */
        values: z.array(z.looseObject({ maxBet: amount.optional(), maxCoeff: amount.optional() })),
      }),
    )
    .optional(),
});

/** The reply of `GET /games`. */
export const listedGamesSchema = z.array(listedGameSchema);

/** The reply of `POST /free-rounds`. The contract does not show its fields. */
export const createdCampaignSchema = z.looseObject({ id: text.optional(), extID: text.optional() });

/** The reply of `GET /free-rounds` and of `DELETE /free-rounds` (contract, Free-rounds campaign). */
export const knownCampaignSchema = z.looseObject({
  /** The id that the service gave to the campaign. */
  id: text,
  /** The id that the operator gave to the campaign. */
  extID: text,
  currency: z.string(),
  /** The number of rounds. */
  quantity: z.int(),
  /** The maximum bet. */
  maxBet: amount,
  /** The maximum multiplier. */
  maxMult: amount,
  betLine: z.int().optional(),
  validFrom: z.string().optional(),
  /** The end of the campaign. Left out or null: it has no end. */
  validUntil: z.string().nullish(),
  gameIDs: z.array(z.string()).nullish(),
  userIDs: z.array(z.string()).nullish(),
  /** The time at which the campaign was cancelled. */
  cancelledAt: z.string().nullish(),
});

export type CreateNewGameReply = z.infer<typeof launchedGameSchema>;
export type GameInfo = z.infer<typeof listedGameSchema>;
export type CreateFreeRoundsReply = z.infer<typeof createdCampaignSchema>;
export type Campaign = z.infer<typeof knownCampaignSchema>;
