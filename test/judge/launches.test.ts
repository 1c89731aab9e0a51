import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../src/journal/launch.ts';
import { judgeLaunches } from '../../src/judge/launches.ts';

const AT = Date.UTC(2026, 0, 31, 12);
const GOOD = { cID: 'c', extCID: 'e', user: { id: 'p' }, currency: 'USD', locale: 'en_us', sessionID: 's' };

function request(more: Partial<LaunchRequest>): LaunchRequest {
  return { operation: 'createNewGame', at: AT, headers: [], fields: GOOD, complaints: [], status: 200, ...more };
}

/** Rule and kind of decision, and what was seen. */
function judged(more: Partial<LaunchRequest>): string[] {
  return judgeLaunches([request(more)]).map(({ rule, decision }) =>
    'actual' in decision ? `${rule} ${decision.kind}: ${decision.actual}` : `${rule} ${decision.kind}`,
  );
}

describe('a launch', () => {
  it('passes with what the contract shows', () => {
    expect(judged({})).toEqual(['launch.request pass', 'launch.locale pass', 'launch.currency pass']);
  });

  it('is broken by each field that is missing or of a wrong type', () => {
    const complaints = [{ field: 'user.id', message: 'expected string, received number' }];
    expect(judged({ complaints, status: 400 })[0]).toBe(
      'launch.request breach: POST /create-new-game at 2026-01-31T12:00:00.000Z, answered 400: user.id: expected string, received number',
    );
  });

  it('is broken by a body that is not JSON, and nothing else is said then', () => {
    const { fields: _, ...unread } = request({ status: 400 });
    expect(judgeLaunches([unread]).map(({ rule, decision }) => `${rule} ${decision.kind}`)).toEqual([
      'launch.request breach',
    ]);
  });

  it.each([
    [{ ...GOOD, locale: 'en-US' }, 'breach'],
    [{ ...GOOD, locale: 'xx' }, 'breach'],
    [{ ...GOOD, locale: 'xx', fallbackToDefaultLocale: true }, 'pass'],
    [{ ...GOOD, locale: 'xx', fallbackToDefaultLocale: 'true' }, 'breach'],
    [{ ...GOOD, locale: 'zh_cn' }, 'pass'],
  ])('asks for a locale: %j: %s', (fields, kind) => {
    expect(judged({ fields })[1]?.split(':')[0]).toBe(`launch.locale ${kind}`);
  });

  it.each([
    [{ ...GOOD, currency: 'usd' }, undefined, 'breach'],
    [{ ...GOOD, currency: 'XXX' }, undefined, 'breach'],
    [GOOD, 'currency_not_supported', 'breach'],
    [{ ...GOOD, currency: 'mETH' }, undefined, 'pass'],
  ])('asks for a currency: %j %s: %s', (fields, code, kind) => {
    expect(judged({ fields, ...(code && { code }) })[2]?.split(':')[0]).toBe(`launch.currency ${kind}`);
  });

  it('is warned of what earlier versions let pass in demo mode', () => {
    const { sessionID: _, ...fields } = { ...GOOD, demo: true, initDemoBalance: '100.00' };
    const [first = ''] = judged({ fields });
    expect(first).toMatch(/^launch\.request warn/);
    expect(first).toContain('sessionID is missing');
    expect(first).toContain('initDemoBalance is a text');
  });
});

describe('a campaign', () => {
  const from = '2026-01-01T00:00:00Z';
  it.each([
    [{ validFrom: from }, 'pass'],
    [{ validFrom: from, validUntil: '2026-01-31T00:00:00Z' }, 'pass'],
    [{ validFrom: from, validUntil: '2026-01-31T00:00:01Z' }, 'breach'],
    [{ validFrom: from, validUntil: 'soon' }, 'breach'],
    [{ validUntil: '2026-01-31T00:00:00Z' }, 'breach'],
  ])('lasts 30 days at most: %j: %s', (fields, kind) => {
    expect(judged({ operation: 'createFreeRounds', fields })[0]?.split(':')[0]).toBe(`launch.campaign ${kind}`);
  });
});

describe('a list of games', () => {
  it.each([
    ['gzip', 'pass'],
    ['br, gzip;q=0.5', 'pass'],
    ['*', 'pass'],
    ['gzip;q=0', 'breach'],
    ['deflate, br', 'breach'],
  ])('is asked for with Accept-Encoding: %s: %s', (value, kind) => {
    const headers = [['accept-encoding', value]] as const;
    expect(judged({ operation: 'games', headers })[0]?.split(':')[0]).toBe(`launch.games-gzip ${kind}`);
  });

  it('is broken without that header', () => {
    expect(judged({ operation: 'games' })[0]).toContain('it has no Accept-Encoding');
  });
});

it('has nothing to say of the other requests', () => {
  expect(judged({ operation: 'freeRounds' })).toEqual([]);
  expect(judged({ operation: 'cancelFreeRounds' })).toEqual([]);
});
