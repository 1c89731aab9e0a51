import type { JsonObject } from '../contract/json.ts';

/** What an operator's backend sent to the Core API, and how it was answered: what the `launch` rules are judged by. */
export interface LaunchRequest {
  readonly operation: 'createNewGame' | 'games' | 'freeRounds' | 'createFreeRounds' | 'cancelFreeRounds';
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  /** Header lines as name and value, as they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, or of a GET the query, as it was sent; undefined when it could not be read. */
  readonly fields?: JsonObject;
  /** Which fields are missing or of a wrong type. */
  readonly complaints: readonly { readonly field: string; readonly message: string }[];
  readonly status: number;
  /** The error code that it was answered with. */
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
  /** Nothing of it reaches the operator. */
  readonly demo: boolean;
}
