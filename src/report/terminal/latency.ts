import { DELAYED_BODY_ADVICE } from '../../journal/exchange.ts';
import type { Fold } from '../../journal/fold.ts';
import type { CallLatency } from '../../journal/latency.ts';
import { mark } from '../marks.ts';
import type { Look, ReportOptions } from '../options.ts';
import { duration, hanging } from './layout.ts';

const HEADINGS = ['calls', 'p50', 'p95', 'p99', 'max', 'budget'] as const;

/** Returns a table of the response times with one line per call, followed by the warnings about slow calls. */
export function latencyLines(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  if (fold.latency.length === 0) return [];
  const hasBudget = fold.latency.some(({ budgetMs }) => budgetMs !== null);
  const columns = hasBudget ? HEADINGS : HEADINGS.slice(0, -1);
  const rows = fold.latency.map(({ call, count, p50Ms, p95Ms, p99Ms, maxMs, budgetMs }) => {
    const times = [p50Ms, p95Ms, p99Ms, maxMs].map(duration);
    return [call, String(count), ...times, ...(hasBudget ? [budgetMs === null ? '' : duration(budgetMs)] : [])];
  });
  const line = ([name = '', ...cells]: readonly string[]): string =>
    `  ${name.padEnd(9)}${cells.map((cell) => cell.padStart(9)).join('')}`.trimEnd();
  return [
    paint.dim(line(['', ...columns])),
    ...rows.map(line),
    ...latencyWarningLines(fold, { paint, unicode, width }),
  ];
}

/** Returns the lines with the warnings about slow calls. Empty if there is no warning. */
export function latencyWarningLines(fold: Fold, { paint, unicode, width }: Look): readonly string[] {
  return latencyWarnings(fold).flatMap((warning) =>
    hanging(`  ${mark('warn', unicode)} `, warning, width).map((text, at) =>
      at === 0 ? text.replace(mark('warn', unicode), (found) => paint.yellow(found)) : text,
    ),
  );
}

/**
 * The minimum number of replies with a delayed body for a warning, and their minimum share of all replies. Fewer delayed bodies may
 * be chance.
 */
const MIN_DELAYED = 10;
const MIN_DELAYED_SHARE = 0.5;

/**
 * Returns a warning if most bodies are delayed. Also returns a warning for each kind of call that exceeded its budget, or became
 * slower during the run.
 */
export function latencyWarnings({ latency }: Pick<Fold, 'latency'>): readonly string[] {
  return [...delayWarning(latency), ...latency.flatMap(callWarnings)];
}

function delayWarning(latency: Fold['latency']): readonly string[] {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const delayed = sum(latency.map(({ delayedBodies }) => delayedBodies));
  const all = sum(latency.map(({ count }) => count));
  if (delayed < MIN_DELAYED || delayed < all * MIN_DELAYED_SHARE) return [];
  return [
    `in ${delayed} of ${all} replies, the body came about 40 ms after the head. The wallet is not slow: its server waits until the client acknowledges the head (Nagle's algorithm). ${DELAYED_BODY_ADVICE}`.replace(
      /\.$/,
      '',
    ),
  ];
}

function callWarnings({ call, p95Ms, budgetMs, isOverBudget, drift }: CallLatency): readonly string[] {
  return [
    ...(isOverBudget && budgetMs !== null
      ? [
          `${call} is over its budget: 95 of 100 replies came within ${duration(p95Ms)}, and the budget is ${duration(budgetMs)}`,
        ]
      : []),
    ...(drift?.slower
      ? [
          `${call} became slower: the median was ${duration(drift.earlyMs)} in the first third of the run and ${duration(drift.lateMs)} in the last third`,
        ]
      : []),
  ];
}
