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

/** The ways in which a call differs from a call of the real service. If a key is absent, there is no such difference. */
export interface Deviations {
  readonly sign?: SignKind;
  /** Fields that are changed after signing. They are fields of the body, or of the query for a balance call. */
  readonly tamper?: { readonly part: 'body' | 'query'; readonly fields: readonly (readonly [string, Template])[] };
  readonly headerCase?: HeaderCase;
  /** Changes before signing: the signature is right, but the body differs from the body that the service would send. */
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
  /** 200, with the effect that the contract defines for the call. */
  | 'accepted'
  /** An error, without any effect on the balance. */
  | 'declined'
  /** 401 with a message, without any effect on the balance. The txID can be used again. */
  | 'refused'
  /** The contract does not define the outcome. The outcome is recorded but not judged. */
  | 'either';

export interface Expect {
  readonly outcome: ExpectedOutcome;
  /** True if the author of the scenario wrote the outcome. False if it is the default. */
  readonly stated: boolean;
  /** The allowed statuses: single statuses such as 401, or classes such as `4xx`. */
  readonly status?: readonly (number | '2xx' | '3xx' | '4xx' | '5xx')[];
  readonly code?: string;
  /** Expects that a resend gets the reply of the first call: the same `txID`, and a `balance` with the same numeric value. */
  readonly reply?: 'same';
  /**
   * The expected change of the balance in the step's session. It is negative if the balance falls. The next read of the balance
   * checks it.
   */
  readonly moves?: Template;
  readonly withinMs?: number;
  /** Expected values in the reply's body, by dotted path. */
  readonly body?: readonly (readonly [path: string, Template])[];
}

/** The origin of a call: a new call, or a repetition of an earlier call. */
export type Origin =
  | { readonly kind: 'fresh' }
  /** A call with the URL and body of the step whose key is `of`. It is signed again only if the step has `sign`. */
  | { readonly kind: 'resend'; readonly of: string }
  /** One of several `copies` of a call, which all have the same bytes. `of` is the key of the first copy. */
  | { readonly kind: 'copy'; readonly of: string }
  /**
   * The earliest accepted transaction of a kind in this run, or a transaction from the journal of an earlier run. It is sent
   * over a new connection.
   */
  | { readonly kind: 'earlier'; readonly call: TransactionCall; readonly from: 'run' | 'journal' };

/** The target of a refund. */
export type RefundTarget =
  /**
   * A call of this scenario; `of` is the key of its step. The call is normally a bet before the refund. To test the reply, a
   * scenario may also name another call or a later bet.
   */
  | { readonly kind: 'step'; readonly of: string }
  /** A transaction that does not exist. */
  | { readonly kind: 'unknown' }
  /** An id that the scenario gives as text. */
  | { readonly kind: 'id' };

interface StepBase {
  /**
   * The key of the step. It is unique in the plan, safe in a shell, and shows the position in the file: `3`, `4.2`, `always.1`.
   * With `times`, each call has its own key, such as `4.2x7`.
   */
  readonly key: string;
  readonly place: Place;
  /**
   * Time of the step (`at:`), in milliseconds after the first step of the scenario. Inside `together`: in milliseconds
   * after the first call of the `together`. Scenarios that replay recorded calls use this key.
   */
  readonly atMs?: number;
}

export interface CallStep extends StepBase {
  readonly kind: 'call';
  readonly call: CallName;
  /** The name that the step has by `as:`. */
  readonly name?: string;
  /** The alias of the session, by default `main`. `unknown` is a session that the operator has never issued. */
  readonly session: string;
  readonly origin: Origin;
  /**
   * The fields of the body, or of the query for a balance call. The engine adds `sessionID`. The ids that croupier created for
   * the plan are literals. Empty for a resend and a copy.
   */
  readonly fields: readonly (readonly [string, Template])[];
  /**
   * The ids that croupier has created for this call. They show which steps belong together. Null for a balance call,
   * and for an id that is only known later.
   */
  readonly txID: string | null;
  readonly roundID: string | null;
  /** The target of a refund. Absent for other calls. */
  readonly refund?: RefundTarget;
  /** For a win: the key of the bet in its round. Absent if the round has no bet in this scenario. */
  readonly winOf?: string;
  /** `free` if the call is part of a free round. Absent for refunds and balance calls. */
  readonly type?: ActionType;
  /** True if the call has a frID, the id of a campaign. */
  readonly campaign: boolean;
  readonly deviations: Deviations;
  readonly expect: Expect;
  /** For a balance call: the time to wait before it, in milliseconds. `linger` waits until a late debit would show. */
  readonly after?: 'linger' | number;
  /** For a balance call: maximum time in milliseconds for which the call is repeated until the balance is as expected. */
  readonly eventuallyMs?: number;
}

/**
 * Calls that are sent at the same instant, or each at its time (`atMs`). `times` and `copies` are already replaced by single
 * calls.
 */
export interface TogetherStep extends StepBase {
  readonly kind: 'together';
  readonly steps: readonly CallStep[];
}

interface WaitStep extends StepBase {
  readonly kind: 'wait';
  readonly ms: number | 'linger';
}

/**
 * A step that judges all calls that the operator's backend has sent to the Core API until now. It also reads the balance of each
 * session that the backend has launched.
 */
export interface LaunchesStep extends StepBase {
  readonly kind: 'launches';
}

/**
 * A call that is sent several times one after another, with new ids each time (`times`). Each call is created only when it is sent.
 * So the memory does not depend on the number of repetitions. The step has no name.
 */
export interface RepeatStep extends StepBase {
  readonly kind: 'repeat';
  readonly times: number;
  /** Creates the call with this index, counted from 0. Each call has its own ids. */
  instance(index: number): CallStep;
}

export type Step = CallStep | TogetherStep | WaitStep | LaunchesStep | RepeatStep;

/** The properties that a session must have so that the scenario can use it. */
export interface SessionNeed {
  /**
   * `other`: the player must not be the player of the first session. `same`: both sessions must have the same player.
   */
  readonly player?: 'same' | 'other';
  /** `other`: the game must not be the game of the first session. `same`: both sessions must have the same game. */
  readonly game?: 'same' | 'other';
  /**
   * `other`: the currency must not be the currency of the first session. `same`: both sessions must have the same currency. Otherwise
   * the code of the currency.
   */
  readonly currency?: 'same' | 'other' | { readonly code: string };
  readonly state?: SessionState;
}

export interface Needs {
  /** The minimum balance of the main session. Its expression can use only `stake` and `unit`. */
  readonly balance?: Template;
  /** The properties that the currency of the main session must have. */
  readonly currency?: { readonly code?: string; readonly kind?: CurrencyType; readonly decimals?: number | 'some' };
  readonly state?: SessionState;
  /** True if the scenario needs a second client of the same operator, with another key. */
  readonly otherClient: boolean;
  /** True if the scenario needs transactions of an earlier run (`run --after JOURNAL`). */
  readonly earlierRun: boolean;
  /** True if the scenario needs a campaign that the operator knows. If false, croupier invents a frID. */
  readonly campaign: boolean;
  /** True if the scenario moves amounts above 2^53 times the smallest unit. The configuration must allow them. */
  readonly largeAmounts: boolean;
  /** True if the scenario needs launches by the operator's backend on a Core API of this run (`run --launches`). */
  readonly launches: boolean;
  /** Further sessions that the scenario needs, by alias. */
  readonly sessions: ReadonlyMap<string, SessionNeed>;
}

/** The treatment of rounds that the steps of a scenario leave open. */
export type RoundsOfPlan = 'overlapping' | 'unfinished';

/** A scenario that can be played: one case, with the steps of its fragments and with new ids. */
export interface Plan {
  /** The id, such as `idempotency/bet`. With a case: `signature/refused#bet-garbage`. */
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
  /** True if the scenario is played after all scenarios for which this field is false. */
  readonly last: boolean;
  /**
   * `overlapping`: croupier completes the open rounds only at the end of the scenario. `unfinished`: croupier does not
   * complete them, so that a later run can complete them. Absent: croupier completes an open round before the next
   * round begins.
   */
  readonly rounds?: RoundsOfPlan;
  readonly needs: Needs;
  readonly steps: readonly Step[];
  /** Steps that are played at the end, also after a failure. */
  readonly always: readonly Step[];
}
