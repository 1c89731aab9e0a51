import type { EarlyBreak } from '../contract/deviation.ts';
import type { SignatureState } from '../contract/signature.ts';
import type { Body, HeaderList, NoReplyReason } from '../journal/exchange.ts';

/** The place of an entry in a file that was read. Lines count from 1. */
export interface LogPlace {
  readonly file: string;
  readonly line: number;
}

/** The side that logged an exchange: the service makes the four calls, the operator answers them. */
export const SIDES = ['service', 'operator'] as const;

export type Side = (typeof SIDES)[number];

/** A time as logged, by the clock of the side that logged it. */
export interface LogTime {
  /** Milliseconds since 1970, UTC. */
  readonly ms: number;
  /** The precision of the logged time: 1000 if it has whole seconds only. */
  readonly precisionMs: number;
  /** The time was logged without a zone, so the zone of the log form was assumed. */
  readonly zoneless?: true;
  /** Request and reply are on one line, so the time may be the end of the call. */
  readonly mayBeEnd?: true;
}

export interface LoggedRequest {
  readonly method: string | null;
  /** The whole URL or only its path, as logged. */
  readonly url: string | null;
  readonly headers: HeaderList | null;
  /** null: the request had no body. `unknown`: the body was not logged. */
  readonly body: Body | null | 'unknown';
}

export type LoggedReply =
  | { readonly kind: 'reply'; readonly status: number; readonly headers: HeaderList | null; readonly body: Body | null }
  | { readonly kind: 'none'; readonly reason: NoReplyReason; readonly detail: string }
  /** The log does not show whether, or how, the call was answered. */
  | { readonly kind: 'unknown' };

/** The fields of a call that a log may hold in addition to, or instead of, its bytes. */
export const LOGGED_FIELDS = [
  'call',
  'session',
  'tx',
  'origTx',
  'round',
  'amount',
  'type',
  'frID',
  'player',
  'currency',
  'balance',
  'replyTx',
  'code',
  'signature',
] as const;

export type LoggedField = (typeof LOGGED_FIELDS)[number];

/**
 * One exchange as it was logged. It is like an exchange of a run, but data that was not logged is explicitly unknown:
 * null, or `unknown` if null means something else.
 */
export interface LoggedExchange {
  readonly place: LogPlace;
  readonly side: Side;
  readonly time: LogTime | null;
  /** From the request to the end of the reply, in ms. */
  readonly tookMs: number | null;
  readonly request: LoggedRequest;
  readonly answer: LoggedReply;
  /** The amount of a call that croupier sent, from its journal. Absent: take it from the request or from `logged`. */
  readonly amount?: string;
  readonly logged: Readonly<Partial<Record<LoggedField, string>>>;
  /** The way in which croupier deviated from the contract on purpose, from its journal. */
  readonly deviation?: { readonly signed?: string | undefined; readonly brokenAt?: EarlyBreak | undefined };
  /** The result of verifying the signature before a capsule changed the signed bytes. */
  readonly verified?: SignatureState;
}

/** The result of reading one entry of a file. `other`: a readable entry that is no call of the service. */
export type LogEntry =
  | { readonly kind: 'exchange'; readonly exchange: LoggedExchange }
  | { readonly kind: 'other'; readonly line: number }
  | { readonly kind: 'unreadable'; readonly line: number; readonly why: string };

/** Converts bytes to a body: text if they are valid UTF-8, else base64. */
export function bodyOf(bytes: Uint8Array): Body {
  const length = bytes.length;
  try {
    return { encoding: 'utf8', data: UTF8.decode(bytes), length, truncated: false };
  } catch {
    return { encoding: 'base64', data: Buffer.from(bytes).toString('base64'), length, truncated: false };
  }
}

/** Makes a body of text, in UTF-8. */
export function textBody(text: string): Body {
  return { encoding: 'utf8', data: text, length: Buffer.byteLength(text), truncated: false };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
