import { Cron } from 'croner';

/** The part of each day in which no run begins. Both times are local, as `HH:MM`; `to` may be on the next day. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

/** The times at which an operator is due. */
export interface Schedule {
  /** A cron expression of five fields. */
  readonly cron: string;
  /** The name of the time zone of the expression and of the quiet hours. */
  readonly zone: string;
  readonly quiet: QuietHours | undefined;
}

/** Returns the reason why a text is not a cron expression of five fields; undefined if the text is such an expression. */
export function cronProblem(text: string): string | undefined {
  try {
    const cron = new Cron(text, { paused: true, mode: '5-part' });
    return cron.nextRun() === null ? 'it names no time that will come' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : String(error);
  }
}

/** True if the system knows a time zone by this name. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 1440;

/**
 * Returns the next times at which runs begin. A run that is due in the quiet hours begins when they end. If the clocks skip a
 * due time, the run begins at the first moment after it. If the clocks repeat a due time, the run begins once.
 *
 * @param after all returned times are later than this time
 * @param count maximum number of times
 */
export function nextStarts({ cron, zone, quiet }: Schedule, after: Date, count: number): readonly Date[] {
  const starts: Date[] = [];
  const pattern = new Cron(cron, { paused: true, mode: '5-part', timezone: zone });
  // During the quiet hours, the search begins a day earlier: a run that was due before `after` may have to wait until the quiet
  // hours end.
  const from = quiet && isQuiet(quiet, zone, after) ? new Date(after.getTime() - MINUTES_OF_DAY * MINUTE_MS) : after;
  for (let due = pattern.nextRun(from); due !== null && starts.length < count; due = pattern.nextRun(due)) {
    const start = quiet ? endOfQuiet(quiet, zone, due) : due;
    if (start > after && start.getTime() !== starts.at(-1)?.getTime()) starts.push(start);
  }
  return starts;
}

/** Returns the latest time, not later than `now`, at which a run begins. Undefined if there is none. */
export function latestStartBefore({ cron, zone, quiet }: Schedule, now: Date): Date | undefined {
  // croner returns only times before the reference. A run that is due in this second counts too, so a second is added.
  const until = quiet && isQuiet(quiet, zone, now) ? beginOfQuiet(quiet, zone, now) : new Date(now.getTime() + 1000);
  const [due] = new Cron(cron, { paused: true, mode: '5-part', timezone: zone }).previousRuns(1, until);
  // If the run was due in quiet hours that are over now, it began at the end of these hours.
  return due && quiet ? endOfQuiet(quiet, zone, due) : due;
}

/** Returns the first minute of the quiet hours that contain a time. */
function beginOfQuiet(quiet: QuietHours, zone: string, time: Date): Date {
  const minute = Math.floor(time.getTime() / MINUTE_MS);
  for (let minutes = 1; minutes <= MINUTES_OF_DAY; minutes += 1)
    if (!isQuiet(quiet, zone, new Date((minute - minutes) * MINUTE_MS)))
      return new Date((minute - minutes + 1) * MINUTE_MS);
  return time;
}

/** True if a time is in the quiet hours. */
export function isQuiet({ from, to }: QuietHours, zone: string, time: Date): boolean {
  const now = localTime(time, zone);
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

function endOfQuiet(quiet: QuietHours, zone: string, due: Date): Date {
  for (let minutes = 0; minutes <= MINUTES_OF_DAY; minutes += 1) {
    const time = new Date(due.getTime() + minutes * MINUTE_MS);
    if (!isQuiet(quiet, zone, time)) return time;
  }
  return due;
}

/** The formatters by time zone, because creating one takes a long time. */
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time as `HH:MM`. */
function localTime(time: Date, timeZone: string): string {
  const known = FORMATTERS.get(timeZone);
  const formatter =
    known ?? new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (!known) FORMATTERS.set(timeZone, formatter);
  return formatter.format(time);
}
