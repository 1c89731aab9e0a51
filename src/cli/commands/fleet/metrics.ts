import type { OperatorStatus } from '../../../fleet/status.ts';
import { gauge, type Metric, metricsText, seconds } from '../../../report/exports/open-metrics-text.ts';

/** Writes the state of a fleet as metrics in the OpenMetrics text format. */
export function fleetMetrics(all: readonly OperatorStatus[]): Iterable<string> {
  return metricsText(metricsOf(all));
}

function metricsOf(all: readonly OperatorStatus[]): readonly Metric[] {
  const each = (measure: (status: OperatorStatus) => number | undefined): Metric['samples'] =>
    all.flatMap((status) => {
      const value = measure(status);
      const { name, extCID } = status.operator;
      return value === undefined ? [] : [{ labels: { operator: name, client: extCID }, value }];
    });
  return [
    gauge('croupier_fleet_operators', 'Number of operators of the fleet.', [{ value: all.length }]),
    gauge(
      'croupier_fleet_last_run_timestamp_seconds',
      'Time at which the latest run of the operator began, in seconds since 1970.',
      each(({ latest }) => latest && timeOf(latest.started_at)),
    ),
    gauge(
      'croupier_fleet_last_success_timestamp_seconds',
      'Time at which the latest run that found no breach began, in seconds since 1970.',
      each(({ lastSuccess }) => (lastSuccess === undefined ? undefined : timeOf(lastSuccess))),
    ),
    gauge(
      'croupier_fleet_conforming',
      'Verdict of the latest run: 1 for conforming, 0 for any other verdict.',
      each(({ latest }) => latest && Number(latest.verdict === 'conforming')),
    ),
    gauge(
      'croupier_fleet_late',
      'Operators that have become due since their latest run: 1 for a late operator, 0 for the others.',
      each(({ late }) => Number(late !== undefined)),
    ),
    gauge(
      'croupier_fleet_due_timestamp_seconds',
      'Time since which a late operator is due, in seconds since 1970.',
      each(({ late }) => (late?.since == null ? undefined : timeOf(late.since))),
    ),
    gauge(
      'croupier_fleet_running',
      '1 while a run judges this operator, otherwise 0.',
      each(({ runningSince }) => Number(runningSince !== undefined)),
    ),
    gauge(
      'croupier_fleet_owed',
      'Number of wins and refunds that are not sent yet, and of balances that are not restored yet.',
      each(({ owed }) => owed.reduce((sum, { items }) => sum + items, 0)),
    ),
  ];
}

/** Returns the seconds since 1970. */
function timeOf(iso: string): number {
  return seconds(Date.parse(iso) / 1000);
}
