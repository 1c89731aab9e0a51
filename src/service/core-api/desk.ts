import type { Campaign } from '../../contract/core-api.ts';
import type { ContractVersion } from '../../contract/versions.ts';
import type { ListenReply, ListenRequest } from '../../listen/message.ts';
import type { Campaigns } from '../campaigns.ts';
import type { ServiceClient } from '../client.ts';
import type { DemoBalances } from '../demo-balances.ts';
import type { Game } from '../game.ts';
import type { GameSession } from '../game-session.ts';
import type { GameSessions } from '../game-sessions.ts';
import type { Refusal } from './refusal.ts';

/** What the operations of the Core API work with. */
export interface CoreDesk {
  /** It behaves as this version of the contract says. */
  readonly version: ContractVersion;
  readonly clients: readonly ServiceClient[];
  readonly games: readonly Game[];
  readonly sessions: GameSessions;
  readonly campaigns: Campaigns;
  readonly demoBalances: DemoBalances;
  /** How long a game session lives, in milliseconds. */
  readonly sessionLifeMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newID: () => string;
  /** Where the page of a game is, as whoever sent the request can reach it; without a slash at the end. */
  readonly publicUrl: (request: ListenRequest) => string;
  /** Over when the catalogue may be answered: it can be slow. */
  readonly catalogueReady: () => Promise<void>;
  /** Told of a campaign that was cancelled. */
  readonly onCancelled: (campaign: Campaign) => void;
  /** Told of what made an operation fail, whose caller only reads a plain 500. */
  readonly onFault: (error: unknown) => void;
}

/** What an operation did. */
export type Done = { readonly kind: 'done'; readonly reply: ListenReply; readonly session?: GameSession } | Refusal;

/** One operation, for a caller who is known and fields that are right. */
export type Operation<Fields> = (
  desk: CoreDesk,
  client: ServiceClient,
  fields: Fields,
  request: ListenRequest,
) => Done | Promise<Done>;
