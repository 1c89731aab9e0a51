import { forTerminal } from '../escape.ts';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** A metric with its samples. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/**
 * Writes metrics in the OpenMetrics text format. All of them are gauges. A metric without samples is left out.
 *
 * @param common the labels that all samples get
 */
export function* metricsText(metrics: readonly Metric[], common: Labels = {}): Generator<string> {
  for (const { name, help, samples } of metrics) {
    if (samples.length === 0) continue;
    yield `# TYPE ${name} gauge\n`;
    // The OpenMetrics standard allows this line only if the name ends with the unit.
    if (name.endsWith('_seconds')) yield `# UNIT ${name} seconds\n`;
    yield `# HELP ${name} ${help}\n`;
    for (const { labels = {}, value } of samples) yield `${name}${labelText({ ...common, ...labels })} ${value}\n`;
  }
  yield '# EOF\n';
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, samples };
}

/** Rounds a time to microseconds. */
export function seconds(value: number): number {
  return Number(value.toFixed(6));
}

function labelText(labels: Labels): string {
  if (Object.keys(labels).length === 0) return '';
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${labelValue(value)}"`)
    .join(',')}}`;
}

function labelValue(text: string): string {
  return forTerminal(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
