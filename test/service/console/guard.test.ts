import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PageService, startPages, TOKEN } from '../page-service.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'croupier-pages-'));
beforeAll(() => {
  for (const file of ['game.html', 'game.js', 'game.css', 'icon.svg', 'console.html', 'console.js', 'console.css']) {
    writeFileSync(path.join(dir, file), file);
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request with exactly the given headers. `fetch` would not allow to set the Host header. */
function ask(
  service: PageService,
  address: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${service.url}${address}`,
      { method: body === undefined ? 'GET' : 'POST', headers, agent: false },
      (incoming) => {
        let text = '';
        const done = (): void => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
          incoming.destroy();
        };
        incoming.on('data', (chunk) => {
          text += String(chunk);
          if (incoming.headers['content-type']?.startsWith('text/event-stream')) done();
        });
        incoming.on('end', done);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const KEY = { Authorization: `Bearer ${TOKEN}` };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FAULT = JSON.stringify({ call: 'bet', kind: 'drop', gsID: null });

describe('the console', () => {
  it('opens only with its complete address', async () => {
    const service = await startPages(dir);
    const page = await ask(service, `/console/?token=${TOKEN}`);
    expect(page).toMatchObject({ status: 200, text: 'console.html' });
    expect(page.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(/default-src 'none';.*frame-ancestors 'none'/),
    });
    expect(page.headers).not.toHaveProperty('set-cookie');
    for (const query of ['', '?token=', `?token=${TOKEN}x`, `?token=${TOKEN.slice(1)}`, `?other=${TOKEN}`]) {
      const { status, text } = await ask(service, `/console/${query}`);
      expect({ query, status }).toEqual({ query, status: 401 });
      expect(text).not.toContain(TOKEN);
    }
    expect(await ask(service, `/console?token=${TOKEN}`)).toMatchObject({
      status: 308,
      headers: { location: `/console/?token=${TOKEN}` },
    });
  });

  it.each(['events', 'exchange?id=1'])('refuses a request without its token: %s', async (what) => {
    const service = await startPages(dir);
    service.launched();
    await service.parts.play.balance(service.launched());
    expect(await ask(service, `/console/api/${what}`, KEY)).toMatchObject({ status: 200 });
    for (const headers of [
      {},
      { Authorization: TOKEN },
      { Authorization: `Bearer x${TOKEN}` },
      { Cookie: `token=${TOKEN}` },
    ]) {
      expect(await ask(service, `/console/api/${what}`, { ...headers })).toMatchObject({ status: 401 });
    }
    expect(await ask(service, `/console/api/${what}${what.includes('?') ? '&' : '?'}token=${TOKEN}`)).toMatchObject({
      status: 401,
    });
  });

  it('refuses requests from pages of other sites, even with the token', async () => {
    const service = await startPages(dir);
    const { host, port } = new URL(service.url);
    const act = async (headers: Record<string, string>) =>
      (await ask(service, '/console/api/faults', { ...KEY, ...JSON_TYPE, ...headers }, FAULT)).status;
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://localhost:${port}` },
      { Origin: 'http://127.0.0.1:1' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Host: 'evil.example' },
      { Host: `evil.example:${port}` },
      { Host: `127.0.0.1.evil.example:${port}` },
      { Host: '127.0.0.1:1' },
      { Host: '127.0.0.1' },
      { Authorization: 'Bearer no' },
    ]) {
      expect({ headers, status: await act(headers) }).toEqual({
        headers,
        status: 'Authorization' in headers ? 401 : 403,
      });
    }
    expect(await act({ 'Content-Type': 'text/plain' })).toBe(415);
    expect(service.parts.faults.pending).toEqual([]);
    expect(await act({ Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
    expect(await act({ Host: `localhost:${port}` })).toBe(200);
    expect(service.parts.faults.pending).toHaveLength(2);
  });

  it('is not served under another host name that resolves to this machine', async () => {
    const service = await startPages(dir);
    for (const address of [`/console/?token=${TOKEN}`, '/console/console.js', '/console']) {
      expect(await ask(service, address, { Host: 'evil.example' })).toMatchObject({ status: 403 });
    }
  });

  it('is served under its public address only if it listens for other machines', async () => {
    const publicUrl = 'https://ci.acme.example/croupier';
    // This name of the loopback address is none that the service knows as loopback.
    const open = await startPages(dir, { host: '::ffff:127.0.0.1', publicUrl });
    const closed = await startPages(dir, { publicUrl });
    const page = async (service: PageService, headers: Record<string, string>) =>
      (await ask(service, `/console/?token=${TOKEN}`, headers)).status;
    const Host = 'ci.acme.example';
    expect([await page(open, { Host }), await page(closed, { Host })]).toEqual([200, 403]);
    expect([await page(open, {}), await page(open, { Host: 'evil.example' })]).toEqual([200, 403]);
    const refusal = await ask(open, '/console/', { Host });
    expect(refusal).toMatchObject({ status: 401, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(refusal.text).toContain('The token in the address is missing or wrong.');
    const act = async (headers: Record<string, string>) =>
      (await ask(open, '/console/api/faults', { ...KEY, ...JSON_TYPE, ...headers }, FAULT)).status;
    expect([
      await act({ Host, Origin: `https://${Host}` }),
      await act({ Host, Origin: `http://${Host}` }),
      await act({ Host, Origin: 'https://evil.example' }),
    ]).toEqual([200, 403, 403]);
  });

  it('allows no other page to read anything', async () => {
    const service = await startPages(dir);
    for (const headers of [{}, { Origin: 'https://evil.example' }]) {
      const { headers: answered } = await ask(service, '/console/api/exchange?id=1', { ...KEY, ...headers });
      expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('does not exist when it is not configured', async () => {
    const service = await startPages(dir, { hasConsole: false });
    expect(await ask(service, `/console/?token=${TOKEN}`)).toMatchObject({ status: 404 });
    expect(await ask(service, '/game')).toMatchObject({ status: 200 });
  });
});
