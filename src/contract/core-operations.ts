import type { z } from 'zod';
import {
  campaignSchema,
  cancelFreeRoundsSchema,
  createFreeRoundsReplySchema,
  createFreeRoundsSchema,
  createNewGameReplySchema,
  createNewGameSchema,
  freeRoundsQuerySchema,
  gamesQuerySchema,
  gamesReplySchema,
} from './core-api.ts';
import type { ContractVersion } from './versions.ts';

/** One operation of the Core API. A GET says everything in its query, the others in a JSON body. */
export interface CoreOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From a slash on, after `{base_url}`. */
  readonly path: string;
  readonly since: ContractVersion;
  readonly summary: string;
  readonly request: z.ZodObject;
  readonly reply: z.ZodType;
  /** The statuses of its errors beside 401 and 500, each with when it comes. */
  readonly errors: Readonly<Partial<Record<400 | 403 | 404 | 409, string>>>;
}

const WRONG_FIELDS = 'A field is missing or not what it should be.';

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
      400: 'A field is not what it should be, or the code is currency_not_supported or locale_not_supported.',
      403: 'The code is account_blocked or game_not_found.',
    },
  },
  games: {
    method: 'GET',
    path: '/games',
    since: '1.1.0',
    summary: 'List the games that the client may launch. Ask for gzip: the list can be large.',
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
      400: 'A field is not what it should be, or the code is currency_not_supported.',
      403: 'The code is game_not_found.',
      409: 'The client has used this extID for a campaign before.',
    },
  },
  cancelFreeRounds: {
    method: 'DELETE',
    path: '/free-rounds',
    since: '1.0.0',
    summary: 'Cancel a campaign of free rounds. Rounds that have begun go on.',
    request: cancelFreeRoundsSchema,
    reply: campaignSchema,
    errors: { 400: WRONG_FIELDS, 404: 'The client has no such campaign.' },
  },
} as const satisfies Record<string, CoreOperation>;

/** The name of an operation, as programs call it. */
export type CoreOperationName = keyof typeof CORE_OPERATIONS;
