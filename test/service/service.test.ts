import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical.ts';
import { createOperator, type Operator } from '../../src/operator/operator.ts';
import { createCoreApiClient } from '../../src/sdk/core-api-client.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import type { LaunchSeen } from '../../src/service/core-api/context.ts';
import { freeRoundsOf } from '../../src/service/game-page/players.ts';
import type { GameSession } from '../../src/service/game-sessions.ts';
import { createService, type Served, type Service } from '../../src/service/service.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { EU, get, launch, send, signed } from './core-api/core-server.ts';

const CALLER = { cID: EU.cID, extCID: EU.extCID };

interface StartedOperator {
  readonly operator: Operator;
  readonly client: ServiceClient;
}

async function startOperator(): Promise<StartedOperator> {
  const operator = createOperator({
    clients: [
      {
        extCID: EU.extCID,
        integrationApiKey: EU.integrationApiKey,
        basePath: '/eu',
        campaigns: ['spring'],
        sessions: [
          { sessionID: 's-1', player: 'anna', currency: 'USD', gameID: 'catch', balance: '100.00', state: 'active' },
        ],
      },
    ],
  });
  const { url, close } = await operator.start();
  onTestFinished(() => close(0));
  return { operator, client: { ...EU, integratorBaseUrl: `${url}/eu` } };
}

async function startService(options: Partial<ServiceOptions> = {}): Promise<Service & Served> {
  const service = createService({ clients: [EU], onFault: (error) => expect.unreachable(String(error)), ...options });
  const served = await service.start();
  onTestFinished(() => served.close(0));
  return { ...service, ...served };
}

async function launched(service: Service & Served, changes = {}): Promise<GameSession> {
  const { body } = await send(`${service.baseUrl}/create-new-game`, 'POST', launch(changes));
  const session = service.parts.sessions.byId(body.gsID);
  if (!session) throw new Error(`not launched: ${JSON.stringify(body)}`);
  return session;
}

describe('the service', () => {
  it("plays a game that the operator launched with the operator's money", async () => {
    const { operator, client } = await startOperator();
    const service = await startService({ clients: [client] });
    const { body } = await send(`${service.baseUrl}/create-new-game`, 'POST', launch());
    expect(body.gameURL).toBe(`${service.url}/game?gsID=${body.gsID}`);
    const session = service.parts.sessions.byId(body.gsID);
    if (!session) return expect.unreachable();
    expect(await service.parts.play.balance(session)).toEqual({ kind: 'balance', balance: '100.00' });
    const round = await service.parts.play.round(session, '1.00', '3');
    expect(round).toMatchObject({ bet: { kind: 'accepted' }, win: { kind: 'settled', balance: '102.00' } });
    expect(operator.balanceOf(EU.extCID, 'anna', 'USD')).toBe('102.00');
  });

  it('plays a demo without calls to the operator', async () => {
    const service = await startService();
    const session = await launched(service, { demo: true, initDemoBalance: 5 });
    await service.parts.play.round(session, '1.00', '0');
    expect(await service.parts.play.balance(session)).toEqual({ kind: 'balance', balance: '4.00' });
    expect(service.parts.log.recent().map(({ direction }) => direction)).toEqual(['core']);
  });

  it('yields all launched sessions, including those from before the iteration began', async () => {
    const service = await startService();
    const first = await launched(service);
    const heard = (async () => {
      const all: GameSession[] = [];
      for await (const session of service.sessions) all.push(session);
      return all;
    })();
    const second = await launched(service);
    await send(`${service.baseUrl}/create-new-game`, 'POST', launch({ locale: 'en-US' }));
    await service.close(0);
    expect(await heard).toEqual([first, second]);
  });

  it('reports each request to the Core API to its listeners', async () => {
    const service = await startService();
    const seen: LaunchSeen[] = [];
    const end = service.onLaunchSeen((one) => seen.push(one));
    const session = await launched(service);
    await get(`${service.baseUrl}/games`, CALLER);
    end();
    await get(`${service.baseUrl}/games`, CALLER);
    expect(seen).toMatchObject([
      { operation: 'createNewGame', status: 200, session, fields: launch() },
      { operation: 'games', status: 200, extCID: EU.extCID },
    ]);
  });

  it('serves its OpenAPI document and the images of its games', async () => {
    const service = await startService({ contract: '1.8.0' });
    const document = await (await fetch(`${service.url}/openapi.json`)).json();
    expect(document).toMatchObject({ info: { version: '1.8.0' }, servers: [{ url: service.baseUrl }] });
    const { body } = await get(`${service.baseUrl}/games`, CALLER);
    for (const name of ['square', 'vertical', 'horizontal_337x181']) {
      const image = await fetch(`${body[0].images.baseURL}${body[0].images[name]}`);
      expect({ status: image.status, type: image.headers.get('content-type') }).toEqual({
        status: 200,
        type: 'image/svg+xml',
      });
    }
  });

  it('uses the host of the request in its addresses, or the public URL that is configured', async () => {
    const service = await startService();
    const { port } = new URL(service.url);
    const { body } = await send(`http://localhost:${port}/api/v1/create-new-game`, 'POST', launch());
    expect(body.gameURL).toMatch(`http://localhost:${port}/game?gsID=`);
    const named = await startService({ publicUrl: 'https://games.example', basePath: '' });
    const answer = await send(`${named.url}/create-new-game`, 'POST', launch());
    expect(answer.body.gameURL).toMatch(/^https:\/\/games\.example\/game\?gsID=/);
  });

  it('delays the list of games when a delay is configured', async () => {
    const waits: number[] = [];
    const service = await startService({
      catalogueDelayMs: [10_000, 20_000],
      random: () => 0.5,
      sleep: async (ms, signal) => {
        waits.push(ms);
        if (ms === 30_000) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      },
    });
    expect((await get(`${service.baseUrl}/games`, CALLER)).status).toBe(200);
    expect(waits).toContain(15_000);
  });
});

describe('free rounds', () => {
  const terms = { ...CALLER, extID: 'spring', currency: 'USD', quantity: 3, betLine: 1 };

  it('are played with the bet of their campaign, and paid when the campaign is cancelled', async () => {
    const { operator, client } = await startOperator();
    const service = await startService({ clients: [client] });
    const { play, campaigns, clock } = service.parts;
    await send(`${service.baseUrl}/free-rounds`, 'POST', { ...terms, validFrom: '2020-01-01T00:00:00Z' });
    const session = await launched(service);
    const campaign = freeRoundsOf(session, campaigns, play, clock());
    if (!campaign) return expect.unreachable();
    expect(campaign).toEqual({ frID: 'spring', quantity: 3, amount: '0.10', maxMult: '500.00' });
    await play.freeRound(session, campaign, '5');
    expect(play.progress(session, campaign)).toMatchObject({ left: 2, won: '0.50', withdrawn: false });
    await send(`${service.baseUrl}/free-rounds`, 'DELETE', { ...CALLER, extID: 'spring' });
    expect(freeRoundsOf(session, campaigns, play, clock())).toBeUndefined();
    await expect.poll(() => operator.balanceOf(EU.extCID, 'anna', 'USD')).toBe('100.50');
    expect(play.progress(session, campaign).left).toBe(0);
  });

  it('are paid when the time of the campaign is over', async () => {
    const { operator, client } = await startOperator();
    let now = Date.UTC(2026, 0, 1);
    const service = await startService({ clients: [client], clock: () => now, campaignCheckMs: 5 });
    const { play, campaigns } = service.parts;
    const validity = { validFrom: '2026-01-01T00:00:00Z', validUntil: '2026-01-02T00:00:00Z' };
    await send(`${service.baseUrl}/free-rounds`, 'POST', {
      ...terms,
      ...validity,
      gameIDs: ['catch'],
      userIDs: ['anna'],
    });
    const session = await launched(service);
    const other = await launched(service, { gameID: 'swipe' });
    const campaign = freeRoundsOf(session, campaigns, play, now);
    if (!campaign) return expect.unreachable();
    expect(freeRoundsOf(other, campaigns, play, now)).toBeUndefined();
    await play.freeRound(session, campaign, '2');
    now += 86_400_000;
    await expect.poll(() => operator.balanceOf(EU.extCID, 'anna', 'USD')).toBe('100.20');
  });
});

describe('the exchange log of the service', () => {
  it('contains requests and reverse calls with their signatures, but without keys', async () => {
    const { client } = await startOperator();
    const service = await startService({ clients: [client] });
    const session = await launched(service);
    await service.parts.play.balance(session);
    await get(`${service.baseUrl}/games`, CALLER, { headers: { 'Accept-Encoding': 'gzip' } });
    const [core, reverse, games] = service.parts.log.recent();
    expect(core).toMatchObject({
      direction: 'core',
      name: 'POST /create-new-game',
      extCID: EU.extCID,
      gsID: session.gsID,
      request: { method: 'POST', url: `${service.baseUrl}/create-new-game` },
      outcome: { reply: { status: 200, body: { data: expect.stringContaining(session.gsID) } } },
      stamps: { resolved: null, sent: expect.any(Number) },
    });
    expect(core?.request.headers.map(([name]) => name.toLowerCase())).toContain('x-request-sign');
    expect(reverse).toMatchObject({ direction: 'reverse', name: 'balance', outcome: { reply: { status: 200 } } });
    expect(games).toMatchObject({ outcome: { reply: { body: { data: expect.stringMatching(/^\[\{"id":"catch"/) } } } });
    const text = JSON.stringify(service.parts.log.recent());
    expect(text).not.toContain(EU.apiKey);
    expect(text).not.toContain(EU.integrationApiKey);
  });

  it('contains requests that reached no operation', async () => {
    const service = await startService();
    await get(`${service.baseUrl}/game`, CALLER);
    await send(`${service.baseUrl}/games`, 'POST', CALLER);
    await send(`${service.baseUrl}/create-new-game`, 'POST', launch({ pad: 'x'.repeat(1_100_000) }));
    await new Promise<void>((resolve) => {
      const { hostname, port } = new URL(service.url);
      connect(Number(port), hostname)
        .on('close', resolve)
        .on('data', () => {})
        .write('nonsense\r\n\r\n');
    });
    const lines = service.parts.log.recent().map(({ name, outcome }) => {
      return [name, outcome?.kind === 'reply' && outcome.reply.status];
    });
    expect(lines).toEqual([
      ['GET /api/v1/game', 404],
      ['POST /api/v1/games', 405],
      ['POST /api/v1/create-new-game', 413],
      ['not HTTP', 400],
    ]);
  });
});

it('the service works with the Core API client of the SDK', async () => {
  const service = await startService();
  const client = createCoreApiClient({ ...CALLER, baseUrl: service.baseUrl, apiKey: EU.apiKey });
  const { user, currency, locale } = { user: { id: 'anna' }, currency: 'USD', locale: 'fi' };
  const { gsID } = await client.createNewGame({
    user,
    currency,
    locale,
    sessionID: 's-1',
    returnUrl: 'https://a.example/?b=1&c=2',
  });
  expect(service.parts.sessions.byId(gsID)).toMatchObject({ player: 'anna', returnUrl: 'https://a.example/?b=1&c=2' });
  const [game] = await client.games({
    currencyFilters: ['virtual'],
    additionalCurrencies: ['EUR'],
    excludeBetLines: true,
  });
  expect(game).toMatchObject({ id: 'catch', currencies: ['EUR', 'FUN'], hasFreeSpins: false });
  const terms = { extID: 'a', currency, quantity: 2, betLine: 1, validFrom: '2026-01-01T00:00:00Z' };
  const { id = '' } = await client.createFreeRounds(terms);
  expect(await client.freeRounds({ extID: 'a' })).toMatchObject({ ...terms, id });
  expect(await client.cancelFreeRounds({ id })).toHaveProperty('cancelledAt');
  await expect(client.createFreeRounds(terms)).rejects.toMatchObject({ status: 409 });
  await expect(client.createNewGame({ user, currency: 'US$', locale, sessionID: 's' })).rejects.toMatchObject({
    status: 400,
    code: 'currency_not_supported',
  });
});

describe('a hostile client', () => {
  it('can’t delay launches with hundreds of idle connections and requests that never end', async () => {
    const service = createService({ clients: [EU] });
    const served = await service.start({ limits: { headersMs: 200, requestMs: 200 } });
    onTestFinished(() => served.close(0));
    const { hostname, port } = new URL(served.url);
    const idle = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    onTestFinished(() => idle.forEach((socket) => void socket.destroy()));
    const slow = connect(Number(port), hostname);
    const heard = new Promise<string>((resolve) => slow.once('data', (chunk) => resolve(String(chunk))));
    slow.write('POST /api/v1/create-new-game HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    expect((await send(`${served.baseUrl}/create-new-game`, 'POST', launch())).status).toBe(200);
    expect(await heard).toMatch(/^HTTP\/1\.1 408 .*"message"/s);
    expect(service.parts.log.recent().map(({ outcome }) => outcome?.kind === 'reply' && outcome.reply.status)).toEqual([
      200, 408,
    ]);
  });

  it('can’t choose the address of games with an invalid Host header', async () => {
    const service = await startService();
    const fields = launch();
    const body = canonicalJson(fields);
    const headers = [
      ['X-REQUEST-SIGN', signed(body)],
      ['Host', 'x/"><script>'],
    ] as const;
    const request = { method: 'POST', path: '/api/v1/create-new-game', query: '', headers, body: Buffer.from(body) };
    const reply = await service.handle(request);
    if (typeof reply.body !== 'string') return expect.unreachable();
    expect(JSON.parse(reply.body).gameURL).toMatch(`${service.url}/game?gsID=`);
  });
});

describe('a restart', () => {
  it('keeps sessions, campaigns and demo balances, in files that only their owner can read', async () => {
    const dataDir = path.join(mkdtempSync(path.join(tmpdir(), 'service-')), 'data');
    const before = await startService({ dataDir });
    const session = await launched(before, { demo: true, initDemoBalance: 5 });
    await before.parts.play.round(session, '1.00', '0');
    const campaign = {
      ...CALLER,
      extID: 'a',
      currency: 'USD',
      quantity: 1,
      betLine: 1,
      validFrom: '2026-01-01T00:00:00Z',
    };
    await send(`${before.baseUrl}/free-rounds`, 'POST', campaign);
    expect(() => createService({ clients: [EU], dataDir })).toThrow(/another|already|in use/i);
    await before.close(0);
    for (const file of readdirSync(dataDir)) expect(statSync(path.join(dataDir, file)).mode & 0o077, file).toBe(0);

    const after = await startService({ dataDir });
    expect(after.parts.sessions.byId(session.gsID)).toEqual(session);
    expect(await after.parts.play.balance(session)).toEqual({ kind: 'balance', balance: '4.00' });
    expect((await get(`${after.baseUrl}/free-rounds`, { ...CALLER, extID: 'a' })).body).toMatchObject(campaign);
    const next = after.sessions[Symbol.asyncIterator]().next();
    const fresh = await launched(after);
    expect(await next).toEqual({ done: false, value: fresh });
  });

  it('pays a win that the service still owed before it was stopped', async () => {
    const dataDir = path.join(mkdtempSync(path.join(tmpdir(), 'service-')), 'data');
    const { operator, client } = await startOperator();
    const away = await startService({ clients: [{ ...client, paths: { win: '/nowhere' } }], dataDir });
    const session = await launched(away);
    const { win } = await away.parts.play.round(session, '1.00', '2');
    expect(win).toMatchObject({ kind: 'pending' });
    await away.close(0);
    expect(operator.balanceOf(EU.extCID, 'anna', 'USD')).toBe('99.00');
    const back = await startService({ clients: [client], dataDir });
    await expect.poll(() => operator.balanceOf(EU.extCID, 'anna', 'USD')).toBe('101.00');
    await expect.poll(() => back.parts.adapter.owed()).toEqual([]);
  });
});

describe('a service with invalid options', () => {
  it.each([
    [[], 'needs at least one client'],
    [[EU, { ...EU, cID: 'b' }], 'two clients have the ExtCID acme-eu'],
    [[{ ...EU, apiKey: '' }], 'a key of the client acme-eu is empty'],
    [[{ ...EU, integratorBaseUrl: 'wallet.example' }], 'must be an http or https address, not wallet.example'],
    [[{ ...EU, currencies: ['USD', 'eur'] }], 'eur is not the code of a currency; did you mean EUR?'],
    [
      [{ ...EU, games: ['chess'] }],
      'the games of the client acme-eu contain chess, but the catalogue has no such game',
    ],
  ])('is refused at the start with the message: $1', (clients, message) => {
    expect(() => createService({ clients })).toThrow(message);
  });

  it('closes itself when its port is in use', async () => {
    const first = await startService();
    const dataDir = path.join(mkdtempSync(path.join(tmpdir(), 'service-')), 'data');
    const port = Number(new URL(first.url).port);
    await expect(createService({ clients: [EU], dataDir }).start({ port })).rejects.toThrow(/another program/);
    await createService({ clients: [EU], dataDir }).close();
  });
});
