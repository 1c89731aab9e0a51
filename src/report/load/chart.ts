import { html, type Markup } from '../html/markup.ts';

/** One line of a chart. A null breaks the line. */
interface Series {
  readonly name: string;
  /** The class that gives the colour: `a`, `b` or `c`. */
  readonly tone: 'a' | 'b' | 'c';
  readonly points: readonly (readonly [x: number, y: number | null])[];
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  /** A sentence for people who cannot see the chart. */
  readonly summary: string;
  readonly series: readonly Series[];
  /** The labels under the chart, evenly spaced. */
  readonly ticks: readonly string[];
  /** The range of the x axis. */
  readonly from: number;
  readonly to: number;
  readonly unit: string;
  /** True if the values are whole numbers. Then the labels are whole numbers too. */
  readonly isCount?: true;
}

const WIDTH = 1000;
const HEIGHT = 260;
/** Number of horizontal lines above the base line. */
const STEPS = 4;

/** Renders a line chart. Its labels are HTML, so that they stay readable on a narrow screen. */
export function lineChart({ id, title, summary, series, ticks, from, to, unit, isCount }: Chart): Markup {
  const highest = Math.max(0, ...series.flatMap(({ points }) => points.map(([, y]) => y ?? 0)));
  const top = niceTop(isCount ? Math.max(highest, STEPS) : highest);
  const x = (value: number): number => ((value - from) / Math.max(to - from, Number.EPSILON)) * WIDTH;
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const labels = Array.from({ length: STEPS + 1 }, (_, step) => label((top * (STEPS - step)) / STEPS));
  const grid = Array.from({ length: STEPS + 1 }, (_, step) => html`<path d="M0 ${(HEIGHT * step) / STEPS}H${WIDTH}"/>`);
  const lines = series.map(({ points, tone }) => html`<path class="line ${tone}" d="${pathOf(points, x, y)}"/>`);
  const legend = series.map(({ name, tone }) => html`<li><span class="key ${tone}"></span>${name}</li>`);
  return html`<figure class="chart" aria-labelledby="${id}"><figcaption><h3 id="${id}">${title} <span class="dim">(${unit})</span></h3><ul class="legend">${legend}</ul></figcaption>
<div class="plot"><div class="ys" aria-hidden="true">${labels.map((text) => html`<span>${text}</span>`)}</div><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}"><g class="grid">${grid}</g>${lines}</svg><div class="xs" aria-hidden="true">${ticks.map((text) => html`<span>${text}</span>`)}</div></div></figure>
`;
}

function pathOf(points: Series['points'], x: (value: number) => number, y: (value: number) => number): string {
  let path = '';
  let isPenDown = false;
  for (const [at, value] of points) {
    if (value === null) {
      isPenDown = false;
      continue;
    }
    path += `${isPenDown ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    // A single point between two gaps must be visible.
    if (!isPenDown) path += 'h0.1';
    isPenDown = true;
  }
  return path;
}

/** Multiplied by a power of ten, a quarter of each of them is a short number. From 4 on, it is a whole number. */
const TOPS = [1.2, 2, 4, 8, 12];

/** Returns a number that is not less than the highest value, and whose quarters are short numbers. */
function niceTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const factor = TOPS.find((one) => one * power >= highest) ?? 12;
  return factor * power;
}

function label(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
