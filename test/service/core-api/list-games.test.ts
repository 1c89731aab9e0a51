import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gamesReplySchema } from '../../../src/contract/core-api.ts';
import { CURRENCIES } from '../../../src/contract/currencies.ts';
import { isGzipAskedFor } from '../../../src/service/core-api/list-games.ts';
import { largeCatalogue } from '../../../src/service/games.ts';
import { ASIA, EU, get, send, signed, startCore } from './core-server.ts';

const CALLER = { cID: EU.cID, extCID: EU.extCID };
const CALLER_IN_ASIA = { cID: ASIA.cID, extCID: ASIA.extCID };

function codes(...types: string[]): string[] {
  return CURRENCIES.filter(({ type }) => types.includes(type)).map(({ code }) => code);
}

describe('the list of games', () => {
  it('has every field, and all currencies that are not virtual', async () => {
    const { url, seen } = await startCore();
    const { status, body } = await get(`${url}/games`, CALLER);
    expect(status).toBe(200);
    const games = gamesReplySchema.parse(body);
    expect(games.map(({ id }) => id)).toEqual(['catch', 'swipe', 'lantern', 'tidepool', 'orchard', 'comet']);
    for (const game of games) {
      expect(game.currencies).toEqual(codes('fiat', 'crypto'));
      expect(game.betLines?.map(({ currency }) => currency)).toEqual(game.currencies);
      expect(game.hasFreeSpins).toBe(true);
      expect(game.images.baseURL).toBe(`http://games.example/game/images/${game.id}`);
      expect(game.images).toHaveProperty('horizontal_337x181');
    }
    expect(seen).toMatchObject([{ operation: 'games', extCID: 'acme-eu', status: 200 }]);
  });

  it.each([
    [{ currencyFilters: 'virtual' }, codes('virtual')],
    [{ currencyFilters: ' crypto, virtual' }, codes('crypto', 'virtual')],
    [{ currencyFilters: '' }, codes('fiat', 'crypto')],
    [{ currencyFilters: 'virtual', additionalCurrencies: 'EUR,BTC' }, ['EUR', 'BTC', 'FUN']],
    [{ additionalCurrencies: 'FUN' }, codes('fiat', 'crypto', 'virtual')],
  ])('is filtered by %j', async (query, currencies) => {
    const { url } = await startCore();
    const { body } = await get(`${url}/games`, { ...CALLER, ...query });
    for (const game of gamesReplySchema.parse(body)) {
      expect(game.currencies).toEqual(currencies);
      expect(game.betLines?.map(({ currency }) => currency)).toEqual(currencies);
    }
  });

  it.each([
    ['as a list', { ...CALLER, currencyFilters: ['crypto', 'virtual'] }],
    ['joined by commas', { ...CALLER, currencyFilters: 'crypto,virtual' }],
  ])('accepts a repeated parameter that is signed %s', async (_how, fields) => {
    const { url } = await startCore();
    const query = `cID=${EU.cID}&currencyFilters=crypto&extCID=acme-eu&currencyFilters=virtual`;
    const { body } = await send(`${url}/games?${query}`, 'GET', fields);
    expect(body[0].currencies).toEqual(codes('crypto', 'virtual'));
  });

  it.each(['currencyFilters[]', 'currencyFilters[0]', 'additionalCurrencies[]'])(
    'refuses %s with 400',
    async (field) => {
      const { url } = await startCore();
      const { status, body } = await get(`${url}/games`, { ...CALLER, [field]: 'fiat' });
      expect(status).toBe(400);
      const name = field.replace(/\[.*/, '');
      expect(body.details).toBe(
        `${field}: write ${name} without brackets; separate several values with commas, or repeat ${name}`,
      );
    },
  );

  it('leaves out the bet lines when the query asks for that', async () => {
    const { url } = await startCore();
    const { body } = await get(`${url}/games`, { ...CALLER, excludeBetLines: 'true' });
    for (const game of gamesReplySchema.parse(body)) {
      expect(game).not.toHaveProperty('betLines');
      expect(game.hasFreeSpins).toBe(false);
    }
    const { body: kept } = await get(`${url}/games`, { ...CALLER, excludeBetLines: 'false' });
    expect(kept[0].betLines).toBeDefined();
  });

  it('contains only the games that the client may launch, with the currencies that it may use', async () => {
    const { url } = await startCore();
    const query = { ...CALLER_IN_ASIA, additionalCurrencies: 'FUN' };
    const { body } = await get(`${url}/games`, query, { key: ASIA.apiKey });
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['swipe', 'comet']);
    expect(body[0].currencies).toEqual(['USD', 'JPY', 'BTC', 'FUN']);
    const refused = await get(`${url}/games`, { ...CALLER_IN_ASIA, additionalCurrencies: 'EUR' }, { key: ASIA.apiKey });
    expect(refused).toMatchObject({ status: 400, body: { code: 'currency_not_supported' } });
  });

  it.each([
    [{ currencyFilters: 'fiat,money' }, 'currencyFilters'],
    [{ excludeBetLines: 'yes' }, 'excludeBetLines'],
  ])('refuses the filter %j', async (query, name) => {
    const { url } = await startCore();
    const { status, body } = await get(`${url}/games`, { ...CALLER, ...query });
    expect({ status, body }).toMatchObject({ status: 400, body: { message: expect.stringContaining(name) } });
  });

  it('is compressed only when the request accepts gzip', async () => {
    const { url } = await startCore();
    const ask = async (encoding: string) => {
      const signature = signed(JSON.stringify(CALLER));
      const response = await fetch(`${url}/games?${String(new URLSearchParams(CALLER))}`, {
        headers: { 'X-REQUEST-SIGN': signature, 'Accept-Encoding': encoding },
      });
      const encoded = response.headers.get('content-encoding');
      const length = Number(response.headers.get('content-length'));
      return { encoded, length, vary: response.headers.get('vary'), games: (await response.json()) as unknown[] };
    };
    const [plain, zipped] = [await ask('identity'), await ask('gzip')];
    expect(plain).toMatchObject({ encoded: null, vary: 'Accept-Encoding' });
    expect(zipped).toMatchObject({ encoded: 'gzip', vary: 'Accept-Encoding' });
    expect(zipped.games).toEqual(plain.games);
    expect(zipped.length).toBeLessThan(plain.length / 5);
  });

  it('can be larger than a megabyte', async () => {
    const { url } = await startCore({ games: largeCatalogue() });
    const { body } = await get(`${url}/games`, CALLER);
    expect(JSON.stringify(body).length).toBeGreaterThan(1024 * 1024);
    expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(body.length);
  });

  it('can be slow without delaying launches', async () => {
    let release = (): void => {};
    const ready = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await startCore({ catalogueReady: () => ready });
    const slow = get(`${url}/games`, CALLER);
    const first = await Promise.race([slow.then(() => 'games'), sleep(50).then(() => 'nothing')]);
    expect(first).toBe('nothing');
    expect((await get(`${url}/free-rounds`, { ...CALLER, extID: 'x' })).status).toBe(404);
    release();
    expect((await slow).status).toBe(200);
  });

  it.each([
    ['1.7.3', { currencyFilters: 'nonsense', additionalCurrencies: 'XXX' }, (game: object) => 'betLines' in game],
    ['1.5.1', { excludeBetLines: 'true' }, (game: object) => 'betLines' in game],
  ] as const)('is of version %s', async (version, query, holds) => {
    const { url } = await startCore({ version });
    const { status, body } = await get(`${url}/games`, { ...CALLER, ...query });
    expect(status).toBe(200);
    expect(body.every(holds)).toBe(true);
    expect('horizontal_337x181' in body[0].images).toBe(version === '1.7.3');
  });

  it('does not exist before 1.1.0', async () => {
    const { url } = await startCore({ version: '1.0.1' });
    const { status, body } = await get(`${url}/games`, CALLER);
    expect({ status, message: body.message }).toEqual({
      status: 404,
      message: 'Version 1.0.1 of the contract has no GET /games. Version 1.1.0 added it.',
    });
  });
});

describe('isGzipAskedFor', () => {
  it.each([
    ['gzip', true],
    ['deflate, GZIP;q=0.5', true],
    ['br, *', true],
    ['x-gzip', true],
    ['gzip;q=0, *', false],
    ['gzip; q=0.0', false],
    ['identity', false],
    ['', false],
  ])('returns for the Accept-Encoding %j: %s', (value, expected) => {
    expect(isGzipAskedFor([['Accept-Encoding', value]])).toBe(expected);
  });

  it('returns false without the header', () => {
    expect(isGzipAskedFor([])).toBe(false);
  });
});
