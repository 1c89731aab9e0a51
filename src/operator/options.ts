import type { SessionState } from '../contract/session-state.ts';

export interface OperatorOptions {
  readonly clients: readonly ClientOptions[];
  /** The folder of the database, created if it does not exist. Left out: the data is kept in memory. */
  readonly dataDir?: string;
  /** Called with internal errors, whose callers get a plain 500. By default they become warnings of the process. */
  readonly onFault?: (error: unknown) => void;
}

/** One ExtCID of the operator (contract, "What the service does" 3). */
export interface ClientOptions {
  readonly extCID: string;
  readonly integrationApiKey: string;
  /** The path before `/balance`, `/bet`, `/win` and `/refund`, with a slash at its start: `/acme-eu`. May be empty. */
  readonly basePath: string;
  /** The free-rounds campaigns that the client knows, by frID. */
  readonly campaigns: readonly string[];
  readonly sessions: readonly SessionOptions[];
}

export interface SessionOptions {
  readonly sessionID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  /**
   * The initial balance of the player in this currency, in the main unit. All sessions with the same player and currency have the
   * same one. A stored balance of an earlier start replaces it.
   */
  readonly balance: string;
  readonly state: SessionState;
  /** Bets that were accepted before the start of the operator. `balance` is the balance after them. */
  readonly begun?: readonly BegunBet[];
}

interface BegunBet {
  readonly txID: string;
  readonly roundID: string;
  /** In the main unit. */
  readonly amount: string;
}
