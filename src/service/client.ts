import type { CallName } from '../contract/call-name.ts';

/** One ExtCID of an operator, as the service knows it (contract, "What the service does" 3). */
export interface ServiceClient {
  /** The operator's id on the service's side. Several ExtCIDs may share it. */
  readonly cID: string;
  /** Unique across all clients. */
  readonly extCID: string;
  /** Signs the operator's requests to the Core API. */
  readonly apiKey: string;
  /** Signs the reverse calls. */
  readonly integrationApiKey: string;
  /** A call's path is appended: `https://wallet.example/eu` gives `https://wallet.example/eu/bet`. */
  readonly integratorBaseUrl: string;
  /** The paths of endpoints that the operator named differently, each with a slash in front: `/place-bet`. */
  readonly paths?: Readonly<Partial<Record<CallName, string>>>;
  /** Sent with each reverse call, in addition to the contract's headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The ids of the games that the client may launch and list; left out: all. */
  readonly games?: readonly string[];
  /** The codes of the currencies that the client may use; left out: all that the service supports. */
  readonly currencies?: readonly string[];
  /** The whole client is answered 403 `account_blocked` when it launches a game. */
  readonly blocked?: boolean;
  /** Players, by `user.id`, who are answered as `blocked` says. */
  readonly blockedUsers?: readonly string[];
}
