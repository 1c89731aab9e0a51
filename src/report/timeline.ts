import type { Raced } from '../journal/event.ts';
import { overlapped, type Stamps } from '../journal/exchange.ts';
import { type Answer, answerOf, requestedAmount } from './answer.ts';
import { forTerminal } from './escape.ts';
import type { JournalledExchange } from './evidence.ts';
import { duration, plural } from './layout.ts';
import type { ReportOptions } from './options.ts';
import { row } from './terminal-exchange.ts';
import { type TimeAxis, timeAxis } from './time-axis.ts';

/** Calls that are shown on one axis, in the order in which they were sent. */
export interface Timeline {
  readonly calls: readonly JournalledExchange[];
  /** Of calls that were held back and let go together; null: they were sent one after another. */
  readonly race: Pick<Raced, 'barrier' | 'staggerMs' | 'offsetsMs' | 'overlapped' | 'round'> | null;
}

/** A call that is drawn, with what is written beside it. */
export interface TimedCall {
  readonly id: string;
  readonly label: string;
  readonly stamps: Stamps;
  readonly answer: Answer;
}

const MOST_ROWS = 24;
const MOST_ALONE = 4;
const WIDEST_LABEL = 20;
/** On a narrow terminal. */
const NARROW = 70;
const NARROW_LABEL = 16;
const WIDEST_ANSWER = 24;
const WIDEST_AXIS = 56;
const NARROWEST_AXIS = 10;

/** What is drawn of calls: those without an end are left out. */
export function timedCalls(calls: Timeline['calls']): readonly TimedCall[] {
  return calls.flatMap(({ sending, received }): TimedCall[] => {
    if (received === null) return [];
    const label = [sending.step ?? sending.purpose, sending.call, requestedAmount(sending.request)].join(' ').trimEnd();
    return [{ id: sending.id, label, stamps: received.stamps, answer: answerOf(received.outcome) }];
  });
}

/**
 * Calls as bars over one axis of time, from the last byte of each to its reply, each with what it was answered.
 *
 * @param shown the exchange that the finding names, which is marked
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
  const rows = timed.slice(0, MOST_ROWS);
  const labels = widest(
    rows.map(({ label }) => label),
    options.width < NARROW ? NARROW_LABEL : WIDEST_LABEL,
  );
  const answers = widest(
    rows.map(({ answer }) => answer.text),
    WIDEST_ANSWER,
  );
  // The mark, the edge on both sides of the axis, and a blank before and behind.
  const room = options.width - indent - 2 - labels - answers - 4;
  const axis = timeAxis(
    timed.map(({ stamps }) => ({ from: leftEdge(stamps, barrier), to: stamps.end })),
    Math.min(Math.max(room, NARROWEST_AXIS), WIDEST_AXIS),
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

/** From where on a call is drawn: of one that was held back, from the barrier. */
export function leftEdge(stamps: Stamps, barrier: number | null): number {
  return barrier === null ? stamps.start : Math.min(barrier, stamps.sent ?? stamps.end);
}

/** What the timeline shows, in a sentence. */
export function timelineSummary(timed: readonly TimedCall[], race: Timeline['race']): string {
  if (race === null) return `the story from the call whose connection was broken, ${plural(timed.length, 'call')}`;
  const round = race.round > 1 ? `, in round ${race.round}` : '';
  return `${plural(timed.length, 'call')} let go together (${howLetGo(race)}${round}): ${whatMet(timed, race.overlapped)}`;
}

function howLetGo({ staggerMs, offsetsMs }: NonNullable<Timeline['race']>): string {
  const lastMs = Math.max(0, ...(offsetsMs ?? []));
  if (lastMs > 0) return `as the story times them, the last ${duration(lastMs)} after the first`;
  return staggerMs === 0 ? 'all at once' : `the second half ${duration(staggerMs)} after the first`;
}

function whatMet(timed: readonly TimedCall[], count: number): string {
  if (count === timed.length) return 'each was in flight together with another';
  if (count === 0) return 'no two of them were in flight together';
  const alone = timed.filter((one) => !timed.some((other) => other !== one && overlapped(one.stamps, other.stamps)));
  // A body that came in pieces was in flight before it was whole, which the stamps alone do not tell.
  const names = alone.length === timed.length - count ? alone.slice(0, MOST_ALONE).map(({ label }) => label) : [];
  const rest = names.length > 0 && alone.length > names.length ? ` and ${alone.length - names.length} more` : '';
  const but = names.length === 0 ? '' : `, not ${names.join(', ')}${rest}`;
  return `${count} were in flight together with another${but}`;
}

/** How long it all took, above the bars; `≈` stands where a wait was cut short. */
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

function widest(texts: readonly string[], most: number): number {
  return Math.min(Math.max(...texts.map((text) => Array.from(forTerminal(text)).length)), most);
}

/** Text from outside in a column: of what is too long the end is left out, and it shows. */
function fitted(text: string, width: number): string {
  const characters = Array.from(forTerminal(text));
  if (characters.length <= width) return characters.join('').padEnd(width);
  return `${characters.slice(0, width - 1).join('')}…`;
}
