import { currencyByCode } from '../../contract/currencies.ts';
import type { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import type { Fold } from '../../journal/fold.ts';
import { expectedBalance, repliedBalance } from './differences.ts';
import { type Content, html, type Markup, NOTHING } from './markup.ts';
import { memberValue, type ReadExchange } from './reading.ts';

/** The reported and the expected balance of a player at one call. */
export interface BalancePoint {
  readonly id: string;
  /** The name of the call and its amount, as in `bet 1.00`. */
  readonly label: string;
  readonly player: string;
  readonly currency: string | null;
  /** The balance in the reply. Null if the reply has no readable balance. */
  readonly reported: Money | null;
  readonly reportedText: string;
  /**
   * The balances that croupier expected. There are several balances while the outcome of a call is unknown. The list is empty
   * if croupier expects no particular balance.
   */
  readonly should: readonly Money[];
  readonly shouldText: string;
  /**
   * True if the reply shows the balance at this moment. False for a repeated call, because its reply repeats the balance of the
   * first reply. Also false for a call of a race.
   */
  readonly isPresent: boolean;
  /** True if croupier made the call to restore the balance. */
  readonly isRestoring: boolean;
  /** True if the reported balance differs from every expected balance. */
  readonly isOff: boolean;
}

/**
 * Returns the balances at the calls of one scenario, in the order of the calls. All amounts are written with the same number of
 * decimals.
 *
 * @param raced ids of the calls of races
 */
export function balancePoints(
  exchanges: readonly ReadExchange[],
  fold: Fold,
  raced: ReadonlySet<string>,
): readonly BalancePoint[] {
  const sessions = new Map(fold.run.settings.sessions.map((session) => [session.sessionID, session]));
  const known = new Set<string>();
  const raw = exchanges.map((exchange) => {
    const { sending, sent, label } = exchange;
    const txID = memberValue(sent, 'txID');
    const key = `${sending.call} ${txID}`;
    const isReplay = txID !== undefined && known.has(key);
    known.add(key);
    const sessionID = memberValue(sent, 'sessionID') ?? sessionOf(sending.request.url);
    const session = sessions.get(sessionID);
    const reported = repliedBalance(exchange);
    const should = expectedBalance(exchange);
    const isPresent = !isReplay && !raced.has(sending.id);
    return {
      id: sending.id,
      label,
      player: session?.player ?? sessionID,
      currency: session?.currency ?? null,
      reported,
      should,
      isPresent,
      isRestoring: sending.purpose === 'restore',
      isOff: isPresent && reported !== null && should.length > 0 && !should.some((one) => one.equals(reported)),
    };
  });
  const decimals = raw.reduce(
    (max, { reported, should, currency }) =>
      Math.max(
        max,
        (currency === null ? null : currencyByCode(currency)?.decimals) ?? 0,
        ...[reported, ...should].map((one) => one?.decimals() ?? 0),
      ),
    0,
  );
  return raw.map((point) => ({
    ...point,
    reportedText: point.reported?.format(decimals) ?? '',
    shouldText: point.should.map((one) => one.format(decimals)).join(' or '),
  }));
}

function sessionOf(url: string): string {
  const text = /[?&]sessionID=([^&#]*)/.exec(url)?.[1] ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Sizes of the parts of a chart, in pixels. */
const MIN_SLOT = 76;
const MAX_SLOT = 140;
/**
 * The width of the space for a chart on a wide screen. If there are few calls, each call gets a wider slot (at most `MAX_SLOT`), so
 * that the chart uses this width.
 */
const ROOM = 1040;
const LEFT = 12;
const TOP = 34;
const HEIGHT = 120;
const LABELS = 56;
/** Maximum number of calls in a chart. If there are more calls, those that did not change the balance are left out first. */
const MAX_SLOTS = 60;

/**
 * Draws one chart for each player of a scenario. A chart shows the reported balance after each call, drawn over the expected
 * balance. The heights are approximate, but the written values are exact.
 */
export function balanceCharts(points: readonly BalancePoint[]): Content {
  return [...Map.groupBy(points, ({ player }) => player)].map(([player, own]) => chart(player, own));
}

function chart(player: string, all: readonly BalancePoint[]): Markup {
  const known = slotsOf(all.filter(({ reported, should }) => reported !== null || should.length > 0));
  const shown = known.length > MAX_SLOTS ? known.filter(isMoving).slice(0, MAX_SLOTS) : known;
  const values = shown.flatMap(({ points }) =>
    points.flatMap(({ reported, should }) => (reported ? [reported, ...should] : should)),
  );
  const [one] = values;
  if (one === undefined || shown.length < 2) return NOTHING;
  const low = values.reduce((least, value) => (value.compare(least) < 0 ? value : least), one);
  const high = values.reduce((max, value) => (value.compare(max) > 0 ? value : max), one);
  const y = (value: Money): number => TOP + HEIGHT * (1 - share(value, low, high));
  const slot = Math.max(MIN_SLOT, Math.min(MAX_SLOT, Math.floor((ROOM - LEFT * 2) / shown.length)));
  const width = LEFT * 2 + shown.length * slot;
  const height = TOP + HEIGHT + LABELS;
  const currency = all.find((point) => point.currency !== null)?.currency ?? '';
  const isSeveral = shown.some(({ last }) => last.should.length > 1);
  const isStored = shown.some(({ last }) => !last.isPresent && last.reported !== null);
  return html`<figure class="chart"><figcaption>Balance of ${player}${currency === '' ? '' : `, ${currency}`} <span class="key reported">reported by the operator</span> <span class="key should">expected${isSeveral ? ' (a band, if several balances are possible)' : ''}</span>${isStored ? html` <span class="dim">○ in a race or a repeated reply</span>` : null}${shown.length < known.length ? html` <span class="dim">only the first ${MAX_SLOTS} calls that changed the balance</span>` : null}</figcaption>
<div class="wide" tabindex="0" role="region" aria-label="balance of ${player}"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${description(all)}">
${shouldLine(shown, y, slot)}${reportedLine(shown, y, slot)}
${shown.map((one, at) => dots(one, shown.slice(0, at), middle(at, slot), y))}${shown.map((one, at) => slotLabel(one, middle(at, slot), height))}</svg></div></figure>
`;
}

/**
 * One column of the chart. It shows one call, several equal calls of a race, or several equal calls in a row with the same result.
 */
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

/** Returns the position of a value between two others: 0 at `low`, 1 at `high`. */
function share(value: Money, low: Money, high: Money): number {
  const all = Number(high.minus(low).format());
  return all === 0 ? 0.5 : Number(value.minus(low).format()) / all;
}

const middle = (at: number, slot: number): number => LEFT + (at + 0.5) * slot;

function shouldLine(slots: readonly Slot[], y: (value: Money) => number, slot: number): Content {
  return slots.flatMap(({ last }, at): Markup[] => {
    const heights = last.should.map(y);
    if (heights.length === 0) return [];
    const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
    const x = LEFT + at * slot;
    const previous = slots[at - 1]?.last;
    // After a wrong balance, croupier corrects its expected balance to the reported balance. The wallet moved no money at this
    // moment, so the chart shows no change.
    const before = previous === undefined || previous.isOff ? [] : previous.should.map(y);
    const step =
      before.length === 1 && heights.length === 1
        ? [html`<path class="should-step" d="M${x} ${px(before[0] ?? 0)}V${px(top)}"/>`]
        : [];
    return [
      ...step,
      html`<rect class="should" x="${x}" y="${px(top - 3)}" width="${slot}" height="${px(bottom - top + 6)}"/>`,
    ];
  });
}

/** Draws a line through the reported balances, without the balances of replays and races. */
function reportedLine(slots: readonly Slot[], y: (value: Money) => number, slot: number): Content {
  let path = '';
  for (const [at, { last }] of slots.entries()) {
    if (last.reported === null || !last.isPresent) continue;
    const height = px(y(last.reported));
    path += path === '' ? `M${middle(at, slot)} ${height}` : `H${LEFT + at * slot}V${height}H${middle(at, slot)}`;
  }
  return path === '' ? null : html`<path class="reported" d="${path}"/>`;
}

function dots({ points, last }: Slot, earlier: readonly Slot[], x: number, y: (value: Money) => number): Content {
  const reportedPoints = [...new Map(points.map((point) => [point.reportedText, point])).values()].filter(
    ({ reported }) => reported !== null,
  );
  const kind = last.isOff ? 'off' : last.isPresent ? 'present' : 'stored';
  const circles = reportedPoints.map(
    ({ reported }) =>
      html`<circle class="${kind}" cx="${x}" cy="${reported ? px(y(reported)) : 0}" r="${last.isOff ? 5 : 3.5}"/>`,
  );
  if (!last.isOff && earlier.at(-1)?.last.reportedText === last.reportedText) return circles;
  const sorted = reportedPoints.toSorted((a, b) => (a.reported && b.reported ? b.reported.compare(a.reported) : 0));
  const [highest, lowest] = [sorted[0], sorted.length > 1 ? sorted.at(-1) : undefined];
  // The line of the reported balances leaves out replays and races. At these calls, it stays at the height of the last balance
  // before them. A label must not lie on this line.
  const passing = last.isPresent ? undefined : earlier.findLast((slot) => slot.last.isPresent)?.last.reported;
  const line = passing ? y(passing) : null;
  const label = (point: BalancePoint | undefined, by: number): Content =>
    point?.reported
      ? html`<text class="value ${kind}" x="${x}" y="${px(besideLine(y(point.reported) + by, line, Math.sign(by)))}">${point.reportedText}</text>`
      : null;
  return [circles, label(highest, -10), label(lowest, 18), last.isOff ? offBy(last, x, y) : null];
}

/** The height of the digits of a label, and its least distance from a line, in pixels. */
const DIGITS = 9;
const GAP = 4;

/**
 * Returns the position of a label, moved so that a horizontal line does not cross the label.
 *
 * @param baseline the position of the label before it is moved
 * @param line the height of the line; null if there is none
 * @param way -1 to move the label above the line, 1 to move it below
 */
function besideLine(baseline: number, line: number | null, way: number): number {
  if (line === null || line < baseline - DIGITS - GAP || line > baseline + GAP) return baseline;
  return way < 0 ? line - GAP - 2 : line + DIGITS + GAP;
}

function offBy({ reported, reportedText, should }: BalancePoint, x: number, y: (value: Money) => number): Content {
  const [nearest] = should;
  if (reported === null || nearest === undefined) return null;
  const difference = reported.minus(nearest);
  const by = `${difference.isNegative() ? '−' : '+'}${difference.absolute().format(decimalsOf(reportedText))}`;
  return html`<text class="value off" x="${x}" y="${px(y(reported) - 23)}">${by}</text>`;
}

function slotLabel({ points, last }: Slot, x: number, height: number): Markup {
  const [call = '', amount = ''] = last.label.split(' ');
  const times = points.length > 1 ? ` × ${points.length}` : '';
  // Calls that restore the balance are not part of the scenario.
  const below = last.isRestoring ? 'restored' : amount;
  return html`<text x="${x}" y="${height - 20}">${call}${times}</text><text x="${x}" y="${height - 6}">${below}</text>`;
}

function description(all: readonly BalancePoint[]): string {
  const off = all.filter(({ isOff }) => isOff);
  if (off.length === 0) return `the balance after ${plural(all.length, 'call')}, as expected`;
  const examples = off
    .slice(0, 3)
    .map(({ label, reportedText, shouldText }) => `after ${label}: ${reportedText}, expected ${shouldText}`);
  return `the balance after ${plural(all.length, 'call')}; ${examples.join('; ')}`;
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function px(number: number): string {
  return number.toFixed(1);
}
