import type { ActionType, CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { JsonValue } from '../contract/json.ts';
import type { Place } from '../journal/finding.ts';
import type { Template } from './expressions/expression.ts';
import type { Deviations, Expect, Needs, RoundsOfPlan } from './plan/plan.ts';
import type { Range } from './yaml/source.ts';

/** A word of a scenario file, with its position in the file. */
export interface Word {
  readonly text: string;
  readonly range: Range;
}

/** A scenario file without mistakes, ready to be planned. */
export interface Scenario {
  /** The path of the file without its extension, for example `idempotency/bet`. */
  readonly id: string;
  readonly file: string;
  readonly place: Place;
  readonly rules: readonly { readonly id: RuleId; readonly place: Place }[];
  readonly tags: readonly string[];
  /** True if the file says `order: last`. */
  readonly last: boolean;
  /** The value of the key `rounds`. Absent: the file has no such key. */
  readonly rounds?: RoundsOfPlan;
  /** One entry for each case, in the order of the file. A file without `cases` has exactly one entry, which has no case id. */
  readonly boundScenarios: readonly BoundScenario[];
}

/** A scenario with the values of one case. */
export interface BoundScenario {
  /** The id of the case. Undefined if the scenario has no cases. */
  readonly caseId: string | undefined;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly title: string;
  readonly needs: Needs;
  readonly steps: readonly ScenarioStep[];
  readonly always: readonly ScenarioStep[];
}

export type ScenarioStep = ScenarioCall | ScenarioResend | ScenarioTogether | ScenarioWait | ScenarioLaunches;

/** A step that sends one call. */
export type SendingStep = ScenarioCall | ScenarioResend;

/** Returns the steps that send a call. Includes the steps inside `together`. */
export function sendingSteps(steps: readonly ScenarioStep[]): readonly SendingStep[] {
  return steps.flatMap((step): readonly SendingStep[] => {
    if (step.kind === 'together') return step.steps;
    return step.kind === 'call' || step.kind === 'resend' ? [step] : [];
  });
}

interface ScenarioStepBase {
  readonly key: string;
  /** The place where the step begins. For a step of a fragment, the place is in the fragment's file. */
  readonly range: Range;
  /** The position of the step in the order of the file, counted from 0. Steps inside `together` are counted too. */
  readonly order: number;
  readonly atMs?: number;
}

/** The choice of the round of a call. */
export type RoundChoice =
  | { readonly kind: 'new' }
  | { readonly kind: 'none' }
  | { readonly kind: 'of-step'; readonly name: Word }
  | { readonly kind: 'given'; readonly id: Template };

export type TargetChoice = { readonly kind: 'unknown' } | { readonly kind: 'step'; readonly name: Word };

export interface CallFields {
  readonly amount?: Template;
  readonly type?: ActionType;
  readonly frID?: Template;
  readonly round?: RoundChoice;
  readonly of?: TargetChoice;
  readonly txID?: Template;
  readonly origTxID?: Template;
}

interface SendingStepBase extends ScenarioStepBase {
  readonly name?: Word;
  readonly deviations: Deviations;
  readonly expect: Expect;
  readonly times?: number;
  readonly copies?: number;
  /** The order number of the `together` that contains the step. Absent: the step is not inside `together`. */
  readonly within?: number;
}

export interface ScenarioCall extends SendingStepBase {
  readonly kind: 'call';
  readonly call: CallName;
  readonly session: Word;
  readonly fields: CallFields;
  readonly after?: 'linger' | number;
  readonly eventuallyMs?: number;
}

export interface ScenarioResend extends SendingStepBase {
  readonly kind: 'resend';
  readonly of: Word | EarlierCall;
}

/** The earliest accepted call of a kind in this run, or a call of an earlier run. */
export interface EarlierCall {
  readonly call: TransactionCall;
  readonly from: 'run' | 'journal';
}

interface ScenarioTogether extends ScenarioStepBase {
  readonly kind: 'together';
  readonly steps: readonly SendingStep[];
}

interface ScenarioWait extends ScenarioStepBase {
  readonly kind: 'wait';
  readonly ms: number | 'linger';
}

interface ScenarioLaunches extends ScenarioStepBase {
  readonly kind: 'launches';
}
