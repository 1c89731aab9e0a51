import type { LoadResult } from '../../journal/load/result.ts';

/**
 * Writes the response times of all calls as a table of percentiles in the format of HdrHistogram (`.hgrm`), which many plotters
 * read. Values are milliseconds.
 */
export function loadHgrm({ times }: LoadResult): string {
  const all = times.find(({ call }) => call === 'all');
  const curve = all?.responseCurve ?? [];
  const count = all?.responses ?? 0;
  const rows = curve.map(({ percentile, ms }) => {
    const share = percentile / 100;
    const inverse = share < 1 ? (1 / (1 - share)).toFixed(2).padStart(14) : '';
    return `${ms.toFixed(3).padStart(12)} ${share.toFixed(12).padStart(14)} ${String(Math.max(1, Math.round(count * share))).padStart(10)} ${inverse}`.trimEnd();
  });
  const max = all?.response?.max ?? 0;
  return [
    `${'Value'.padStart(12)} ${'Percentile'.padStart(14)} ${'TotalCount'.padStart(10)} 1/(1-Percentile)`,
    '',
    ...rows,
    `#[Max     = ${max.toFixed(3).padStart(12)}, Total count    = ${String(count).padStart(12)}]`,
    '',
  ].join('\n');
}
