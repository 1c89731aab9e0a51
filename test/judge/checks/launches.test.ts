import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../../src/journal/launch.ts';
import { judgeLaunches } from '../../../src/judge/checks/launches.ts';

const AT = Date.UTC(2026, 0, 31, 12);
const GOOD = { cID: 'c', extCID: 'e', user: { id: 'p' }, currency: 'USD', locale: 'en_us', sessionID: 's' };

function request(more: Partial<LaunchRequest>): LaunchRequest {
  return { operation: 'createNewGame', at: AT, headers: [], fields: GOOD, diagnostics: [], status: 200, ...more };
}

/** Each decision as its rule, its kind and the actual behaviour. */
function judged(more: Partial<LaunchRequest>): string[] {
  return judgeLaunches([request(more)]).map(({ rule, decision }) =>
    'actual' in decision ? `${rule} ${decision.kind}: ${decision.actual}` : `${rule} ${decision.kind}`,
  );
}

describe('a launch', () => {
  it('passes with the example of the contract', () => {
    expect(judged({})).toEqual(['launch.request pass', 'launch.locale pass', 'launch.currency pass']);
  });

  it('breaks `launch.request` with a field of a wrong type', () => {
    const diagnostics = [{ field: 'user.id', message: 'expected string, received number' }];
    expect(judged({ diagnostics, status: 400 })[0]).toBe(
      'launch.request breach: POST /create-new-game at 2026-01-31T12:00:00.000Z, answered 400: user.id: expected string, received number',
    );
  });

  it('breaks `launch.request` if its signature is wrong, whatever else is right', () => {
    const message = 'You signed another text, or used another key.';
    expect(judged({ status: 401, message })[0]).toBe(
      `launch.request breach: POST /create-new-game at 2026-01-31T12:00:00.000Z, answered 401: ${message}`,
    );
  });

  it('breaks `launch.request` if the service refuses it with 400 for a value, not for a field', () => {
    const message = 'Fix initDemoBalance in the body and send it again. initDemoBalance: expected at most 2 decimals';
    expect(judged({ status: 400, message })[0]).toBe(
      `launch.request breach: POST /create-new-game at 2026-01-31T12:00:00.000Z, answered 400: ${message}`,
    );
  });

  it.each([
    ['locale_not_supported', 400],
    ['currency_not_supported', 400],
    ['account_blocked', 403],
    ['game_not_found', 403],
  ])('passes `launch.request` if the service refuses it with the code %s', (code, status) => {
    expect(judged({ status, code })[0]).toBe('launch.request pass');
  });

  it('breaks only `launch.request` with a body that is not JSON', () => {
    const { fields: _, ...unread } = request({ status: 400 });
    expect(judgeLaunches([unread]).map(({ rule, decision }) => `${rule} ${decision.kind}`)).toEqual([
      'launch.request breach',
    ]);
  });

  it.each([
    [{ ...GOOD, locale: 'en-US' }, 'breach'],
    [{ ...GOOD, locale: 'EN_us' }, 'breach'],
    [{ ...GOOD, locale: 'english' }, 'breach'],
    [{ ...GOOD, locale: 'xx' }, 'note'],
    [{ ...GOOD, locale: 'es_ar' }, 'note'],
    [{ ...GOOD, locale: 'sr_latn' }, 'note'],
    [{ ...GOOD, locale: 'xx', fallbackToDefaultLocale: true }, 'pass'],
    [{ ...GOOD, locale: 'xx', fallbackToDefaultLocale: 'true' }, 'note'],
    [{ ...GOOD, locale: 'zh_cn' }, 'pass'],
  ])('with the fields %j: the locale gets %s', (fields, kind) => {
    expect(judged({ fields })[1]?.split(':')[0]).toBe(`launch.locale ${kind}`);
  });

  it.each([
    [{ ...GOOD, currency: 'usd' }, undefined, 'breach'],
    [{ ...GOOD, currency: 'US$' }, undefined, 'breach'],
    [{ ...GOOD, currency: 'XXX' }, undefined, 'note'],
    [{ ...GOOD, currency: 'mDOGE' }, undefined, 'note'],
    [{ ...GOOD, currency: 'UBTC' }, undefined, 'note'],
    [GOOD, 'currency_not_supported', 'breach'],
    [{ ...GOOD, currency: 'mETH' }, undefined, 'pass'],
  ])('with the fields %j, answered with the code %s: the currency gets %s', (fields, code, kind) => {
    expect(judged({ fields, ...(code && { code }) })[2]?.split(':')[0]).toBe(`launch.currency ${kind}`);
  });

  it('gets a warning for faults that earlier versions accept in demo mode', () => {
    const { sessionID: _, ...fields } = { ...GOOD, demo: true, initDemoBalance: '100.00' };
    const [first = ''] = judged({ fields });
    expect(first).toMatch(/^launch\.request warn/);
    expect(first).toContain('sessionID is missing');
    expect(first).toContain('initDemoBalance is text');
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
  ])('may last at most 30 days: %j gets %s', (fields, kind) => {
    expect(judged({ operation: 'createFreeRounds', fields })[0]?.split(':')[0]).toBe(`launch.campaign ${kind}`);
  });
});

describe('a request for the list of games', () => {
  it.each([
    ['gzip', 'pass'],
    ['br, gzip;q=0.5', 'pass'],
    ['*', 'pass'],
    ['gzip;q=0', 'breach'],
    ['deflate, br', 'breach'],
  ])('with Accept-Encoding: %s gets %s', (value, kind) => {
    const headers = [['accept-encoding', value]] as const;
    expect(judged({ operation: 'games', headers })[0]?.split(':')[0]).toBe(`launch.games-gzip ${kind}`);
  });

  it('breaks `launch.games-gzip` without that header', () => {
    expect(judged({ operation: 'games' })[0]).toContain('the request has no Accept-Encoding');
  });
});

it('other requests to the Core API get no decision', () => {
  expect(judged({ operation: 'freeRounds' })).toEqual([]);
  expect(judged({ operation: 'cancelFreeRounds' })).toEqual([]);
});
