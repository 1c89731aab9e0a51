import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { JsonValue } from '../contract/json.ts';
import type { Place } from '../journal/finding.ts';
import type { Deviations, Expect, Needs, Template } from './plan.ts';
import type { Spot } from './source.ts';

/** A word of a file with the place where it stands. */
export interface Word {
  readonly text: string;
  readonly spot: Spot;
}

/** A checked scenario file: it can be planned as it is. */
export interface Scenario {
  /** `idempotency/bet` */
  readonly id: string;
  readonly file: string;
  readonly place: Place;
  readonly rules: readonly { readonly id: RuleId; readonly place: Place }[];
  readonly tags: readonly string[];
  /** `order: last` */
  readonly last: boolean;
  /** One for each case, in the order of the file; exactly one, without a case id, when the file has no `cases`. */
  readonly stories: readonly Story[];
}

/** A scenario with one case's values put in. */
export interface Story {
  /** Undefined when the scenario has no cases. */
  readonly caseId: string | undefined;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly title: string;
  readonly needs: Needs;
  readonly steps: readonly StoryStep[];
  readonly always: readonly StoryStep[];
}

export type StoryStep = StoryCall | StoryResend | StoryTogether | StoryWait | StoryLaunches;

/** Whether a step is a single call, so that it has what is said of one. */
export function isSending(step: StoryStep): step is StoryCall | StoryResend {
  return step.kind === 'call' || step.kind === 'resend';
}

interface StoryStepBase {
  readonly key: string;
  /** Where the step begins; in a fragment, there. */
  readonly spot: Spot;
  /** Counts all steps, those inside `together` too, in the order of the file. */
  readonly order: number;
  readonly atMs?: number;
}

/** Which round a call belongs to. */
export type RoundChoice =
  | { readonly kind: 'new' }
  | { readonly kind: 'none' }
  | { readonly kind: 'of-step'; readonly name: Word }
  | { readonly kind: 'given'; readonly id: Template };

export type TargetChoice = { readonly kind: 'unknown' } | { readonly kind: 'step'; readonly name: Word };

export interface CallFields {
  readonly amount?: Template;
  readonly type?: 'regular' | 'free';
  readonly frID?: Template;
  readonly round?: RoundChoice;
  readonly of?: TargetChoice;
  readonly txID?: Template;
  readonly origTxID?: Template;
}

interface Sendable extends StoryStepBase {
  readonly name?: Word;
  readonly deviations: Deviations;
  readonly expect: Expect;
  readonly times?: number;
  readonly copies?: number;
  /** Order of the `together` that holds it. */
  readonly within?: number;
}

export interface StoryCall extends Sendable {
  readonly kind: 'call';
  readonly call: CallName;
  readonly session: Word;
  readonly fields: CallFields;
  readonly after?: 'linger' | number;
  readonly eventuallyMs?: number;
}

export interface StoryResend extends Sendable {
  readonly kind: 'resend';
  readonly of: Word | EarlierCall;
}

/** The earliest accepted call of that kind of this run, or one of an earlier run. */
export interface EarlierCall {
  readonly call: 'bet' | 'win' | 'refund';
  readonly from: 'run' | 'journal';
}

interface StoryTogether extends StoryStepBase {
  readonly kind: 'together';
  readonly steps: readonly (StoryCall | StoryResend)[];
}

interface StoryWait extends StoryStepBase {
  readonly kind: 'wait';
  readonly ms: number | 'linger';
}

interface StoryLaunches extends StoryStepBase {
  readonly kind: 'launches';
}
