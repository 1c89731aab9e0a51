import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../../src/contract/core-api.ts';
import type { JsonObject } from '../../../src/contract/json.ts';
import { campaignState } from '../../../src/service/campaigns.ts';
import { ASIA, EU, get, NOW, send, startCore, without } from './core-server.ts';

const CALLER = { cID: EU.cID, extCID: EU.extCID };

function terms(changes: JsonObject = {}): JsonObject {
  return {
    ...CALLER,
    extID: 'spring',
    currency: 'USD',
    quantity: 10,
    betLine: 3,
    validFrom: '2026-01-01T00:00:00Z',
    validUntil: '2026-01-31T00:00:00.000Z',
    gameIDs: ['catch', 'comet'],
    userIDs: ['anna'],
    ...changes,
  };
}

describe('a campaign', () => {
  it('is created, and can be read by either of its ids', async () => {
    const { url, seen } = await startCore();
    const { status, body } = await send(`${url}/free-rounds`, 'POST', terms());
    expect({ status, body }).toEqual({ status: 200, body: { id: expect.any(String), extID: 'spring' } });
    const record = { ...terms(), id: body.id, maxBet: '0.50', maxMult: '200.00' };
    for (const name of [{ id: body.id }, { extID: 'spring' }, { id: body.id, extID: 'spring' }]) {
      const read = await get(`${url}/free-rounds`, { ...CALLER, ...name });
      expect({ status: read.status, body: read.body }).toEqual({ status: 200, body: record });
    }
    expect(seen[0]).toMatchObject({ operation: 'createFreeRounds', extCID: 'acme-eu', status: 200 });
    expect(seen[1]).toMatchObject({ operation: 'freeRounds', status: 200 });
  });

  it('can have no end, and can be open to all games and players', async () => {
    const { url } = await startCore();
    const { body } = await send(`${url}/free-rounds`, 'POST', without(terms(), 'validUntil', 'gameIDs', 'userIDs'));
    const read = await get(`${url}/free-rounds`, { ...CALLER, id: body.id });
    expect(Object.keys(read.body).sort()).toEqual(
      ['betLine', 'cID', 'currency', 'extCID', 'extID', 'id', 'maxBet', 'maxMult', 'quantity', 'validFrom'].sort(),
    );
  });

  it.each([
    [{ quantity: 0 }, 'quantity'],
    [{ quantity: 100 }, 'quantity'],
    [{ quantity: 1.5 }, 'quantity'],
    [{ quantity: '10' }, 'quantity'],
    [{ betLine: 0 }, 'betLine'],
    [{ betLine: 11 }, 'betLine: expected a bet line from 1 to 10'],
    [{ extID: '' }, 'extID'],
    [{ extID: undefined as never }, 'extID: required'],
    [{ validFrom: '2026-01-01' }, 'validFrom: expected a date and time with its offset'],
    [{ validUntil: '2026-01-01T00:00:00Z' }, 'validUntil: expected a time after validFrom'],
    [{ validUntil: '2026-01-31T00:00:00.001Z' }, 'validUntil: expected a time at most 30 days after validFrom'],
    [{ gameIDs: [] }, 'gameIDs: expected at least one game; to allow all games, leave out gameIDs'],
    [{ userIDs: [] }, 'userIDs: expected at least one player'],
  ])('is refused with 400 for %j', async (changes, details) => {
    const { url, context } = await startCore();
    const fields = JSON.parse(JSON.stringify(terms(changes)));
    const { status, body } = await send(`${url}/free-rounds`, 'POST', fields);
    expect({ status, body }).toMatchObject({ status: 400, body: { details: expect.stringContaining(details) } });
    expect(context.campaigns.all()).toEqual([]);
  });

  it.each([
    [{ currency: 'XXX' }, 400, 'currency_not_supported'],
    [{ gameIDs: ['catch', 'chess'] }, 403, 'game_not_found'],
  ])('is refused with a code for %j', async (changes, status, code) => {
    const { url } = await startCore();
    expect(await send(`${url}/free-rounds`, 'POST', terms(changes))).toMatchObject({ status, body: { code } });
  });

  it('needs an extID that the client has never used, even for a cancelled campaign', async () => {
    const { url } = await startCore();
    await send(`${url}/free-rounds`, 'POST', terms());
    const again = await send(`${url}/free-rounds`, 'POST', terms({ quantity: 5 }));
    expect(again).toMatchObject({ status: 409, body: { details: 'extID: "spring"' } });
    await send(`${url}/free-rounds`, 'DELETE', { ...CALLER, extID: 'spring' });
    expect((await send(`${url}/free-rounds`, 'POST', terms())).status).toBe(409);
    const inAsia = terms({ extCID: ASIA.extCID, gameIDs: ['swipe'] });
    expect((await send(`${url}/free-rounds`, 'POST', inAsia, { key: ASIA.apiKey })).status).toBe(200);
    expect((await get(`${url}/free-rounds`, { ...CALLER, extID: 'spring' })).body.quantity).toBe(10);
  });

  it.each(['id', 'extID'])('is cancelled only once, by its %s', async (name) => {
    let now = NOW;
    const ended: Campaign[] = [];
    const { url, context } = await startCore({ now: () => now, onCancelled: (campaign) => ended.push(campaign) });
    const { body } = await send(`${url}/free-rounds`, 'POST', terms());
    const fields = { ...CALLER, [name]: body[name] };
    now += 5000;
    const cancelled = await send(`${url}/free-rounds`, 'DELETE', fields);
    expect(cancelled).toMatchObject({ status: 200, body: { id: body.id, cancelledAt: '2026-01-01T00:00:05.000Z' } });
    now += 5000;
    expect((await send(`${url}/free-rounds`, 'DELETE', fields)).body).toEqual(cancelled.body);
    expect((await get(`${url}/free-rounds`, { ...CALLER, id: body.id })).body).toEqual(cancelled.body);
    expect(ended).toEqual([cancelled.body]);
    expect(context.campaigns.all().map((one) => campaignState(one, now))).toEqual(['cancelled']);
  });

  it('is visible to its own client only', async () => {
    const { url } = await startCore();
    const { body } = await send(`${url}/free-rounds`, 'POST', terms());
    const inAsia = { cID: ASIA.cID, extCID: ASIA.extCID, id: body.id };
    expect((await get(`${url}/free-rounds`, inAsia, { key: ASIA.apiKey })).status).toBe(404);
    expect((await send(`${url}/free-rounds`, 'DELETE', inAsia, { key: ASIA.apiKey })).status).toBe(404);
    expect((await get(`${url}/free-rounds`, { ...CALLER, id: body.id, extID: 'autumn' })).status).toBe(404);
  });

  it('can’t be read or cancelled without an id', async () => {
    const { url } = await startCore();
    for (const answer of [
      await get(`${url}/free-rounds`, CALLER),
      await send(`${url}/free-rounds`, 'DELETE', CALLER),
    ]) {
      expect(answer).toMatchObject({
        status: 400,
        body: { details: 'id: expected the id or the extID of a campaign' },
      });
    }
    expect(await get(`${url}/free-rounds`, { ...CALLER, extID: 'none' })).toMatchObject({
      status: 404,
      body: { details: '{"extID":"none"}' },
    });
  });

  it('can be longer before 1.2.8, and can’t be read before 1.9.0', async () => {
    const { url } = await startCore({ version: '1.2.0' });
    const long = terms({ validUntil: '2026-06-01T00:00:00Z' });
    expect((await send(`${url}/free-rounds`, 'POST', long)).status).toBe(200);
    const read = await get(`${url}/free-rounds`, { ...CALLER, extID: 'spring' });
    expect(read).toMatchObject({ status: 404, body: { message: expect.stringContaining('Version 1.9.0 added it') } });
    expect((await send(`${url}/free-rounds`, 'DELETE', { ...CALLER, extID: 'spring' })).status).toBe(200);
  });
});
