/** Header lines as name and value, in the order and letter case of the wire. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A request whose whole body has arrived, without any decoding. */
export interface ListenRequest {
  readonly method: string;
  /** The path, still percent-encoded: `/acme-eu/bet`. */
  readonly path: string;
  /** The query after the `?`, still percent-encoded; empty if there was none. */
  readonly query: string;
  readonly headers: HeaderPairs;
  /** The raw bytes, with only the transfer encoding removed: signatures are made over these. */
  readonly body: Uint8Array;
  /** The body in the pieces in which it arrived; left out if it did not come over a socket. */
  readonly pieces?: readonly Uint8Array[];
  /** True if the caller has closed the connection. */
  readonly isGone?: () => boolean;
}

export interface ListenReply {
  readonly status: number;
  readonly headers: HeaderPairs;
  /** An iterable is sent piece by piece, without a length. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
  /** Deviations from the usual way of HTTP/1.1 to send it. */
  readonly transfer?: Transfer;
}

/** Answers one request. If it throws, the server answers 500 without the reason. */
export type Handler = (request: ListenRequest) => ListenReply | Promise<ListenReply>;

/** The first value of a header; the letter case of its name does not matter (RFC 9110, 5.1). */
export function headerOf(headers: HeaderPairs, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const [key, value] of headers) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return value;
  }
  return undefined;
}

/** A reply with a JSON body in UTF-8. */
export function jsonReply(status: number, body: unknown, headers: HeaderPairs = []): ListenReply {
  return {
    status,
    headers: [['Content-Type', 'application/json; charset=utf-8'], ...headers],
    body: JSON.stringify(body),
  };
}

/**
 * Deviations from the usual way to send a reply over HTTP/1.1. All of them except `withheld` are legal, so every client must accept
 * them. A field that is left out means the usual way.
 */
export interface Transfer {
  /** Number of pieces of the body, and milliseconds between two of them. */
  readonly pieces?: { readonly count: number; readonly gapMs: number };
  /** True: without a Content-Length, so that the body is chunked or ends with the connection. */
  readonly lengthUnknown?: boolean;
  /** The version of the status line; the connection is closed after the reply. */
  readonly closeWithVersion?: 'HTTP/1.0' | 'HTTP/1.1';
  /** The letter case of all header names. */
  readonly headerCase?: 'lower' | 'upper';
  /** Interim replies before the final one (RFC 9110, 15.2), by status. */
  readonly interim?: readonly InterimStatus[];
  /**
   * Milliseconds after the reply until the connection is closed without notice, unless bytes of a further request arrive before
   * that.
   */
  readonly closeAfterMs?: number;
  /** True: the connection is closed without any byte of the reply, as after a crash of a handler. */
  readonly withheld?: boolean;
}

export type InterimStatus = 100 | 102 | 103;
