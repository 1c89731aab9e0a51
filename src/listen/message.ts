import type { Carriage } from './carriage.ts';

/** Header lines as name and value, in the order and letter case of the wire. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A request whose whole body has arrived. Nothing of it has been decoded. */
export interface ListenRequest {
  readonly method: string;
  /** The path as it was sent, still percent-encoded: `/acme-eu/bet`. */
  readonly path: string;
  /** What followed the `?`, still percent-encoded; empty when there was none. */
  readonly query: string;
  readonly headers: HeaderPairs;
  /** The raw bytes, after transfer encoding only: signatures are made over these. */
  readonly body: Uint8Array;
  /** The body as it arrived, piece by piece; left out where it did not come over a socket. */
  readonly pieces?: readonly Uint8Array[];
  /** Has the caller gone away since? */
  readonly isGone?: () => boolean;
}

export interface ListenReply {
  readonly status: number;
  readonly headers: HeaderPairs;
  /** In pieces, it is sent as they come, without a length. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
  /** How it travels; left out: as HTTP/1.1 usually does. */
  readonly carriage?: Carriage;
}

/** Answers one request. May throw: the server then answers 500 without saying why to the caller. */
export type Handler = (request: ListenRequest) => ListenReply | Promise<ListenReply>;

/** The first value of a header, whatever the letter case of its name (RFC 9110, 5.1). */
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
