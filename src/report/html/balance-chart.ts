import type { Money } from '../../contract/money.ts';
import type { BalancePoint } from './balances.ts';
import { type Content, html, type Markup, NOTHING } from './markup.ts';

/** Pixels. */
const SLOT = 76;
const LEFT = 12;
const TOP = 34;
const HEIGHT = 120;
const LABELS = 40;
/** More are not told apart; where nothing moved, points are left out first. */
const MOST = 60;

/**
 * The balance that the operator said after each call, on top of the one that croupier reckoned: a chart for each player of a scenario.
 * Positions are near enough; what is written is exact.
 */
export function balanceCharts(points: readonly BalancePoint[]): Content {
  return [...Map.groupBy(points, ({ player }) => player)].map(([player, own]) => chart(player, own));
}

function chart(player: string, all: readonly BalancePoint[]): Markup {
  const known = slotsOf(all.filter(({ reported, should }) => reported !== null || should.length > 0));
  const shown = known.length > MOST ? known.filter(isMoving).slice(0, MOST) : known;
  const values = shown.flatMap(({ points }) =>
    points.flatMap(({ reported, should }) => (reported ? [reported, ...should] : should)),
  );
  const [one] = values;
  if (one === undefined || shown.length < 2) return NOTHING;
  const low = values.reduce((least, value) => (value.compare(least) < 0 ? value : least), one);
  const high = values.reduce((most, value) => (value.compare(most) > 0 ? value : most), one);
  const y = (value: Money): number => TOP + HEIGHT * (1 - share(value, low, high));
  const width = LEFT * 2 + shown.length * SLOT;
  const height = TOP + HEIGHT + LABELS;
  const currency = all.find((point) => point.currency !== null)?.currency ?? '';
  const isStored = shown.some(({ last }) => !last.isPresent && last.reported !== null);
  return html`<figure class="chart"><figcaption>Balance of ${player}${currency === '' ? '' : `, ${currency}`} <span class="key reported">as the operator says</span> <span class="key should">as it should be</span>${isStored ? html` <span class="dim">○ in a race or a repeated reply</span>` : null}${shown.length < known.length ? html` <span class="dim">at most ${MOST} calls that moved it</span>` : null}</figcaption>
<div class="wide" tabindex="0" role="region" aria-label="balance of ${player}"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${spoken(all)}">
${shouldLine(shown, y)}${reportedLine(shown, y)}
${shown.map((slot, at) => dots(slot, shown[at - 1], at, y))}${shown.map((slot, at) => slotLabel(slot, at, height))}</svg></div></figure>
`;
}

/** What is drawn in one place: a call, several that were let go together, or several reads that said the same. */
interface Slot {
  readonly points: BalancePoint[];
  last: BalancePoint;
}

function slotsOf(points: readonly BalancePoint[]): readonly Slot[] {
  const slots: Slot[] = [];
  for (const point of points) {
    const slot = slots.at(-1);
    const before = slot?.last;
    const isSame =
      before?.label === point.label &&
      before.shouldText === point.shouldText &&
      before.isPresent === point.isPresent &&
      (!point.isPresent || before.reportedText === point.reportedText);
    if (slot && isSame) {
      slot.points.push(point);
      slot.last = point;
    } else slots.push({ points: [point], last: point });
  }
  return slots;
}

function isMoving({ last }: Slot, at: number, all: readonly Slot[]): boolean {
  const before = all[at - 1]?.last;
  return last.isOff || before?.reportedText !== last.reportedText || before.shouldText !== last.shouldText;
}

/** Where a value lies between two others, from 0 to 1. */
function share(value: Money, low: Money, high: Money): number {
  const all = Number(high.minus(low).format());
  return all === 0 ? 0.5 : Number(value.minus(low).format()) / all;
}

const middle = (at: number): number => LEFT + (at + 0.5) * SLOT;

function shouldLine(slots: readonly Slot[], y: (value: Money) => number): Content {
  return slots.flatMap(({ last }, at): Markup[] => {
    const heights = last.should.map(y);
    if (heights.length === 0) return [];
    const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
    const x = LEFT + at * SLOT;
    const previous = slots[at - 1]?.last;
    // Behind what was off, croupier goes on from what the operator said: that is no step of the balance.
    const before = previous === undefined || previous.isOff ? [] : previous.should.map(y);
    const step =
      before.length === 1 && heights.length === 1
        ? [html`<path class="should-step" d="M${x} ${px(before[0] ?? 0)}V${px(top)}"/>`]
        : [];
    return [
      ...step,
      html`<rect class="should" x="${x}" y="${px(top - 3)}" width="${SLOT}" height="${px(bottom - top + 6)}"/>`,
    ];
  });
}

/** A line through what says something about the present: replays and races don't. */
function reportedLine(slots: readonly Slot[], y: (value: Money) => number): Content {
  let path = '';
  for (const [at, { last }] of slots.entries()) {
    if (last.reported === null || !last.isPresent) continue;
    const height = px(y(last.reported));
    path += path === '' ? `M${middle(at)} ${height}` : `H${LEFT + at * SLOT}V${height}H${middle(at)}`;
  }
  return path === '' ? null : html`<path class="reported" d="${path}"/>`;
}

function dots({ points, last }: Slot, before: Slot | undefined, at: number, y: (value: Money) => number): Content {
  const said = [...new Map(points.map((point) => [point.reportedText, point])).values()].filter(
    ({ reported }) => reported !== null,
  );
  const kind = last.isOff ? 'off' : last.isPresent ? 'present' : 'stored';
  const x = middle(at);
  const circles = said.map(
    ({ reported }) =>
      html`<circle class="${kind}" cx="${x}" cy="${reported ? px(y(reported)) : 0}" r="${last.isOff ? 5 : 3.5}"/>`,
  );
  if (!last.isOff && before?.last.reportedText === last.reportedText) return circles;
  const sorted = said.toSorted((a, b) => (a.reported && b.reported ? b.reported.compare(a.reported) : 0));
  const [highest, lowest] = [sorted[0], sorted.length > 1 ? sorted.at(-1) : undefined];
  const label = (point: BalancePoint | undefined, by: number): Content =>
    point?.reported
      ? html`<text class="value ${kind}" x="${x}" y="${px(y(point.reported) + by)}">${point.reportedText}</text>`
      : null;
  return [circles, label(highest, -10), label(lowest, 18), last.isOff ? offBy(last, x, y) : null];
}

function offBy({ reported, reportedText, should }: BalancePoint, x: number, y: (value: Money) => number): Content {
  const [nearest] = should;
  if (reported === null || nearest === undefined) return null;
  const difference = reported.minus(nearest);
  const by = `${difference.isNegative() ? '−' : '+'}${difference.absolute().format(decimalsOf(reportedText))}`;
  return html`<text class="value off" x="${x}" y="${px(y(reported) - 23)}">${by}</text>`;
}

function slotLabel({ points, last }: Slot, at: number, height: number): Markup {
  const [call = '', amount = ''] = last.label.split(' ');
  const times = points.length > 1 ? ` × ${points.length}` : '';
  // What croupier sends to bring the balance back is no part of the story.
  const below = last.isRestoring ? 'restored' : amount;
  return html`<text x="${middle(at)}" y="${height - 20}">${call}${times}</text><text x="${middle(at)}" y="${height - 6}">${below}</text>`;
}

function spoken(all: readonly BalancePoint[]): string {
  const off = all.filter(({ isOff }) => isOff);
  if (off.length === 0) return `the balance after ${all.length} calls, as it should be`;
  const told = off
    .slice(0, 3)
    .map(({ label, reportedText, shouldText }) => `after ${label}: ${reportedText}, should be ${shouldText}`);
  return `the balance after ${all.length} calls; ${told.join('; ')}`;
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function px(number: number): string {
  return number.toFixed(1);
}
