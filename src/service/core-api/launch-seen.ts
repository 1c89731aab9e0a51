import type { CoreOperationName } from '../../contract/core-operations.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { HeaderPairs } from '../../listen/message.ts';
import type { GameSession } from '../game-session.ts';
import type { Complaint } from './refusal.ts';

/** What an operator's backend sent to the Core API, and how it was answered: what it is judged by. */
export interface LaunchSeen {
  readonly operation: CoreOperationName;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  /** Of the client that signed it; undefined when none is known to have. */
  readonly extCID?: string;
  readonly headers: HeaderPairs;
  /** The body, or of a GET the query, as it was sent; undefined when it could not be read. */
  readonly fields?: JsonObject;
  /** Which fields are missing or of a wrong type. Empty for a good request, and for one that could not be read. */
  readonly complaints: readonly Complaint[];
  readonly status: number;
  /** The error code that it was answered with. */
  readonly code?: string;
  /** The game session that it opened. */
  readonly session?: GameSession;
}
