import type { JsonObject } from '../contract/json.ts';

/** A request that an operator's backend sent to the Core API, with the reply. The `launch` rules are judged from these requests. */
export interface LaunchRequest {
  readonly operation: 'createNewGame' | 'games' | 'freeRounds' | 'createFreeRounds' | 'cancelFreeRounds';
  /** The time of the reply in milliseconds since 1970. */
  readonly at: number;
  /** The header lines as names and values, exactly as they were sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, or the query of a GET, as it was sent. Undefined if it could not be read. */
  readonly fields?: JsonObject;
  /** The fields that are missing or have a wrong type. */
  readonly diagnostics: readonly { readonly field: string; readonly message: string }[];
  readonly status: number;
  /** The error code of the reply; left out if the reply is not an error. */
  readonly code?: string;
  /** The message in the reply. It is for the developers of the operator. Left out if the reply is not an error. */
  readonly message?: string;
  /** The game session that the request opened; left out if it opened none. */
  readonly session?: LaunchedSession;
}

/** A game session that the operator opened for a player. */
export interface LaunchedSession {
  /** The id that the operator gave to the session. */
  readonly sessionID: string;
  /** The id that the operator gave to the player (`user.id`). */
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  /** True for a demo game. The service sends no calls to the operator for it. */
  readonly demo: boolean;
}
