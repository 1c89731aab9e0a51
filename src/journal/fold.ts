import type { CallName } from '../contract/call-name.ts';
import { RULES, type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Level, Rule } from '../contract/rule.ts';
import type {
  Blamed,
  Found,
  JournalEvent,
  Owed,
  PlannedScenario,
  RunEnded,
  RunStarted,
  ScenarioEnded,
  ScenarioStarted,
} from './event.ts';
import { EXPECTATION, type Finding, graver, VERDICTS, type Verdict } from './finding.ts';

/** So many findings are kept as examples of one verdict on one rule at one endpoint in one scenario; all are counted. */
const SAMPLES = 5;
/** So many different notices are kept. An operator that provokes one per call must not fill the memory. */
const NOTICES = 100;
/** Longer phrases of a finding are cut: an operator's text may stand in them. */
const PHRASE = 4000;

/** A finding as it counts once the whole run is known. */
export interface JudgedFinding extends Finding {
  readonly scenario: string;
  /** The rule whose breach explains it; the verdict is then the one that the explanation leaves. */
  readonly because: RuleId | null;
  /** Why the verdict is not the one that the step gave; null when it is. */
  readonly reason: string | null;
}

export interface EndpointResult {
  readonly endpoint: CallName;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly checks: number;
}

/** What the run says about one rule of the catalogue. */
export interface RuleResult {
  readonly rule: Rule;
  /** The gravest of all that was found. */
  readonly verdict: Verdict;
  /** Why it is not a pass, in the words of its most telling finding; null for a pass. */
  readonly reason: string | null;
  /** The rule whose breach explains the verdict. */
  readonly because: RuleId | null;
  /** How often it was decided, one way or the other. */
  readonly checks: number;
  /** Scenarios that tried it, in the order of the plan. */
  readonly scenarios: readonly string[];
  /** A verdict for each endpoint, where the rule is judged at each; else empty. */
  readonly endpoints: readonly EndpointResult[];
  /** Examples, gravest first; `findingCount` counts all. */
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

export interface ScenarioResult {
  readonly planned: PlannedScenario;
  readonly state: 'ended' | 'cut-off' | 'not-started';
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly durationMs: number | null;
  readonly restored: boolean | null;
  readonly attempt: number;
  readonly sessions: Readonly<Record<string, string>>;
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

/** All that a run decided: what every report starts from. Its size follows the plan, not the number of exchanges. */
export interface Fold {
  readonly run: RunStarted;
  /** null: the run was cut off, nothing says how it ended. */
  readonly ended: RunEnded | null;
  /** Every rule of the catalogue, each exactly once, in its order. */
  readonly rules: readonly RuleResult[];
  /** What scenarios demanded beyond the rules and did not get. */
  readonly expectations: readonly JudgedFinding[];
  readonly scenarios: readonly ScenarioResult[];
  readonly notices: readonly string[];
  /** What has to be sent yet so that nobody's money hangs in the air. */
  readonly owed: readonly Owed[];
  readonly exchanges: { readonly sent: number; readonly answered: number };
}

/** Takes the events of one run, in order, and says at any time what they amount to. */
export interface Folding {
  add(event: JournalEvent): void;
  /** @throws Error when no `run-started` was added. */
  result(): Fold;
}

/** What one scenario says about one rule at one endpoint with one verdict. */
interface Cell {
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  count: number;
  readonly samples: Finding[];
}

interface Attempt {
  readonly started: ScenarioStarted | null;
  readonly cells: Map<string, Cell>;
  ended: ScenarioEnded | null;
}

interface JudgedCell {
  readonly scenario: string;
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  readonly because: RuleId | null;
  readonly reason: string | null;
  readonly count: number;
  readonly findings: readonly JudgedFinding[];
}

/** Starts a fold over the events of one run. */
export function startFolding(): Folding {
  let run: RunStarted | null = null;
  let ended: RunEnded | null = null;
  let sent = 0;
  let answered = 0;
  const attempts = new Map<string, Attempt>();
  const blames: Blamed[] = [];
  const notices = new Set<string>();
  const owed = new Map<string, Owed>();

  const attemptOf = (scenario: string): Attempt => {
    let attempt = attempts.get(scenario);
    if (!attempt) {
      attempt = { started: null, cells: new Map(), ended: null };
      attempts.set(scenario, attempt);
    }
    return attempt;
  };

  const isVoid = (event: Found | ScenarioEnded): boolean => {
    const started = attempts.get(event.scenario)?.started;
    return started != null && started.attempt !== event.attempt;
  };

  const add = (event: JournalEvent): void => {
    switch (event.event) {
      case 'run-started':
        run = event;
        return;
      case 'notice':
        if (notices.size < NOTICES) notices.add(event.text);
        return;
      case 'scenario-started':
        attempts.set(event.scenario, { started: event, cells: new Map(), ended: null });
        return;
      case 'sending':
        sent += 1;
        return;
      case 'received':
        if (event.outcome.kind === 'reply') answered += 1;
        return;
      case 'finding':
        if (!isVoid(event)) addFinding(attemptOf(event.scenario), event.finding);
        return;
      case 'owed':
        if (event.open) owed.set(`${event.call} ${event.txID}`, event);
        else owed.delete(`${event.call} ${event.txID}`);
        return;
      case 'scenario-ended':
        if (!isVoid(event)) {
          const attempt = attemptOf(event.scenario);
          attempt.ended = event;
          addPasses(attempt, event);
        }
        return;
      case 'blamed':
        blames.push(event);
        return;
      case 'run-ended':
        ended = event;
        return;
    }
  };

  const result = (): Fold => {
    if (run === null) throw new Error('a run cannot be folded before its run-started event');
    return conclude(run, ended, attempts, blames, {
      notices: [...notices],
      owed: [...owed.values()],
      exchanges: { sent, answered },
    });
  };

  return { add, result };
}

/** Folds a whole journal. @throws Error when it holds no `run-started`. */
export async function foldJournal(events: AsyncIterable<JournalEvent> | Iterable<JournalEvent>): Promise<Fold> {
  const folding = startFolding();
  for await (const event of events) folding.add(event);
  return folding.result();
}

function cellOf(attempt: Attempt, rule: Finding['rule'], endpoint: CallName | null, verdict: Verdict): Cell {
  const key = `${rule} ${endpoint ?? '*'} ${verdict}`;
  let cell = attempt.cells.get(key);
  if (!cell) {
    cell = { rule, endpoint, verdict, count: 0, samples: [] };
    attempt.cells.set(key, cell);
  }
  return cell;
}

function addFinding(attempt: Attempt, finding: Finding): void {
  const cell = cellOf(attempt, finding.rule, finding.endpoint, finding.verdict);
  cell.count += 1;
  if (cell.samples.length < SAMPLES) {
    cell.samples.push({
      ...finding,
      expected: finding.expected.slice(0, PHRASE),
      actual: finding.actual.slice(0, PHRASE),
    });
  }
}

function addPasses(attempt: Attempt, ended: ScenarioEnded): void {
  for (const [rule, endpoints] of Object.entries(ended.passes)) {
    for (const [endpoint, count] of Object.entries(endpoints)) {
      const at = endpoint === '*' ? null : (endpoint as CallName);
      cellOf(attempt, rule as RuleId, at, 'pass').count += count;
    }
  }
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

function judge(scenario: string, cell: Cell, blames: readonly Blamed[], strict: boolean): JudgedCell {
  const blame = blames.findLast((candidate) => matches(candidate, scenario, cell));
  const level = cell.rule === EXPECTATION ? 'MUST' : ruleById(cell.rule).level;
  const verdict = atLevel(level, blame?.verdict ?? cell.verdict, strict);
  const because = blame?.because ?? null;
  const reason = blame?.reason ?? null;
  const base = { scenario, rule: cell.rule, endpoint: cell.endpoint, verdict, because, reason, count: cell.count };
  return {
    ...base,
    findings: cell.samples.map((finding) => ({
      ...finding,
      verdict: verdict === 'untested' ? 'skip' : verdict,
      scenario,
      because,
      reason,
    })),
  };
}

const gravity = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
const byGravity = (a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number =>
  gravity(a.verdict) - gravity(b.verdict);

function gravest(cells: readonly { readonly verdict: Verdict }[]): Verdict {
  return cells.reduce<Verdict>((verdict, cell) => graver(verdict, cell.verdict), 'untested');
}

function countOf(cells: readonly JudgedCell[], wanted: (cell: JudgedCell) => boolean): number {
  return cells.reduce((sum, cell) => (wanted(cell) ? sum + cell.count : sum), 0);
}

const isDecided = (cell: JudgedCell): boolean => cell.verdict !== 'skip' && cell.verdict !== 'inconclusive';
const isFinding = (cell: JudgedCell): boolean => cell.findings.length > 0;

/** Why the rule has this verdict: an explanation from the whole run first, else what was seen first. */
function reasonOf(cells: readonly JudgedCell[], verdict: Verdict): { reason: string | null; because: RuleId | null } {
  if (verdict === 'pass') return { reason: null, because: null };
  const grave = cells.filter((cell) => cell.verdict === verdict);
  const telling = grave.find((cell) => cell.reason !== null) ?? grave[0];
  return {
    reason: telling?.reason ?? telling?.findings[0]?.actual ?? null,
    because: telling?.because ?? null,
  };
}

function conclude(
  run: RunStarted,
  ended: RunEnded | null,
  attempts: ReadonlyMap<string, Attempt>,
  blames: readonly Blamed[],
  rest: Pick<Fold, 'notices' | 'owed' | 'exchanges'>,
): Fold {
  const { strict } = run.settings;
  const planned = new Map(run.scenarios.map((scenario) => [scenario.id, scenario]));
  for (const id of attempts.keys()) {
    // Checks of the run as a whole find things in the name of a scenario that nobody planned.
    if (!planned.has(id)) planned.set(id, { id, title: id, place: { file: '', line: 1, column: 1 }, rules: [] });
  }
  const cells: JudgedCell[] = [];
  const scenarios: ScenarioResult[] = [];
  for (const scenario of planned.values()) {
    const attempt = attempts.get(scenario.id);
    const own = [...(attempt?.cells.values() ?? [])].map((cell) => judge(scenario.id, cell, blames, strict));
    cells.push(...own, ...impliedCells(scenario, attempt, own));
    scenarios.push(scenarioResult(scenario, attempt, own, ended));
  }
  const byRule = Map.groupBy(cells, (cell) => cell.rule);
  return {
    run,
    ended,
    rules: RULES.map((rule) => ruleResult(rule, byRule.get(rule.id) ?? [], scenarios, { run, ended })),
    expectations: (byRule.get(EXPECTATION) ?? []).flatMap((cell) => cell.findings).toSorted(byGravity),
    scenarios,
    ...rest,
  };
}

/** What a scenario that was skipped, or could not be played to its end, says about the rules that it was there for. */
function impliedCells(
  scenario: PlannedScenario,
  attempt: Attempt | undefined,
  own: readonly JudgedCell[],
): readonly JudgedCell[] {
  const ended = attempt?.ended;
  if (!ended || (ended.verdict !== 'skip' && ended.verdict !== 'inconclusive')) return [];
  const { verdict, reason } = ended;
  return scenario.rules
    .filter((rule) => !own.some((cell) => cell.rule === rule))
    .map((rule) => ({
      scenario: scenario.id,
      rule,
      endpoint: null,
      verdict,
      because: null,
      reason,
      count: 0,
      findings: [],
    }));
}

function scenarioResult(
  planned: PlannedScenario,
  attempt: Attempt | undefined,
  own: readonly JudgedCell[],
  runEnded: RunEnded | null,
): ScenarioResult {
  const ended = attempt?.ended ?? null;
  const findings = own
    .filter(isFinding)
    .flatMap((cell) => cell.findings)
    .toSorted(byGravity);
  const base = {
    planned,
    attempt: attempt?.started?.attempt ?? 0,
    sessions: attempt?.started?.sessions ?? {},
    durationMs: ended?.durationMs ?? null,
    restored: ended?.restored ?? null,
    findings,
    findingCount: countOf(own, isFinding),
  };
  if (!attempt) {
    return { ...base, state: 'not-started', verdict: 'untested', reason: howItStopped(runEnded) };
  }
  if (!ended) {
    return {
      ...base,
      state: 'cut-off',
      verdict: graver('inconclusive', gravest(own)),
      reason: `it was cut off: ${howItStopped(runEnded)}`,
    };
  }
  // When the whole run explains a finding away, the scenario's own verdict no longer stands; its doubts do.
  const explained = own.some((cell) => cell.because !== null);
  const doubt = ended.verdict === 'inconclusive' || own.length === 0;
  const verdict = explained && !doubt ? gravest(own) : graver(ended.verdict, gravest(own));
  return { ...base, state: 'ended', verdict, reason: ended.reason ?? reasonOf(own, verdict).reason };
}

function howItStopped(ended: RunEnded | null): string {
  if (ended === null) return 'the run was cut off';
  switch (ended.how) {
    case 'complete':
      return 'the run ended before it was played';
    case 'bail':
      return 'the run stopped early after failures (--bail)';
    case 'interrupted':
      return 'the run was interrupted';
    case 'unreachable':
      return 'the operator could not be reached';
    case 'bug':
      return 'croupier failed';
  }
}

function ruleResult(
  rule: Rule,
  cells: readonly JudgedCell[],
  scenarios: readonly ScenarioResult[],
  how: { readonly run: RunStarted; readonly ended: RunEnded | null },
): RuleResult {
  const tried = new Set(cells.filter((cell) => cell.verdict !== 'skip').map((cell) => cell.scenario));
  const base = {
    rule,
    checks: countOf(cells, isDecided),
    scenarios: [...tried],
    findings: cells.flatMap((cell) => cell.findings).toSorted(byGravity),
    findingCount: countOf(cells, isFinding),
    endpoints: (rule.endpoints ?? []).map((endpoint): EndpointResult => {
      const here = cells.filter((cell) => cell.endpoint === endpoint);
      const verdict = gravest(here);
      return { endpoint, verdict, reason: reasonOf(here, verdict).reason, checks: countOf(here, isDecided) };
    }),
  };
  const verdict = gravest(cells);
  if (verdict !== 'untested' && verdict !== 'skip') return { ...base, verdict, ...reasonOf(cells, verdict) };
  const undecided = scenarios.find(
    ({ planned, state, verdict }) => planned.rules.includes(rule.id) && state !== 'not-started' && verdict !== 'skip',
  );
  if (undecided) {
    return {
      ...base,
      verdict: 'inconclusive',
      because: null,
      reason:
        undecided.state === 'cut-off'
          ? `${undecided.planned.id} was cut off before it was decided`
          : `${undecided.planned.id} ended without deciding it`,
    };
  }
  if (verdict === 'skip') return { ...base, verdict, ...reasonOf(cells, verdict) };
  return { ...base, verdict, because: null, reason: whyUntested(rule, scenarios, how) };
}

function whyUntested(
  rule: Rule,
  scenarios: readonly ScenarioResult[],
  { run, ended }: { readonly run: RunStarted; readonly ended: RunEnded | null },
): string {
  const waiting = scenarios.some(({ planned }) => planned.rules.includes(rule.id));
  if (waiting) return howItStopped(ended);
  if (rule.group === 'launch') return 'shows only in the calls that the operator itself makes to the Core API';
  return run.whole ? 'no scenario of this run tries it' : 'not among what was selected';
}
