import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Level } from '../contract/rule.ts';
import type { Cell } from './attempt.ts';
import type { Blamed } from './event.ts';
import { EXPECTATION, type Finding, graver, VERDICTS, type Verdict } from './finding.ts';

/** A finding as it counts once the whole run is known. */
export interface JudgedFinding extends Finding {
  readonly scenario: string;
  /** The rule whose breach explains it; the verdict is then the one that the explanation leaves. */
  readonly because: RuleId | null;
  /** Why the verdict is not the one that the step gave; null when it is. */
  readonly reason: string | null;
  /** True: when the scenario was played again, it passed. */
  readonly flaky: boolean;
}

/** What one scenario says about one rule at one endpoint, with all explanations taken in. */
export interface JudgedCell {
  readonly scenario: string;
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  readonly because: RuleId | null;
  readonly reason: string | null;
  readonly count: number;
  readonly findings: readonly JudgedFinding[];
  /** True: when the scenario was played again, it passed. */
  readonly flaky: boolean;
}

/** A breach weighs what the rule's level lets it weigh, whoever found it. */
function atLevel(level: Level, verdict: Verdict, strict: boolean): Verdict {
  if (verdict !== 'fail' && verdict !== 'warn') return verdict;
  switch (level) {
    case 'MUST':
      return verdict;
    case 'SHOULD':
      return strict ? 'fail' : 'warn';
    case 'NOTE':
      return 'note';
  }
}

function matches(blame: Blamed, scenario: string, cell: Cell): boolean {
  return (
    blame.rule === cell.rule &&
    (blame.endpoint === null || blame.endpoint === cell.endpoint) &&
    (blame.scenario === null || blame.scenario === scenario) &&
    // What was not even tried needs no explanation.
    cell.verdict !== 'skip'
  );
}

/** A cell as it counts once the whole run is known. The latest explanation is the one that counts. */
export function judgeCell(scenario: string, cell: Cell, blames: readonly Blamed[], strict: boolean): JudgedCell {
  const blame = blames.findLast((candidate) => matches(candidate, scenario, cell));
  const level = cell.rule === EXPECTATION ? 'MUST' : ruleById(cell.rule).level;
  const verdict = atLevel(level, blame?.verdict ?? cell.verdict, strict);
  const because = blame?.because ?? null;
  const reason = blame?.reason ?? null;
  const base = {
    scenario,
    rule: cell.rule,
    endpoint: cell.endpoint,
    verdict,
    because,
    reason,
    count: cell.count,
    flaky: false,
  };
  return {
    ...base,
    findings: cell.samples.map((finding) => ({
      ...finding,
      verdict: verdict === 'untested' ? 'skip' : verdict,
      scenario,
      because,
      reason,
      flaky: false,
    })),
  };
}

/** What is left of a cell of a failed attempt after which the scenario passed: nothing but its breach. */
export function flakyCell(cell: JudgedCell, allowed: boolean): readonly JudgedCell[] {
  if (cell.verdict !== 'fail' && cell.verdict !== 'inconclusive') return [];
  if (cell.verdict === 'inconclusive' && cell.because === null) return [];
  const verdict = allowed ? 'warn' : cell.verdict;
  return [{ ...cell, verdict, flaky: true, findings: cell.findings.map((one) => ({ ...one, verdict, flaky: true })) }];
}

const gravity = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
/** Gravest first. */
export const byGravity = (a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number =>
  gravity(a.verdict) - gravity(b.verdict);

/** `untested` when there are none. */
export function gravest(cells: readonly { readonly verdict: Verdict }[]): Verdict {
  return cells.reduce<Verdict>((verdict, cell) => graver(verdict, cell.verdict), 'untested');
}

export function countOf(cells: readonly JudgedCell[], wanted: (cell: JudgedCell) => boolean): number {
  return cells.reduce((sum, cell) => (wanted(cell) ? sum + cell.count : sum), 0);
}

/** True for what was decided one way or the other. */
export const isDecided = (cell: JudgedCell): boolean => cell.verdict !== 'skip' && cell.verdict !== 'inconclusive';
export const isFinding = (cell: JudgedCell): boolean => cell.findings.length > 0;

/** Why the rule has this verdict: an explanation from the whole run first, else what was seen first. */
export function reasonOf(
  cells: readonly JudgedCell[],
  verdict: Verdict,
): { reason: string | null; because: RuleId | null; seenIn: string | null } {
  if (verdict === 'pass') return { reason: null, because: null, seenIn: null };
  const grave = cells.filter((cell) => cell.verdict === verdict);
  const telling = grave.find((cell) => cell.reason !== null) ?? grave[0];
  return {
    reason: telling?.reason ?? telling?.findings[0]?.actual ?? null,
    because: telling?.because ?? null,
    seenIn: telling?.scenario ?? null,
  };
}
