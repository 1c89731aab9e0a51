import { createHmac, randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterEach, describe, expect, it } from 'vitest';
import { headerOf, jsonReply, type ListenReply, type ListenRequest } from '../../src/listen/message.ts';
import { type Listening, listen } from '../../src/listen/server.ts';
import { CoreApiError, createCoreApiClient } from '../../src/sdk/core-api-client.ts';

const who = { cID: 'c-1', extCID: 'acme', apiKey: 'the-api-key' };
const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close(0)));
});

/** A Core API that sends the same reply to every request and keeps the requests. */
async function server(reply: ListenReply | Promise<ListenReply>) {
  const asked: ListenRequest[] = [];
  const listening = await listen(
    (request) => {
      asked.push(request);
      return reply;
    },
    { onFault: () => {} },
  );
  open.push(listening);
  return { asked, client: createCoreApiClient({ ...who, baseUrl: `${listening.url}/api/v1/`, timeoutMs: 500 }) };
}

/** Computed with a library that the project does not use, so that both cannot be wrong in the same way. */
const mac = (value: unknown) =>
  createHmac('sha256', who.apiKey)
    .update(canonicalize(value) ?? '')
    .digest('hex');

const LAUNCHED = { gameURL: 'http://127.0.0.1:1/game?gsID=x', gsID: randomUUID() };

describe('the client of the Core API', () => {
  it('signs the canonical body of a launch, and adds the ids of the client', async () => {
    const { asked, client } = await server(jsonReply(200, LAUNCHED));
    const game = { user: { id: 'é' }, currency: 'USD', locale: 'en_us', sessionID: 's-1', returnUrl: undefined };
    await expect(client.createNewGame(game)).resolves.toEqual(LAUNCHED);
    const [request] = asked;
    const body: unknown = JSON.parse(Buffer.from(request?.body ?? []).toString());
    expect(request).toMatchObject({ method: 'POST', path: '/api/v1/create-new-game' });
    expect(body).toEqual({
      cID: 'c-1',
      extCID: 'acme',
      user: { id: 'é' },
      currency: 'USD',
      locale: 'en_us',
      sessionID: 's-1',
    });
    expect(headerOf(request?.headers ?? [], 'X-REQUEST-SIGN')).toBe(mac(body));
  });

  it('signs the parameters of a query, each name once, and asks for compressed games', async () => {
    const { asked, client } = await server(jsonReply(200, []));
    await client.games({
      currencyFilters: ['fiat', 'crypto'],
      additionalCurrencies: ['FUN'],
      excludeBetLines: true,
    });
    const [request] = asked;
    const params = Object.fromEntries(new URLSearchParams(request?.query));
    expect(params).toEqual({
      cID: 'c-1',
      extCID: 'acme',
      currencyFilters: 'fiat,crypto',
      additionalCurrencies: 'FUN',
      excludeBetLines: 'true',
    });
    expect(headerOf(request?.headers ?? [], 'X-REQUEST-SIGN')).toBe(mac(params));
    expect(headerOf(request?.headers ?? [], 'Accept-Encoding')).toBe('gzip');
  });

  it('reads, creates and cancels campaigns', async () => {
    const terms = { extID: 'spring', currency: 'USD', quantity: 5, betLine: 1, validFrom: '2026-01-01T00:00:00Z' };
    const campaign = { id: randomUUID(), cID: 'c-1', extCID: 'acme', ...terms, maxBet: '0.10', maxMult: '100' };
    const { asked, client } = await server(jsonReply(200, campaign));
    await expect(client.createFreeRounds(terms)).resolves.toMatchObject({ id: campaign.id, extID: 'spring' });
    await expect(client.freeRounds({ extID: 'spring' })).resolves.toEqual(campaign);
    await expect(client.cancelFreeRounds({ id: campaign.id })).resolves.toEqual(campaign);
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/free-rounds',
      'GET /api/v1/free-rounds',
      'DELETE /api/v1/free-rounds',
    ]);
  });

  it('reads replies that hold only what the contract promises', async () => {
    const launched = await server(jsonReply(200, { gameURL: 'http://127.0.0.1:1/x', gsID: 'session-17' }));
    const game = { user: { id: 'anna' }, sessionID: 's', currency: 'USD', locale: 'en_us' };
    await expect(launched.client.createNewGame(game)).resolves.toMatchObject({ gsID: 'session-17' });
    const listed = await server(jsonReply(200, [{ images: {}, currencies: ['USD'], betLines: [], rtp: 96.5 }]));
    await expect(listed.client.games()).resolves.toMatchObject([{ currencies: ['USD'], rtp: 96.5 }]);
    const campaign = { id: '17', extID: 'spring', quantity: 5, maxBet: 0.1, maxMult: '100', currency: 'USD' };
    const read = await server(jsonReply(200, { ...campaign, validUntil: null }));
    await expect(read.client.freeRounds({ extID: 'spring' })).resolves.toMatchObject({ id: '17', maxBet: '0.1' });
  });

  it('throws an error with the message, status and code of the Core API', async () => {
    const { client } = await server(
      jsonReply(400, { message: 'en-US is not supported.', code: 'locale_not_supported', details: 'locale' }),
    );
    const error: unknown = await client.games().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CoreApiError);
    expect(error).toMatchObject({
      message: 'GET /games was answered 400: en-US is not supported.',
      status: 400,
      code: 'locale_not_supported',
      details: 'locale',
    });
  });

  it.each([
    ['is not JSON', { status: 502, headers: [], body: '<html>' }, 'GET /games was answered 502', 502],
    [
      'does not fit the schema',
      jsonReply(200, {}),
      'answered 200, but its body is not as the contract requires: the body:',
      200,
    ],
    ['never comes', new Promise<never>(() => {}), 'was not answered: no reply within 500 ms', undefined],
  ])('names the problem of a reply that %s', async (_what, reply, message, status) => {
    const { client } = await server(reply);
    const error: unknown = await client.games().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CoreApiError);
    expect((error as CoreApiError).message).toContain(message);
    expect((error as CoreApiError).status).toBe(status);
  });

  it('names the reason if no server answers, and never shows the key', async () => {
    const { client } = await server(jsonReply(200, []));
    await open.splice(0)[0]?.close(0);
    const error: unknown = await client.games().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('ECONNREFUSED');
    expect(JSON.stringify(error) + String(error)).not.toContain(who.apiKey);
  });

  it('refuses an invalid base URL at once', () => {
    expect(() => createCoreApiClient({ ...who, baseUrl: 'localhost' })).toThrow(TypeError);
  });
});
