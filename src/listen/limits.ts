/** What a caller may take of a server before it is refused. */
export interface Limits {
  /** The largest body, in bytes; a larger one is read to its end, not kept, and answered 413. */
  readonly bodyBytes: number;
  /** All header lines together, in bytes; more are answered 431. */
  readonly headerBytes: number;
  /** Milliseconds for the header lines to arrive, else 408. */
  readonly headersMs: number;
  /** Milliseconds for the whole request to arrive, else 408. */
  readonly requestMs: number;
  /** Milliseconds without a byte in either direction, within a request or its reply, until the connection is dropped. */
  readonly idleMs: number;
  /** Milliseconds that a connection stays open between requests. */
  readonly keepAliveMs: number;
}

/**
 * Far above what the contract's calls need. Connections between requests are kept for longer than clients usually keep
 * theirs: the side that closes first breaks a request that is already on its way.
 */
export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 65_000,
};
