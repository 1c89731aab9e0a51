import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Wire } from '../../src/wire/wire.ts';
import { get, ok, onRequests, openWire, post, rawServer, reasonOf } from './raw-server.ts';

const PLAIN = ok('{"balance":"1.00"}', 'Content-Type: application/json\r\n');
const PLAIN_HEAD = PLAIN.slice(0, PLAIN.indexOf('{'));

/** Calls after which the head of {@link PLAIN} is known, and the wire reads such a reply itself. */
const WARM_UP = 3;

/** Starts a server that answers the given number of calls with {@link PLAIN}, and each further call by `answer`. */
function server(plain: number, answer: (socket: net.Socket) => void): Promise<number> {
  let calls = 0;
  return rawServer((socket) =>
    onRequests(socket, () => {
      calls += 1;
      if (calls <= plain) socket.write(PLAIN);
      else answer(socket);
    }),
  );
}

async function warmUp(wire: Wire, url: string): Promise<void> {
  for (let i = 0; i < WARM_UP; i += 1) {
    const { outcome, connection } = await wire.send({ request: i % 2 === 0 ? get(url) : post(url) });
    expect(outcome).toMatchObject({ kind: 'reply', reply: { status: 200, body: { data: '{"balance":"1.00"}' } } });
    expect(connection?.id).toBe(1);
  }
}

/** Sends the parts of an answer with a short time between them. */
const pieces =
  (...parts: readonly (string | Uint8Array)[]) =>
  (socket: net.Socket): void => {
    for (const [index, part] of parts.entries()) setTimeout(() => socket.write(part), index * 20);
  };

describe('a reply after a known head is read as on a new connection:', () => {
  test.each<readonly [string, (socket: net.Socket) => void]>([
    ['the same head', pieces(PLAIN)],
    ['the same head with another body of the same length', pieces(PLAIN.replace('1.00', '2.50'))],
    ['the same head with text that is not ASCII', pieces(`${PLAIN_HEAD}{"balance":"1.0é"`)],
    ['the same head with bytes that are no UTF-8', pieces(Buffer.from(PLAIN.replace('1.00', '1.0\xff'), 'latin1'))],
    ['the head and the body in two pieces', pieces(PLAIN_HEAD, '{"balance":"1.00"}')],
    ['the head in two pieces', pieces(PLAIN.slice(0, 30), PLAIN.slice(30))],
    ['a body that arrives later byte by byte', pieces(`${PLAIN_HEAD}{`, '"balance"', ':"1.00"', '}')],
    ['another head', pieces(ok('{"balance":"1.00"}', 'Set-Cookie: a=1\r\n'))],
    ['another status', pieces(PLAIN.replace('200 OK', '409 Conflict'))],
    ['another length', pieces(ok('{}', 'Content-Type: application/json\r\n'))],
    ['a length that is too short', pieces(PLAIN.replace('Length: 18', 'Length: 17'))],
    ['an interim reply', pieces(`HTTP/1.1 100 Continue\r\n\r\n${PLAIN}`)],
    ['an interim reply, some time before', pieces('HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n', PLAIN)],
    ['a body that looks like a reply', pieces(`HTTP/1.1 200 OK\r\nContent-Length: ${PLAIN.length}\r\n\r\n`, PLAIN)],
    ['an empty line before', pieces(`\r\n${PLAIN}`)],
    ['a chunked body', pieces('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n')],
    ['a body until the end', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{}')],
    ['HTTP/1.0', (socket) => socket.end('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}')],
    ['no content', pieces('HTTP/1.1 204 No Content\r\n\r\n')],
    ['the known head, and then the end', (socket) => socket.end(PLAIN)],
    ['the known head with a cut body, and then the end', (socket) => socket.end(PLAIN.slice(0, -4))],
    ['a closing connection', (socket) => socket.end(ok('{}', 'Connection: close\r\n'))],
    ['other bytes', pieces('SSH-2.0-OpenSSH\r\n')],
    ['two replies at once', pieces(PLAIN + PLAIN)],
    ['an unknown coding', pieces(ok('{}', 'Content-Encoding: zip\r\n'))],
  ])('%s', async (_, answer) => {
    const wire = openWire();
    const url = `http://127.0.0.1:${await server(WARM_UP, answer)}/`;
    await warmUp(wire, url);
    const reused = await wire.send({ request: post(url) });
    const fresh = openWire();
    const other = await fresh.send({ request: post(`http://127.0.0.1:${await server(0, answer)}/`) });
    expect(reused.connection).toEqual({ id: 1, reused: true });
    // Only bytes that are no reply are blamed on the earlier call over a reused connection.
    if (reasonOf(other.outcome) === 'not-http') expect(reasonOf(reused.outcome)).toBe('stale-connection');
    else expect(reused.outcome).toEqual(other.outcome);
    expect(reused.stamps.firstByte === null).toBe(other.stamps.firstByte === null);
  });
});

test('a head is known for all connections of a wire, and each call keeps its own body', async () => {
  let count = 0;
  const port = await rawServer((socket) =>
    onRequests(socket, () => {
      count += 1;
      socket.write(ok(`{"balance":"${String(count).padStart(4, '0')}"}`));
    }),
  );
  const wire = openWire();
  const seen = new Set<string>();
  const run = async (): Promise<void> => {
    for (let i = 0; i < 50; i += 1) {
      const { outcome } = await wire.send({ request: get(`http://127.0.0.1:${port}/`) });
      if (outcome.kind === 'reply') seen.add(outcome.reply.body.data);
    }
  };
  await Promise.all([run(), run(), run()]);
  expect(seen.size).toBe(150);
});

test.each<readonly [string, string, (socket: net.Socket) => void]>([
  ['is closed', 'stale-connection', (socket) => socket.end()],
  ['is reset', 'stale-connection', (socket) => socket.resetAndDestroy()],
  ['stays silent', 'too-late', () => {}],
])('a connection that %s instead of a reply after a known head gives the reason %s', async (_, reason, answer) => {
  const wire = openWire({ deadlineMs: 200 });
  const url = `http://127.0.0.1:${await server(WARM_UP, answer)}/`;
  await warmUp(wire, url);
  const { outcome, connection } = await wire.send({ request: post(url) });
  expect(reasonOf(outcome)).toBe(reason);
  expect(connection).toEqual({ id: 1, reused: true });
});

test('bytes after a reply with a known head are noticed, and no later call gets them', async () => {
  const noticed: string[] = [];
  const wire = openWire({ onExcess: (when) => noticed.push(when) });
  const url = `http://127.0.0.1:${await server(WARM_UP, pieces(PLAIN, ok('stale')))}/`;
  await warmUp(wire, url);
  await wire.send({ request: post(url) });
  while (noticed.length === 0) await sleep(5);
  expect(noticed).toEqual(['late']);
  const { outcome, connection } = await wire.send({ request: post(url) });
  expect(outcome).toMatchObject({ kind: 'reply', reply: { body: { data: '{"balance":"1.00"}' } } });
  expect(connection).toEqual({ id: 2, reused: false });
});

test('a connection that the server closes while it is idle after a known head is replaced', async () => {
  const wire = openWire();
  const url = `http://127.0.0.1:${await server(WARM_UP - 1, (socket) => socket.end(PLAIN))}/`;
  await warmUp(wire, url);
  await sleep(50);
  const { outcome, connection } = await wire.send({ request: post(url) });
  expect(reasonOf(outcome)).toBe(200);
  expect(connection).toEqual({ id: 2, reused: false });
});

test('a connection that is idle for too long after a known head is closed, and replaced', async () => {
  const closed: number[] = [];
  const port = await rawServer((socket) => {
    socket.once('close', () => closed.push(1));
    onRequests(socket, () => socket.write(PLAIN));
  });
  const wire = openWire({ keepAliveMs: 50 });
  await warmUp(wire, `http://127.0.0.1:${port}/`);
  while (closed.length === 0) await sleep(5);
  const { connection } = await wire.send({ request: post(`http://127.0.0.1:${port}/`) });
  expect(connection).toEqual({ id: 2, reused: false });
});

test('a held call after a known head is sent when it is released', async () => {
  const wire = openWire();
  const url = `http://127.0.0.1:${await server(Number.POSITIVE_INFINITY, () => {})}/`;
  await warmUp(wire, url);
  const call = wire.start({ request: post(url), hold: true });
  await call.ready;
  call.release();
  const { outcome, stamps, connection } = await call.result;
  expect(reasonOf(outcome)).toBe(200);
  expect(stamps.sent).not.toBeNull();
  expect(connection).toEqual({ id: 1, reused: true });
});

test('bytes that arrive directly before a call are noticed, and the call gets a new connection', async () => {
  const sockets: net.Socket[] = [];
  const port = await rawServer((socket) => {
    sockets.push(socket.setNoDelay());
    onRequests(socket, () => socket.write(PLAIN));
  });
  const noticed: string[] = [];
  const wire = openWire({ onExcess: (when) => noticed.push(when) });
  const url = `http://127.0.0.1:${port}/`;
  await warmUp(wire, url);
  // After a timer, the event loop reads from the sockets before it writes the call.
  await sleep(5);
  sockets[0]?.write(ok('stale'));
  const { outcome, connection } = await wire.send({ request: post(url) });
  expect(outcome).toMatchObject({ kind: 'reply', reply: { body: { data: '{"balance":"1.00"}' } } });
  expect(connection).toEqual({ id: 2, reused: false });
  expect(noticed).toEqual(['late']);
});

test('the headers of a known head are read once', async () => {
  const wire = openWire();
  const url = `http://127.0.0.1:${await server(Number.POSITIVE_INFINITY, () => {})}/`;
  await warmUp(wire, url);
  const [one, other] = [await wire.send({ request: get(url) }), await wire.send({ request: post(url) })];
  if (one.outcome.kind === 'none' || other.outcome.kind === 'none') throw new Error('no reply');
  expect(one.outcome.reply.headers).toEqual([
    ['Content-Length', '18'],
    ['Content-Type', 'application/json'],
  ]);
  expect(other.outcome.reply.headers).toBe(one.outcome.reply.headers);
});
