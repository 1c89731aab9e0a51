import { describe, expect, it } from 'vitest';
import { entriesIn } from '../entries-in.ts';

describe('a log of IIS', () => {
  it('is read by the columns that its header names, with times in UTC', async () => {
    const log = [
      '#Software: Microsoft Internet Information Services 10.0',
      '#Fields: date time cs-method cs-uri-stem cs-uri-query cs(User-Agent) sc-status time-taken',
      '2026-11-21 13:02:00 GET /eu/balance sessionID=s-1 x+y 200 101',
      '2026-11-21 13:02:05 POST /eu/bet - - 500 6001',
      'torn',
    ].join('\r\n');
    const all = await entriesIn(log);
    expect(all.map(({ kind }) => kind)).toEqual(['other', 'other', 'exchange', 'exchange', 'unreadable']);
    expect(all[2]).toMatchObject({
      exchange: {
        side: 'operator',
        time: { ms: Date.parse('2026-11-21T13:02:00Z') },
        tookMs: 101,
        request: { method: 'GET', url: '/eu/balance?sessionID=s-1' },
        answer: { status: 200 },
      },
    });
    expect(all[3]).toMatchObject({ exchange: { request: { body: 'unknown' }, answer: { status: 500 } } });
  });
});
