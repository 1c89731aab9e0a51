import type { z } from 'zod';
import { canonicalJson } from '../contract/canonical.ts';
import { type CreateFreeRounds, type CreateNewGame, coreErrorSchema } from '../contract/core-api.ts';
import type { CurrencyType } from '../contract/currencies.ts';
import { SIGNATURE_HEADER, signBody, signQuery } from '../contract/signature.ts';
import {
  type Campaign,
  type CreateFreeRoundsReply,
  type CreateNewGameReply,
  createdCampaignSchema,
  type GameInfo,
  knownCampaignSchema,
  launchedGameSchema,
  listedGamesSchema,
} from './core-replies.ts';

/** The address of the Core API, and the client that calls it. */
export interface CoreApiOptions {
  /** The address with the base path, such as `http://127.0.0.1:4000/api/v1`. The client appends the path of the operation. */
  readonly baseUrl: string;
  readonly cID: string;
  readonly extCID: string;
  /** The key that signs the requests. It is not the Integration API key, which signs the reverse calls. */
  readonly apiKey: string;
  /** The maximum time for a reply, in milliseconds. The default is 30 000, because the list of games can take 20 seconds. */
  readonly timeoutMs?: number;
  /** Headers that are sent with each request. They replace headers of the same name, except the signature. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Own = 'cID' | 'extCID';

/** The fields of a launch, without the ids of the client. */
export type NewGame = Omit<CreateNewGame, Own>;

/** The fields of a new campaign of free rounds, without the ids of the client. */
export type NewCampaign = Omit<CreateFreeRounds, Own>;

/** The id of a campaign: either `id`, which the service chose, or `extID`, which the operator chose. */
export type CampaignName = { readonly id: string } | { readonly extID: string };

/** The filters of `GET /games` (contract, Parameters of `GET /games`). */
export interface GamesWanted {
  /** The types of currencies to list. If this is left out, all types except `virtual` are listed. */
  readonly currencyFilters?: readonly CurrencyType[];
  /** Codes of currencies that are listed even if the filter excludes them. */
  readonly additionalCurrencies?: readonly string[];
  readonly excludeBetLines?: boolean;
}

/** The operations of the Core API. Each throws a {@link CoreApiError} if the reply is not a success. */
export interface CoreApiClient {
  /** Launches a game. Send the player to the `gameURL` of the reply. */
  readonly createNewGame: (game: NewGame) => Promise<CreateNewGameReply>;
  /** Lists the games that the client may launch. The request asks for compression, as the contract recommends. */
  readonly games: (wanted?: GamesWanted) => Promise<readonly GameInfo[]>;
  readonly createFreeRounds: (campaign: NewCampaign) => Promise<CreateFreeRoundsReply>;
  readonly freeRounds: (name: CampaignName) => Promise<Campaign>;
  /** Cancels a campaign. Rounds that have begun are still played to their end. */
  readonly cancelFreeRounds: (name: CampaignName) => Promise<Campaign>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Creates a client of the Core API. It signs each request with the API key. The signature covers the canonical JSON of
 * the body (POST, DELETE) or of the query parameters (GET).
 *
 * @throws TypeError if the base URL is not a URL
 */
export function createCoreApiClient(options: CoreApiOptions): CoreApiClient {
  const base = new URL(options.baseUrl).href.replace(/(?<!\/)\/+$/, '');
  const { cID, extCID, apiKey, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const own = new Headers({ Accept: 'application/json', 'Accept-Encoding': 'gzip', ...options.headers });

  const ask = async <Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    init: { method: string; signature: string; body?: string },
  ): Promise<z.infer<Schema>> => {
    const what = `${init.method} ${path.replace(/\?.*/, '')}`;
    const headers = new Headers(own);
    headers.set(SIGNATURE_HEADER, init.signature);
    if (init.body !== undefined) headers.set('Content-Type', 'application/json');
    const { body, method } = init;
    const request = { method, headers, signal: AbortSignal.timeout(timeoutMs), ...(body !== undefined && { body }) };
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${base}${path}`, request);
      ({ status } = response);
      text = await response.text();
    } catch (cause) {
      throw new CoreApiError(`${what} was not answered: ${reasonOf(cause, timeoutMs)}`, { cause });
    }
    const value = parsed(text);
    if (status !== 200) throw refusalOf(what, status, value);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const wrong = result.error.issues.map((issue) => `${issue.path.join('.') || 'the body'}: ${issue.message}`);
    throw new CoreApiError(
      `${what} was answered 200, but its body is not as the contract requires: ${wrong.join('; ')}`,
      { status: 200 },
    );
  };
  const send = <Schema extends z.ZodType>(schema: Schema, method: string, path: string, fields: object) => {
    const body = canonicalJson({ ...JSON.parse(JSON.stringify(fields)), cID, extCID });
    return ask(schema, path, { method, body, signature: signBody(Buffer.from(body), apiKey) });
  };
  const read = <Schema extends z.ZodType>(schema: Schema, path: string, params: readonly [string, string][]) => {
    const all: [string, string][] = [['cID', cID], ['extCID', extCID], ...params];
    const query = new URLSearchParams(all).toString();
    return ask(schema, `${path}?${query}`, { method: 'GET', signature: signQuery(all, apiKey) });
  };

  return {
    createNewGame: (game) => send(launchedGameSchema, 'POST', '/create-new-game', game),
    games: ({ currencyFilters, additionalCurrencies, excludeBetLines } = {}) =>
      read(listedGamesSchema, '/games', [
        ...listParam('currencyFilters', currencyFilters),
        ...listParam('additionalCurrencies', additionalCurrencies),
        ...listParam('excludeBetLines', excludeBetLines === undefined ? undefined : [String(excludeBetLines)]),
      ]),
    createFreeRounds: (campaign) => send(createdCampaignSchema, 'POST', '/free-rounds', campaign),
    freeRounds: (name) => read(knownCampaignSchema, '/free-rounds', Object.entries(name)),
    cancelFreeRounds: (name) => send(knownCampaignSchema, 'DELETE', '/free-rounds', name),
  };
}

/** Returns a list as one query parameter with commas, because a signed query may contain each name only once. */
function listParam(name: string, values: readonly string[] | undefined): [string, string][] {
  return values === undefined ? [] : [[name, values.join(',')]];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf(what: string, status: number, value: unknown): CoreApiError {
  const error = coreErrorSchema.safeParse(value);
  if (!error.success) return new CoreApiError(`${what} was answered ${status}`, { status });
  const { message, code, details } = error.data;
  return new CoreApiError(`${what} was answered ${status}: ${message}`, {
    status,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
  });
}

/** Returns the reason for an error of `fetch`. Node puts the message of a failed connection into the error's `cause`. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return `no reply within ${timeoutMs} ms`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** The error of a request to the Core API that gets no reply, or a reply that is not a success. */
export class CoreApiError extends Error {
  override readonly name = 'CoreApiError';
  /** The HTTP status; undefined if no complete reply was received. */
  readonly status: number | undefined;
  /** One of the contract's codes, such as `locale_not_supported`; undefined if the reply has none. */
  readonly code: string | undefined;
  /** Details for developers; undefined if the reply has none. */
  readonly details: unknown;

  constructor(
    message: string,
    { status, code, details, cause }: { status?: number; code?: string; details?: unknown; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
