import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { JsonValue } from '../contract/json.ts';
import type { Place } from '../journal/finding.ts';
import type { Expression } from './expression.ts';

/** A value of a scenario whose `${…}` are reckoned when the step is sent. Case variables and parameters are already in. */
export type Template =
  | { readonly kind: 'literal'; readonly value: JsonValue }
  /** A whole `"${…}"`: keeps the type of what it names. */
  | { readonly kind: 'expression'; readonly expression: Expression }
  /** Text with `${…}` inside: always becomes text. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Template])[] };

/** The ways to sign that a scenario can ask for. */
export const SIGN_KINDS = [
  'valid', // right
  'missing', // no header
  'empty', // a header without a value
  'garbage', // 64 hexadecimal digits that have nothing to do with it
  'malformed', // text that is no signature
  'wrong-key', // the right form, with a key that nobody has
  'other-client', // with the key of another ExtCID of the same operator
  'truncated', // the first half of the right one
  'prefix', // only the first 8 digits are right
  'suffix', // only the last 8 digits are right
  'one-off', // only the last digit is wrong
  'upper-case', // right, in upper-case hexadecimal
  'base64', // right bytes, in base64
  'of-other-body', // right for another body
] as const;

export type SignKind = (typeof SIGN_KINDS)[number];

/** How a query or body is written where it isn't written as the service writes it. */
export const BODY_FORMATS = ['canonical', 'pretty', 'spaced', 'unsorted', 'escaped'] as const;
type BodyFormat = (typeof BODY_FORMATS)[number];
export const QUERY_ENCODINGS = ['standard', 'all', 'letters', 'minimal', 'plus'] as const;
type QueryEncoding = (typeof QUERY_ENCODINGS)[number];
export const QUERY_ORDERS = ['sorted', 'reversed', 'as-given'] as const;
type QueryOrder = (typeof QUERY_ORDERS)[number];
export const HEADER_CASES = ['lower', 'upper', 'mixed'] as const;
export type HeaderCase = (typeof HEADER_CASES)[number];

export type BreakMoment =
  | { readonly at: 'head' }
  | { readonly at: 'half-body' }
  | { readonly at: 'sent'; readonly afterMs: number };

/** What a step does that a well-behaved service doesn't, one key each. Absent: as the service does it. */
export interface Deviations {
  readonly sign?: SignKind;
  /** Fields (of the body, or of the query of a balance call) that are changed after signing. */
  readonly tamper?: { readonly part: 'body' | 'query'; readonly fields: readonly (readonly [string, Template])[] };
  readonly headerCase?: HeaderCase;
  /** Changed before signing: correctly signed, but not what the service would send. */
  readonly body?: {
    readonly set?: readonly (readonly [string, Template])[];
    readonly drop?: readonly string[];
    readonly raw?: Template;
    readonly format?: BodyFormat;
  };
  readonly query?: {
    readonly add?: readonly (readonly [string, Template])[];
    readonly order?: QueryOrder;
    readonly encode?: QueryEncoding;
  };
  readonly break?: BreakMoment;
  readonly trickle?: { readonly pieces: number; readonly gapMs: number };
}

type ExpectedOutcome =
  /** 200, with the effect that the contract gives the call. */
  | 'accepted'
  /** An error; nothing moved. */
  | 'declined'
  /** 401 with a message; nothing moved; the txID is not used up. */
  | 'refused'
  /** The contract leaves it open: what happens is written down. */
  | 'either';

export interface Expect {
  readonly outcome: ExpectedOutcome;
  /** True when the scenario's author wrote the outcome, false when it is the default. */
  readonly stated: boolean;
  /** A class (`4xx`), one status, or several. */
  readonly status?: readonly (number | '2xx' | '3xx' | '4xx' | '5xx')[];
  readonly code?: string;
  /** The reply of a resend is the first one's, in `txID` and in `balance` as a number. */
  readonly reply?: 'same';
  /** By how much the balance of the step's session changes: a signed amount. Seen in the next read. */
  readonly moves?: Template;
  readonly withinMs?: number;
  /** Values in the reply's body by dotted path. */
  readonly body?: readonly (readonly [path: string, Template])[];
}

/** How a call came to be: new, or the very same as an earlier one. */
export type Origin =
  | { readonly kind: 'fresh' }
  /** The same URL and body as the step with that key (signed anew only when `sign` says so). */
  | { readonly kind: 'resend'; readonly of: string }
  /** One of `copies` of one call, all with the same bytes; `of` is the first one's key. */
  | { readonly kind: 'copy'; readonly of: string }
  /** The earliest accepted transaction of that kind of this run, or one of an earlier run's journal; sent over a new connection. */
  | { readonly kind: 'earlier'; readonly call: 'bet' | 'win' | 'refund'; readonly from: 'run' | 'journal' };

/** What a refund reverses. */
export type RefundTarget =
  /** A bet (or, where that is tested, another call) of this scenario, by step key. It may come later. */
  | { readonly kind: 'step'; readonly of: string }
  /** A transaction that exists nowhere. */
  | { readonly kind: 'unknown' }
  /** An id given as text. */
  | { readonly kind: 'id' };

interface StepBase {
  /** Unique within the plan, shell-safe, in order of the file: `3`, `4.2`, `always.1`; expanded by `times`: `4.2x7`. */
  readonly key: string;
  readonly place: Place;
  /** When to start, in ms since the scenario's first step, or within `together` since its first call (`at:`); for replays. */
  readonly atMs?: number;
}

export interface CallStep extends StepBase {
  readonly kind: 'call';
  readonly call: CallName;
  /** The name given with `as:`. */
  readonly name?: string;
  /** Alias of the session, `main` unless the step says otherwise; `unknown` is one that the operator never issued. */
  readonly session: string;
  readonly origin: Origin;
  /**
   * The fields of the body, or the query of a balance call, without `sessionID`, which the engine fills in. `txID` and `roundID`
   * (and a refund's `origTxID`) are there as literals, made when the scenario was planned. Empty for a resend and a copy.
   */
  readonly fields: readonly (readonly [string, Template])[];
  /** Our ids, for those who need to relate steps. null: a balance call, or the author wrote something that is only known later. */
  readonly txID: string | null;
  readonly roundID: string | null;
  /** Only of a refund. */
  readonly refund?: RefundTarget;
  /** For a win: the key of the bet whose round it is; undefined when its round has no bet in this scenario. */
  readonly winOf?: string;
  /** `free` when the call is part of a free round. */
  readonly type?: 'regular' | 'free';
  /** True when the step carries a frID. */
  readonly campaign: boolean;
  readonly deviations: Deviations;
  readonly expect: Expect;
  /** Only of a balance call: read when a late debit would have shown, or after so many ms. */
  readonly after?: 'linger' | number;
  /** Only of a balance call: read again and again, for at most so many ms, until it is as the model says. */
  readonly eventuallyMs?: number;
}

/** Calls that leave at the same instant, or each at its time (`atMs`). `times` and `copies` are already expanded. */
export interface TogetherStep extends StepBase {
  readonly kind: 'together';
  readonly steps: readonly CallStep[];
}

interface WaitStep extends StepBase {
  readonly kind: 'wait';
  readonly ms: number | 'linger';
}

/** Judges what the operator's backend has sent to the Core API so far, and reads the balance of each session that it launched. */
export interface LaunchesStep extends StepBase {
  readonly kind: 'launches';
}

/**
 * A call step that is sent many times with fresh ids, one after another (`times`). It is expanded while it is run, so that a
 * long one needs no memory. Such a step has no name.
 */
export interface RepeatStep extends StepBase {
  readonly kind: 'repeat';
  readonly times: number;
  /** The i-th instance, from 0, with ids of its own. */
  instance(index: number): CallStep;
}

export type Step = CallStep | TogetherStep | WaitStep | LaunchesStep | RepeatStep;

/** What a session must be like for the scenario to be played with it. */
export interface SessionNeed {
  /** `other`: of another player than the first session's; `same`: of the same player. */
  readonly player?: 'same' | 'other';
  /** `other`: of another game than the first session's; `same`: of the same game. */
  readonly game?: 'same' | 'other';
  readonly currency?: 'same' | 'other';
  readonly state?: 'active' | 'expired';
}

export interface Needs {
  /** The main session must hold at least this much. Only `stake` and `unit` can be used in it. */
  readonly balance?: Template;
  /** What the main session's currency must be like. */
  readonly currency?: { readonly kind?: 'fiat' | 'crypto' | 'virtual'; readonly decimals?: number | 'some' };
  readonly state?: 'active' | 'expired';
  /** A second client of the same operator, with another key. */
  readonly otherClient: boolean;
  /** Transactions of an earlier run (`run --after JOURNAL`). */
  readonly earlierRun: boolean;
  /** A campaign that the operator knows; without it a frID is made up. */
  readonly campaign: boolean;
  /** Amounts beyond 2^53 of the smallest unit are moved: only where configuration allows it. */
  readonly largeAmounts: boolean;
  /** Launches by the operator's backend on a Core API of this run (`run --launches`). */
  readonly launches: boolean;
  /** Further sessions by alias. */
  readonly sessions: ReadonlyMap<string, SessionNeed>;
}

/** One runnable story: its case is chosen, its fragments are in, its ids are made. */
export interface Plan {
  /** `idempotency/bet`, or with a case `signature/refused#bet-garbage`. */
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
  /** Played when all others are done. */
  readonly last: boolean;
  readonly needs: Needs;
  readonly steps: readonly Step[];
  /** Run at the end whatever happened. */
  readonly always: readonly Step[];
}
