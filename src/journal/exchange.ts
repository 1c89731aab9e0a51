import type { CallName } from '../contract/call-name.ts';

/** The bytes of a body: as text when they are valid UTF-8, else as base64. */
export interface Body {
  readonly encoding: 'utf8' | 'base64';
  readonly data: string;
  /** How many bytes there were, also when not all were kept. */
  readonly length: number;
  /** True when `data` holds only the beginning. */
  readonly truncated: boolean;
}

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface ExchangeRequest {
  readonly method: string;
  /** The whole address that was called, query included. */
  readonly url: string;
  /** In the order and letter case of the wire. */
  readonly headers: HeaderList;
  readonly body: Body | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  /** After decompression. */
  readonly body: Body;
}

/**
 * Why no reply came: a closed set. Only `too-late` says something about the operator; the others are transport, or our
 * own doing (`broken`).
 */
export type NoReplyReason =
  | 'broken' // we broke the connection on purpose
  | 'too-late' // the deadline passed after the last byte of the request was sent
  | 'unresolved' // the host name has no address
  | 'refused' // nothing listens there
  | 'unreachable' // no route, or the network is down
  | 'connect-timeout' // no connection within the deadline
  | 'send-timeout' // connected, but the request could not be sent within the deadline
  | 'tls' // handshake or certificate
  | 'proxy' // the proxy would not let us through
  | 'reset' // the peer closed a connection before or within its reply
  | 'stale-connection' // a kept-alive connection was closed under our request: nobody's fault
  | 'closed-early' // the reply ended before its announced length
  | 'too-large' // the reply passed the cap
  | 'not-http' // what came back was not HTTP
  | 'bad-encoding' // Content-Encoding could not be undone
  | 'aborted'; // the run was interrupted

export const NO_REPLY_REASONS: readonly NoReplyReason[] = [
  'broken',
  'too-late',
  'unresolved',
  'refused',
  'unreachable',
  'connect-timeout',
  'send-timeout',
  'tls',
  'proxy',
  'reset',
  'stale-connection',
  'closed-early',
  'too-large',
  'not-http',
  'bad-encoding',
  'aborted',
];

export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | {
      readonly kind: 'none';
      readonly reason: NoReplyReason;
      /** What the system said, for a person; no secrets. */
      readonly detail: string;
      /** Status line and headers, when they had arrived before it failed. */
      readonly head?: { readonly status: number; readonly headers: HeaderList };
    };

/**
 * When each phase ended, in milliseconds of one monotonic clock that all exchanges of a run share, so that overlap can
 * be told. null: did not happen, or is not known.
 */
export interface Stamps {
  readonly start: number;
  readonly resolved: number | null;
  readonly connected: number | null;
  readonly secured: number | null;
  /** The last byte of the request was handed to the kernel. */
  readonly sent: number | null;
  readonly firstByte: number | null;
  /** The last byte of the reply, or the moment when it was given up. */
  readonly end: number;
}

/** One request with its reply, or the reason why none came. */
export interface Exchange {
  readonly id: string;
  readonly call: CallName;
  readonly request: ExchangeRequest;
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
}

/** The five seconds of the contract: from the last byte of the request to the last byte of the reply. */
export function replyMs(stamps: Stamps): number | null {
  return stamps.sent === null ? null : stamps.end - stamps.sent;
}

/** True when the two were in flight at the same moment: each was sent before the other had its reply. */
export function overlapped(a: Stamps, b: Stamps): boolean {
  return a.sent !== null && b.sent !== null && a.sent < b.end && b.sent < a.end;
}

/** The first value of a header, whatever the letter case of its name. */
export function header(headers: HeaderList, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** A body as text: its UTF-8 text, or the bytes of base64 read as Latin-1 so that something can be shown. */
export function bodyText(body: Body): string {
  return body.encoding === 'utf8' ? body.data : Buffer.from(body.data, 'base64').toString('latin1');
}
