/** Headers as pairs of name and value, in the order and letter case in which they are sent. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A request whose whole body has arrived. Nothing in it is decoded. */
export interface ListenRequest {
  readonly method: string;
  /** The path, still percent-encoded, such as `/acme-eu/bet`. */
  readonly path: string;
  /** The query after the `?`, still percent-encoded. Empty if the request has no query. */
  readonly query: string;
  readonly headers: HeaderPairs;
  /** The bytes of the body, with only the transfer encoding removed. Signatures are made over these bytes. */
  readonly body: Uint8Array;
  /** The body in the pieces in which it arrived. Left out if the request did not come over a socket. */
  readonly pieces?: readonly Uint8Array[];
  /** Returns true if the caller has closed the connection. */
  readonly isGone?: () => boolean;
}

export interface ListenReply {
  readonly status: number;
  readonly headers: HeaderPairs;
  /** The body. An iterable is sent piece by piece, without a Content-Length. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
  /** Unusual ways to send the reply over HTTP/1.1. If left out, it is sent in the usual way. */
  readonly transfer?: Transfer;
}

/** Answers one request. If it throws, the server answers 500 without the reason. */
export type Handler = (request: ListenRequest) => ListenReply | Promise<ListenReply>;

/** Returns the first value of a header. The letter case of its name does not matter (RFC 9110, 5.1). */
export function headerOf(headers: HeaderPairs, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const [key, value] of headers) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return value;
  }
  return undefined;
}

/** Returns a reply with a JSON body in UTF-8. */
export function jsonReply(status: number, body: unknown, headers: HeaderPairs = []): ListenReply {
  return {
    status,
    headers: [['Content-Type', 'application/json; charset=utf-8'], ...headers],
    body: JSON.stringify(body),
  };
}

/**
 * Unusual ways to send a reply over HTTP/1.1. All of them except `withheld` are legal, so every client must accept
 * them. A field that is left out means the usual way.
 */
export interface Transfer {
  /** The number of pieces in which the body is sent, and the milliseconds between two pieces. */
  readonly pieces?: { readonly count: number; readonly gapMs: number };
  /** If true, the reply has no Content-Length. The body is then chunked, or ends with the connection. */
  readonly lengthUnknown?: boolean;
  /** The version in the status line. The connection is closed after the reply. */
  readonly closeWithVersion?: 'HTTP/1.0' | 'HTTP/1.1';
  /** The letter case of all header names. */
  readonly headerCase?: 'lower' | 'upper';
  /** The statuses of interim replies that are sent before the final reply (RFC 9110, 15.2). */
  readonly interim?: readonly InterimStatus[];
  /**
   * The milliseconds after the reply until the connection is closed without notice. The connection stays open if bytes
   * of a further request arrive before that.
   */
  readonly closeAfterMs?: number;
  /** If true, the connection is closed before any byte of the reply is sent, as after a crash of the handler. */
  readonly withheld?: boolean;
}

export type InterimStatus = 100 | 102 | 103;
