import type { Fold } from '../../journal/fold.ts';
import type { CallLatency } from '../../journal/latency.ts';
import { latencyWarnings } from '../terminal/latency.ts';
import { duration } from '../terminal/layout.ts';
import { html, type Markup, NOTHING } from './markup.ts';

const WIDTH = 1000;
const HEIGHT = 60;
/** The ends of the axis. Shorter times are counted in the first bar, and longer times in the last bar. */
const SHORTEST_MS = 0.1;
const MAX_MS = 20_000;
const BARS = 100;
const TICKS = [0.1, 1, 10, 100, 1000, 10_000];

/** Renders the response times of each call on a logarithmic axis. */
export function latencySection(fold: Fold): Markup {
  const { latency, run } = fold;
  if (latency.length === 0) return NOTHING;
  const { deadlineMs } = run.settings;
  const hasBudget = latency.some(({ budgetMs }) => budgetMs !== null);
  const warnings = latencyWarnings(fold).map((text) => html`<li>${text}.</li>`);
  return html`<section id="speed"><h2>Speed</h2>
<p class="dim under">These times run from the last byte of a call to the last byte of its reply. The calls of races are left out. The contract allows ${duration(deadlineMs)}.</p>
${warnings.length === 0 ? null : html`<ul>${warnings}</ul>`}<ul class="latency">${latency.map((one) => figure(one, deadlineMs))}</ul>
<div class="wide" tabindex="0" role="region" aria-label="latency in numbers"><table class="numbers"><thead><tr><th scope="col">Call</th><th scope="col">Replies</th><th scope="col">Half within</th><th scope="col">95 %</th><th scope="col">99 %</th><th scope="col">Longest</th>${hasBudget ? html`<th scope="col">Budget of 95 %</th>` : null}</tr></thead>
<tbody>${latency.map((one) => row(one, hasBudget))}</tbody></table></div></section>
`;
}

function row(
  { call, count, p50Ms, p95Ms, p99Ms, maxMs, budgetMs, isOverBudget }: CallLatency,
  hasBudget: boolean,
): Markup {
  const cells = [p50Ms, p95Ms, p99Ms, maxMs].map(
    (ms, at) => html`<td>${at === 1 && isOverBudget ? html`<mark>${duration(ms)}</mark>` : duration(ms)}</td>`,
  );
  return html`<tr><th scope="row">${call}</th><td>${count}</td>${cells}${hasBudget ? html`<td>${budgetMs === null ? '' : duration(budgetMs)}</td>` : null}</tr>
`;
}

function x(ms: number): number {
  const share = Math.log10(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) / Math.log10(MAX_MS / SHORTEST_MS);
  return Math.min(share, 1) * WIDTH;
}

function figure({ call, buckets, p50Ms, p99Ms, maxMs, budgetMs }: CallLatency, deadlineMs: number): Markup {
  const bars = barsOf(buckets);
  const max = Math.max(1, ...bars.values());
  const late = Math.floor((x(deadlineMs) / WIDTH) * BARS);
  const drawn = [...bars].map(([at, count]) => {
    // The bar of a single reply must be visible beside the bar of thousands of replies, so each bar has a minimum height.
    const height = Math.max((count / max) * (HEIGHT - 4), 2);
    const width = WIDTH / BARS;
    return html`<rect class="${at >= late ? 'late' : 'bar'}" x="${at * width}" y="${(HEIGHT - height).toFixed(1)}" width="${width - 1}" height="${height.toFixed(1)}"/>`;
  });
  const summary = `half within ${duration(p50Ms)}, 99 % within ${duration(p99Ms)}, the longest ${duration(maxMs)}`;
  const line = (ms: number, kind: string): Markup => html`<path class="${kind}" d="M${x(ms).toFixed(1)} 0V${HEIGHT}"/>`;
  return html`<li><p><b>${call}</b> <span class="dim">${summary}</span></p>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${call}: ${summary}"><g class="grid">${TICKS.map((ms) => html`<path d="M${x(ms).toFixed(1)} 0V${HEIGHT}"/>`)}</g>${drawn}${budgetMs === null ? null : line(budgetMs, 'budget')}${line(deadlineMs, 'deadline')}</svg>
<svg class="ticks" viewBox="0 0 ${WIDTH} 16" aria-hidden="true">${TICKS.map((ms) => html`<text x="${x(ms).toFixed(1)}" y="12">${short(ms)}</text>`)}<text class="deadline" x="${x(deadlineMs).toFixed(1)}" y="12">${short(deadlineMs)}</text></svg></li>
`;
}

function short(ms: number): string {
  return duration(ms).replace('.0 s', ' s');
}

/** The number of replies in each bar of the axis. */
function barsOf(buckets: CallLatency['buckets']): ReadonlyMap<number, number> {
  const bars = new Map<number, number>();
  for (const { fromMs, toMs, count } of buckets) {
    const at = Math.min(Math.floor((x(Math.sqrt(fromMs * toMs)) / WIDTH) * BARS), BARS - 1);
    bars.set(at, (bars.get(at) ?? 0) + count);
  }
  return bars;
}
