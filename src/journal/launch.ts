import type { JsonObject } from '../contract/json.ts';

/** A request of an operator's backend to the Core API, with its reply. The `launch` rules are judged by it. */
export interface LaunchRequest {
  readonly operation: 'createNewGame' | 'games' | 'freeRounds' | 'createFreeRounds' | 'cancelFreeRounds';
  /** Time of the reply, in milliseconds since 1970. */
  readonly at: number;
  /** Header lines as name and value, unchanged. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, or the query of a GET, as it was sent; undefined if it could not be read. */
  readonly fields?: JsonObject;
  /** The fields that are missing or have a wrong type. */
  readonly diagnostics: readonly { readonly field: string; readonly message: string }[];
  readonly status: number;
  /** The error code of the reply. */
  readonly code?: string;
  /** The game session that it opened. */
  readonly session?: LaunchedSession;
}

/** A game that the operator launched. */
export interface LaunchedSession {
  /** The operator's reference. */
  readonly sessionID: string;
  /** The operator's `user.id`. */
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  /** True: a demo game, of which no call is sent to the operator. */
  readonly demo: boolean;
}
