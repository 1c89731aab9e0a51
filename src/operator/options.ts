import type { SessionState } from '../contract/session-state.ts';

export interface OperatorOptions {
  readonly clients: readonly ClientOptions[];
  /** The folder of the database. A missing folder is created. If `dataDir` is left out, the data is kept in memory. */
  readonly dataDir?: string;
  /**
   * Is called with each internal error. The sender of the request gets only a 500 without the error. By default, the process emits
   * a warning.
   */
  readonly onFault?: (error: unknown) => void;
}

/** A client of the operator: one ExtCID with its key and its sessions (contract, "What the service does" 3). */
export interface ClientOptions {
  readonly extCID: string;
  readonly integrationApiKey: string;
  /** The path before `/balance`, `/bet`, `/win` and `/refund`. It begins with a slash, as in `/acme-eu`, or is empty. */
  readonly basePath: string;
  /** The `frID` of each campaign of free rounds that the client knows. */
  readonly campaigns: readonly string[];
  readonly sessions: readonly SessionOptions[];
}

export interface SessionOptions {
  readonly sessionID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  /**
   * The initial balance of the player in this currency, in the main unit. It must be equal in all sessions with the same player and
   * currency. If a balance is stored from an earlier start, the stored balance is used instead.
   */
  readonly balance: string;
  readonly state: SessionState;
  /** Bets that were accepted before the operator starts. They are already subtracted from `balance`. */
  readonly begun?: readonly BegunBet[];
}

interface BegunBet {
  readonly txID: string;
  readonly roundID: string;
  /** The amount of the bet, in the main unit. */
  readonly amount: string;
}
