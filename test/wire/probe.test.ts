import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { probe } from '../../src/wire/probe.ts';
import { answering, get, ok, rawServer } from './raw-server.ts';

const pem = (name: string): string => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const identity = (name: string) => ({ key: pem(`${name}.key`), cert: pem(`${name}.pem`) });

describe('a probe', () => {
  test('reports the address and the first line of the reply', async () => {
    const port = await rawServer(answering('HTTP/1.0 204 Nothing\r\n\r\n'));
    const seen = await probe(get(`http://127.0.0.1:${port}/`), {});
    expect(seen).toMatchObject({ address: '127.0.0.1', secured: null, failure: null, resolved: false });
    expect(seen.statusLine).toBe('HTTP/1.0 204 Nothing');
    expect(seen.connectedMs).toBeGreaterThanOrEqual(0);
  });

  test('reports the protocol and the certificate chain of the server', async () => {
    const port = await rawServer(answering(ok('x')), identity('server'));
    const options = { ca: pem('ca.pem'), hostOverride: `127.0.0.1:${port}` };
    const { secured, statusLine } = await probe(get('https://operator.test/'), options);
    expect(secured?.protocol).toMatch(/^TLSv1\.[23]$/);
    expect(secured?.chain.length).toBeGreaterThanOrEqual(1);
    expect(secured?.problem).toBeNull();
    expect(new Date(secured?.expires ?? 0).getUTCFullYear()).toBeGreaterThan(2100);
    expect(statusLine).toMatch(/^HTTP\/1\.1 200/);
  });

  test('reports the problem of a certificate that is accepted nevertheless', async () => {
    const port = await rawServer(answering(ok('x')), identity('self'));
    const { secured } = await probe(get(`https://127.0.0.1:${port}/`), { insecureTls: true });
    expect(secured?.problem).toContain('SELF_SIGNED');
  });

  test('reports why there is no connection', async () => {
    const { failure, connectedMs, statusLine } = await probe(get('http://no-such-host.invalid/'), {});
    expect(failure).toMatchObject({ reason: 'unresolved' });
    expect([connectedMs, statusLine]).toEqual([null, null]);
  });

  test('ends after the deadline without a handshake or a reply', async () => {
    const port = await rawServer(() => {});
    const secure = await probe(get(`https://127.0.0.1:${port}/`), { deadlineMs: 60 });
    expect(secure.failure).toMatchObject({ reason: 'connect-timeout', detail: expect.stringContaining('TLS') });
    expect(secure.connectedMs).not.toBeNull();
    const plain = await probe(get(`http://127.0.0.1:${port}/`), { deadlineMs: 60 });
    expect(plain).toMatchObject({ failure: null, statusLine: null });
  });
});
