import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../src/contract/core-api.ts';
import { Campaigns, campaignState } from '../../src/service/campaigns.ts';
import { openServiceDatabase } from '../../src/service/service-database.ts';

const JANUARY = Date.UTC(2026, 0, 1);
const FEBRUARY = Date.UTC(2026, 1, 1);

function campaign(changes: Partial<Campaign> = {}): Campaign {
  return {
    id: 'c3b6a3f0-5a0e-4a4e-8a53-2f8a5c1d7e90',
    cID: 'c',
    extCID: 'acme',
    extID: 'spring',
    currency: 'USD',
    quantity: 10,
    betLine: 1,
    validFrom: new Date(JANUARY).toISOString(),
    maxBet: '0.10',
    maxMult: '5.00',
    ...changes,
  };
}

const ANNA = { cID: 'c', extCID: 'acme', player: 'anna', currency: 'USD', gameID: 'catch', demo: false };

describe('campaignState', () => {
  it.each([
    [JANUARY - 1, {}, 'upcoming'],
    [JANUARY, {}, 'running'],
    [FEBRUARY * 2, {}, 'running'],
    [FEBRUARY - 1, { validUntil: new Date(FEBRUARY).toISOString() }, 'running'],
    [FEBRUARY, { validUntil: new Date(FEBRUARY).toISOString() }, 'ended'],
    [JANUARY, { validFrom: '2026-01-01T01:00:00+01:00' }, 'running'],
    [JANUARY - 1, { cancelledAt: new Date(0).toISOString() }, 'cancelled'],
  ] as const)('at %i: %j is %s', (now, changes, expected) => {
    expect(campaignState(campaign(changes), now)).toBe(expected);
  });
});

describe('openTo', () => {
  it.each([
    [{}, {}, true],
    [{ gameIDs: ['catch', 'swipe'], userIDs: ['anna'] }, {}, true],
    [{ gameIDs: ['swipe'] }, {}, false],
    [{ userIDs: ['ben'] }, {}, false],
    [{ currency: 'EUR' }, {}, false],
    [{ extCID: 'else' }, {}, false],
    [{ cID: 'else' }, {}, false],
    [{ cancelledAt: new Date(0).toISOString() }, {}, false],
    [{}, { demo: true }, false],
  ] as const)('%j for %j: %s', (changes, candidate, expected) => {
    const campaigns = new Campaigns(openServiceDatabase());
    campaigns.create(campaign(JSON.parse(JSON.stringify(changes))));
    expect(campaigns.openTo({ ...ANNA, ...candidate }, JANUARY)).toHaveLength(expected ? 1 : 0);
  });
});

it('a cancelled campaign is still cancelled after a restart', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaigns-'));
  const first = openServiceDatabase(folder);
  const before = new Campaigns(first);
  before.create(campaign());
  before.cancel(campaign(), FEBRUARY);
  first.close();
  const second = openServiceDatabase(folder);
  const after = new Campaigns(second);
  expect(after.all()).toEqual([campaign({ cancelledAt: '2026-02-01T00:00:00.000Z' })]);
  expect(after.create(campaign({ id: 'f1d3a1a4-8a5e-4b6d-9c51-0b7f6f0f9d11' }))).toBe(false);
  second.close();
});
