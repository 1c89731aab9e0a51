import type net from 'node:net';
import { describe, expect, test } from 'vitest';
import { NO_REPLY_REASONS } from '../../src/journal/exchange.ts';
import { answering, detailOf, get, ok, onRequests, openWire, post, rawServer, reasonOf } from './raw-server.ts';

const whole = (act: (socket: net.Socket) => void) => (socket: net.Socket) => onRequests(socket, () => act(socket));

const endless = (socket: net.Socket): void => {
  const pour = (): void => {
    while (!socket.destroyed && socket.write('x'.repeat(10_000)));
  };
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.on('drain', pour);
    pour();
  });
};

const drip = (socket: net.Socket): void => {
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 10);
    socket.once('close', () => clearInterval(timer));
  });
};

async function resultOf(onSocket: (socket: net.Socket) => void, options = {}) {
  const port = await rawServer(onSocket);
  return await openWire(options).send({ request: post(`http://127.0.0.1:${port}/bet`) });
}

/** Sends the beginning of a reply whose end is the end of the connection, and then resets the connection. */
const reset = (reply: string) =>
  whole((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${reply}`, () =>
      setTimeout(() => socket.resetAndDestroy(), 20),
    );
  });

describe('a reply that ends with the connection', () => {
  test.each(['', '{"balance":"1'])('is incomplete if the connection is reset after %j', async (begun) => {
    const { outcome } = await resultOf(reset(begun));
    expect(reasonOf(outcome)).toBe('closed-early');
  });

  test('is complete if the connection is reset after the whole body', async () => {
    const { outcome } = await resultOf(reset('{"balance":"1.00"}'));
    expect(outcome).toMatchObject({ kind: 'reply', reply: { body: { data: '{"balance":"1.00"}' } } });
  });
});

describe('a reply', () => {
  test('has its headers in the order and letter case of the wire, and stamps in the order of the phases', async () => {
    const { outcome, stamps, connection } = await resultOf(
      answering('HTTP/1.1 401 No\r\nX-b: 1\r\nCONTENT-length: 2\r\nX-B: \xe9\r\n\r\nhi'),
    );
    expect(outcome).toEqual({
      kind: 'reply',
      reply: {
        status: 401,
        headers: [
          ['X-b', '1'],
          ['CONTENT-length', '2'],
          ['X-B', expect.any(String)],
        ],
        body: { encoding: 'utf8', data: 'hi', length: 2, truncated: false },
      },
    });
    expect(connection).toEqual({ id: 1, reused: false });
    const { start, resolved, connected, secured, sent, firstByte, end } = stamps;
    expect([resolved, secured]).toEqual([null, null]);
    const order = [start, connected, sent, firstByte, end].map(Number);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test.each([
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nX-T: 1\r\n\r\n',
      'abc',
    ],
    [
      'after 100 and 103',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok('abc')}`,
      'abc',
    ],
    ['that is a 204 without a body', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['that is a 304 without a body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', ''],
    ['that is a redirect', 'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n', ''],
    ['with a byte order mark', ok('\ufeff{}'), '\ufeff{}'],
  ])('%s is returned with its body', async (_, wire, body) => {
    const { outcome } = await resultOf(answering(wire));
    expect(outcome).toMatchObject({ kind: 'reply', reply: { body: { encoding: 'utf8', data: body } } });
  });

  test.each(['HTTP/1.0', 'HTTP/1.1'])('of %s that ends with its connection is complete', async (version) => {
    const { outcome } = await resultOf((socket) =>
      onRequests(socket, () => socket.end(`${version} 200 OK\r\n\r\nabc`)),
    );
    expect(outcome).toMatchObject({ kind: 'reply', reply: { status: 200, body: { data: 'abc' } } });
  });

  test('that is not UTF-8 is kept as base64', async () => {
    const { outcome } = await resultOf(
      answering(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'), Buffer.from([0xc3, 0x28])]),
      ),
    );
    expect(outcome).toMatchObject({ reply: { body: { encoding: 'base64', data: 'wyg=', length: 2 } } });
  });

  test('that comes before the end of the request is returned, and its connection is not used again', async () => {
    const port = await rawServer((socket) => socket.once('data', () => socket.write(ok('early'))));
    const wire = openWire();
    const url = `http://127.0.0.1:${port}/`;
    const { outcome, stamps } = await wire.start({ request: post(url), hold: true }).result;
    expect(reasonOf(outcome)).toBe(200);
    expect(stamps.sent).toBeNull();
    expect((await wire.send({ request: post(url) })).connection).toEqual({ id: 2, reused: false });
  });
});

describe('a call without a reply has the reason', () => {
  const headed = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n';

  test.each<[string, string, (socket: net.Socket) => void, { detail?: RegExp; head?: boolean }]>([
    ['reset', 'a connection closed without a reply', whole((socket) => socket.destroy()), {}],
    ['reset', 'a connection reset without a reply', whole((socket) => socket.resetAndDestroy()), {}],
    ['reset', 'a connection closed within the headers', whole((socket) => socket.end('HTTP/1.1 200 OK\r\nConte')), {}],
    ['closed-early', 'fewer bytes than announced', whole((socket) => socket.end(`${headed}abc`)), { head: true }],
    [
      'closed-early',
      'a chunked body without its end',
      whole((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nab'),
      ),
      { head: true },
    ],
    [
      'not-http',
      'another protocol',
      whole((socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n')),
      { detail: /"SSH-2\.0/ },
    ],
    ['not-http', 'TLS', whole((socket) => socket.write(Buffer.from([0x15, 3, 1, 0, 2, 2, 70]))), { detail: /https:/ }],
    ['not-http', 'control bytes, escaped', whole((socket) => socket.write('\x1b[2J')), { detail: /"\\x1b\[2J"/ }],
    [
      'not-http',
      'contradicting lengths',
      whole((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd')),
      {},
    ],
    [
      'not-http',
      'a switch of protocols',
      whole((socket) => socket.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')),
      {},
    ],
    [
      'too-large',
      'headers',
      whole((socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)),
      {},
    ],
    ['bad-encoding', 'unknown', answering(ok('abc', 'Content-Encoding: lzma\r\n')), { head: true, detail: /lzma/ }],
  ])('%s after %s', async (reason, _, onSocket, { detail, head }) => {
    const { outcome, connection } = await resultOf(onSocket);
    expect(reasonOf(outcome)).toBe(reason);
    expect(NO_REPLY_REASONS).toContain(reason);
    expect(detailOf(outcome)).toMatch(detail ?? /\w/);
    expect('head' in outcome).toBe(head ?? false);
    expect(connection).not.toBeNull();
  });

  test('too-large after a body without an end', async () => {
    const { outcome } = await resultOf(endless, { maxReplyBytes: 100_000 });
    expect(outcome).toMatchObject({ kind: 'none', reason: 'too-large', head: { status: 200 } });
  });

  test('aborted if the wire is closed during the call or before it', async () => {
    const port = await rawServer(() => {});
    const wire = openWire();
    const request = post(`http://127.0.0.1:${port}/`);
    const pending = wire.start({ request });
    await pending.ready;
    await wire.close();
    expect(reasonOf((await pending.result).outcome)).toBe('aborted');
    expect(reasonOf((await wire.send({ request })).outcome)).toBe('aborted');
  });
});

describe('the deadline', () => {
  test('counts from the last byte of the request if no byte arrives', async () => {
    const { outcome, stamps } = await resultOf(() => {}, { deadlineMs: 60 });
    expect(outcome).toMatchObject({ reason: 'too-late', detail: expect.stringContaining('nothing had arrived') });
    expect('head' in outcome).toBe(false);
    expect(stamps.end - Number(stamps.sent)).toBeGreaterThanOrEqual(59);
  });

  test('ends a call whose body drips, and the result has the head of the reply', async () => {
    const { outcome } = await resultOf(drip, { deadlineMs: 80 });
    expect(outcome).toMatchObject({ reason: 'too-late', head: { status: 200, headers: [['Content-Length', '1000']] } });
  });

  test('can be set for one call', async () => {
    const port = await rawServer((socket) => onRequests(socket, () => setTimeout(() => socket.write(ok('x')), 100)));
    const wire = openWire({ deadlineMs: 40 });
    const request = get(`http://127.0.0.1:${port}/`);
    expect(reasonOf((await wire.send({ request })).outcome)).toBe('too-late');
    expect(reasonOf((await wire.send({ request, deadlineMs: 2000 })).outcome)).toBe(200);
  });

  test('of sending gives a transport error', async () => {
    const port = await rawServer((socket) => socket.pause());
    const request = post(`http://127.0.0.1:${port}/`, 'x'.repeat(20_000_000));
    const { outcome, stamps } = await openWire({ deadlineMs: 100 }).send({ request });
    expect(reasonOf(outcome)).toBe('send-timeout');
    expect(stamps.sent).toBeNull();
  });
});
