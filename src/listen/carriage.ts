/**
 * How a reply travels, where that is not HTTP/1.1's usual way: all of it is legal, but for one that is withheld, and a
 * client must get along with it. What is left out stays usual.
 */
export interface Carriage {
  /** In how many pieces the body is written, and milliseconds between two of them. */
  readonly pieces?: { readonly count: number; readonly gapMs: number };
  /** Without a Content-Length: chunked, or until the connection ends. */
  readonly lengthUnknown?: boolean;
  /** The version of the status line; the connection is closed after the reply. */
  readonly lastOf?: 'HTTP/1.0' | 'HTTP/1.1';
  /** The letter case of all header names. */
  readonly headerCase?: 'lower' | 'upper';
  /** Interim replies before the final one (RFC 9110, 15.2), by status. */
  readonly interim?: readonly InterimStatus[];
  /**
   * Milliseconds after the reply when the connection is closed without a word, unless bytes of a further request have
   * arrived by then.
   */
  readonly closeAfterMs?: number;
  /** No byte of the reply leaves: the connection is closed instead, as a handler that crashes would have it. */
  readonly withheld?: boolean;
}

export type InterimStatus = 100 | 102 | 103;
