import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { overlapped } from '../../src/journal/exchange.ts';
import type { BuiltRequest } from '../../src/wire/request.ts';
import { answering, BODY, get, ok, onRequests, openWire, post, rawServer, reasonOf } from './raw-server.ts';

/** A server that records the chunks that arrive, and sends no reply. */
async function recorder() {
  const chunks: string[] = [];
  const closed = Promise.withResolvers<string>();
  const port = await rawServer((socket: net.Socket) => {
    socket.on('data', (chunk) => chunks.push(chunk.toString('latin1')));
    socket.once('close', () => closed.resolve(chunks.join('')));
  });
  return { url: `http://127.0.0.1:${port}/bet`, chunks, whenClosed: closed.promise };
}

describe('the bytes of a request', () => {
  test('are exactly the header names, order and query that were given, in one piece', async () => {
    const { url, chunks } = await recorder();
    const wire = openWire({ deadlineMs: 50 });
    const request: BuiltRequest = {
      ...post(`${url}?a=%61'(x)&b=+`),
      headers: [
        ['x-ReQuEsT-sIgN', ''],
        ['Host', 'elsewhere.test'],
        ['CONTENT-LENGTH', String(BODY.length)],
      ],
    };
    await wire.send({ request });
    expect(chunks).toEqual([
      `POST /bet?a=%61'(x)&b=+ HTTP/1.1\r\nx-ReQuEsT-sIgN: \r\nHost: elsewhere.test\r\nCONTENT-LENGTH: ${BODY.length}\r\n\r\n${BODY}`,
    ]);
  });

  test('have Host and Content-Length added if they were left out', async () => {
    const { url, chunks } = await recorder();
    await openWire({ deadlineMs: 50 }).send({ request: post(url) });
    const { host } = new URL(url);
    expect(chunks.join('')).toBe(
      `POST /bet HTTP/1.1\r\nHost: ${host}\r\nX-REQUEST-SIGN: abc\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
  });

  test.each([
    ['a line break in a header', (url: string) => ({ ...get(url), headers: [['X', 'a\r\nEvil: 1'] as const] })],
    ['a space in a header name', (url: string) => ({ ...get(url), headers: [['X Y', 'a'] as const] })],
    ['a space in the URL', (url: string) => get(`${url}?a b`)],
    ['another scheme', () => get('ftp://127.0.0.1/')],
  ])('are refused before any is sent if there is %s', async (_, make) => {
    const { url, chunks } = await recorder();
    expect(() => openWire().start({ request: make(url) })).toThrow(TypeError);
    expect(chunks).toEqual([]);
  });
});

describe('a held call', () => {
  test('has sent all bytes except the last one before its release', async () => {
    const { url, chunks, whenClosed } = await recorder();
    const pending = openWire({ deadlineMs: 60 }).start({ request: post(url), hold: true });
    await pending.ready;
    await sleep(120);
    expect(chunks.join('').endsWith(BODY.slice(0, -1))).toBe(true);
    pending.release();
    pending.release();
    expect(reasonOf((await pending.result).outcome)).toBe('too-late');
    expect((await whenClosed).endsWith(BODY)).toBe(true);
  });

  test.each(['before it is ready', 'once it is ready'])('is completed by a release %s', async (when) => {
    const port = await rawServer(answering(ok('x')));
    const pending = openWire().start({ request: get(`http://127.0.0.1:${port}/`), hold: true });
    if (when !== 'before it is ready') await pending.ready;
    pending.release();
    expect(reasonOf((await pending.result).outcome)).toBe(200);
  });

  test('overlaps with the calls that are released at the same time', async () => {
    const waiting: net.Socket[] = [];
    const port = await rawServer((socket) =>
      onRequests(socket, () => {
        waiting.push(socket);
        if (waiting.length === 8) for (const each of waiting) each.write(ok('x'));
      }),
    );
    const wire = openWire();
    const calls = Array.from({ length: 8 }, () =>
      wire.start({ request: post(`http://127.0.0.1:${port}/`), hold: true }),
    );
    await Promise.all(calls.map((pending) => pending.ready));
    expect(waiting).toEqual([]);
    for (const pending of calls) pending.release();
    const results = await Promise.all(calls.map((pending) => pending.result));
    expect(results.map(({ outcome }) => reasonOf(outcome))).toEqual(Array(8).fill(200));
    const [first, ...others] = results;
    for (const other of others) expect(first && overlapped(first.stamps, other.stamps)).toBe(true);
    expect(new Set(results.map(({ connection }) => connection?.id)).size).toBe(8);
  });

  test('is ready even if it failed', async () => {
    const port = await rawServer((socket) => socket.destroy());
    const pending = openWire().start({ request: post(`http://127.0.0.1:${port}/`), hold: true });
    await pending.ready;
    expect(reasonOf((await pending.result).outcome)).toBe('reset');
  });
});

describe('a broken call', () => {
  test.each([
    ['after the head', { at: 'head' } as const, '\r\n\r\n', true],
    ['after half of the body', { at: 'half-body' } as const, `\r\n\r\n${BODY.slice(0, BODY.length >> 1)}`, true],
    ['once it is sent', { at: 'sent', afterMs: 0 } as const, `\r\n\r\n${BODY}`, false],
    ['a while after it is sent', { at: 'sent', afterMs: 30 } as const, `\r\n\r\n${BODY}`, false],
  ])('is cut %s: the operator has exactly these bytes', async (_, breakAt, end, partial) => {
    const { url, whenClosed } = await recorder();
    const { outcome, stamps } = await openWire().send({ request: post(url), breakAt });
    expect(reasonOf(outcome)).toBe('broken');
    expect(stamps.sent === null).toBe(partial);
    const text = await whenClosed;
    expect(text.slice(text.indexOf('\r\n\r\n'))).toBe(end);
  });

  test('has its reply if that comes before the break', async () => {
    const port = await rawServer(answering(ok('x')));
    const breakAt = { at: 'sent', afterMs: 500 } as const;
    const { outcome } = await openWire().send({ request: post(`http://127.0.0.1:${port}/`), breakAt });
    expect(reasonOf(outcome)).toBe(200);
  });

  test('can be held before the break', async () => {
    const { url, whenClosed } = await recorder();
    const pending = openWire().start({ request: post(url), hold: true, breakAt: { at: 'sent', afterMs: 0 } });
    await pending.ready;
    pending.release();
    expect(reasonOf((await pending.result).outcome)).toBe('broken');
    expect((await whenClosed).endsWith(BODY)).toBe(true);
  });
});

test('a body sent in pieces arrives complete, and its gaps do not count for the deadline', async () => {
  const chunks: string[] = [];
  const port = await rawServer((socket) => {
    socket.on('data', (chunk) => chunks.push(chunk.toString()));
    onRequests(socket, () => socket.write(ok('x')));
  });
  const wire = openWire({ deadlineMs: 100 });
  const trickle = { pieces: 4, gapMs: 40 };
  const { outcome } = await wire.send({ request: post(`http://127.0.0.1:${port}/`), trickle });
  expect(reasonOf(outcome)).toBe(200);
  expect(chunks.length).toBe(5);
  expect(chunks.join('').endsWith(`\r\n\r\n${BODY}`)).toBe(true);
});
