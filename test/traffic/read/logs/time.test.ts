import { describe, expect, it } from 'vitest';
import { readTime, readZone } from '../../../../src/traffic/read/logs/time.ts';

const iso = (text: string, zone: number | string = 0): string | undefined => {
  const time = readTime(text, zone);
  return time && new Date(time.ms).toISOString();
};

describe('a time of a log', () => {
  it.each([
    ['2026-11-21T14:03:07.250+01:00', '2026-11-21T13:03:07.250Z'],
    ['2026-11-21 14:03:07,250 +0100', '2026-11-21T13:03:07.250Z'],
    ['2026-11-21T13:03:07Z', '2026-11-21T13:03:07.000Z'],
    ['21/Nov/2026:14:03:07 +0100', '2026-11-21T13:03:07.000Z'],
    ['Sat, 21 Nov 2026 13:03:07 GMT', '2026-11-21T13:03:07.000Z'],
    ['1795266187', '2026-11-21T13:03:07.000Z'],
    ['1795266187.250', '2026-11-21T13:03:07.250Z'],
    ['1795266187250', '2026-11-21T13:03:07.250Z'],
    ['1795266187250000', '2026-11-21T13:03:07.250Z'],
  ])('%s', (text, expected) => expect(iso(text)).toBe(expected));

  it.each(['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '21/Foo/2026:14:03:07 +0100', 'yesterday', '12', ''])(
    'is not %s',
    (text) => expect(iso(text)).toBeUndefined(),
  );

  it('without a zone is read in the given zone, in summer and in winter', () => {
    expect(iso('2026-11-21 14:03:07', 'Europe/Berlin')).toBe('2026-11-21T13:03:07.000Z');
    expect(iso('2026-07-21 14:03:07', 'Europe/Berlin')).toBe('2026-07-21T12:03:07.000Z');
    expect(iso('2026-11-21 14:03:07', -330)).toBe('2026-11-21T19:33:07.000Z');
    expect(readTime('2026-11-21 14:03', 0)).toMatchObject({ zoneless: true, precisionMs: 60_000 });
    expect(readTime('2026-11-21T14:03:07.1Z', 0)).toEqual({
      ms: Date.parse('2026-11-21T14:03:07.1Z'),
      precisionMs: 100,
    });
  });

  it.each([
    ['Europe/Berlin', '2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    ['Europe/London', '2026-10-25 01:59:59', '2026-10-25T00:59:59.000Z', '2026-10-25T01:59:59.000Z'],
    ['America/New_York', '2026-11-01 01:30:00', '2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25 03:00:00', '2026-10-25T02:00:00.000Z', null],
    ['Europe/Berlin', '2026-10-25 01:59:59', '2026-10-24T23:59:59.000Z', null],
    ['Europe/Berlin', '2026-03-29 02:30:00', '2026-03-29T01:30:00.000Z', null],
    ['Asia/Tokyo', '2026-10-25 02:30:00', '2026-10-24T17:30:00.000Z', null],
  ])('of %s has two values if it occurs twice: %s', (zone, text, first, second) => {
    const time = readTime(text, zone);
    expect(iso(text, zone)).toBe(first);
    expect(time?.laterMs === undefined ? null : new Date(time.laterMs).toISOString()).toBe(second);
    expect(readTime(`${text} +02:00`, zone)).not.toHaveProperty('laterMs');
  });

  it('may have a zone by name or by offset', () => {
    expect(readZone('+01:30')).toBe(90);
    expect(readZone('Z')).toBe(0);
    expect(readZone('Europe/Berlin')).toBe('Europe/Berlin');
    expect(readZone('Europe/Atlantis')).toBeUndefined();
  });
});
