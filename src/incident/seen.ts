import type { SignatureState } from '../journal/event.ts';
import type { Body, HeaderList, NoReplyReason } from '../journal/exchange.ts';

/** Where in what was read something stands. Lines count from 1. */
export interface SeenPlace {
  readonly file: string;
  readonly line: number;
}

/** Who wrote it down: the caller of the four calls, or the one who answers them. */
export type Side = 'service' | 'operator';

/** A moment by the clock of whoever wrote it down. */
export interface SeenTime {
  /** Milliseconds since 1970, UTC. */
  readonly ms: number;
  /** How finely it was written: 1000 where only seconds stand. */
  readonly precisionMs: number;
  /** No zone was written beside it: it was taken for one of the zone that logs are read in. */
  readonly zoneless?: true;
  /** It stands on one line with the reply, so that it may be when the call was over. */
  readonly mayBeEnd?: true;
}

export interface SeenRequest {
  readonly method: string | null;
  /** Whole or only its path, as it was written down. */
  readonly url: string | null;
  readonly headers: HeaderList | null;
  /** null: there was none. `untold`: it was not written down. */
  readonly body: Body | null | 'untold';
}

export type SeenAnswer =
  | { readonly kind: 'reply'; readonly status: number; readonly headers: HeaderList | null; readonly body: Body | null }
  | { readonly kind: 'none'; readonly reason: NoReplyReason; readonly detail: string }
  /** Nothing tells whether, or how, it was answered. */
  | { readonly kind: 'untold' };

/** What a log may tell of a call beside, or instead of, its bytes. */
export const TOLD_FIELDS = [
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

export type ToldField = (typeof TOLD_FIELDS)[number];

/**
 * One exchange as somebody wrote it down. Like an exchange of a run, but what was not written down is explicitly unknown:
 * null, or `untold` where null means something else.
 */
export interface SeenExchange {
  readonly place: SeenPlace;
  readonly side: Side;
  readonly time: SeenTime | null;
  /** From the request to the end of the reply, in ms. */
  readonly tookMs: number | null;
  readonly request: SeenRequest;
  readonly answer: SeenAnswer;
  readonly told: Readonly<Partial<Record<ToldField, string>>>;
  /** What was done otherwise on purpose, as a journal of croupier's tells it. */
  readonly oddly?: { readonly signed?: string | undefined; readonly brokenAt?: 'head' | 'half-body' | undefined };
  /** Of a capsule, whose bytes are no longer those that were signed: what came of verifying them before. */
  readonly verified?: SignatureState;
}

/** What one piece of a file came to. `other` is readable, and no call of the service. */
export type Sighting =
  | { readonly kind: 'exchange'; readonly exchange: SeenExchange }
  | { readonly kind: 'other'; readonly line: number }
  | { readonly kind: 'unreadable'; readonly line: number; readonly why: string };

/** Bytes as a body: text where they are valid UTF-8. */
export function bodyOf(bytes: Uint8Array): Body {
  const length = bytes.length;
  try {
    return { encoding: 'utf8', data: UTF8.decode(bytes), length, truncated: false };
  } catch {
    return { encoding: 'base64', data: Buffer.from(bytes).toString('base64'), length, truncated: false };
  }
}

/** Text as a body in UTF-8. */
export function textBody(text: string): Body {
  return { encoding: 'utf8', data: text, length: Buffer.byteLength(text), truncated: false };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
