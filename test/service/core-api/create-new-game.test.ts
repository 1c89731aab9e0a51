import { describe, expect, it } from 'vitest';
import { ASIA, BLOCKED, launch, NOW, send, startCore, without } from './core-server.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a launch', () => {
  it('opens a game session and returns its address', async () => {
    const { url, context } = await startCore();
    const { status, body } = await send(
      `${url}/create-new-game`,
      'POST',
      launch({ gameID: 'comet', platform: 'mobile', depositURL: 'https://acme.example/pay', unknown: [1] }),
    );
    expect(status).toBe(200);
    expect(body.gsID).toMatch(UUID);
    expect(body.gameURL).toBe(`http://games.example/game?gsID=${body.gsID}`);
    expect(context.sessions.byId(body.gsID)).toEqual({
      gsID: body.gsID,
      cID: launch().cID,
      extCID: 'acme-eu',
      sessionID: 's-1',
      player: 'anna',
      currency: 'USD',
      locale: 'en_us',
      gameID: 'comet',
      demo: false,
      platform: 'mobile',
      depositUrl: 'https://acme.example/pay',
      openedAt: NOW,
      expiresAt: NOW + 1000,
    });
  });

  it('without a gameID opens the first game that the client may launch', async () => {
    const { url, context } = await startCore();
    const eu = await send(`${url}/create-new-game`, 'POST', launch());
    const asia = await send(`${url}/create-new-game`, 'POST', launch({}, ASIA), { key: ASIA.apiKey });
    expect(context.sessions.byId(eu.body.gsID)?.gameID).toBe('catch');
    expect(context.sessions.byId(asia.body.gsID)?.gameID).toBe('swipe');
  });

  it.each(['returnUrl', 'returnURL'])('accepts the return address in the field %s', async (name) => {
    const { url, context } = await startCore();
    const { body } = await send(`${url}/create-new-game`, 'POST', launch({ [name]: 'https://acme.example/lobby' }));
    expect(context.sessions.byId(body.gsID)?.returnUrl).toBe('https://acme.example/lobby');
  });

  it.each([
    ['cID', undefined, 'cID: required'],
    ['extCID', 7, 'extCID: expected one string'],
    ['user', undefined, 'user: required, unless demo is true'],
    ['user', { id: 1 }, 'user.id: Invalid input: expected string, received number'],
    ['user', {}, 'user.id: required'],
    ['currency', undefined, 'currency: required'],
    ['locale', null, 'locale: Invalid input: expected string, received null'],
    ['sessionID', undefined, 'sessionID: required, unless demo is true'],
    ['sessionID', '', 'sessionID: Too small: expected string to have >=1 characters'],
    ['fallbackToDefaultLocale', 'true', 'fallbackToDefaultLocale: Invalid input: expected boolean, received string'],
    ['demo', 1, 'demo: Invalid input: expected boolean, received number'],
    ['initDemoBalance', -1, 'initDemoBalance: Too small: expected number to be >=0'],
    ['initDemoBalance', true, 'initDemoBalance: expected a number that is not negative, such as 5000 or 250.50'],
    ['platform', 'tv', 'platform: Invalid option: expected one of "desktop"|"mobile"'],
  ])('is refused with 400 when %s is %j', async (name, value, details) => {
    const { url, context, seen } = await startCore();
    const fields = value === undefined ? without(launch(), name) : launch({ [name]: value });
    const { status, body } = await send(`${url}/create-new-game`, 'POST', fields);
    expect({ status, body }).toEqual({ status: 400, body: { message: expect.stringContaining(name), details } });
    expect(context.sessions.all()).toEqual([]);
    expect(seen).toMatchObject([{ operation: 'createNewGame', status: 400, fields }]);
    expect(seen[0]?.diagnostics).toHaveLength(1);
  });

  it('is refused with all wrong fields at once', async () => {
    const { url } = await startCore();
    const { body } = await send(`${url}/create-new-game`, 'POST', without(launch({ currency: 1 }), 'locale'));
    expect(body.message).toBe('Fix currency, locale in the body and send it again.');
  });

  it.each([
    ['currency', 'US$', 'currency_not_supported', 'This currency is not supported.'],
    ['currency', 'usd', 'currency_not_supported', 'did you mean USD? Upper and lower case matter.'],
    ['locale', 'en-US', 'locale_not_supported', 'This locale is not supported; did you mean en_us?'],
    ['locale', 'DE_AT', 'locale_not_supported', 'did you mean de?'],
    ['locale', 'klingon', 'locale_not_supported', 'This locale is not supported.'],
  ])('is refused with 400 and a code when %s is %s', async (name, value, code, message) => {
    const { url } = await startCore();
    const { status, body } = await send(`${url}/create-new-game`, 'POST', launch({ [name]: value }));
    expect({ status, body }).toMatchObject({ status: 400, body: { code, message: expect.stringContaining(message) } });
  });

  it.each([
    ['currency', 'PEPE'],
    ['currency', 'UBTC'],
    ['locale', 'de_at'],
    ['locale', 'sr_latn'],
  ] as const)(
    'is granted although croupier does not know the %s %s, because the list is not complete',
    async (name, value) => {
      const { url, context } = await startCore();
      const { status, body } = await send(`${url}/create-new-game`, 'POST', launch({ [name]: value, demo: true }));
      expect(status).toBe(200);
      expect(context.sessions.byId(body.gsID)?.[name]).toBe(value);
    },
  );

  it('uses the default locale if the request allows it', async () => {
    const { url, context } = await startCore();
    const wanted = launch({ locale: 'tlh', fallbackToDefaultLocale: true });
    const { body } = await send(`${url}/create-new-game`, 'POST', wanted);
    expect(context.sessions.byId(body.gsID)?.locale).toBe('en_us');
    const supported = await send(
      `${url}/create-new-game`,
      'POST',
      launch({ locale: 'fi', fallbackToDefaultLocale: true }),
    );
    expect(context.sessions.byId(supported.body.gsID)?.locale).toBe('fi');
  });

  it.each([
    [ASIA, { gameID: 'catch' }, 403, 'game_not_found', 'not available to this client'],
    [ASIA, { gameID: 'chess' }, 403, 'game_not_found', 'no such game'],
    [ASIA, { currency: 'EUR' }, 400, 'currency_not_supported', 'may not use this currency'],
    [ASIA, { user: { id: 'mallory' } }, 403, 'account_blocked', 'account is blocked'],
    [BLOCKED, {}, 403, 'account_blocked', 'account is blocked'],
  ])('is refused when the client has no right to it: %#', async (client, changes, status, code, message) => {
    const { url } = await startCore();
    const answer = await send(`${url}/create-new-game`, 'POST', launch(changes, client), { key: client.apiKey });
    expect(answer).toMatchObject({ status, body: { code, message: expect.stringContaining(message) } });
  });

  it('names the currencies that the client may use, which may be unknown to croupier', async () => {
    const { url } = await startCore({ clients: [{ ...ASIA, currencies: ['USD', 'ZWG'] }] });
    const answers = ['EUR', 'ZWG'].map((currency) =>
      send(`${url}/create-new-game`, 'POST', launch({ currency, gameID: 'swipe' }, ASIA), { key: ASIA.apiKey }),
    );
    const [refused, granted] = await Promise.all(answers);
    expect(refused?.body.details).toBe('currency: "EUR"; available to acme-asia: USD, ZWG');
    expect(granted?.status).toBe(200);
  });
});

describe('a demo', () => {
  it('needs neither a player nor a sessionID, and then has its own balance', async () => {
    const { url, context } = await startCore();
    const demo = without(launch({ demo: true, currency: 'JPY' }), 'user', 'sessionID');
    const { status, body } = await send(`${url}/create-new-game`, 'POST', demo);
    expect(status).toBe(200);
    const session = context.sessions.byId(body.gsID);
    expect(session).toMatchObject({ demo: true, player: body.gsID, sessionID: '' });
    expect(session && context.demoBalances.balanceOf(session).format()).toBe('1500000');
  });

  it('has the balance that the first launch of a player asked for, and keeps it', async () => {
    const { url, context } = await startCore();
    for (const [initDemoBalance, expected] of [
      ['250.5', '250.5'],
      [900, '250.5'],
      [undefined, '250.5'],
    ] as const) {
      const wanted = launch({ demo: true, ...(initDemoBalance !== undefined && { initDemoBalance }) });
      const { body } = await send(`${url}/create-new-game`, 'POST', wanted);
      const session = context.sessions.byId(body.gsID);
      expect(session && context.demoBalances.balanceOf(session).format()).toBe(expected);
    }
    const euros = await send(
      `${url}/create-new-game`,
      'POST',
      launch({ demo: true, currency: 'EUR', initDemoBalance: 5 }),
    );
    const session = context.sessions.byId(euros.body.gsID);
    expect(session && context.demoBalances.balanceOf(session).format()).toBe('5');
  });

  it.each([
    [1e30, 'USD', 'expected a plain decimal such as 1000.5, without an exponent'],
    [0.001, 'USD', 'expected at most 2 decimals, because USD has no more'],
    ['1.5', 'JPY', 'expected an amount without decimals, because JPY has no decimals'],
    [0, 'USD', 'expected at least 0.10, the lowest stake in USD'],
    ['9', 'JPY', 'expected at least 10, the lowest stake in JPY'],
  ])('cannot begin with %s %s', async (initDemoBalance, currency, diagnostic) => {
    const { url } = await startCore();
    const { status, body } = await send(
      `${url}/create-new-game`,
      'POST',
      launch({ demo: true, initDemoBalance, currency }),
    );
    expect({ status, details: body.details }).toEqual({ status: 400, details: `initDemoBalance: ${diagnostic}` });
  });

  it('creates no demo balance for a game that is played with money', async () => {
    const { url, context } = await startCore();
    const { body } = await send(`${url}/create-new-game`, 'POST', launch({ initDemoBalance: 5 }));
    const session = context.sessions.byId(body.gsID);
    expect(session && context.demoBalances.balanceOf(session).isZero()).toBe(true);
  });
});

describe('an earlier version of the contract', () => {
  it('requires a return address before 1.1.1', async () => {
    const { url } = await startCore({ version: '1.1.0' });
    const refused = await send(`${url}/create-new-game`, 'POST', launch());
    expect(refused).toMatchObject({ status: 400, body: { details: expect.stringContaining('returnUrl: required') } });
    expect((await send(`${url}/create-new-game`, 'POST', launch({ returnUrl: 'https://acme.example' }))).status).toBe(
      200,
    );
  });

  it('ignores fallbackToDefaultLocale before 1.10.0, like any unknown field', async () => {
    const { url } = await startCore({ version: '1.9.0' });
    const wanted = launch({ locale: 'klingon', fallbackToDefaultLocale: true });
    expect(await send(`${url}/create-new-game`, 'POST', wanted)).toMatchObject({
      body: { code: 'locale_not_supported' },
    });
    expect((await send(`${url}/create-new-game`, 'POST', launch({ fallbackToDefaultLocale: 'yes' }))).status).toBe(200);
  });

  it('ignores initDemoBalance before 1.2.0', async () => {
    const { url, context } = await startCore({ version: '1.1.1' });
    const { body } = await send(`${url}/create-new-game`, 'POST', launch({ demo: true, initDemoBalance: 5 }));
    const session = context.sessions.byId(body.gsID);
    expect(session && context.demoBalances.balanceOf(session).format()).toBe('10000');
  });

  it('has no error codes before 1.0.1', async () => {
    const { url } = await startCore({ version: '1.0.0' });
    const { body } = await send(
      `${url}/create-new-game`,
      'POST',
      launch({ currency: 'US$', returnUrl: 'https://acme.example' }),
    );
    expect(body).not.toHaveProperty('code');
    expect(body.message).toContain('not supported');
  });
});

describe('the record of a launch request', () => {
  it('contains the request as it was sent, and its result', async () => {
    const { url, seen } = await startCore();
    const wanted = launch({ further: true });
    const { body } = await send(`${url}/create-new-game`, 'POST', wanted, { headers: { 'X-Trace': 'abc' } });
    expect(seen).toMatchObject([
      { operation: 'createNewGame', at: NOW, extCID: 'acme-eu', fields: wanted, diagnostics: [], status: 200 },
    ]);
    expect(seen[0]?.session?.gsID).toBe(body.gsID);
    expect(seen[0]?.headers).toContainEqual(
      ['X-Trace', 'abc'].map((text) => expect.stringMatching(new RegExp(text, 'i'))),
    );
  });

  it('names no client and no session if the signature is wrong', async () => {
    const { url, seen } = await startCore();
    await send(`${url}/create-new-game`, 'POST', launch({ locale: 'klingon' }));
    await send(`${url}/create-new-game`, 'POST', launch({ locale: 1 }), { key: 'wrong' });
    expect(seen).toMatchObject([
      { extCID: 'acme-eu', status: 400, code: 'locale_not_supported', diagnostics: [] },
      { status: 401, diagnostics: [{ field: 'locale' }] },
    ]);
    expect(seen[1]).not.toHaveProperty('extCID');
    expect(seen.some((one) => 'session' in one)).toBe(false);
  });
});

it('the Core API answers 500 without a code when the service fails, and answers the next request', async () => {
  const faults: unknown[] = [];
  let fails = true;
  const { url, seen } = await startCore({
    newID: () => {
      if (fails) throw new Error('disk full');
      return 'b7e0a3d2-91c4-4f6b-8d15-0c3e9f7a6b24';
    },
    onFault: (error) => faults.push(error),
  });
  const failed = await send(`${url}/create-new-game`, 'POST', launch());
  expect(failed).toMatchObject({ status: 500, body: { message: expect.stringContaining('The service failed') } });
  expect(JSON.stringify(failed.body)).not.toContain('disk');
  expect(faults).toEqual([new Error('disk full')]);
  expect(seen).toMatchObject([{ status: 500, diagnostics: [] }]);
  fails = false;
  expect((await send(`${url}/create-new-game`, 'POST', launch())).status).toBe(200);
});
