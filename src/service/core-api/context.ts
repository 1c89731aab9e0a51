import type { Campaign, CoreOperationName } from '../../contract/core-api.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ContractVersion } from '../../contract/versions.ts';
import type { HeaderPairs, ListenReply, ListenRequest } from '../../listen/message.ts';
import type { Campaigns } from '../campaigns.ts';
import type { ServiceClient } from '../client.ts';
import type { DemoBalances } from '../demo-balances.ts';
import type { GameSession, GameSessions } from '../game-sessions.ts';
import type { Game } from '../games.ts';
import type { FieldProblem, Refusal } from './refusal.ts';

/** The data and functions that the operations of the Core API need. */
export interface CoreApiContext {
  /** The version of the contract that the service follows. */
  readonly version: ContractVersion;
  readonly clients: readonly ServiceClient[];
  readonly games: readonly Game[];
  readonly sessions: GameSessions;
  readonly campaigns: Campaigns;
  readonly demoBalances: DemoBalances;
  /** The lifetime of a game session, in milliseconds. */
  readonly sessionLifeMs: number;
  /** Returns the milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a new UUID. */
  readonly newID: () => string;
  /** Returns the address at which the sender of the request reaches the service, without a trailing slash. */
  readonly publicUrl: (request: ListenRequest) => string;
  /** Resolves when `GET /games` may be answered. A configured delay makes this reply slow. */
  readonly catalogueReady: () => Promise<void>;
  /** Is called with a campaign after it was cancelled. */
  readonly onCancelled: (campaign: Campaign) => void;
  /**
   * Is called with the error of an operation that failed. The operator, which sent the request, only gets status 500 and a
   * general message.
   */
  readonly onFault: (error: unknown) => void;
}

/** The result of an operation: a reply, or a refusal. */
export type Done = { readonly kind: 'done'; readonly reply: ListenReply; readonly session?: GameSession } | Refusal;

/** One operation of the Core API. It is called after the client is authenticated and the fields are checked. */
export type Operation<Fields> = (
  context: CoreApiContext,
  client: ServiceClient,
  fields: Fields,
  request: ListenRequest,
) => Done | Promise<Done>;

/**
 * A request from an operator's backend to the Core API, together with the answer. croupier uses both to judge the backend.
 */
export interface LaunchSeen {
  readonly operation: CoreOperationName;
  /** The time of the answer, in milliseconds since 1970. */
  readonly at: number;
  /** The client that signed the request; undefined if the signature is not valid. */
  readonly extCID?: string;
  readonly headers: HeaderPairs;
  /**
   * The fields as they were sent: from the query of a GET, otherwise from the body. Undefined if the fields could not be read.
   */
  readonly fields?: JsonObject;
  /** The fields that are missing or have a wrong type. Empty if the request is valid, or if it could not be read. */
  readonly diagnostics: readonly FieldProblem[];
  readonly status: number;
  /** The error code of the answer; undefined if the answer has no code. */
  readonly code?: string;
  /** The message of the answer; undefined if the request was not refused. */
  readonly message?: string;
  /** The game session that the request opened; undefined if it opened none. */
  readonly session?: GameSession;
}
