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

/** The data that the operations of the Core API need. */
export interface CoreApiContext {
  /** The version of the contract that is followed. */
  readonly version: ContractVersion;
  readonly clients: readonly ServiceClient[];
  readonly games: readonly Game[];
  readonly sessions: GameSessions;
  readonly campaigns: Campaigns;
  readonly demoBalances: DemoBalances;
  /** The lifetime of a game session, in milliseconds. */
  readonly sessionLifeMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newID: () => string;
  /** The address of the service as the sender of the request reaches it, without a slash at the end. */
  readonly publicUrl: (request: ListenRequest) => string;
  /** Resolves when the list of games may be answered, which can be made slow. */
  readonly catalogueReady: () => Promise<void>;
  /** Called with a campaign that was cancelled. */
  readonly onCancelled: (campaign: Campaign) => void;
  /** Called with the error of an operation that failed. The caller reads 500 without details. */
  readonly onFault: (error: unknown) => void;
}

/** The result of an operation. */
export type Done = { readonly kind: 'done'; readonly reply: ListenReply; readonly session?: GameSession } | Refusal;

/** One operation, for an authenticated client and fields that passed their schema. */
export type Operation<Fields> = (
  context: CoreApiContext,
  client: ServiceClient,
  fields: Fields,
  request: ListenRequest,
) => Done | Promise<Done>;

/** A request of an operator's backend to the Core API, and its answer, for judging the backend. */
export interface LaunchSeen {
  readonly operation: CoreOperationName;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  /** Of the client that signed it; undefined when the signature is not valid. */
  readonly extCID?: string;
  readonly headers: HeaderPairs;
  /** The body, or the query of a GET, as it was sent; undefined when it could not be read. */
  readonly fields?: JsonObject;
  /** The fields that are missing or of a wrong type. Empty for a valid request, and for one that could not be read. */
  readonly diagnostics: readonly FieldProblem[];
  readonly status: number;
  /** The error code of the answer. */
  readonly code?: string;
  /** The game session that it opened. */
  readonly session?: GameSession;
}
