import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectFailure } from '../../src/wire/failure.ts';
import { answering, detailOf, get, ok, onRequests, openWire, post, rawServer, reasonOf } from './raw-server.ts';

const pem = (name: string): string => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const ca = pem('ca.pem');
const identity = (name: string) => ({ key: pem(`${name}.key`), cert: pem(`${name}.pem`) });

async function unusedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
}

describe('a connection that cannot be made has the reason', () => {
  test('refused if no server listens at the port', async () => {
    const { outcome, connection } = await openWire().send({ request: get(`http://127.0.0.1:${await unusedPort()}/`) });
    expect(reasonOf(outcome)).toBe('refused');
    expect(detailOf(outcome)).toContain('Nothing listens at 127.0.0.1:');
    expect(connection).toBeNull();
  });

  test('unresolved if the host name has no address', async () => {
    const { outcome } = await openWire().send({ request: get('http://no-such-host.invalid/') });
    expect(reasonOf(outcome)).toBe('unresolved');
    expect(detailOf(outcome)).toContain('no-such-host.invalid');
  });

  test('that this machine has no more open files, which is no fault of the operator', () => {
    const { reason, message } = connectFailure(Object.assign(new Error('x'), { code: 'EMFILE' }), 'h:1');
    expect(reason).toBe('unreachable');
    expect(message).toContain('This is not a fault of the operator. Raise the limit of open files');
  });

  test('unreachable if the system has no route', async () => {
    const { outcome } = await openWire().send({ request: get('http://255.255.255.255/') });
    expect(reasonOf(outcome)).toBe('unreachable');
  });

  test('connect-timeout after a TLS handshake that never ends', async () => {
    const port = await rawServer(() => {});
    const { outcome, stamps } = await openWire({ deadlineMs: 60 }).send({ request: get(`https://127.0.0.1:${port}/`) });
    expect(reasonOf(outcome)).toBe('connect-timeout');
    expect(detailOf(outcome)).toContain('TLS');
    expect(stamps.connected).not.toBeNull();
    expect(stamps.sent).toBeNull();
  });
});

describe('TLS', () => {
  test('works with a configured CA and a host override, with the name of the URL in SNI and Host', async () => {
    let asked = '';
    const port = await rawServer((socket) => {
      onRequests(socket, (text) => {
        asked = `${socket instanceof tls.TLSSocket ? socket.servername : ''} ${/Host: (.*)\r/.exec(text)?.[1]}`;
        socket.write(ok('x'));
      });
    }, identity('server'));
    const wire = openWire({ ca, hostOverride: `127.0.0.1:${port}` });
    const { outcome, stamps } = await wire.send({ request: post('https://operator.test/bet') });
    expect(reasonOf(outcome)).toBe(200);
    expect(asked).toBe('operator.test operator.test');
    expect(Number(stamps.secured)).toBeGreaterThanOrEqual(Number(stamps.connected));
    expect((await wire.send({ request: post('https://operator.test/bet') })).connection?.reused).toBe(true);
  });

  test.each([
    ['expired', 'operator.test', /expired on Jan +1 00:00:00 2021/],
    ['self', 'operator.test', /self-signed/],
    ['server', 'other.test', /is for operator\.test, localhost, not for other\.test/],
  ])('names the problem of the certificate "%s" for %s, before any byte is sent', async (name, host, detail) => {
    const received: string[] = [];
    const port = await rawServer(
      (socket) => socket.on('data', (chunk) => received.push(String(chunk))),
      identity(name),
    );
    const options = { ca, hostOverride: `127.0.0.1:${port}`, deadlineMs: 2000 };
    const { outcome } = await openWire(options).send({ request: post(`https://${host}/`) });
    expect(reasonOf(outcome)).toBe('tls');
    expect(detailOf(outcome)).toMatch(detail);
    expect(received).toEqual([]);
  });

  test('refuses an unknown CA, except with insecureTls', async () => {
    const port = await rawServer(answering(ok('x')), identity('server'));
    const request = post(`https://localhost:${port}/`);
    const { outcome } = await openWire({ hostOverride: '127.0.0.1' }).send({ request });
    expect(reasonOf(outcome)).toBe('tls');
    expect(detailOf(outcome)).toMatch(/not know the issuer/);
    expect(reasonOf((await openWire({ hostOverride: '127.0.0.1', insecureTls: true }).send({ request })).outcome)).toBe(
      200,
    );
  });

  test('fails with a server that does not use TLS', async () => {
    const port = await rawServer(answering('HTTP/1.1 400 Bad\r\n\r\n'));
    const { outcome } = await openWire({ deadlineMs: 1000 }).send({ request: get(`https://127.0.0.1:${port}/`) });
    expect(reasonOf(outcome)).not.toBe(200);
  });

  test('sends the client certificate', async () => {
    const secure = { ...identity('server'), ca, requestCert: true, rejectUnauthorized: true };
    const names: string[] = [];
    const port = await rawServer((socket) => {
      if (socket instanceof tls.TLSSocket) names.push(String(socket.getPeerCertificate().subject?.CN));
      answering(ok('x'))(socket);
    }, secure);
    const base = { ca, hostOverride: `127.0.0.1:${port}` };
    const request = post('https://operator.test/');
    expect(reasonOf((await openWire({ ...base, ...identity('client') }).send({ request })).outcome)).toBe(200);
    expect(names).toEqual(['croupier test client']);
    // A Node server closes the connection of a client without a certificate only after the handshake.
    expect(reasonOf((await openWire(base).send({ request })).outcome)).toBe('reset');
  });
});

async function proxy(status = 200) {
  const connects: string[] = [];
  const server = http.createServer();
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('connect', (request, socket) => {
    connects.push(`${request.url} ${request.headers['proxy-authorization'] ?? '-'}`);
    sockets.add(socket);
    socket.on('error', () => {});
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1]);
    const onward = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: address !== null && typeof address === 'object' ? address.port : 0, connects };
}

describe('a proxy', () => {
  test.each(['http', 'https'])('opens a tunnel to %s, with credentials', async (scheme) => {
    const { port, connects } = await proxy();
    const target = await rawServer(answering(ok('x')), scheme === 'https' ? identity('server') : undefined);
    const wire = openWire({ ca, proxy: `http://me:p%40ss@127.0.0.1:${port}` });
    const { outcome, stamps } = await wire.send({ request: post(`${scheme}://localhost:${target}/`) });
    expect(reasonOf(outcome)).toBe(200);
    expect(stamps.connected).not.toBeNull();
    expect(connects).toEqual([`localhost:${target} Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
  });

  test('that refuses or does not exist gives a transport error without the password', async () => {
    const { port } = await proxy(407);
    const refused = await openWire({ proxy: `http://me:secret@127.0.0.1:${port}` }).send({
      request: get('http://x.test/'),
    });
    expect(reasonOf(refused.outcome)).toBe('proxy');
    expect(detailOf(refused.outcome)).toContain('407');
    expect(detailOf(refused.outcome)).not.toContain('secret');
    const gone = await openWire({ proxy: `http://127.0.0.1:${await unusedPort()}` }).send({
      request: get('http://x.test/'),
    });
    expect(reasonOf(gone.outcome)).toBe('proxy');
  });

  test.each([
    ['one byte', 'x'],
    ['a line end', '\r\n'],
    ['a reply', ok('{"balance":"1.00"}')],
    ['zeros', '\0'.repeat(100_000)],
  ])('that sends %s after its answer to CONNECT is a transport error', async (_, behind) => {
    const port = await rawServer((socket) =>
      onRequests(socket, () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${behind}`)),
    );
    for (const scheme of ['http', 'https']) {
      const wire = openWire({ proxy: `http://127.0.0.1:${port}`, deadlineMs: 2000 });
      const { outcome } = await wire.send({ request: get(`${scheme}://localhost:1/`) });
      expect(reasonOf(outcome)).toBe('proxy');
      expect(detailOf(outcome)).toMatch(/sent \d+ bytes after its answer to CONNECT localhost:1\./);
    }
  });

  test('whose server speaks before it is asked is no operator', async () => {
    const target = await rawServer((socket) => socket.write('220 ready\r\n'));
    const port = await rawServer((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        setTimeout(() => socket.pipe(net.connect(target, '127.0.0.1')).pipe(socket), 20);
      }),
    );
    const { outcome } = await openWire({ proxy: `http://127.0.0.1:${port}`, deadlineMs: 2000 }).send({
      request: get('http://localhost:1/'),
    });
    expect(reasonOf(outcome)).toBe('not-http');
  });
});

test.each([
  [{ proxy: 'socks5://h:1' }, 'proxy'],
  [{ proxy: 'user:secret@h' }, 'proxy'],
  [{ hostOverride: 'http://h' }, 'host:port'],
  [{ hostOverride: 'h:99999' }, 'host:port'],
  [{ cert: pem('client.pem') }, 'private key'],
  [{ cert: 'no', key: 'no' }, 'PEM'],
])('invalid options of a wire are refused at once: %j', (options, words) => {
  let message = '';
  try {
    openWire(options);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain(words);
  expect(message).not.toContain('secret');
});
