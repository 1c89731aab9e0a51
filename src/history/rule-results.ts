import { EXPECTATION, VERDICTS, type Verdict } from '../journal/finding.ts';
import type { PastVerdict } from '../report/options.ts';
import type { ClientAt } from './client.ts';
import type { History } from './history.ts';
import type { RuleInRun } from './rule-trend.ts';

/** The results of one rule for one client and one operator: one entry for each run, the latest run first. */
export interface RuleOfClient {
  readonly rule: string;
  readonly client: string;
  readonly operator: string;
  readonly runs: readonly RuleInRun[];
}

const RUN_COLUMNS = [
  'run.number',
  'run.run_id',
  'run.kind',
  'run.started_at',
  'run.ext_cid',
  'run.operator',
  'run.ended',
  'run.croupier',
  'run.contract',
  'run.build',
  'run.rules_digest',
  'run.suite_digest',
  'run.config_digest',
  'run.played_digest',
] as const;

/**
 * Returns the results of rules over time.
 *
 * @param rules only these rules; undefined for every rule
 * @param client only the client with this ExtCID; undefined for every client
 */
export async function ruleResults(
  history: History,
  { rules, client }: { readonly rules: readonly string[] | undefined; readonly client: string | undefined },
): Promise<readonly RuleOfClient[]> {
  if (rules?.length === 0) return [];
  const rows = await history
    .selectFrom('rule_result')
    .innerJoin('run', 'run.number', 'rule_result.run')
    .select([
      'rule_result.rule',
      'rule_result.verdict',
      'rule_result.flaky',
      'rule_result.reason',
      'rule_result.failing',
      ...RUN_COLUMNS,
    ])
    .$if(rules !== undefined, (query) => query.where('rule_result.rule', 'in', rules ?? []))
    .$if(client !== undefined, (query) =>
      // A condition on `ext_cid` would select the same results. But with this condition, a database reads only the results of these
      // runs.
      query.where('rule_result.run', 'in', (of) =>
        of
          .selectFrom('run as own')
          .select('own.number')
          .where('own.ext_cid', '=', client ?? ''),
      ),
    )
    .execute();
  const played = await playedSets(history);
  const all = rows.some((row) => isExpectation(row.rule)) ? await runsOf(history, client) : [];
  const byKey = Map.groupBy(rows, (row) => JSON.stringify([row.rule, row.ext_cid, row.operator]));
  return [...byKey.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const runs = own.map(({ verdict, flaky, failing, ...run }) => ({
      ...run,
      verdict: verdictOf(verdict),
      flaky: flaky === 1,
      failing: JSON.parse(failing) as readonly string[],
      played: played.get(run.played_digest ?? '') ?? [],
    }));
    const { rule: id, ext_cid, operator } = first;
    const isOwn = (run: (typeof all)[number]) => run.ext_cid === ext_cid && run.operator === operator;
    const met = isExpectation(id) ? metExpectation(id, runs, all.filter(isOwn), played) : [];
    const sorted = [...runs, ...met].toSorted(byTime);
    return [{ rule: id, client: ext_cid, operator, runs: sorted }];
  });
}

/**
 * Returns the rules whose verdict for a client may depend on chance: rules with different verdicts, rules that passed on retry, and
 * the expectations of scenarios (the history does not store that an expectation was met). The verdict of every other rule is the
 * same in all runs. This query is much faster than reading all verdicts.
 */
export async function changingRules(history: History, { extCID, operator }: ClientAt): Promise<readonly string[]> {
  const rows = await history
    .selectFrom('rule_result')
    .innerJoin('run', 'run.number', 'rule_result.run')
    .select(['rule_result.rule'])
    .where('run.ext_cid', '=', extCID)
    .$if(operator !== undefined, (query) => query.where('run.operator', '=', operator ?? ''))
    .groupBy('rule_result.rule')
    .having((of) =>
      of.or([
        of(of.fn.min('rule_result.verdict'), '<>', of.fn.max('rule_result.verdict')),
        of(of.fn.max('rule_result.flaky'), '=', 1),
        of('rule_result.rule', 'like', `${EXPECTATION_IN}%`),
      ]),
    )
    .execute();
  return rows.map(({ rule }) => rule);
}

const EXPECTATION_IN = `${EXPECTATION} in `;

function isExpectation(id: string): boolean {
  return id.startsWith(EXPECTATION_IN);
}

/**
 * Returns the runs that met an expectation. The history stores only failed expectations, so each other run that played the
 * scenario has met its expectations.
 */
function metExpectation(
  id: string,
  failed: readonly RuleInRun[],
  all: Awaited<ReturnType<typeof runsOf>>,
  played: ReadonlyMap<string, readonly string[]>,
): readonly RuleInRun[] {
  const numbers = new Set(failed.map(({ number }) => number));
  return all.flatMap((run) => {
    const scenarios = played.get(run.played_digest ?? '') ?? [];
    if (numbers.has(run.number) || !scenarios.includes(id.slice(EXPECTATION_IN.length))) return [];
    return [{ ...run, verdict: 'pass' as const, flaky: false, reason: null, failing: [], played: scenarios }];
  });
}

async function runsOf(history: History, client: string | undefined) {
  return history
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .$if(client !== undefined, (query) => query.where('ext_cid', '=', client ?? ''))
    .execute();
}

function byTime(a: RuleInRun, b: RuleInRun): number {
  return a.started_at === b.started_at ? b.number - a.number : a.started_at < b.started_at ? 1 : -1;
}

/**
 * Maximum number of earlier runs whose verdicts are read. Some of these runs may have played other scenarios, so a rule may
 * have fewer verdicts.
 */
const MAX_RUNS_BEFORE = 50;

/**
 * Returns for each rule the verdicts of the runs before `run`, of the same client and the same operator, the latest first.
 *
 * @param run this run need not be in the history
 */
export async function verdictsBefore(
  history: History,
  run: { readonly runID: string; readonly startedAt: string; readonly client: string; readonly operator: string },
): Promise<ReadonlyMap<string, readonly PastVerdict[]>> {
  const runs = history
    .selectFrom('run')
    .select(['number', 'started_at', 'build'])
    .where('ext_cid', '=', run.client)
    .where('operator', '=', run.operator)
    .where('kind', '=', 'run')
    .where('started_at', '<=', run.startedAt)
    .where('run_id', '!=', run.runID)
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .limit(MAX_RUNS_BEFORE);
  const rows = await history
    .selectFrom('rule_result')
    .innerJoin(runs.as('past'), 'past.number', 'rule_result.run')
    .select(['rule_result.rule', 'rule_result.verdict', 'past.number', 'past.started_at', 'past.build'])
    .orderBy('past.started_at', 'desc')
    .orderBy('past.number', 'desc')
    .execute();
  const past = rows.map(({ rule, verdict, number, started_at, build }) => ({
    rule,
    past: { number, startedAt: started_at, build, verdict: verdictOf(verdict) },
  }));
  const byRule = Map.groupBy(past, ({ rule }) => rule);
  return new Map([...byRule].map(([rule, all]) => [rule, all.map((one) => one.past)]));
}

async function playedSets(history: History): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await history.selectFrom('played').selectAll().execute();
  return new Map(rows.map(({ digest, scenarios }) => [digest, JSON.parse(scenarios) as readonly string[]]));
}

/**
 * A newer version of croupier may have written a verdict that this version does not know. Such a verdict counts as
 * inconclusive.
 */
function verdictOf(text: string): Verdict {
  return VERDICTS.find((verdict) => verdict === text) ?? 'inconclusive';
}
