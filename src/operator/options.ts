import type { SessionState } from './store.ts';

export interface OperatorOptions {
  readonly clients: readonly ClientOptions[];
  /** Where the books are kept, made when it does not exist; in memory when left out. */
  readonly dataDir?: string;
  /** Hears of faults of the operator's own, whose callers only read a plain 500. By default they become warnings of the process. */
  readonly onFault?: (error: unknown) => void;
}

/** One ExtCID of the operator (contract, "What the service does" 3). */
export interface ClientOptions {
  readonly extCID: string;
  readonly integrationApiKey: string;
  /** What stands before `/balance`, `/bet`, `/win` and `/refund`, from a slash on: `/acme-eu`. Empty is allowed. */
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
   * What the player has in this currency when the operator first hears of it, in the main unit; one amount for all
   * sessions that share player and currency. Books kept from an earlier start go before it.
   */
  readonly balance: string;
  readonly state: SessionState;
  /** Bets that were accepted before the operator started, and that `balance` is already less by. */
  readonly begun?: readonly BegunBet[];
}

interface BegunBet {
  readonly txID: string;
  readonly roundID: string;
  /** In the main unit. */
  readonly amount: string;
}
