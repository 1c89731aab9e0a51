import { z } from 'zod';
import { CURRENCY_TYPES } from './currencies.ts';
import { MAX_CAMPAIGN_DAYS } from './limits.ts';
import { AMOUNT_PATTERN } from './money.ts';
import { type ContractVersion, field } from './versions.ts';

const cID = z.string().min(1).meta(field("The operator's id on the service's side."));
const extCID = z
  .string()
  .min(1)
  .meta(field('The ExtCID: the text by which the service identifies this client of the operator.'));
const currency = z.string().min(1).meta(field('The code of a supported currency; letter case matters.'));
const amount = z.string().regex(AMOUNT_PATTERN, { error: 'expected a plain decimal such as 0.90' });
const instant = z.iso.datetime({
  offset: true,
  error: 'expected a date and time with its offset, such as 2026-01-31T00:00:00Z',
});

/** Devices that a game can be launched for. */
export const PLATFORMS = ['desktop', 'mobile'] as const;

export type Platform = (typeof PLATFORMS)[number];

/** The player, as the operator knows them. */
const userSchema = z
  .object({
    id: z.string().min(1).meta(field("The operator's own id of the player.")),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    nickName: z.string().optional(),
    country: z.string().optional().meta(field('ISO 3166-1 alpha-2.')),
  })
  .describe('The player. May be left out in demo mode.');

/**
 * The body of `POST /create-new-game` (contract, Create New Game). `gameID` and the fields after it are positions of croupier. The
 * schema does not check whether currency, locale and game are supported: if one of them is not, the reply has an error code of its
 * own.
 */
export const createNewGameSchema = z
  .object({
    cID,
    extCID,
    user: userSchema.optional(),
    currency,
    locale: z.string().min(1).meta(field('A supported locale, in lower case and with an underscore: en_us.')),
    fallbackToDefaultLocale: z
      .boolean()
      .optional()
      .meta({
        ...field(
          'When true, a game opens in en_us if the locale is not supported. When false, the reply is an error.',
          '1.10.0',
        ),
        default: false,
      }),
    sessionID: z
      .string()
      .min(1)
      .optional()
      .meta(
        field(
          "The operator's reference of the session. Each reverse call contains this sessionID. May be left out in demo mode.",
        ),
      ),
    returnUrl: z
      .string()
      .optional()
      .meta(field('The page to which the player returns if the game was launched by a redirect.')),
    returnURL: z.string().optional().meta(field('Another spelling of returnUrl, which is also accepted.')),
    depositURL: z.string().optional().meta(field('The page where the player can deposit money.')),
    initDemoBalance: z
      .union([z.number().nonnegative(), amount], {
        error: 'expected a number that is not negative, such as 5000 or 250.50',
      })
      .optional()
      .meta(
        field(
          'The first demo balance of this cID, extCID, user and currency, such as 5000 or the text 250.50. Used only in demo mode, and not if this balance exists already. Default: the value of 10 000 USD in the currency.',
          '1.2.0',
        ),
      ),
    gameID: z.string().min(1).optional().meta(field('Default: the first game of the catalogue.')),
    demo: z
      .boolean()
      .optional()
      .meta({
        ...field('When true, the game uses a demo balance, and the service makes no reverse call.'),
        default: false,
      }),
    platform: z.enum(PLATFORMS).optional(),
  })
  .check((context) => {
    const { demo, user, sessionID } = context.value;
    if (demo === true) return;
    for (const [name, given] of Object.entries({ user, sessionID })) {
      if (given === undefined) {
        const message = `required, unless demo is true`;
        context.issues.push({ code: 'custom', path: [name], message, input: context.value });
      }
    }
  })
  .meta({
    description: 'The body of POST /create-new-game. Unknown fields are ignored.',
    // JSON Schema form of the check above.
    anyOf: [{ properties: { demo: { const: true } }, required: ['demo'] }, { required: ['user', 'sessionID'] }],
  });

/** The reply of `POST /create-new-game`. */
export const createNewGameReplySchema = z
  .object({
    gameURL: z.url().meta(field('The address of the game, for a redirect or an iframe.')),
    gsID: z.uuid().meta(field("The service's own id of the game session. It is not the sessionID.")),
  })
  .describe('A launched game.');

/**
 * Accepts a list in a query: comma-separated, as a repeated parameter, or both. Ignores empty items and white space around
 * items.
 */
function listOf<T extends z.ZodType<string>>(item: T) {
  return z.preprocess(
    (given) =>
      [given]
        .flat()
        .flatMap((text) => String(text).split(','))
        .map((text) => text.trim())
        .filter(Boolean),
    z.array(item),
  );
}

/** The query of `GET /games`. A parameter that is given several times becomes a list. */
const gamesQuerySchema = z
  .object({
    cID,
    extCID,
    currencyFilters: listOf(z.enum(CURRENCY_TYPES))
      .optional()
      .meta(field('Only currencies of these types are listed. Default: all types except virtual.', '1.8.0')),
    additionalCurrencies: listOf(z.string())
      .optional()
      .meta(field('Codes of currencies that are listed even if currencyFilters excludes them.', '1.8.0')),
    excludeBetLines: z
      .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'expected true or false' })
      .optional()
      .meta({
        ...field('When true, betLines is left out of each game, and hasFreeSpins is false.', '1.6.0'),
        default: false,
      }),
  })
  .describe('The query of GET /games.');

const betLineSchema = z.object({
  maxBet: amount.meta(
    field(
      'The amount of the bet of one free round, for this bet line. It is written in the main unit of the currency, such as 0.50 for 50 cents.',
    ),
  ),
  maxCoeff: amount.meta(field('The largest number by which this bet can be multiplied.')),
});

/** The paths of a game's images. Each is appended to `baseURL`. */
const imagesSchema = z
  .object({
    baseURL: z.url(),
    square: z.string().meta(field('1:1')),
    horizontal: z.string().meta(field('4:3')),
    widescreen: z.string().meta(field('16:9')),
    vertical: z.string().meta(field('3:4')),
    horizontal_337x181: z.string().optional().meta(field('337:181', '1.7.0')),
  })
  .describe('Paths of images, to be appended to baseURL.');

/** One game of `GET /games`. */
export const gameInfoSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    locales: z.array(z.string()),
    currencies: z.array(z.string()),
    platforms: z.array(z.enum(PLATFORMS)),
    hasFreeSpins: z.boolean(),
    rtp: z.int().meta(field('The percentage of all bets that players win back in the long run.')),
    images: imagesSchema,
    betLines: z
      .array(z.object({ currency: z.string(), values: z.array(betLineSchema).meta(field('Line 1 first.')) }))
      .optional()
      .meta(field('For each currency, the possible bets of free rounds.')),
  })
  .describe('A game that the client may launch.');

/** The reply of `GET /games`. */
export const gamesReplySchema = z.array(gameInfoSchema).describe('The games of the client.');

const campaignTerms = {
  extID: z.string().min(1).meta(field("The operator's own id of the campaign. Each campaign needs another id.")),
  currency,
  quantity: z.int().min(1).max(99).meta(field('The number of rounds for each player.')),
  betLine: z
    .int()
    .min(1)
    .max(99)
    .meta(field('The number of the bet line that is played. The bet lines of the currency are counted from 1.')),
  validFrom: instant.meta(field('The time from which the campaign can be played.')),
  validUntil: instant
    .optional()
    .meta(
      field(
        `The time until which the campaign can be played, at most ${MAX_CAMPAIGN_DAYS} days after validFrom. Default: no end.`,
      ),
    ),
  gameIDs: z
    .array(z.string().min(1))
    .min(1, { error: 'expected at least one game; to allow all games, leave out gameIDs' })
    .optional()
    .meta(
      field(
        'The games in which the campaign can be played. Default: all games. Each player plays the campaign in only one of these games.',
      ),
    ),
  userIDs: z
    .array(z.string().min(1))
    .min(1, { error: 'expected at least one player; to allow all players, leave out userIDs' })
    .optional()
    .meta(field('The players who can play the campaign. Default: all players.')),
};

/** The body of `POST /free-rounds`. The contract does not show its fields. */
export const createFreeRoundsSchema = z
  .object({ cID, extCID, ...campaignTerms })
  .describe('The body of POST /free-rounds.');

/** The reply of `POST /free-rounds`. */
export const createFreeRoundsReplySchema = z
  .object({ id: z.uuid(), extID: z.string() })
  .describe('The ids that the service and the operator gave to the campaign.');

const campaignName = {
  id: z.uuid().optional().meta(field('The id that the service gave to the campaign.')),
  extID: z.string().min(1).optional().meta(field('The id that the operator gave to the campaign.')),
};

/** Requires that a request names its campaign by `id` or `extID`. */
function naming<T extends z.ZodType<{ id?: string | undefined; extID?: string | undefined }>>(schema: T): T {
  return schema.refine(({ id, extID }) => id !== undefined || extID !== undefined, {
    path: ['id'],
    error: 'expected the id or the extID of a campaign',
  });
}

/** The query of `GET /free-rounds`. */
const freeRoundsQuerySchema = naming(z.object({ cID, extCID, ...campaignName })).describe(
  'The query of GET /free-rounds: one of id and extID, or both.',
);

/** The body of `DELETE /free-rounds`. The contract does not show its fields. */
export const cancelFreeRoundsSchema = naming(z.object({ cID, extCID, ...campaignName })).describe(
  'The body of DELETE /free-rounds: one of id and extID, or both.',
);

/** The reply of `GET /free-rounds` and of `DELETE /free-rounds`. */
export const campaignSchema = z
  .object({
    id: z.uuid().meta(field('The id that the service gave to the campaign.')),
    cID,
    extCID,
    ...campaignTerms,
    maxBet: amount.meta(field('The bet of each round.')),
    maxMult: amount.meta(field('The largest number by which a bet can be multiplied.')),
    cancelledAt: instant
      .optional()
      .meta(field('The time at which the campaign was cancelled. Rounds that had already begun continue.')),
  })
  .describe('A campaign of free rounds.');

/** The body of every error of the Core API. */
export const coreErrorSchema = z
  .object({
    message: z.string().meta(field('The fault in the request, and the change that fixes it.')),
    code: z.string().optional().meta(field('A code for programs.', '1.0.1')),
    details: z
      .string()
      .optional()
      .meta(field('For developers: the fields that are wrong, or the content that must be signed.')),
  })
  .describe('An error of the Core API.');

export type CreateNewGame = z.infer<typeof createNewGameSchema>;
export type GamesQuery = z.infer<typeof gamesQuerySchema>;
export type GameInfo = z.infer<typeof gameInfoSchema>;
export type CreateFreeRounds = z.infer<typeof createFreeRoundsSchema>;
export type FreeRoundsQuery = z.infer<typeof freeRoundsQuerySchema>;
export type CancelFreeRounds = z.infer<typeof cancelFreeRoundsSchema>;
export type Campaign = z.infer<typeof campaignSchema>;

/**
 * One operation of the Core API. The fields of a GET are in its query. The fields of the other methods are in a JSON
 * body.
 */
export interface CoreOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path, which begins with a slash. It is appended to `{base_url}`. */
  readonly path: string;
  readonly since: ContractVersion;
  readonly summary: string;
  readonly request: z.ZodObject;
  readonly reply: z.ZodType;
  /** The error statuses except 401 and 500, each with its cause. */
  readonly errors: Readonly<Partial<Record<400 | 403 | 404 | 409, string>>>;
}

const WRONG_FIELDS = 'A field is missing or wrong.';

/** The whole Core API (contract, Endpoints; `POST` and `DELETE /free-rounds` are positions). */
export const CORE_OPERATIONS = {
  createNewGame: {
    method: 'POST',
    path: '/create-new-game',
    since: '1.0.0',
    summary: 'Launch a game for a player.',
    request: createNewGameSchema,
    reply: createNewGameReplySchema,
    errors: {
      400: 'A field is wrong, or the currency or the locale is not supported. In the last two cases the code is currency_not_supported or locale_not_supported.',
      403: 'The code is account_blocked or game_not_found.',
    },
  },
  games: {
    method: 'GET',
    path: '/games',
    since: '1.1.0',
    summary: 'List the games that the client may launch. Request gzip, because the list can be large.',
    request: gamesQuerySchema,
    reply: gamesReplySchema,
    errors: { 400: WRONG_FIELDS },
  },
  freeRounds: {
    method: 'GET',
    path: '/free-rounds',
    since: '1.9.0',
    summary: 'Read a campaign of free rounds.',
    request: freeRoundsQuerySchema,
    reply: campaignSchema,
    errors: { 400: WRONG_FIELDS, 404: 'The client has no such campaign.' },
  },
  createFreeRounds: {
    method: 'POST',
    path: '/free-rounds',
    since: '1.0.0',
    summary: 'Create a campaign of free rounds.',
    request: createFreeRoundsSchema,
    reply: createFreeRoundsReplySchema,
    errors: {
      400: 'A field is wrong, or the currency is not supported. In the second case the code is currency_not_supported.',
      403: 'A game was not found. The code is game_not_found.',
      409: 'The client has used this extID for a campaign before.',
    },
  },
  cancelFreeRounds: {
    method: 'DELETE',
    path: '/free-rounds',
    since: '1.0.0',
    summary: 'Cancel a campaign of free rounds. Rounds that have begun continue.',
    request: cancelFreeRoundsSchema,
    reply: campaignSchema,
    errors: { 400: WRONG_FIELDS, 404: 'The client has no such campaign.' },
  },
} as const satisfies Record<string, CoreOperation>;

/** The name of an operation in the code of croupier. */
export type CoreOperationName = keyof typeof CORE_OPERATIONS;
