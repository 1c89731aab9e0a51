import type { LogTime } from '../../logged-exchange.ts';

/** The time zone of times that name no zone: minutes east of UTC, or a name such as Europe/Berlin. */
export type Zone = number | string;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;
const COMMON = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?: ([+-]\d{4}))?$/;
/** A time of PHP's error log, such as `23-Nov-2026 14:03:07 UTC`. */
const PHP = /^(\d\d)-([A-Za-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?: (UTC|GMT))?$/;
const HTTP = /^[A-Za-z]{3}, (\d\d) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) (GMT)$/;
/** A German time, such as `23.11.2026 14:03:07,123`. */
const GERMAN = /^(\d\d?)\.(\d\d?)\.(\d{4}),? (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?$/;
/** An American time, such as `11/23/2026 2:03:07 PM`. Without AM or PM, the first number may be the day. */
const AMERICAN = /^(\d\d?)\/(\d\d?)\/(\d{4}),? (\d\d?):(\d\d):(\d\d)(?:\.(\d{1,9}))? ?([AP])M$/i;
/** A time of Kibana, such as `Nov 23, 2026 @ 14:03:07.123`. */
const KIBANA = /^([A-Za-z]{3}) (\d\d?), (\d{4}) @ (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;
/** A time of Go's log package, such as `2026/11/23 14:03:07.123456`, or of gin, such as `2026/11/23 - 14:03:07`. */
const GO = /^(\d{4})\/(\d\d)\/(\d\d)(?: -)? (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;
const EPOCH = /^(\d{10})(?:(\d{3})|(\d{6})|(\d{9}))?(?:\.(\d{1,9}))?$/;

/** Parses a time zone such as `Z`, `+01:00` or `Europe/Berlin`. Returns undefined if the time zone does not exist. */
export function readZone(text: string): Zone | undefined {
  const offset = offsetMinutes(text);
  if (offset !== undefined) return offset;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Parses a time of a log: ISO 8601, the format of access logs, an HTTP date, or a number since 1970 in seconds or a
 * finer unit. Returns undefined if the text is not a time.
 *
 * @param zone the zone of a time that names none
 */
export function readTime(text: string, zone: Zone): LogTime | undefined {
  const [, minute, second = '', millis, offset = ''] = USUAL.exec(text) ?? [];
  if (minute === undefined) {
    if (lastTime.text !== text || lastTime.zone !== zone) lastTime = { text, zone, time: timeOf(text, zone) };
    return lastTime.time;
  }
  const key = `${minute}${offset}`;
  if (lastMinute.key !== key || lastMinute.zone !== zone)
    lastMinute = { key, zone, time: timeOf(`${minute}:00.000${offset}`, zone) };
  const { time } = lastMinute;
  if (!time) return undefined;
  const ms = Number(second) * 1000 + Number(millis);
  return {
    ...time,
    ms: time.ms + ms,
    ...(time.laterMs !== undefined && { laterMs: time.laterMs + ms }),
  };
}

/** Matches the most frequent form of a time: up to milliseconds, with or without a zone. */
const USUAL = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d):([0-5]\d)[.,](\d{3})( ?(?:Z|[+-]\d\d:\d\d))?$/;
/** The minute of the last time. Most times of a log are in the same minute as the time before, so it need not be read again. */
let lastMinute: { readonly key: string; readonly zone: Zone; readonly time: LogTime | undefined } = {
  key: '',
  zone: 0,
  time: undefined,
};
/** The last time in another form. If a log has only whole seconds, many lines have the same time as the line before. */
let lastTime: { readonly text: string; readonly zone: Zone; readonly time: LogTime | undefined } = {
  text: '',
  zone: 0,
  time: undefined,
};

function timeOf(text: string, zone: Zone): LogTime | undefined {
  const trimmed = text.trim();
  const epoch = EPOCH.exec(trimmed);
  if (epoch) return epochTime(epoch);
  const iso = ISO.exec(trimmed);
  if (iso) {
    const [, year, month, day, hour, minute, second, fraction, offset] = iso;
    return moment(
      [year, Number(month) - 1, day, hour, minute, second ?? 0],
      fraction,
      offset,
      zone,
      second === undefined ? 60_000 : 1000,
    );
  }
  const other = COMMON.exec(trimmed) ?? PHP.exec(trimmed);
  const http = HTTP.exec(trimmed);
  if (other) {
    const [, day, month = '', year, hour, minute, second, fraction, offset] = other;
    return moment([year, MONTHS.indexOf(month.toLowerCase()), day, hour, minute, second], fraction, offset, zone);
  }
  if (http) {
    const [, day, month = '', year, hour, minute, second] = http;
    return moment([year, MONTHS.indexOf(month.toLowerCase()), day, hour, minute, second], undefined, 'GMT', zone);
  }
  return nationalTime(trimmed, zone);
}

/**
 * Returns the ms from one time to another; negative if the second time is before the first. When the clocks are set back in autumn,
 * one hour of local time occurs twice. If a time is in this hour, it has two meanings. The function chooses the meaning with the
 * smaller difference between the two times.
 */
export function elapsedMs(from: LogTime, to: LogTime): number {
  if (from.laterMs === undefined && to.laterMs === undefined) return to.ms - from.ms;
  const all = [from.ms, from.laterMs ?? from.ms].flatMap((begin) => [to.ms - begin, (to.laterMs ?? to.ms) - begin]);
  return all.reduce((best, each) => (Math.abs(each) < Math.abs(best) ? each : best));
}

function nationalTime(text: string, zone: Zone): LogTime | undefined {
  const german = GERMAN.exec(text);
  if (german) {
    const [, day, month, year, hour, minute, second, fraction] = german;
    return moment([year, Number(month) - 1, day, hour, minute, second], fraction, undefined, zone);
  }
  const go = GO.exec(text);
  if (go) {
    const [, year, month, day, hour, minute, second, fraction] = go;
    return moment([year, Number(month) - 1, day, hour, minute, second], fraction, undefined, zone);
  }
  const kibana = KIBANA.exec(text);
  if (kibana) {
    const [, month = '', day, year, hour, minute, second, fraction] = kibana;
    const at = MONTHS.indexOf(month.toLowerCase());
    return moment([year, at, day, hour, minute, second], fraction, undefined, zone);
  }
  const american = AMERICAN.exec(text);
  if (!american) return undefined;
  const [, month, day, year, hour, minute, second, fraction, half = ''] = american;
  if (Number(hour) < 1 || Number(hour) > 12) return undefined;
  const hours = (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
  return moment([year, Number(month) - 1, day, hours, minute, second], fraction, undefined, zone);
}

function epochTime([, seconds, millis, micros, nanos, fraction]: RegExpExecArray): LogTime {
  const whole = Number(seconds) * 1000;
  if (millis !== undefined) return { ms: whole + Number(millis), precisionMs: 1 };
  const fine = micros ?? nanos ?? fraction;
  return fine === undefined
    ? { ms: whole, precisionMs: 1000 }
    : { ms: whole + Number(`0.${fine}`) * 1000, precisionMs: 10 ** Math.max(0, 3 - fine.length) };
}

type Part = string | number | undefined;

function moment(
  parts: readonly [Part, Part, Part, Part, Part, Part],
  fraction: string | undefined,
  offset: string | undefined,
  zone: Zone,
  coarsestMs = 1000,
): LogTime | undefined {
  const [year, month, day, hour, minute, seconds] = parts;
  const wall = Date.UTC(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(seconds));
  // Date.UTC would convert a month, hour or day that does not exist to a later time. So these values are checked first.
  if (Number.isNaN(wall) || Number(month) < 0 || Number(month) > 11 || Number(hour) > 23 || Number(minute) > 59)
    return undefined;
  if (Number(day) > 28 && new Date(wall).getUTCDate() !== Number(day)) return undefined;
  const millis = fraction === undefined ? 0 : Number(`0.${fraction}`) * 1000;
  const precisionMs = fraction === undefined ? coarsestMs : 10 ** Math.max(0, 3 - fraction.length);
  const given = offset === undefined ? undefined : offsetMinutes(offset);
  if (given !== undefined) return { ms: wall - given * 60_000 + millis, precisionMs };
  const [minutes = 0, later] = typeof zone === 'number' ? [zone] : offsetsAtLocal(zone, wall);
  return {
    ms: wall - minutes * 60_000 + millis,
    precisionMs,
    zoneless: true,
    ...(later !== undefined && { laterMs: wall - later * 60_000 + millis }),
  };
}

function offsetMinutes(text: string): number | undefined {
  if (/^(z|utc|gmt)$/i.test(text)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/**
 * Returns how many minutes the local time of a zone is ahead of UTC, at a given local time. In autumn, one hour of local time
 * occurs twice. A time in this hour has two values: that of the first hour, then that of the second.
 */
function offsetsAtLocal(zone: string, wall: number): readonly number[] {
  const [before, after] = [offsetAtUtc(zone, wall - DAY_MS), offsetAtUtc(zone, wall + DAY_MS)];
  if (before === after) return [before];
  const fitting = [before, after].filter((minutes) => offsetAtUtc(zone, wall - minutes * 60_000) === minutes);
  // In spring, one hour of local time is left out. A time in this hour is shown only by a clock that was not set forward, so the
  // value before the change is used.
  return fitting.length === 0 ? [before] : fitting;
}

const DAY_MS = 24 * 60 * 60_000;

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** The offsets that were found, by zone and quarter of an hour. No zone changes its offset within a quarter. */
const OFFSETS = new Map<string, number>();
const QUARTER_MS = 15 * 60_000;
const MAX_OFFSETS = 10_000;

function offsetAtUtc(zone: string, utc: number): number {
  const quarter = Math.floor(utc / QUARTER_MS);
  const key = `${zone} ${quarter}`;
  const known = OFFSETS.get(key);
  if (known !== undefined) return known;
  if (OFFSETS.size >= MAX_OFFSETS) OFFSETS.clear();
  const found = computedOffset(zone, quarter * QUARTER_MS);
  OFFSETS.set(key, found);
  return found;
}

function computedOffset(zone: string, utc: number): number {
  let format = FORMATS.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    FORMATS.set(zone, format);
  }
  const shown = Object.fromEntries(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = shown;
  return Math.round((Date.UTC(year, month - 1, day, hour, minute) - Math.floor(utc / 60_000) * 60_000) / 60_000);
}
