import type { Cause } from '../../journal/cause.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { RunStarted } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import type { CallLatency } from '../../journal/latency.ts';
import { budgetResults } from '../../journal/latency.ts';
import type { Direction, MoneySums } from '../../journal/money-sums.ts';
import { requiredOutcomes } from '../../journal/required.ts';
import { mayReplyWrongly } from '../../journal/results/chance.ts';
import { owedCalls, unknownDebts } from '../../journal/results/owed-items.ts';
import { countRules } from '../../journal/results/rule-counts.ts';
import { untriedChecks } from '../../journal/results/tried-checks.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import type { JournalledExchange } from '../exchanges.ts';
import { eachScenario } from '../exchanges.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { isAnythingLeft, settleCommandLine } from '../owed.ts';

/** Version of the report format. Within a version, new keys may be added, but the meaning of a key never changes. */
export const JSON_REPORT = 'croupier-report/1';

/** Writes the report for programs: one JSON object, in pieces. Scenarios are in the order in which they ended. */
export async function* jsonReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  const head = JSON.stringify(headOf(fold, options));
  yield `${head.slice(0, -1)},\n"rules":[\n`;
  yield fold.rules.map((result) => JSON.stringify(ruleOf(result))).join(',\n');
  yield '\n],\n"expectations":';
  yield JSON.stringify(fold.expectations);
  yield ',\n"scenarios":[';
  let separator = '\n';
  for await (const { scenario, exchanges, exchangeCount } of eachScenario(fold, open, options.exchangesPerScenario)) {
    yield separator + JSON.stringify(scenarioOf(scenario, exchanges, exchangeCount, options));
    separator = ',\n';
  }
  yield '\n]}\n';
}

function headOf(fold: Fold, { journal, endedAtOnce }: ReportOptions): object {
  const { run, ended } = fold;
  const { verdict, exitCode, firstLine } = conclude(fold);
  return {
    schema: JSON_REPORT,
    verdict,
    exitCode: endedAtOnce ?? exitCode,
    firstLine,
    croupier: run.croupier,
    contract: run.contract,
    client: run.client,
    runID: run.runID,
    seed: run.seed,
    selection: run.selection,
    ...(run.quick && { quick: true }),
    flags: run.flags ?? [],
    whole: run.whole,
    ...(run.ownScenarios && { ownScenarios: run.ownScenarios }),
    ...(run.suiteChanges && { suiteChanges: run.suiteChanges }),
    ...(run.digests && { digests: run.digests }),
    labels: fold.labels,
    strict: run.settings.strict,
    settings: run.settings,
    startedAt: run.startedAt,
    durationMs: ended?.durationMs ?? null,
    ended: ended?.how ?? null,
    interrupted: ended?.how === 'interrupted' || fold.stopping !== undefined,
    detail: ended?.detail ?? null,
    ...(ended?.lastReply && { lastReply: ended.lastReply }),
    counts: countRules(fold).byVerdict,
    exchangeCount: fold.exchanges.sent,
    causes: fold.causes.map(causeOf),
    baseline: fold.baseline.map(({ known, ...result }) => ({ ...known, ...result })),
    latency: fold.latency.map(latencyOf),
    budgets: budgetResults(fold),
    flaky: fold.scenarios.filter(({ flaky }) => flaky).map(({ planned }) => planned.id),
    required: requiredOutcomes(fold).map(({ kind, id, by, verdict, reason }) => ({ kind, id, by, verdict, reason })),
    ...(run.shard && { shard: run.shard }),
    notices: fold.notices,
    untried: untriedChecks({ scenarios: fold.scenarios, sessions: run.settings.sessions }),
    owed: owedCalls(fold).map(({ scenario, call, sessionID, txID, fields, bet, status }) => ({
      scenario,
      call,
      sessionID,
      txID,
      fields,
      ...(bet !== undefined && { bet }),
      ...(status !== undefined && { status }),
    })),
    owedBalances: fold.owedBalances.map(({ sessionID, wanted, missing }) => ({
      sessionID,
      ...sessionNamed(sessionID, run),
      wanted,
      missing,
    })),
    owedUnknown: unknownDebts(fold),
    settle: journal !== null && isAnythingLeft(fold) ? settleCommandLine(journal) : null,
  };
}

function sessionNamed(sessionID: string, { settings }: RunStarted) {
  const session = settings.sessions.find((one) => one.sessionID === sessionID);
  return { player: session?.player ?? null, currency: session?.currency ?? null };
}

function causeOf({ result, explains, findings, scenarios, mainFinding: telling }: Cause): object {
  const { id, level, money, means } = result.rule;
  return {
    rule: id,
    level,
    money,
    means,
    explains: explains.map(({ rule }) => rule),
    findings,
    wrongSums: result.wrongSums,
    scenarios,
    seenIn: telling?.scenario ?? null,
    exchange: telling?.exchange ?? null,
  };
}

function latencyOf(latency: CallLatency): object {
  // The buckets are left out, because there are many of them and only charts need them.
  return Object.fromEntries(Object.entries(latency).filter(([name]) => name !== 'buckets'));
}

/** A place at which a rule fails, as the JSON report names it. */
export interface ReportedPlace {
  readonly endpoint: string | null;
  readonly scenario: string;
  /** True if all breaches at this place moved no money, although the rule is about money. */
  readonly noMoney: boolean;
  /** The sums by which the failure made balances wrong, including the sums of other findings that the failure explains. */
  readonly wrongSums: MoneySums;
  /** True if a reply had a wrong balance, and had it again when croupier repeated the scenario. Undefined in reports of older versions. */
  readonly wrongReply?: boolean | undefined;
  /** True if the same failure may give wrong balances in the replies of another run. Undefined in reports of older versions. */
  readonly mayReplyWrongly?: boolean | undefined;
  /** True if the failure did not occur again when croupier repeated the scenario. Undefined in reports of older versions. */
  readonly unrepeated?: boolean | undefined;
  /** Whether each wrong sum made a balance too low or too high, as in {@link RulePlace}. Undefined in reports of older versions. */
  readonly directions?: readonly Direction[] | undefined;
}

/** Returns the places at which a rule fails. */
export function reportedPlaces({ places }: Pick<RuleResult, 'places'>): readonly ReportedPlace[] {
  return places
    .filter(({ failed }) => failed > 0)
    .map((place) => ({
      endpoint: place.endpoint,
      scenario: place.scenario,
      noMoney: !place.movesMoney,
      wrongSums: place.wrongSums,
      wrongReply: place.hasWrongReply,
      mayReplyWrongly: mayReplyWrongly([place]),
      unrepeated: place.isUnrepeated,
      directions: place.directions,
    }));
}

function ruleOf(result: RuleResult): object {
  const {
    rule,
    verdict,
    isKnown,
    isWorse,
    reason,
    because,
    flaky,
    seenIn,
    checks,
    failedChecks,
    wrongSums,
    endpoints,
  } = result;
  const { id, group, level, money, clause, sentence, means, hint, since } = rule;
  const entry = { id, group, level, money, clause, sentence, means, hint, since };
  return {
    ...entry,
    verdict,
    isKnown,
    isWorse,
    reason,
    because,
    flaky,
    seenIn,
    checks,
    failedChecks,
    wrongSums,
    endpoints,
    failingPlaces: reportedPlaces(result),
    scenarios: result.scenarios,
  };
}

function scenarioOf(
  result: ScenarioResult,
  exchanges: readonly JournalledExchange[],
  exchangeCount: number,
  options: ReportOptions,
): object {
  const { planned, ...rest } = result;
  return {
    id: planned.id,
    title: planned.title,
    file: planned.place.file,
    line: planned.place.line,
    rules: planned.rules,
    ...rest,
    ...(options.exchangesPerScenario > 0 && { exchanges: exchanges.map(exchangeOf) }),
    exchangeCount,
  };
}

function exchangeOf({ sending, received }: JournalledExchange): object {
  const { id, step, purpose, call, request, signature, trace } = sending;
  const { outcome = null, stamps = null, connection = null, model = null } = received ?? {};
  const optional = { ...(signature && { signature }), ...(trace && { trace }) };
  return { id, step, purpose, call, request, ...optional, outcome, stamps, connection, model };
}
