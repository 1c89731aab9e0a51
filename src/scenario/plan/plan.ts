import type { ActionType, CallName, TransactionCall } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { CurrencyType } from '../../contract/currencies.ts';
import type {
  BodyFormat,
  BreakMoment,
  HeaderCase,
  QueryEncoding,
  QueryOrder,
  SignKind,
  Trickle,
} from '../../contract/deviation.ts';
import type { SessionState } from '../../contract/session-state.ts';
import type { Place } from '../../journal/finding.ts';
import type { Template } from '../expressions/expression.ts';

/** The differences between a step and a call of a correct service. A missing key means no difference. */
export interface Deviations {
  readonly sign?: SignKind;
  /** Fields that are changed after signing: of the body, or of the query of a balance call. */
  readonly tamper?: { readonly part: 'body' | 'query'; readonly fields: readonly (readonly [string, Template])[] };
  readonly headerCase?: HeaderCase;
  /** Changes before signing: the body is signed correctly, but differs from what the service would send. */
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
  readonly trickle?: Trickle;
}

type ExpectedOutcome =
  /** 200, with the effect that the contract gives the call. */
  | 'accepted'
  /** An error; nothing moved. */
  | 'declined'
  /** 401 with a message; nothing moved; the txID can be used again. */
  | 'refused'
  /** The contract does not define the outcome. The outcome is recorded. */
  | 'either';

export interface Expect {
  readonly outcome: ExpectedOutcome;
  /** True when the scenario's author wrote the outcome, false when it is the default. */
  readonly stated: boolean;
  /** A class (`4xx`), one status, or several. */
  readonly status?: readonly (number | '2xx' | '3xx' | '4xx' | '5xx')[];
  readonly code?: string;
  /** The reply to a resend has the `txID` and, as a number, the `balance` of the first reply. */
  readonly reply?: 'same';
  /** The signed change of the balance of the step's session, checked by the next read. */
  readonly moves?: Template;
  readonly withinMs?: number;
  /** Values in the reply's body by dotted path. */
  readonly body?: readonly (readonly [path: string, Template])[];
}

/** The origin of a call: new, or the same as an earlier call. */
export type Origin =
  | { readonly kind: 'fresh' }
  /** The same URL and body as the step with that key. It is signed again only if `sign` is given. */
  | { readonly kind: 'resend'; readonly of: string }
  /** One of `copies` of one call, all with the same bytes. `of` is the key of the first copy. */
  | { readonly kind: 'copy'; readonly of: string }
  /** The earliest accepted transaction of a kind in this run, or one from the journal of an earlier run; sent over a new connection. */
  | { readonly kind: 'earlier'; readonly call: TransactionCall; readonly from: 'run' | 'journal' };

/** The target of a refund. */
export type RefundTarget =
  /** A bet of this scenario, by step key; another call if the scenario tests that. It may come later. */
  | { readonly kind: 'step'; readonly of: string }
  /** A transaction that does not exist. */
  | { readonly kind: 'unknown' }
  /** An id given as text. */
  | { readonly kind: 'id' };

interface StepBase {
  /** Unique in the plan and safe in a shell, by the order of the file: `3`, `4.2`, `always.1`; expanded by `times`: `4.2x7`. */
  readonly key: string;
  readonly place: Place;
  /** The start in ms after the scenario's first step, or inside `together` after its first call (`at:`). Replays use it. */
  readonly atMs?: number;
}

export interface CallStep extends StepBase {
  readonly kind: 'call';
  readonly call: CallName;
  /** The name given with `as:`. */
  readonly name?: string;
  /** The alias of the session, `main` by default; `unknown` is a session that the operator never issued. */
  readonly session: string;
  readonly origin: Origin;
  /**
   * The fields of the body, or the query of a balance call, without `sessionID`, which the engine adds. `txID`, `roundID` and a
   * refund's `origTxID` are literals that were created when the scenario was planned. Empty for a resend and a copy.
   */
  readonly fields: readonly (readonly [string, Template])[];
  /** croupier's ids, which relate steps to each other. null for a balance call and for an id that is only known later. */
  readonly txID: string | null;
  readonly roundID: string | null;
  /** Only for a refund. */
  readonly refund?: RefundTarget;
  /** For a win: the key of the bet in its round; undefined if its round has no bet in this scenario. */
  readonly winOf?: string;
  /** `free` if the call is part of a free round. */
  readonly type?: ActionType;
  /** True if the step has a frID. */
  readonly campaign: boolean;
  readonly deviations: Deviations;
  readonly expect: Expect;
  /** Only for a balance call: `linger` reads after the time in which a late debit would show; a number waits for that many ms. */
  readonly after?: 'linger' | number;
  /** Only for a balance call: the maximum time in ms in which the read is repeated until the balance is as expected. */
  readonly eventuallyMs?: number;
}

/** Calls that are sent at the same instant, or each at its time (`atMs`). `times` and `copies` are already expanded. */
export interface TogetherStep extends StepBase {
  readonly kind: 'together';
  readonly steps: readonly CallStep[];
}

interface WaitStep extends StepBase {
  readonly kind: 'wait';
  readonly ms: number | 'linger';
}

/** Judges the calls of the operator's backend to the Core API so far, and reads the balance of each session that it launched. */
export interface LaunchesStep extends StepBase {
  readonly kind: 'launches';
}

/**
 * A call step that is sent several times with new ids, one after another (`times`). It is expanded while it runs, so that many
 * repetitions need no memory. It has no name.
 */
export interface RepeatStep extends StepBase {
  readonly kind: 'repeat';
  readonly times: number;
  /** The instance with this index, from 0, with its own ids. */
  instance(index: number): CallStep;
}

export type Step = CallStep | TogetherStep | WaitStep | LaunchesStep | RepeatStep;

/** The properties that a session must have so that the scenario can use it. */
export interface SessionNeed {
  /** `other`: another player than the first session's; `same`: the same player. */
  readonly player?: 'same' | 'other';
  /** `other`: another game than the first session's; `same`: the same game. */
  readonly game?: 'same' | 'other';
  readonly currency?: 'same' | 'other';
  readonly state?: SessionState;
}

export interface Needs {
  /** The minimum balance of the main session. Only `stake` and `unit` can be used in it. */
  readonly balance?: Template;
  /** The properties that the main session's currency must have. */
  readonly currency?: { readonly kind?: CurrencyType; readonly decimals?: number | 'some' };
  readonly state?: SessionState;
  /** A second client of the same operator, with another key. */
  readonly otherClient: boolean;
  /** Transactions of an earlier run (`run --after JOURNAL`). */
  readonly earlierRun: boolean;
  /** A campaign that the operator knows. Without this need, croupier invents a frID. */
  readonly campaign: boolean;
  /** The scenario moves amounts above 2^53 of the smallest unit, which the configuration must allow. */
  readonly largeAmounts: boolean;
  /** Launches by the operator's backend on a Core API of this run (`run --launches`). */
  readonly launches: boolean;
  /** Further sessions by alias. */
  readonly sessions: ReadonlyMap<string, SessionNeed>;
}

/** A runnable scenario: one case, with the steps of its fragments and with its ids. */
export interface Plan {
  /** `idempotency/bet`; with a case: `signature/refused#bet-garbage`. */
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
  /** Run after all other scenarios. */
  readonly last: boolean;
  readonly needs: Needs;
  readonly steps: readonly Step[];
  /** Run at the end, also after a failure. */
  readonly always: readonly Step[];
}
