import { RULES } from '../contract/catalogue.ts';
import { type Attempt, addFinding, addPasses, addRace, countingAttempt, startAttempt } from './attempt.ts';
import { judgeBaseline, type KnownResult } from './baseline.ts';
import { type Cause, likelyCauses } from './cause.ts';
import type { Blamed, Found, JournalEvent, Owed, Raced, RunEnded, RunStarted, ScenarioEnded } from './event.ts';
import { EXPECTATION } from './finding.ts';
import { byGravity, flakyCell, type JudgedCell, type JudgedFinding, judgeCell } from './judged-cell.ts';
import { type CallLatency, startLatencyTally } from './latency.ts';
import { type RuleResult, ruleResult } from './rule-result.ts';
import { impliedCells, type ScenarioResult, scenarioResult } from './scenario-result.ts';

/** So many different notices are kept. An operator that provokes one per call must not fill the memory. */
const NOTICES = 100;

/** All that a run decided: what every report starts from. Its size follows the plan, not the number of exchanges. */
export interface Fold {
  readonly run: RunStarted;
  /** null: the run was cut off, nothing says how it ended. */
  readonly ended: RunEnded | null;
  /** Every rule of the catalogue, each exactly once, in its order. */
  readonly rules: readonly RuleResult[];
  /** The few broken rules that explain all that is broken, those about money first. */
  readonly causes: readonly Cause[];
  /** What the run says of each known failure of its baseline, in the order of that. */
  readonly baseline: readonly KnownResult[];
  /** What scenarios demanded beyond the rules and did not get. */
  readonly expectations: readonly JudgedFinding[];
  readonly scenarios: readonly ScenarioResult[];
  /** What was let go together, where a finding names one of the calls. */
  readonly races: readonly Raced[];
  readonly notices: readonly string[];
  /** What has to be sent yet so that nobody's money hangs in the air. */
  readonly owed: readonly Owed[];
  readonly exchanges: { readonly sent: number; readonly answered: number };
  /** How quick the operator was, for each call that was made. */
  readonly latency: readonly CallLatency[];
}

/** Takes the events of one run, in order, and says at any time what they amount to. */
export interface Folding {
  add(event: JournalEvent): void;
  /** @throws Error when no `run-started` was added. */
  result(): Fold;
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
  const latency = startLatencyTally();

  const attemptOf = (scenario: string): Attempt => {
    let attempt = attempts.get(scenario);
    if (!attempt) {
      attempt = startAttempt(null);
      attempts.set(scenario, attempt);
    }
    return attempt;
  };

  const isVoid = (event: Found | Raced | ScenarioEnded): boolean => {
    const started = attempts.get(event.scenario)?.started;
    return started != null && started.attempt !== event.attempt;
  };

  const add = (event: JournalEvent): void => {
    latency.add(event);
    switch (event.event) {
      case 'run-started':
        run = event;
        return;
      case 'notice':
        if (notices.size < NOTICES) notices.add(event.text);
        return;
      case 'scenario-started':
        attempts.set(event.scenario, startAttempt(event, attempts.get(event.scenario)));
        return;
      case 'sending':
        sent += 1;
        return;
      case 'received':
        if (event.outcome.kind === 'reply') answered += 1;
        return;
      case 'race':
        if (!isVoid(event)) addRace(attemptOf(event.scenario), event);
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
    return sumUp(run, ended, attempts, blames, {
      notices: [...notices],
      owed: [...owed.values()],
      exchanges: { sent, answered },
      latency: latency.result(run.settings.budgetMs ?? {}),
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

function sumUp(
  run: RunStarted,
  ended: RunEnded | null,
  attempts: ReadonlyMap<string, Attempt>,
  blames: readonly Blamed[],
  rest: Pick<Fold, 'notices' | 'owed' | 'exchanges' | 'latency'>,
): Fold {
  const { strict } = run.settings;
  const planned = new Map(run.scenarios.map((scenario) => [scenario.id, scenario]));
  for (const id of attempts.keys()) {
    // Checks of the run as a whole find things in the name of a scenario that nobody planned.
    if (!planned.has(id)) planned.set(id, { id, title: id, place: { file: '', line: 1, column: 1 }, rules: [] });
  }
  const cells: JudgedCell[] = [];
  const scenarios: ScenarioResult[] = [];
  const races: Raced[] = [];
  for (const scenario of planned.values()) {
    const last = attempts.get(scenario.id);
    const counting = last && countingAttempt(last);
    const attempt = counting?.attempt;
    const judged = (from: Attempt | undefined) =>
      [...(from?.cells.values() ?? [])].map((cell) => judgeCell(scenario.id, cell, blames, strict));
    const flaky = judged(counting?.flaky?.attempt).flatMap((cell) => flakyCell(cell, run.settings.allowFlaky === true));
    const own = [...judged(attempt), ...flaky];
    cells.push(...own, ...impliedCells(scenario, attempt, own));
    scenarios.push(scenarioResult(scenario, counting, own, ended, last?.started?.retry ?? 0));
    for (const one of [attempt, counting?.flaky?.attempt]) races.push(...(one ? telling(one) : []));
  }
  const byRule = Map.groupBy(cells, (cell) => cell.rule);
  const baseline = judgeBaseline(run, ended, cells);
  const how = { run, ended, baseline };
  const rules = RULES.map((rule) => ruleResult(rule, byRule.get(rule.id) ?? [], scenarios, how));
  return {
    run,
    ended,
    rules,
    causes: likelyCauses(rules, cells),
    baseline,
    expectations: (byRule.get(EXPECTATION) ?? []).flatMap((cell) => cell.findings).toSorted(byGravity),
    scenarios,
    races,
    ...rest,
  };
}

/** The races of an attempt that something was found in. */
function telling({ races, cells }: Attempt): readonly Raced[] {
  const shown = new Set([...cells.values()].flatMap(({ samples }) => samples.map(({ exchange }) => exchange)));
  return races.filter(({ exchanges }) => exchanges.some((id) => shown.has(id)));
}
