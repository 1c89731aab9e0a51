import { RULES, type RuleId } from '../../contract/catalogue.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { Money } from '../../contract/money.ts';
import { applicableRules } from '../../judge/applies.ts';
import { loadScenario } from '../../scenario/load.ts';
import { planScenario } from '../../scenario/planner.ts';
import { literalText, type ScenarioDraft, writeScenario } from '../../scenario/write.ts';
import { DEADLINE_MS, met, type ToldCall } from '../story/told-call.ts';
import { pauseText } from './pause-text.ts';
import type { Signing } from './signing.ts';
import { Part, Teller } from './teller.ts';

/** What is not known to break a rule is about this one, where it moves money: that none is lost. */
const ANY_RULE: RuleId = 'money.conservation';
/** Calls follow one another anyway: shorter gaps are not waited for. */
const SHORTEST_GAP_MS = 100;

export interface RetellOptions {
  readonly title: string;
  /** What was found broken, so that the scenario claims it where it can decide it. */
  readonly broken: readonly RuleId[];
  /** Calls, by number, that should have been answered otherwise. */
  readonly wrong: ReadonlySet<number>;
  /** How each call was signed, as far as that is known. */
  readonly signing: Signing;
  /** How many times as fast; null: gaps are not waited for. */
  readonly speed: number | null;
  /** In which the sessions of the test must be; null: any will do. */
  readonly currency: string | null;
  readonly uuid: () => string;
}

/** Calls that happened, as a scenario. */
export interface Retelling {
  readonly draft: ScenarioDraft;
  /** Those that it plays: a balance that was read again and again is read at the beginning and at the end. */
  readonly calls: readonly ToldCall[];
  /** By the key of the step that plays it: the number of the call in the story. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Calls that leave at the same instant as others, by number: in which order they land is not told. */
  readonly atOnce: ReadonlySet<number>;
  /** How long is waited between the calls, in ms. */
  readonly waitsMs: number;
}

/** Makes a scenario of calls: ids are named by the steps that made them, sessions by aliases, gaps are waits. */
export function retell(all: readonly ToldCall[], options: RetellOptions): Retelling {
  const calls = withoutIdleReads(all);
  const teller = new Teller(options.wrong, options.signing);
  const steps: (Part | readonly Part[] | number)[] = [];
  let waitsMs = 0;
  let endMs: number | null = null;
  for (const group of atOnce(calls)) {
    const [first, ...others] = group;
    if (!first) continue;
    const gap = options.speed === null ? 0 : gapMs(first, endMs) / options.speed;
    if (gap >= SHORTEST_GAP_MS) {
      steps.push(gap);
      waitsMs += gap;
    }
    if (others.length === 0) steps.push(teller.tell(first));
    else {
      // How calls overlap is part of what happened, also where nobody waits for the gaps between them.
      const offsets = group.map(({ atMs }) => ((atMs ?? 0) - (first.atMs ?? 0)) / (options.speed ?? 1));
      waitsMs += offsets.at(-1) ?? 0;
      const parts = teller.tellAtOnce(group, offsets);
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
    if (step instanceof Part) {
      note(numbers, key, step);
      return step.json();
    }
    for (const [at, part] of step.entries()) {
      note(numbers, `${key}.${at + 1}`, part);
      for (const number of part.numbers) together.add(number);
    }
    return { together: step.map((part) => part.json()) };
  });
  const draftWith = (rules: readonly RuleId[]): ScenarioDraft => ({
    title: literalText(options.title),
    rules,
    ...needsOf(calls, teller, options.currency),
    steps: written,
  });
  return { draft: draftWith(claims(draftWith([ANY_RULE]), options)), calls, numbers, atOnce: together, waitsMs };
}

/** Copies have keys of their own, counted from 1. */
function note(numbers: Map<string, number>, key: string, part: Part): void {
  const isMany = part.numbers.length > 1;
  for (const [index, number] of part.numbers.entries()) numbers.set(isMany ? `${key}x${index + 1}` : key, number);
}

function claims(draft: ScenarioDraft, { broken, uuid }: RetellOptions): readonly RuleId[] {
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

/** Leaves out the reads that stand between others of the same session with the same answer, and nothing else between them. */
function withoutIdleReads(calls: readonly ToldCall[]): readonly ToldCall[] {
  return calls.filter((call, index) => {
    const [before, after] = [calls[index - 1], calls[index + 1]];
    return !(before && after && isSameRead(before, call) && isSameRead(call, after));
  });
}

function isSameRead(a: ToldCall, b: ToldCall): boolean {
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

/** Calls that were in flight together, and single ones. */
function atOnce(calls: readonly ToldCall[]): readonly (readonly ToldCall[])[] {
  const groups: ToldCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last?.some((other) => met(other, call) === 'yes' && !isGivenUp(other, call))) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** Milliseconds by which the clock of a log may be off while the service reckons five seconds. */
const CLOCK_SLACK_MS = 100;

/** The service waits for five seconds; what came of a call later did not keep it from going on. */
function endOf({ atMs, seen }: ToldCall): number | null {
  return atMs === null ? null : atMs + Math.min(seen.exchange.tookMs ?? 0, DEADLINE_MS);
}

function isGivenUp(call: ToldCall, before: ToldCall): boolean {
  const end = endOf(call);
  return call.ending === 'late' && end !== null && before.atMs !== null && before.atMs >= end - CLOCK_SLACK_MS;
}

function gapMs({ atMs, seen }: ToldCall, endMs: number | null): number {
  if (atMs === null || endMs === null) return 0;
  const gap = atMs - endMs;
  return gap > (seen.exchange.time?.precisionMs ?? 1) ? gap : 0;
}

function needsOf(
  calls: readonly ToldCall[],
  { aliases }: Teller,
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
    // Of sessions whose players nobody names only that they are two is known.
    needs[alias] = isKnown ? { player: wallet === first.wallet ? 'same' : 'other' } : { state: 'active' };
  }
  return Object.keys(needs).length > 0 ? { needs } : {};
}
