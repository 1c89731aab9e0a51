import { z } from 'zod';
import { conclude } from '../../journal/conclusion.ts';
import { EXPECTATION, VERDICTS, type Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { JSON_REPORT } from '../json/json.ts';

/** The verdicts of one rule in two runs. */
interface Change extends JudgedRule {
  readonly before: Verdict;
}

interface Slower {
  readonly call: string;
  readonly beforeMs: number;
  readonly nowMs: number;
}

/** The changes from an earlier to a later run. Each rule is in one list only. */
export interface Comparison {
  /** Reasons why the runs are not fully comparable, as sentences. */
  readonly differences: readonly string[];
  /** Rules that fail now, but did not fail before. */
  readonly broken: readonly Change[];
  /** Rules that failed before, and were judged now without a failure. */
  readonly fixed: readonly Change[];
  /** Rules that were not judged before, and were judged now without a failure. */
  readonly added: readonly Change[];
  /** Rules that were judged before, with or without a failure, but not now. */
  readonly gone: readonly Change[];
  readonly stillFailing: readonly Change[];
  /** Calls whose 95th percentile grew clearly, so that chance does not explain it. */
  readonly slower: readonly Slower[];
}

/** Minimum number of replies for a meaningful 95th percentile. */
const MIN_REPLIES = 20;
/** A call is slower if its 95th percentile grew by at least this factor and by at least this number of milliseconds. */
const SLOWER_RATIO = 1.5;
const SLOWER_MS = 20;

/** Compares an earlier run with a later one. */
export function compare(before: RunSummary, now: RunSummary): Comparison {
  const changes = changesOf(before, now);
  const fails = (verdict: Verdict): boolean => verdict === 'fail';
  return {
    differences: differencesOf(before, now),
    broken: changes.filter((one) => fails(one.verdict) && !fails(one.before)),
    fixed: changes.filter((one) => fails(one.before) && isJudged(one.verdict) && !fails(one.verdict)),
    added: changes.filter((one) => isJudged(one.verdict) && !isJudged(one.before) && !fails(one.verdict)),
    gone: changes.filter((one) => isJudged(one.before) && !isJudged(one.verdict)),
    stillFailing: changes.filter((one) => fails(one.verdict) && fails(one.before)),
    slower: now.latency.flatMap(({ call, count, p95Ms }) => {
      const earlier = before.latency.find((one) => one.call === call);
      if (!earlier || Math.min(count, earlier.count) < MIN_REPLIES) return [];
      const isSlower = p95Ms >= earlier.p95Ms * SLOWER_RATIO && p95Ms - earlier.p95Ms >= SLOWER_MS;
      return isSlower ? [{ call, beforeMs: earlier.p95Ms, nowMs: p95Ms }] : [];
    }),
  };
}

/** Returns the newly broken rules that are not on the baseline. */
export function newFailures({ broken }: Comparison): readonly Change[] {
  return broken.filter(({ isKnown }) => !isKnown);
}

function isJudged(verdict: Verdict): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'warn' || verdict === 'note';
}

/**
 * Returns every rule of both runs. A run lists the expectation of a scenario only if it failed. If the scenario was played and
 * its expectation is not listed, the expectation passed.
 */
function changesOf(before: RunSummary, now: RunSummary): readonly Change[] {
  const ids = new Set([...now.judged, ...before.judged].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const earlier = before.judged.find((one) => one.id === id);
    const later = now.judged.find((one) => one.id === id);
    const known = later ?? earlier;
    if (!known) return [];
    const verdict = later?.verdict ?? verdictOfUnlisted(id, now);
    return {
      ...known,
      verdict,
      reason: later?.reason ?? null,
      before: earlier?.verdict ?? verdictOfUnlisted(id, before),
    };
  });
}

function verdictOfUnlisted(id: string, run: RunSummary): Verdict {
  const scenario = id.includes(' in ') ? id.slice(id.indexOf(' in ') + 4) : undefined;
  return scenario !== undefined && run.scenarios.includes(scenario) ? 'pass' : 'untested';
}

function differencesOf(before: RunSummary, now: RunSummary): readonly string[] {
  const differences: string[] = [];
  const compareValue = (what: string, a: string, b: string): void => {
    if (a !== b) differences.push(`different ${what}: ${a} before, ${b} now`);
  };
  compareValue('client', before.extCID, now.extCID);
  compareValue('version of the contract', before.contract, now.contract);
  compareValue('selection', before.selection.join(' ') || 'everything', now.selection.join(' ') || 'everything');
  compareValue('strictness', before.strict ? 'strict' : 'not strict', now.strict ? 'strict' : 'not strict');
  const came = now.scenarios.filter((id) => !before.scenarios.includes(id)).length;
  const went = before.scenarios.filter((id) => !now.scenarios.includes(id)).length;
  if (came + went > 0) differences.push(`different plan: ${came} scenarios are new, ${went} are gone`);
  return differences;
}

/** The result of one run for a rule or for the expectation of a scenario. */
export interface JudgedRule {
  /** The id of the rule, or `expectation in SCENARIO`. */
  readonly id: string;
  readonly level: string;
  readonly money: boolean;
  readonly verdict: Verdict;
  readonly isKnown: boolean;
  readonly reason: string | null;
}

interface LatencySummary {
  readonly call: string;
  readonly count: number;
  readonly p95Ms: number;
}

/** The data of a run that is needed to compare it with another run. */
export interface RunSummary {
  readonly extCID: string;
  readonly contract: string;
  readonly startedAt: string;
  readonly firstLine: string;
  /** The selection of the user. Empty if the run played everything. */
  readonly selection: readonly string[];
  readonly strict: boolean;
  readonly judged: readonly JudgedRule[];
  readonly scenarios: readonly string[];
  readonly latency: readonly LatencySummary[];
}

export function summaryOfFold(fold: Fold): RunSummary {
  const { run, rules, expectations, latency } = fold;
  return {
    extCID: run.client.extCID,
    contract: run.contract,
    startedAt: run.startedAt,
    firstLine: conclude(fold).firstLine,
    selection: run.selection,
    strict: run.settings.strict,
    judged: [
      ...rules.map(({ rule: { id, level, money }, verdict, isKnown, reason }) => ({
        id,
        level,
        money,
        verdict,
        isKnown,
        reason,
      })),
      ...expectationsOf(expectations),
    ],
    scenarios: run.scenarios.map(({ id }) => id),
    latency,
  };
}

function expectationsOf(
  findings: readonly { readonly scenario: string; readonly verdict: Verdict; readonly actual: string }[],
): readonly JudgedRule[] {
  const failing = findings.filter(({ verdict }) => verdict === 'fail');
  return [...Map.groupBy(failing, ({ scenario }) => scenario)].map(([scenario, [first]]) => ({
    id: `${EXPECTATION} in ${scenario}`,
    level: 'MUST',
    money: false,
    verdict: 'fail',
    isKnown: false,
    reason: first?.actual ?? null,
  }));
}

const verdict = z.enum(VERDICTS);

/** The parts of a JSON report that are compared. Reports of older versions may lack the parts that have a default. */
const report = z.object({
  schema: z.literal(JSON_REPORT),
  firstLine: z.string(),
  contract: z.string(),
  client: z.object({ extCID: z.string() }),
  startedAt: z.string(),
  selection: z.array(z.string()),
  strict: z.boolean(),
  rules: z.array(
    z.object({
      id: z.string(),
      level: z.string(),
      money: z.boolean(),
      verdict,
      isKnown: z.boolean().default(false),
      reason: z.string().nullable(),
    }),
  ),
  expectations: z.array(z.object({ scenario: z.string(), verdict, actual: z.string() })),
  scenarios: z.array(z.object({ id: z.string() })),
  latency: z.array(z.object({ call: z.string(), count: z.number(), p95Ms: z.number() })).default([]),
});

/** Reads a JSON report. Returns the first problem as a sentence if the report is invalid. */
export function summaryOfReport(value: unknown): RunSummary | { readonly problem: string } {
  const parsed = report.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'it is not a report'}` };
  }
  const { client, rules, expectations, scenarios, ...rest } = parsed.data;
  return {
    ...rest,
    extCID: client.extCID,
    judged: [...rules, ...expectationsOf(expectations)],
    scenarios: scenarios.map(({ id }) => id),
  };
}
