import { RULES, type RuleId } from '../../contract/catalogue.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import { applicableRules } from '../../judge/checks/checks.ts';
import { loadScenario } from '../../scenario/load.ts';
import { planScenario } from '../../scenario/plan/planner.ts';
import { literalText, type ScenarioDraft, writeScenario } from '../../scenario/write.ts';
import { type LoggedCall, met } from '../calls/logged-call.ts';
import type { Signing } from './signing.ts';
import { pauseText, StepBuilder, StepDraft } from './step-builder.ts';

/** The rule that is named if the record breaks no known rule. Every scenario that moves money can decide this rule. */
const ANY_RULE: RuleId = 'money.conservation';
/** Minimum pause between calls in ms. Shorter pauses are left out, because sending takes time too. */
const MIN_PAUSE_MS = 100;

export interface ReplayScenarioOptions {
  readonly title: string;
  /** The rules that the record breaks. The scenario names those of them that it can decide. */
  readonly broken: readonly RuleId[];
  /** Numbers of the calls with a wrong reply. */
  readonly wrong: ReadonlySet<number>;
  /** The kind of signature of each call, if it is known. */
  readonly signing: Signing;
  /** The factor by which pauses are shortened; null if there are no pauses. */
  readonly speed: number | null;
  /** The currency that the sessions of the test must have; null if any currency is allowed. */
  readonly currency: string | null;
  readonly uuid: () => string;
}

/** A scenario made from recorded calls. */
export interface ReplayScenario {
  readonly draft: ScenarioDraft;
  /**
   * The calls that the scenario replays. From repeated balance calls with the same result, only the first and the last
   * are replayed.
   */
  readonly calls: readonly LoggedCall[];
  /** The number of each call in the record, by the key of its step. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Numbers of the calls that are sent in parallel. Their order at the operator is unknown. */
  readonly atOnce: ReadonlySet<number>;
  /** The sum of all pauses in ms. */
  readonly waitsMs: number;
  /** The part of the recorded pause before a call that the replay leaves out, in ms, by the number of the call. */
  readonly leftOutMs: ReadonlyMap<number, number>;
}

/**
 * Makes a scenario from recorded calls. Ids become references to steps, sessions become aliases, and pauses become
 * waits.
 */
export function replayScenario(all: readonly LoggedCall[], options: ReplayScenarioOptions): ReplayScenario {
  const calls = withoutIdleReads(all);
  const builder = new StepBuilder(options.wrong, options.signing);
  const steps: (StepDraft | readonly StepDraft[] | number)[] = [];
  const leftOutMs = new Map<number, number>();
  let waitsMs = 0;
  let endMs: number | null = null;
  for (const group of atOnce(calls)) {
    const [first, ...others] = group;
    if (!first) continue;
    const recorded = gapMs(first, endMs);
    const gap = options.speed === null ? 0 : recorded / options.speed;
    if (recorded > gap) leftOutMs.set(first.number, recorded - gap);
    if (gap >= MIN_PAUSE_MS) {
      steps.push(gap);
      waitsMs += gap;
    }
    if (others.length === 0) steps.push(builder.step(first));
    else {
      // The overlap of calls is kept even if pauses are left out.
      const offsets = group.map(({ atMs }) => ((atMs ?? 0) - (first.atMs ?? 0)) / (options.speed ?? 1));
      waitsMs += offsets.at(-1) ?? 0;
      const parts = builder.stepsAtOnce(group, offsets);
      const [only] = parts;
      steps.push(parts.length === 1 && only && only.numbers.length === 1 ? only : parts);
    }
    for (const call of group) {
      const end = endOf(call);
      if (end !== null) endMs = Math.max(endMs ?? end, end);
    }
  }
  const numbers = new Map<string, number>();
  const together = new Set<number>();
  const written = steps.map((step, index): JsonObject => {
    const key = String(index + 1);
    if (typeof step === 'number') return { wait: pauseText(step) };
    if (step instanceof StepDraft) {
      addNumbers(numbers, key, step);
      return step.json();
    }
    for (const [at, part] of step.entries()) {
      addNumbers(numbers, `${key}.${at + 1}`, part);
      for (const number of part.numbers) together.add(number);
    }
    return { together: step.map((part) => part.json()) };
  });
  const draftWith = (rules: readonly RuleId[]): ScenarioDraft => ({
    title: literalText(options.title),
    rules,
    ...requirementsOf(calls, builder, options.currency),
    // The calls are repeated as they were: a further win between two rounds could hide the incident.
    ...(hasSeveralRounds(calls) && { rounds: 'overlapping' }),
    steps: written,
  });
  return {
    draft: draftWith(decidableRules(draftWith([ANY_RULE]), options)),
    calls,
    numbers,
    atOnce: together,
    waitsMs,
    leftOutMs,
  };
}

/**
 * Stores the number of the call for the key of a step. If a step has several copies, each copy has its own key with a
 * number from 1.
 */
function addNumbers(numbers: Map<string, number>, key: string, part: StepDraft): void {
  const isMany = part.numbers.length > 1;
  for (const [index, number] of part.numbers.entries()) numbers.set(isMany ? `${key}x${index + 1}` : key, number);
}

function decidableRules(draft: ScenarioDraft, { broken, uuid }: ReplayScenarioOptions): readonly RuleId[] {
  const { scenario } = loadScenario(writeScenario(draft), 'replay.yaml', {
    id: 'replay',
    readFragment: () => undefined,
  });
  if (!scenario) return [ANY_RULE];
  const plan = planScenario(scenario, undefined, { uuid });
  const provable = applicableRules(plan, [...new Set(broken)]);
  if (provable.length > 0) return provable;
  const [any = ANY_RULE] = applicableRules(plan, [ANY_RULE, ...RULES.map(({ id }) => id)]);
  return [any];
}

/** Leaves out each balance call between two other balance calls of the same session with the same result. */
function withoutIdleReads(calls: readonly LoggedCall[]): readonly LoggedCall[] {
  return calls.filter((call, index) => {
    const [before, after] = [calls[index - 1], calls[index + 1]];
    return !(before && after && isSameRead(before, call) && isSameRead(call, after));
  });
}

function isSameRead(a: LoggedCall, b: LoggedCall): boolean {
  const areReads = a.seen.call === 'balance' && b.seen.call === 'balance' && a.seen.sessionID === b.seen.sessionID;
  return (
    areReads &&
    a.ending === 'accepted' &&
    b.ending === 'accepted' &&
    a.balance !== null &&
    b.balance !== null &&
    a.balance.equals(b.balance)
  );
}

function hasSeveralRounds(calls: readonly LoggedCall[]): boolean {
  return new Set(calls.flatMap(({ seen }) => (seen.call === 'bet' ? [seen.roundID] : []))).size > 1;
}

/** Groups the calls that were in flight at the same time. */
function atOnce(calls: readonly LoggedCall[]): readonly (readonly LoggedCall[])[] {
  const groups: LoggedCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last?.some((other) => met(other, call) === 'yes' && !isGivenUp(other, call))) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** Tolerance in ms for imprecise log times, when a call is compared with the end of the service's waiting time. */
const CLOCK_SLACK_MS = 100;

/**
 * Returns the time at which the service stopped waiting for the reply: when the call ended, or at the deadline. Returns
 * null if the time of the call is unknown.
 */
function endOf({ atMs, seen }: LoggedCall): number | null {
  return atMs === null ? null : atMs + Math.min(seen.exchange.tookMs ?? 0, REPLY_DEADLINE_MS);
}

function isGivenUp(call: LoggedCall, before: LoggedCall): boolean {
  const end = endOf(call);
  return call.ending === 'late' && end !== null && before.atMs !== null && before.atMs >= end - CLOCK_SLACK_MS;
}

function gapMs({ atMs, seen }: LoggedCall, endMs: number | null): number {
  if (atMs === null || endMs === null) return 0;
  const gap = atMs - endMs;
  return gap > Math.max(1, seen.exchange.time?.precisionMs ?? 1) ? gap : 0;
}

function requirementsOf(
  calls: readonly LoggedCall[],
  { aliases }: StepBuilder,
  currencyCode: string | null,
): { readonly needs?: JsonObject } {
  const [first] = calls;
  const [mainSession] = aliases.keys();
  const needs: Record<string, JsonValue> = {};
  const bets = calls.filter(
    ({ seen, done }) => seen.call === 'bet' && done !== 'no' && (seen.sessionID ?? mainSession) === mainSession,
  );
  const stakes = new Map(bets.map(({ seen, number, amount }) => [seen.txID ?? number, amount]));
  const total = [...stakes.values()].reduce<Money>((sum, amount) => (amount ? sum.plus(amount) : sum), Money.zero);
  if (!total.isZero() && !total.isNegative()) needs.balance = total.format(2);
  const currency = currencyCode === null ? undefined : currencyByCode(currencyCode);
  if (currency)
    needs.currency = { kind: currency.type, ...(currency.decimals !== null && { decimals: currency.decimals }) };
  for (const [session, alias] of aliases) {
    if (alias === 'main') continue;
    const wallet = calls.find(({ seen }) => seen.sessionID === session)?.wallet ?? null;
    const isKnown = wallet?.startsWith('player ') === true && first?.wallet?.startsWith('player ') === true;
    // If the players are unknown, the record shows only that there are two sessions.
    needs[alias] = isKnown ? { player: wallet === first.wallet ? 'same' : 'other' } : { state: 'active' };
  }
  return Object.keys(needs).length > 0 ? { needs } : {};
}
