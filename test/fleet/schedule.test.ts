import { describe, expect, it } from 'vitest';
import {
  cronProblem,
  isQuiet,
  isZone,
  latestStartBefore,
  nextStarts,
  type QuietHours,
} from '../../src/fleet/schedule.ts';

const starts = (cron: string, after: string, count: number, quiet?: QuietHours, zone = 'Europe/Berlin') =>
  nextStarts({ cron, zone, quiet }, new Date(after), count).map((time) => time.toISOString().slice(0, 16));

const latest = (cron: string, now: string, quiet?: QuietHours) =>
  latestStartBefore({ cron, zone: 'Europe/Berlin', quiet }, new Date(now))?.toISOString().slice(0, 16);

describe('the schedule of an operator', () => {
  it('finds the latest time at which a run begins, the present second included', () => {
    expect(latest('0 3 * * *', '2026-11-26T01:59:59Z')).toBe('2026-11-25T02:00');
    expect(latest('0 3 * * *', '2026-11-26T02:00:00Z')).toBe('2026-11-26T02:00');
    const quiet = { from: '22:00', to: '06:00' };
    expect(latest('* * * * *', '2026-11-26T04:00:00Z', quiet)).toBe('2026-11-25T20:59');
    expect(latest('0 3 * * *', '2026-11-26T04:00:00Z', quiet)).toBe('2026-11-25T05:00');
    expect(latest('0 3 * * *', '2026-11-26T05:00:00Z', quiet)).toBe('2026-11-26T05:00');
  });

  it('finds the same latest time before and after the clocks change, so that workers agree about it', () => {
    expect(latest('30 2 * * *', '2026-10-25T00:31:00Z')).toBe('2026-10-25T00:30');
    expect(latest('30 2 * * *', '2026-10-25T01:31:00Z')).toBe('2026-10-25T00:30');
    expect(latest('30 2 * * *', '2026-03-29T00:59:00Z')).toBe('2026-03-28T01:30');
    expect(latest('30 2 * * *', '2026-03-29T01:31:00Z')).toBe('2026-03-29T01:00');
  });

  it('keeps the local time when the clocks change', () => {
    expect(starts('0 3 * * *', '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T02:00',
      '2026-03-29T01:00',
      '2026-03-30T01:00',
    ]);
  });

  it('runs once in the night in which the clocks skip the due time, at the moment of the change', () => {
    // At 01:00 UTC of 29 March 2026, the clocks in Berlin go from 02:00 to 03:00.
    expect(starts('30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
  });

  it('runs once in the night in which the clocks repeat the due time', () => {
    // At 01:00 UTC of 25 October 2026, the clocks in Berlin go from 03:00 back to 02:00.
    expect(starts('30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
  });

  it('uses the days of its own zone', () => {
    expect(starts('0 1 * * 1', '2026-11-25T00:00:00Z', 1, undefined, 'Asia/Tokyo')).toEqual(['2026-11-29T16:00']);
  });

  it('begins a run that is due in the quiet hours when they end, and several of them only once', () => {
    const quiet = { from: '22:00', to: '06:00' };
    expect(starts('0 3,4,12 * * *', '2026-11-25T12:00:00Z', 3, quiet)).toEqual([
      '2026-11-26T05:00',
      '2026-11-26T11:00',
      '2026-11-27T05:00',
    ]);
    // The run was due before this time, but waits for the end of the quiet hours.
    expect(starts('0 3 * * *', '2026-11-26T02:30:00Z', 1, quiet)).toEqual(['2026-11-26T05:00']);
  });

  it('ends quiet hours at the local time, also in the night in which the clocks change', () => {
    const quiet = { from: '01:00', to: '03:00' };
    expect(starts('30 1 * * *', '2026-10-24T12:00:00Z', 1, quiet)).toEqual(['2026-10-25T02:00']);
    expect(starts('30 1 * * *', '2026-03-28T12:00:00Z', 1, quiet)).toEqual(['2026-03-29T01:00']);
  });

  it('knows quiet hours within a day and over midnight', () => {
    const at = (time: string, quiet: QuietHours) => isQuiet(quiet, 'UTC', new Date(`2026-11-25T${time}:00Z`));
    const day = { from: '08:00', to: '20:00' };
    expect([at('07:59', day), at('08:00', day), at('19:59', day), at('20:00', day)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const night = { from: '22:00', to: '06:00' };
    expect([at('21:59', night), at('22:00', night), at('05:59', night), at('06:00', night)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('says why a text is no cron expression, and finds unknown zones', () => {
    expect(cronProblem('0 3 * * 1-5')).toBeUndefined();
    expect(cronProblem('0 3 * *')).toContain('exactly five');
    expect(cronProblem('0 0 3 * * *')).toContain('5 parts');
    expect(cronProblem('60 3 * * *')).toBe('Invalid value for minute: 60');
    expect(cronProblem('0 3 30 2 *')).toBe('it names no time that will come');
    expect([isZone('Europe/Berlin'), isZone('UTC'), isZone('Europe/Berln')]).toEqual([true, true, false]);
  });
});
