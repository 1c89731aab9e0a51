import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signQuery } from '../../../src/contract/signature.ts';
import { type Check, type CheckName, check, firstToFix } from '../../../src/engine/doctor/check.ts';
import { type ExamineOptions, examine } from '../../../src/engine/doctor/examine.ts';
import type { ClientUnderTest } from '../../../src/engine/run-options.ts';
import { answering, rawServer } from '../../wire/raw-server.ts';

const KEY = 'a key that is none';
const pem = (name: string): string => readFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const identity = (name: string) => ({ key: pem(`${name}.key`), cert: pem(`${name}.pem`) });

interface Told {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly method: string;
  readonly signed: boolean;
  readonly sessionID: string;
}

/** A wallet over HTTP whose answers a test sets. */
async function wallet(tell: (asked: Asked) => Told): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = http.createServer(({ method = '', url = '', headers }, response) => {
    const { searchParams } = new URL(url, 'http://x');
    const signed = headers['x-request-sign'] === signQuery([...searchParams], KEY);
    const one = { method, signed, sessionID: searchParams.get('sessionID') ?? '' };
    asked.push(one);
    const { status, body = '', headers: own = {} } = tell(one);
    response.writeHead(status, { 'Content-Type': 'application/json', ...own }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const UNAUTHORIZED: Told = { status: 401, body: '{"message":"Wrong signature"}' };
const has = (balance: string): Told => ({ status: 200, body: JSON.stringify({ balance }) });
const rightly =
  (told: (asked: Asked) => Told) =>
  (asked: Asked): Told =>
    asked.signed ? told(asked) : UNAUTHORIZED;

function look(
  integratorBaseUrl: string,
  client: Partial<ClientUnderTest> = {},
  options: Partial<ExamineOptions> = {},
): Promise<readonly Check[]> {
  return examine({
    client: {
      extCID: 'acme',
      integratorBaseUrl,
      integrationApiKey: KEY,
      paths: {},
      headers: {},
      sessions: [{ sessionID: 's-1', currency: 'USD' }],
      wire: {},
      ...client,
    },
    stakes: {},
    decimals: {},
    deadlineMs: 2000,
    ratePerSecond: null,
    noSession: check('session', 'not-tried', 'none'),
    ambientProxy: null,
    time: Date.now,
    ...options,
  });
}

const of = (checks: readonly Check[], name: CheckName): Check | undefined => checks.find((one) => one.name === name);

describe('a wallet without faults', () => {
  it('all checks are good, and only balances are read', async () => {
    const { url, asked } = await wallet(rightly(() => has('100.00')));
    const checks = await look(url);
    expect(checks.filter(({ state }) => state !== 'good' && state !== 'not-needed')).toEqual([]);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(asked.filter(({ signed }) => !signed)).toHaveLength(1);
  });

  it('the checks work without a session', async () => {
    const { url } = await wallet(rightly(() => ({ status: 404, body: '{"code":"session_not_found"}' })));
    const checks = await look(url, { sessions: [] });
    expect(of(checks, 'key')?.state).toBe('good');
    expect(of(checks, 'session')).toEqual(check('session', 'not-tried', 'none'));
    expect(firstToFix(checks)).toBeNull();
  });
});

describe('connecting to the wallet', () => {
  it('a closed port is reported, and later checks are not tried', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const checks = await look(`http://127.0.0.1:${port}`);
    expect(firstToFix(checks)).toMatchObject({ name: 'tcp', state: 'unreachable' });
    const later = ['proxy', 'tls', 'http', 'redirects', 'latency', 'clock', 'key', 'session'] as const;
    expect(later.map((name) => of(checks, name)?.state)).toEqual(later.map(() => 'not-tried'));
    expect(of(checks, 'target')?.state).toBe('good');
  });

  it('a name without an address is reported', async () => {
    expect(firstToFix(await look('http://no-such-host.invalid'))).toMatchObject({
      name: 'resolution',
      state: 'unreachable',
    });
  });

  it.each([
    ['expired', 'operator.test', 'expired on'],
    ['self', 'operator.test', 'self-signed'],
    ['server', 'other.test', 'not for other.test'],
  ])('the fault of the test certificate "%s" for the host %s is reported', async (name, host, detail) => {
    const port = await rawServer(() => {}, identity(name));
    const wire = { ca: pem('ca.pem'), hostOverride: `127.0.0.1:${port}` };
    const checks = await look(`https://${host}`, { wire });
    expect(firstToFix(checks)).toMatchObject({ name: 'tls', state: 'bad', seen: expect.stringContaining(detail) });
    expect(of(checks, 'tcp')?.state).toBe('good');
  });

  it.each([
    ['a server that speaks only HTTP/2', 'server', { ALPNProtocols: ['h2'] }, 'HTTP/1.1'],
    ['a certificate of an unknown CA', 'server', {}, '--ca'],
    ['an expired certificate', 'expired', {}, 'Renew'],
  ])('doctor gives advice about %s', async (_, name, options, advice) => {
    const port = await rawServer(() => {}, { ...identity(name), ...options });
    const ca = advice === '--ca' ? {} : { ca: pem('ca.pem') };
    const checks = await look('https://operator.test', { wire: { ...ca, hostOverride: `127.0.0.1:${port}` } });
    expect(firstToFix(checks)).toMatchObject({ name: 'tls', advice: expect.stringContaining(advice) });
  });

  it('the days until the certificate expires are counted', async () => {
    const port = await rawServer(answering('HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n'), identity('server'));
    const wire = { ca: pem('ca.pem'), hostOverride: `127.0.0.1:${port}` };
    const now = await look('https://operator.test', { wire });
    expect(of(now, 'tls')).toMatchObject({ state: 'good', seen: expect.stringMatching(/expires in \d+ days/) });
    const late = Date.parse('2999-01-01');
    const then = await look('https://operator.test', { wire }, { time: () => late });
    expect(of(then, 'tls')).toMatchObject({ state: 'warn', seen: expect.stringMatching(/expired \d+ days ago/) });
  });

  it('a proxy that refuses the tunnel is reported', async () => {
    const port = await rawServer(answering('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'));
    const checks = await look('http://wallet.test', { wire: { proxy: `http://u:secret-word@127.0.0.1:${port}` } });
    expect(firstToFix(checks)).toMatchObject({ name: 'proxy', seen: expect.stringContaining('407') });
    expect(JSON.stringify(checks)).not.toContain('secret-word');
  });

  it('a silent proxy is reported as the cause', async () => {
    const port = await rawServer(() => {});
    const options = { deadlineMs: 200 };
    const checks = await look('http://wallet.test', { wire: { proxy: `http://127.0.0.1:${port}` } }, options);
    expect(firstToFix(checks)).toMatchObject({ name: 'proxy', state: 'unreachable' });
  });

  it('a server that needs https is reported', async () => {
    const port = await rawServer(() => {}, identity('server'));
    const checks = await look(`http://127.0.0.1:${port}`);
    expect(firstToFix(checks)).toMatchObject({ name: 'http', advice: expect.stringContaining('https:') });
  });

  it('an answer that is not HTTP is reported', async () => {
    const port = await rawServer((socket) => socket.once('data', () => socket.end('220 mail ready\r\n')));
    expect(firstToFix(await look(`http://127.0.0.1:${port}`))).toMatchObject({ name: 'http', state: 'bad' });
  });

  it('an answer in HTTP/1.0 is reported', async () => {
    const port = await rawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\n{"balance":"100.00"}')),
    );
    expect(of(await look(`http://127.0.0.1:${port}`), 'http')).toMatchObject({ state: 'warn' });
  });
});

describe('replies of the wallet', () => {
  it('redirects are not followed', async () => {
    const { url, asked } = await wallet(() => ({ status: 301, headers: { Location: '/v2/balance?sessionID=s-1' } }));
    const checks = await look(url);
    expect(firstToFix(checks)).toMatchObject({ name: 'redirects', state: 'bad' });
    expect(of(checks, 'redirects')?.advice).toContain(`${url}/v2`);
    expect(of(checks, 'key')?.state).toBe('not-tried');
    expect(asked).toHaveLength(2);
  });

  it('the replies show that the base URL ends with the path of a call', async () => {
    const { url } = await wallet(() => ({ status: 404, body: 'no such page' }));
    expect(firstToFix(await look(`${url}/balance`))).toMatchObject({ name: 'base-url', state: 'bad' });
  });

  it('an unknown path is suspected first if every session is answered 404 without a code', async () => {
    const { url } = await wallet(rightly(() => ({ status: 404, body: '{"message":"Not found"}' })));
    const sessions = [{ sessionID: 's-1' }, { sessionID: 's-2' }];
    const checks = await look(`${url}/walet`, { sessions });
    expect(firstToFix(checks)).toMatchObject({
      name: 'base-url',
      state: 'bad',
      seen: expect.stringContaining('may be wrong: for every session') as string,
    });
    expect(checks.find(({ name }) => name === 'key')?.seen).toBe(
      'a wrongly signed call is answered 401, and a correctly signed call is answered 404',
    );
    const known = await wallet(
      rightly(({ sessionID }) => (sessionID === 's-2' ? { status: 404, body: '{"message":"No session"}' } : has('50'))),
    );
    expect((await look(known.url, { sessions })).find(({ name }) => name === 'base-url')?.state).not.toBe('bad');
  });

  it('a path without a wallet is reported, whatever the status of the reply is', async () => {
    const { url } = await wallet(() => ({ status: 404, body: '{"statusCode":404,"message":"Cannot GET /balance"}' }));
    const checks = await look(url);
    expect(firstToFix(checks)).toMatchObject({ name: 'base-url', advice: expect.stringContaining('prefix') });
    expect(of(checks, 'key')?.state).toBe('not-tried');
    expect(of(checks, 'session')?.state).toBe('not-tried');
  });

  it.each([
    ['/eu/eu', (url: string) => `is then ${url}/eu`],
    ['//eu', () => 'Write only one slash'],
    ['/eu/', () => 'prefix'],
  ] as const)('the reply shows that %s is not the path of the wallet', async (path, advice) => {
    const { url } = await wallet(() => ({ status: 404, body: 'no such page' }));
    const checks = await look(`${url}${path}`);
    expect(firstToFix(checks)).toMatchObject({ name: 'base-url', advice: expect.stringContaining(advice(url)) });
  });

  it.each([
    ['/balance/?sessionID=s-1', 'paths: { balance: /balance/ }'],
    ['/login', 'login page'],
    ['https://other.test/v2/balance', 'base URL https://other.test/v2'],
  ])('doctor gives advice about a redirect to %s', async (location, advice) => {
    const { url } = await wallet(() => ({ status: 302, headers: { Location: location } }));
    expect(of(await look(url), 'redirects')).toMatchObject({ state: 'bad', advice: expect.stringContaining(advice) });
  });

  it('a gateway that does not reach the wallet is reported', async () => {
    const { url } = await wallet(() => ({ status: 502, body: '<h1>Bad gateway</h1>' }));
    const checks = await look(url);
    expect(firstToFix(checks)).toMatchObject({ name: 'http', seen: expect.stringContaining('502') });
    expect(of(checks, 'base-url')?.state).toBe('good');
    expect(of(checks, 'key')?.state).toBe('not-tried');
  });

  it('lost replies are reported with the latency', async () => {
    let calls = 0;
    const port = await rawServer((socket) =>
      socket.on('data', () => {
        calls += 1;
        const body = '{"balance":"100.00"}';
        if (calls % 2 === 1 || calls < 3)
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{');
      }),
    );
    expect(firstToFix(await look(`http://127.0.0.1:${port}`))).toMatchObject({ name: 'latency', state: 'bad' });
  });

  it('bodies that come 40 ms after their heads are reported with their cause', async () => {
    const port = await rawServer((socket) =>
      socket.on('data', () => {
        const body = '{"balance":"100.00"}';
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
        setTimeout(() => socket.write(body), 42);
      }),
    );
    expect(of(await look(`http://127.0.0.1:${port}`), 'latency')).toMatchObject({
      state: 'warn',
      seen: expect.stringContaining('waits until the client acknowledges the head'),
      advice: expect.stringContaining('TCP_NODELAY'),
    });
  });

  it('the difference of the clocks is reported', async () => {
    const date = new Date(Date.now() - 90_000).toUTCString();
    const { url } = await wallet(rightly(() => ({ ...has('100.00'), headers: { Date: date } })));
    expect(of(await look(url), 'clock')).toMatchObject({
      state: 'warn',
      seen: expect.stringMatching(/(89|90|91) s behind/),
    });
    const hour = new Date(Date.now() + 3_600_000).toUTCString();
    const zone = await wallet(rightly(() => ({ ...has('100.00'), headers: { Date: hour } })));
    expect(of(await look(zone.url), 'clock')).toMatchObject({
      seen: expect.stringContaining('(1 h) ahead'),
      advice: expect.stringContaining('GMT'),
    });
  });

  it.each([
    ['refuses the key', () => UNAUTHORIZED, 'bad', 'correctly signed call is answered 401'],
    ['accepts any signature', () => has('100.00'), 'bad', 'anybody'],
    [
      'refuses the call by its firewall',
      () => ({ status: 403, body: '<h1>Forbidden</h1>' }),
      'bad',
      '403 without a code',
    ],
    ['refuses with 400', ({ signed }: Asked) => (signed ? has('1.00') : { status: 400 }), 'warn', '400 instead of 401'],
    ['fails', () => ({ status: 500, body: '{"message":"oops"}' }), 'bad', 'answered 500'],
    [
      'needs a login',
      () => ({ status: 401, headers: { 'WWW-Authenticate': 'Basic realm="x"' } }),
      'bad',
      'with a request to log in',
    ],
  ] as const)('doctor recognises a wallet that %s', async (_, tell, state, seen) => {
    const { url } = await wallet(tell);
    const checks = await look(url);
    expect(of(checks, 'key')).toMatchObject({ state, seen: expect.stringContaining(seen) });
    expect(JSON.stringify(checks)).not.toContain(KEY);
  });
});

describe('checks of sessions', () => {
  it.each([
    ['is not known', 'USD', { status: 404, body: '{"code":"session_not_found"}' }, 'bad'],
    ['was closed', 'USD', { status: 403, body: '{"code":"session_expired"}' }, 'bad'],
    ['has no balance', 'USD', { status: 200, body: '{"ok":true,"message":"x"}' }, 'bad'],
    ['has a number for a balance', 'USD', { status: 200, body: '{"balance":100.5}' }, 'warn'],
    ['has less than a stake', 'USD', has('0.99'), 'bad'],
    ['has few stakes', 'USD', has('19.99'), 'warn'],
    ['has enough', 'USD', has('20.00'), 'good'],
    ['has decimals in yen', 'JPY', has('100000.00'), 'bad'],
    ['has an unknown currency', 'usd', has('100.00'), 'warn'],
    ['is in euros', 'USD', { status: 200, body: '{"balance":"100.00","currency":"EUR"}' }, 'bad'],
    ['has no currency', undefined, has('100.00'), 'warn'],
  ] as const)('doctor judges a session that %s (%s)', async (_, currency, told, state) => {
    const { url } = await wallet(rightly(() => told));
    const checks = await look(url, { sessions: [{ sessionID: 's-1', currency }] });
    expect(of(checks, 'key')?.state).toBe('good');
    expect(of(checks, 'session')).toMatchObject({ about: 's-1', state });
  });

  it('further sessions are not checked after several lost replies', async () => {
    let lost = 0;
    const { url } = await wallet(rightly(() => has('100.00')));
    const target = new URL(url);
    const port = await rawServer((socket) =>
      socket.on('data', (chunk) => {
        if (chunk.includes('gone')) {
          lost += 1;
          socket.destroy();
          return;
        }
        const through = net.connect(Number(target.port), target.hostname, () => through.write(chunk));
        through.on('data', (reply) => socket.write(reply));
        socket.once('close', () => through.destroy());
      }),
    );
    const sessions = ['s-1', 'gone-1', 'gone-2', 'gone-3', 'gone-4'].map((sessionID) => ({ sessionID }));
    const checks = await look(`http://127.0.0.1:${port}`, { sessions });
    const states = checks.filter(({ name }) => name === 'session').map(({ state }) => state);
    expect(states).toEqual(['warn', 'bad', 'bad', 'bad', 'not-tried']);
    expect(lost).toBeGreaterThanOrEqual(3);
  });

  it('each session is checked, and a session marked as expired must have expired', async () => {
    const expired: Told = { status: 403, body: '{"code":"session_expired"}' };
    const { url } = await wallet(rightly(({ sessionID }) => (sessionID === 'old' ? expired : has('100.00'))));
    const checks = await look(url, {
      sessions: [
        { sessionID: 'old', currency: 'USD', state: 'expired' },
        { sessionID: 's-1', currency: 'USD' },
      ],
    });
    expect(checks.filter(({ name }) => name === 'session').map(({ about, state }) => [about, state])).toEqual([
      ['old', 'good'],
      ['s-1', 'good'],
    ]);
  });
});

describe('the limit of the rate of calls', () => {
  it('is found with balance calls, and the advice has the value of the setting', async () => {
    let calls = 0;
    const { url } = await wallet(
      rightly(() => {
        calls += 1;
        return calls > 40 ? { status: 429, body: '{"message":"Too many requests"}' } : has('100.00');
      }),
    );
    expect(of(await look(url), 'rate')).toMatchObject({
      state: 'warn',
      seen: expect.stringMatching(/^\d+ of \d+ replies were 429: set `rate: 3\d`$/),
      advice: expect.stringMatching(/--rate 3\d or CROUPIER_RATE=3\d/),
    });
  });

  it('is not found if no call is refused', async () => {
    const { url } = await wallet(rightly(() => has('100.00')));
    expect(of(await look(url), 'rate')).toMatchObject({
      state: 'good',
      seen: expect.stringContaining('none was refused'),
    });
  });
});
