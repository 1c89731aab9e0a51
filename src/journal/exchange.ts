import { LRUCache } from 'lru-cache';
import type { CallName } from '../contract/call-name.ts';

/** The bytes of a body. They are stored as text if they are valid UTF-8, and otherwise as base64. */
export interface Body {
  readonly encoding: 'utf8' | 'base64';
  readonly data: string;
  /** The number of bytes in the whole body. `data` may contain only its beginning. */
  readonly length: number;
  /** True if `data` holds only the beginning of the body. */
  readonly truncated: boolean;
}

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface ExchangeRequest {
  readonly method: string;
  /** The whole address that was called, with its query. */
  readonly url: string;
  /** The headers in the order and letter case in which they were sent. */
  readonly headers: HeaderList;
  readonly body: Body | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  /** The body after decompression. */
  readonly body: Body;
  /**
   * The number of bytes that came together with the reply, but after the end of its body. `Content-Length` gives this end, so these
   * bytes belong to no reply. Left out if there were no such bytes.
   */
  readonly excessBytes?: number;
}

/**
 * The reasons why no reply came. The operator is responsible only for `too-late`. The other reasons are problems of the connection,
 * except for `broken`: croupier itself broke the connection.
 */
export const NO_REPLY_REASONS = [
  'broken', // croupier broke the connection on purpose
  'too-late', // the deadline passed after the last byte of the request was sent
  'unresolved', // the host name has no address
  'refused', // nothing listens there
  'unreachable', // no route, or the network is down
  'connect-timeout', // no connection within the deadline
  'send-timeout', // connected, but the request could not be sent within the deadline
  'tls', // handshake or certificate
  'proxy', // an HTTP proxy on the way refused the call
  'reset', // the peer closed a connection before or within its reply
  'stale-connection', // the peer closed a kept-alive connection while the request was sent: not a fault of the operator
  'closed-early', // the reply ended before its announced length
  'too-large', // the reply was longer than the limit
  'not-http', // what came back was not HTTP
  'bad-encoding', // the body could not be decoded by its Content-Encoding
  'aborted', // the run was interrupted
] as const;

export type NoReplyReason = (typeof NO_REPLY_REASONS)[number];

export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | {
      readonly kind: 'none';
      readonly reason: NoReplyReason;
      /** The error message of the system, without secrets. */
      readonly detail: string;
      /** The status line and headers, if they arrived before the failure. */
      readonly head?: { readonly status: number; readonly headers: HeaderList };
    };

/**
 * The times at which the phases of an exchange ended, in milliseconds. All exchanges of a run use the same monotonic clock, so they
 * show which calls overlapped. Null means that the phase did not happen, or that its time is unknown.
 */
export interface Stamps {
  readonly start: number;
  readonly resolved: number | null;
  readonly connected: number | null;
  readonly secured: number | null;
  /** The time at which the operating system got the last byte of the request from croupier. */
  readonly sent: number | null;
  readonly firstByte: number | null;
  /** The time at which the last byte of the reply arrived, or at which croupier stopped waiting. */
  readonly end: number;
  /**
   * The time in ms during the exchange in which croupier itself could not run. This time is already subtracted from the other
   * stamps. It is left out if croupier could always run.
   */
  readonly pausedMs?: number;
  /**
   * The time in ms by which croupier itself was late during the exchange. The reply may have come earlier than its stamps say, by
   * at most this time. It is left out if croupier was not late.
   */
  readonly delayedMs?: number;
  /**
   * True if the reply is late, and the other calls that croupier had in flight explain it: the operator seems to answer calls one
   * after another. It is left out otherwise.
   */
  readonly isInQueue?: true;
}

/** One request with its reply, or with the reason why no reply came. */
export interface Exchange {
  readonly id: string;
  readonly call: CallName;
  readonly request: ExchangeRequest;
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
}

/**
 * Returns the reply time in milliseconds: from the last byte of the request to the last byte of the reply. The contract limits
 * this time (contract/limits.ts). Null if the request was not sent.
 */
export function replyMs(stamps: Stamps): number | null {
  return stamps.sent === null ? null : stamps.end - stamps.sent;
}

/**
 * True if a reply came within a limit, and false if it did not. Undefined if this is unknown, because croupier itself could not run
 * for a part of the time. The request of the exchange must have been sent.
 */
export function isWithin(stamps: Stamps, limitMs: number): boolean | undefined {
  if (stamps.pausedMs !== undefined) return undefined;
  const took = replyMs(stamps) ?? 0;
  if (took <= limitMs) return true;
  return took - (stamps.delayedMs ?? 0) <= limitMs ? undefined : false;
}

/**
 * The minimum and the maximum delay in milliseconds that a TCP stack adds before it acknowledges a packet. On Linux it is at least
 * 40 ms.
 */
const DELAYED_ACK_MS = { from: 36, to: 56 } as const;

/**
 * True if the body of a reply came about 40 ms after its head. This happens if the server writes head and body separately on a
 * connection with Nagle's algorithm (RFC 9293, 3.7.4). Then the body waits until the client acknowledges the head, and the client
 * delays its acknowledgement.
 */
export function isBodyDelayed({ firstByte, end }: Pick<Stamps, 'firstByte' | 'end'>): boolean {
  if (firstByte === null) return false;
  const ms = end - firstByte;
  return ms >= DELAYED_ACK_MS.from && ms < DELAYED_ACK_MS.to;
}

/** The advice for a server whose bodies are delayed, see {@link isBodyDelayed}. */
export const DELAYED_BODY_ADVICE =
  "Set TCP_NODELAY on the server's connections, or write the head and the body of a reply in one piece.";

/** True if both exchanges were in flight at the same moment: both requests were sent before one of them was answered. */
export function overlapped(a: Stamps, b: Stamps): boolean {
  return a.sent !== null && b.sent !== null && a.sent < b.end && b.sent < a.end;
}

/** Returns the first value of a header, or undefined. The letter case of the name is ignored. */
export function header(headers: HeaderList, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** Returns a body as text: decoded from UTF-8, or from Latin-1 if the body is not valid UTF-8. */
export function bodyText(body: Body): string {
  return body.encoding === 'utf8' ? body.data : Buffer.from(body.data, 'base64').toString('latin1');
}

/** The sessions of the addresses that were read last. Nearly all balance calls of a run have the address of an earlier one. */
const SESSIONS = new LRUCache<string, { readonly sessionID: string | undefined }>({ max: 100 });

/** Returns the `sessionID` in the query of an address. */
export function sessionInUrl(url: string): string | undefined {
  const known = SESSIONS.get(url);
  if (known) return known.sessionID;
  const sessionID = URL.parse(url)?.searchParams.get('sessionID') ?? undefined;
  SESSIONS.set(url, { sessionID });
  return sessionID;
}

/** Returns the `sessionID` in the query or in the body of a call. The body is not parsed: the function only searches its text. */
export function sessionNamedIn({ url, body }: ExchangeRequest): string | undefined {
  if (body === null) return sessionInUrl(url);
  return /"sessionID"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(bodyText(body))?.[1];
}
