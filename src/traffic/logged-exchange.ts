import type { RuleId } from '../contract/catalogue.ts';
import type { EarlyBreak } from '../contract/deviation.ts';
import type { SignatureState } from '../contract/signature.ts';
import type { Body, HeaderList, NoReplyReason } from '../journal/exchange.ts';

/** The position of an entry in a file. Lines are counted from 1. */
export interface LogPlace {
  readonly file: string;
  readonly line: number;
}

/** The side that logged an exchange: the service makes the four calls, the operator answers them. */
export const SIDES = ['service', 'operator'] as const;

export type Side = (typeof SIDES)[number];

/** A logged time, by the clock of the side that logged it. */
export interface LogTime {
  /** Milliseconds since 1970, UTC. */
  readonly ms: number;
  /** The precision of the logged time in ms, for example 1000 if it has only whole seconds. */
  readonly precisionMs: number;
  /** True if the log gives the time without a zone, so that croupier assumed the configured zone. */
  readonly zoneless?: true;
  /**
   * When the clocks are set back, a local time occurs twice. If the log does not show which of the two times is meant, `ms` is the
   * earlier time, and `laterMs` is one hour later.
   */
  readonly laterMs?: number;
  /** True if the request and the reply are on one line. Then the time may be the end of the call. */
  readonly mayBeEnd?: true;
}

export interface LoggedRequest {
  readonly method: string | null;
  /** The whole URL or only its path, as logged. */
  readonly url: string | null;
  readonly headers: HeaderList | null;
  /** The body; null if the request had no body; `unknown` if the body was not logged. */
  readonly body: Body | null | 'unknown';
}

export type LoggedReply =
  | { readonly kind: 'reply'; readonly status: number; readonly headers: HeaderList | null; readonly body: Body | null }
  | { readonly kind: 'none'; readonly reason: NoReplyReason; readonly detail: string }
  /** The log does not show whether the call was answered, or how. */
  | { readonly kind: 'unknown' };

/** The fields that some logs write beside the bytes of a call, or instead of these bytes. */
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
 * One exchange as a log describes it. A field is null if its value was not logged. If null has another meaning in a field, the
 * value is `unknown` instead.
 */
export interface LoggedExchange {
  readonly place: LogPlace;
  readonly side: Side;
  readonly time: LogTime | null;
  /** The time from the request to the end of the reply, in ms; null if it is unknown. */
  readonly tookMs: number | null;
  readonly request: LoggedRequest;
  readonly answer: LoggedReply;
  /**
   * The amount of a call that croupier sent, taken from its journal. If this field is missing, the amount is in the request or
   * in `logged`.
   */
  readonly amount?: string;
  readonly logged: Readonly<Partial<Record<LoggedField, string>>>;
  /** True if the log has only the time of day of the call, so that `time` is null. */
  readonly isDateless?: boolean;
  /** The way in which croupier broke the contract on purpose in this call, taken from its journal. */
  readonly deviation?: { readonly signed?: string | undefined; readonly brokenAt?: EarlyBreak | undefined };
  /**
   * True if a run of croupier sent the call. If the service still owes such a call, `croupier settle` sends it instead of the
   * service.
   */
  readonly isOfRun?: boolean;
  /** True if the log has every call of the run that sent this call. Then no call is missing between two calls of this run. */
  readonly isOfWholeRun?: boolean;
  /** The scenario of the run that sent the call. Left out if the call belongs to no scenario. */
  readonly scenario?: string;
  /** True if croupier has judged the call already. The findings are in its journal. */
  readonly isJudged?: boolean;
  /** True if a person sent the call with `croupier call`. croupier has judged only its reply, and not the money of several calls. */
  readonly isByHand?: boolean;
  /** True if the proxy of croupier sent the call, to test the operator. The service did not send it. */
  readonly isProbe?: boolean;
  /**
   * True if a fault of the proxy, or a broken connection, changed the reply. So the service did not get the reply that the operator
   * sent.
   */
  readonly isDisturbed?: boolean;
  /** True if croupier sent the call as a test, and the operator may decline it. The value comes from the journal of the run. */
  readonly mayBeDeclined?: boolean;
  /**
   * The result of verifying the signature in the original log. A capsule (an anonymous copy of the traffic) keeps this result,
   * because the capsule changes the signed bytes.
   */
  readonly verified?: SignatureState;
  /** True if the log has the body of the request as an object. So the bytes that were sent and signed are not known. */
  readonly isBodyRewritten?: true;
}

/** A rule that croupier found broken when it made or forwarded a call. */
export interface Judgement {
  readonly rule: RuleId;
  readonly verdict: 'fail' | 'warn';
  readonly text: string;
  /** Other rules that, if they are broken, explain this finding. Left out if there are none. */
  readonly causes?: readonly RuleId[];
}

/** The ids in the body of a bet, a win or a refund. */
export interface SentIDs {
  readonly sessionID: string;
  readonly txID: string;
}

/** The result of reading one entry of a file. `other` is a readable entry that is not a call of the service. */
export type LogEntry =
  /**
   * Calls that were not read, because their players are not selected. `line` is the line of the first of these calls, or an earlier
   * line.
   */
  | { readonly kind: 'skipped'; readonly line: number; readonly count: number }
  /** A rule that croupier found broken. The journal of the run names this rule. `line` is the line of the call. */
  | { readonly kind: 'judged'; readonly line: number; readonly judgement: Judgement }
  | { readonly kind: 'exchange'; readonly exchange: LoggedExchange }
  /** `sent` are the ids in the body of a call, if the entry contains such a body. */
  | { readonly kind: 'other'; readonly line: number; readonly sent?: SentIDs | undefined }
  | {
      readonly kind: 'unreadable';
      readonly line: number;
      readonly why: string;
      /** The beginning of the line. Left out if the entry is not one line. */
      readonly text?: string;
      /** True if the end of the line is missing, and the rest is like the beginning of lines with calls. */
      readonly isCutCall?: true;
    };

/** Converts bytes to a body. The body is stored as text if the bytes are valid UTF-8, and otherwise as base64. */
export function bodyOf(bytes: Uint8Array): Body {
  const length = bytes.length;
  try {
    return { encoding: 'utf8', data: UTF8.decode(bytes), length, truncated: false };
  } catch {
    return { encoding: 'base64', data: Buffer.from(bytes).toString('base64'), length, truncated: false };
  }
}

/** Converts text to a body in UTF-8. */
export function textBody(text: string): Body {
  return { encoding: 'utf8', data: text, length: Buffer.byteLength(text), truncated: false };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
