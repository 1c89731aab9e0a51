import type { Verdict } from '../journal/finding.ts';
import type { Judged, RunSummary } from './run-summary.ts';

/** One rule in two runs. */
interface Change extends Judged {
  readonly before: Verdict;
}

interface Slower {
  readonly call: string;
  readonly beforeMs: number;
  readonly nowMs: number;
}

/** What is different in the later of two runs. A rule stands in one list only. */
export interface Comparison {
  /** Reasons why the two can't be compared in all, as sentences. */
  readonly differences: readonly string[];
  /** Fails now, and did not before. */
  readonly broken: readonly Change[];
  /** Failed before, and holds now. */
  readonly fixed: readonly Change[];
  /** Judged now, and not before; holds. */
  readonly added: readonly Change[];
  /** Judged before, and not now; also when it failed. */
  readonly gone: readonly Change[];
  readonly stillFailing: readonly Change[];
  /** Calls whose p95 is beyond noise greater. */
  readonly slower: readonly Slower[];
}

/** Fewer replies have no 95th percentile to speak of. */
const FEWEST = 20;
/** Slower is what takes so many times as long, and so much longer. */
const RATIO = 1.5;
const FLOOR_MS = 20;

/** Compares two runs, the earlier one first. */
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
      if (!earlier || Math.min(count, earlier.count) < FEWEST) return [];
      const isSlower = p95Ms >= earlier.p95Ms * RATIO && p95Ms - earlier.p95Ms >= FLOOR_MS;
      return isSlower ? [{ call, beforeMs: earlier.p95Ms, nowMs: p95Ms }] : [];
    }),
  };
}

/** What a baseline lets pass is no new failure. */
export function newFailures({ broken }: Comparison): readonly Change[] {
  return broken.filter(({ isKnown }) => !isKnown);
}

function isJudged(verdict: Verdict): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'warn' || verdict === 'note';
}

/** Every rule of either run. An expectation is told only where it fails, so that it held where its scenario was played. */
function changesOf(before: RunSummary, now: RunSummary): readonly Change[] {
  const ids = new Set([...now.judged, ...before.judged].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const earlier = before.judged.find((one) => one.id === id);
    const later = now.judged.find((one) => one.id === id);
    const known = later ?? earlier;
    if (!known) return [];
    const verdict = later?.verdict ?? silence(id, now);
    return { ...known, verdict, reason: later?.reason ?? null, before: earlier?.verdict ?? silence(id, before) };
  });
}

function silence(id: string, run: RunSummary): Verdict {
  const scenario = id.includes(' in ') ? id.slice(id.indexOf(' in ') + 4) : undefined;
  return scenario !== undefined && run.scenarios.includes(scenario) ? 'pass' : 'untested';
}

function differencesOf(before: RunSummary, now: RunSummary): readonly string[] {
  const said: string[] = [];
  const other = (what: string, a: string, b: string): void => {
    if (a !== b) said.push(`another ${what}: ${a} before, ${b} now`);
  };
  other('client', before.extCID, now.extCID);
  other('version of the contract', before.contract, now.contract);
  other('selection', before.selection.join(' ') || 'everything', now.selection.join(' ') || 'everything');
  other('strictness', before.strict ? 'strict' : 'not strict', now.strict ? 'strict' : 'not strict');
  const came = now.scenarios.filter((id) => !before.scenarios.includes(id)).length;
  const went = before.scenarios.filter((id) => !now.scenarios.includes(id)).length;
  if (came + went > 0) said.push(`another plan: ${came} scenarios are new, ${went} are gone`);
  return said;
}
