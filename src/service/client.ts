import type { CallName } from '../contract/call-name.ts';

/** A client of the service: one ExtCID of an operator, with its keys and addresses (contract, "What the service does" 3). */
export interface ServiceClient {
  /** The id that the service gave to the operator. Several ExtCIDs of one operator may share it. */
  readonly cID: string;
  /** The id of this client, unique across all clients. */
  readonly extCID: string;
  /** The key that signs the operator's requests to the Core API. */
  readonly apiKey: string;
  /** The key that signs the reverse calls, that is, the calls from the service to the operator. */
  readonly integrationApiKey: string;
  /**
   * The base URL of the operator's wallet. The path of a call is appended: `https://wallet.example/eu` gives
   * `https://wallet.example/eu/bet`.
   */
  readonly integratorBaseUrl: string;
  /** The paths of the endpoints that the operator named differently, each with a leading slash, such as `/place-bet`. */
  readonly paths?: Readonly<Partial<Record<CallName, string>>>;
  /** Headers that are sent with each reverse call, in addition to the headers of the contract. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The ids of the games that the client may launch and list. If this is left out, all games. */
  readonly games?: readonly string[];
  /** The codes of the currencies that the client may use. If this is left out, all currencies that the service supports. */
  readonly currencies?: readonly string[];
  /** If true, every launch of the client is answered 403 `account_blocked`. */
  readonly blocked?: boolean;
  /** The players, by `user.id`, whose launches are answered 403 `account_blocked`. */
  readonly blockedUsers?: readonly string[];
}
