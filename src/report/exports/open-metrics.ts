import { conclude } from '../../journal/conclusion.ts';
import { VERDICTS } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { owedItems, unknownDebts } from '../../journal/results/owed-items.ts';
import { countRules } from '../../journal/results/rule-counts.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { gauge, type Metric, metricsText, seconds } from './open-metrics-text.ts';

/**
 * Writes the result of a run as metrics in the OpenMetrics text format, for the textfile collector of node_exporter or a push
 * gateway. All metrics are gauges without timestamps, because each run replaces the values of the last run. So programs that
 * read the older Prometheus text format can also read this text.
 */
export async function* openMetricsReport(
  fold: Fold,
  _open: OpenJournal,
  { endedAtOnce }: Pick<ReportOptions, 'endedAtOnce'>,
): AsyncGenerator<string> {
  const client = { client: fold.run.client.extCID };
  yield* metricsText(metricsOf(fold, endedAtOnce), client);
}

/** The response times of the operator: the name, the help and the field of each metric. */
const DURATIONS = [
  ['p50', 'Time within which 50 of 100 calls of the latest run were answered.', 'p50Ms'],
  ['p95', 'Time within which 95 of 100 calls of the latest run were answered.', 'p95Ms'],
  ['p99', 'Time within which 99 of 100 calls of the latest run were answered.', 'p99Ms'],
  ['max', 'Longest response time of the latest run.', 'maxMs'],
] as const;

function metricsOf(fold: Fold, endedAtOnce: number | undefined): readonly Metric[] {
  const { run, ended, rules, latency } = fold;
  const { verdict, exitCode } = conclude(fold);
  const { byVerdict } = countRules(fold);
  const durationSeconds = (ended?.durationMs ?? 0) / 1000;
  const judged = rules.filter((result) => ['pass', 'warn', 'note', 'fail'].includes(result.verdict));
  return [
    gauge('croupier_run_timestamp_seconds', 'Time at which the latest run ended, in seconds since 1970.', [
      { value: seconds(Date.parse(run.startedAt) / 1000 + durationSeconds) },
    ]),
    gauge('croupier_run_duration_seconds', 'Duration of the latest run.', [{ value: seconds(durationSeconds) }]),
    gauge(
      'croupier_run_verdict',
      'Verdict of the latest run: 1 for its verdict, 0 for the others.',
      (['conforming', 'nonconforming', 'undecided'] as const).map((one) => ({
        labels: { verdict: one },
        value: Number(one === verdict),
      })),
    ),
    gauge('croupier_run_exit_status', 'Exit status of the latest run.', [{ value: endedAtOnce ?? exitCode }]),
    gauge(
      'croupier_rules',
      'Number of rules with each result in the latest run.',
      VERDICTS.map((one) => ({
        labels: { result: one },
        value: byVerdict[one],
      })),
    ),
    gauge(
      'croupier_rule_broken',
      'Rules that the latest run judged: 1 for a broken rule, 0 for the others.',
      judged.map(({ rule, verdict: result }) => ({
        labels: { rule: rule.id, money: String(rule.money) },
        value: Number(result === 'fail'),
      })),
    ),
    gauge(
      'croupier_rule_known',
      'Broken rules that the baseline allows for a while.',
      rules.filter(({ isKnown }) => isKnown).map(({ rule }) => ({ labels: { rule: rule.id }, value: 1 })),
    ),
    gauge(
      'croupier_expectations_missed',
      'Number of expectations (of scenarios) that the operator did not meet in the latest run.',
      [{ value: fold.expectations.filter((finding) => finding.verdict === 'fail').length }],
    ),
    gauge('croupier_scenarios', 'Number of scenarios of the latest run.', [{ value: fold.scenarios.length }]),
    gauge('croupier_calls', 'Number of calls of the latest run.', [{ value: fold.exchanges.sent }]),
    gauge('croupier_calls_owed', 'Number of calls that the latest run still owes.', [
      { value: owedItems(fold).length },
    ]),
    gauge('croupier_balances_owed', 'Number of balances that the latest run has not restored.', [
      { value: fold.owedBalances.length },
    ]),
    gauge(
      'croupier_owed_unknown',
      'The latest run ended too early, so it may owe more than the other metrics say: 1 if this is true, 0 if not.',
      [{ value: Number(unknownDebts(fold) !== null) }],
    ),
    ...DURATIONS.map(([name, help, field]) =>
      gauge(
        `croupier_call_duration_${name}_seconds`,
        help,
        latency.map((times) => ({ labels: { call: times.call }, value: seconds(times[field] / 1000) })),
      ),
    ),
    gauge(
      'croupier_calls_measured',
      'Number of calls with a response time in the latest run.',
      latency.map(({ call, count }) => ({ labels: { call }, value: count })),
    ),
    gauge(
      'croupier_call_budget_seconds',
      'Configured limit for 95 of 100 response times.',
      latency.flatMap(({ call, budgetMs }) =>
        budgetMs === null ? [] : [{ labels: { call }, value: seconds(budgetMs / 1000) }],
      ),
    ),
  ];
}
