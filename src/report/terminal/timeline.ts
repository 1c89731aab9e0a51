import { plural } from '../../contract/plural.ts';
import { amountTextOf } from '../../journal/call-amount.ts';
import { overlapped, type Stamps } from '../../journal/exchange.ts';
import { forTerminal } from '../escape.ts';
import type { Timeline } from '../evidence.ts';
import { type Answer, answerOf } from '../exchange-summary.ts';
import type { ReportOptions } from '../options.ts';
import { row } from './exchange.ts';
import { columnsOf, cutTo, duration, padEnd } from './layout.ts';
import { type TimeAxis, timeAxis } from './time-axis.ts';

/** A call of a timeline, with the texts that are shown beside its bar. */
export interface TimedCall {
  readonly id: string;
  readonly label: string;
  readonly stamps: Stamps;
  readonly answer: Answer;
}

const MAX_ROWS = 24;
const MAX_NAMES = 4;
const MAX_LABEL = 20;
/** Maximum number of characters of an amount. Longer text is cut. */
const MAX_AMOUNT = 80;
/** Terminals with fewer columns get shorter labels. */
const NARROW_TERMINAL = 70;
const NARROW_LABEL = 16;
const MAX_ANSWER = 24;
const MAX_AXIS = 56;
const MIN_AXIS = 10;

/** Returns the calls that can be drawn. A call whose end is not in the journal is left out. */
export function timedCalls(calls: Timeline['calls']): readonly TimedCall[] {
  return calls.flatMap(({ sending, received }): TimedCall[] => {
    if (received === null) return [];
    const amount = (amountTextOf(sending) ?? '').slice(0, MAX_AMOUNT);
    const label = [sending.step ?? sending.purpose, sending.call, amount].join(' ').trimEnd();
    return [{ id: sending.id, label, stamps: received.stamps, answer: answerOf(received.outcome) }];
  });
}

/**
 * Draws calls as bars on one time axis, each with its result. The solid part of a bar is the time from the last byte of the
 * request to the reply.
 *
 * @param shown id of the exchange that the finding names; its row is marked. Null if the finding names no exchange.
 */
export function timelineLines(
  { calls, race }: Timeline,
  shown: string | null,
  indent: number,
  options: ReportOptions,
): readonly string[] {
  const timed = timedCalls(calls);
  if (timed.length < 2) return [];
  const barrier = race?.barrier ?? null;
  const rows = timed.slice(0, MAX_ROWS);
  const labels = widest(
    rows.map(({ label }) => label),
    options.width < NARROW_TERMINAL ? NARROW_LABEL : MAX_LABEL,
  );
  const answers = widest(
    rows.map(({ answer }) => answer.text),
    MAX_ANSWER,
  );
  // The first 2 columns are for the mark. The other 4 are for the edges of the axis and a space on each side of it.
  const room = options.width - indent - 2 - labels - answers - 4;
  const axis = timeAxis(
    timed.map(({ stamps }) => ({ from: leftEdge(stamps, barrier), to: stamps.end })),
    Math.min(Math.max(room, MIN_AXIS), MAX_AXIS),
  );
  const margin = ' '.repeat(indent);
  const lines = rows.map((call) => {
    const mark = call.id === shown ? (options.unicode ? '›' : '>') : ' ';
    const text = `${mark} ${fitted(call.label, labels)} ${bar(call, axis, barrier, options)} ${fitted(call.answer.text, answers)}`;
    return `${margin}${call.id === shown ? options.paint.bold(text) : text}`.trimEnd();
  });
  const more = timed.length - rows.length;
  return [
    ...row('timeline', timelineSummary(timed, race), indent, options),
    `${margin}  ${' '.repeat(labels)} ${ruler(timed, axis, barrier, options)}`,
    ...lines,
    ...(more > 0 ? [`${margin}  and ${plural(more, 'further call')}`] : []),
  ];
}

/**
 * Returns the time at which the bar of a call begins. For a race this is the barrier: the moment at which croupier released the
 * first call.
 */
export function leftEdge(stamps: Stamps, barrier: number | null): number {
  return barrier === null ? stamps.start : Math.min(barrier, stamps.sent ?? stamps.end);
}

/** Writes the caption of a timeline: the number of calls, how they were sent, and whether they overlapped. */
export function timelineSummary(timed: readonly TimedCall[], race: Timeline['race']): string {
  if (race === null) return `${plural(timed.length, 'call')}, beginning with the one whose connection was broken`;
  const round = race.round > 1 ? `, in round ${race.round}` : '';
  return `${plural(timed.length, 'call')} sent together (${howReleased(race)}${round}): ${overlapText(timed, race.overlapped)}`;
}

function howReleased({ staggerMs, offsetsMs }: NonNullable<Timeline['race']>): string {
  const lastMs = Math.max(0, ...(offsetsMs ?? []));
  if (lastMs > 0) return `with the delays of the scenario: the last call ${duration(lastMs)} after the first`;
  return staggerMs === 0 ? 'all at once' : `the second half ${duration(staggerMs)} after the first half`;
}

function overlapText(timed: readonly TimedCall[], count: number): string {
  if (count === timed.length) return 'all of them overlapped';
  if (count === 0) return 'none of them overlapped';
  const alone = timed.filter((one) => !timed.some((other) => other !== one && overlapped(one.stamps, other.stamps)));
  // If the body of a call was sent in pieces, its stamps do not show that the call was already in flight before the last piece. So
  // the calls that overlapped no other call are named only if their number agrees with `count`.
  const names = alone.length === timed.length - count ? alone.slice(0, MAX_NAMES).map(({ label }) => label) : [];
  const rest = names.length > 0 && alone.length > names.length ? ` and ${alone.length - names.length} more` : '';
  const but = names.length === 0 ? '' : `, but not ${names.join(', ')}${rest}`;
  return `${count} of them overlapped${but}`;
}

/** Draws the scale above the bars. It ends with the duration of the timeline, and `≈` marks a shortened wait. */
function ruler(timed: readonly TimedCall[], axis: TimeAxis, barrier: number | null, options: ReportOptions): string {
  const from = Math.min(...timed.map(({ stamps }) => leftEdge(stamps, barrier)));
  const to = Math.max(...timed.map(({ stamps }) => stamps.end));
  const end = ` ${duration(to - from)}`;
  const [line, cut] = options.unicode ? ['─', '≈'] : ['-', '~'];
  const length = Math.max(axis.width - end.length, 0);
  const marks = Array.from({ length }, (_, at) => (axis.cuts.includes(at) ? cut : line));
  return options.paint.dim(` 0${marks.slice(1).join('')}${end}`);
}

function bar(
  { stamps, answer }: TimedCall,
  axis: TimeAxis,
  barrier: number | null,
  { unicode }: ReportOptions,
): string {
  const sent = axis.column(stamps.sent ?? stamps.end);
  const end = axis.column(stamps.end);
  const from = axis.column(leftEdge(stamps, barrier));
  const cells = Array.from({ length: axis.width }, (_, at) => {
    if (at === end && answer.fate !== 'replied') return unicode ? '×' : 'x';
    if (at >= sent && at <= end) return unicode ? '█' : '=';
    return at >= from && at < sent ? (unicode ? '·' : '.') : ' ';
  });
  const edge = unicode ? '│' : '|';
  return `${edge}${cells.join('')}${edge}`;
}

function widest(texts: readonly string[], max: number): number {
  return Math.min(Math.max(...texts.map((text) => columnsOf(forTerminal(text)))), max);
}

/** Fits text from outside into a column. If the text is too long, an ellipsis replaces its end. */
function fitted(text: string, width: number): string {
  return padEnd(cutTo(forTerminal(text), width), width);
}
