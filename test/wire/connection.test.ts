import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { answering, ok, onRequests, openWire, post, rawServer, reasonOf } from './raw-server.ts';

test('a connection is kept open and used by the next call', async () => {
  const port = await rawServer(answering(ok('x')));
  const wire = openWire();
  const request = post(`http://127.0.0.1:${port}/`);
  const seen = [];
  for (let i = 0; i < 3; i += 1) seen.push((await wire.send({ request })).connection);
  expect(seen).toEqual([
    { id: 1, reused: false },
    { id: 1, reused: true },
    { id: 1, reused: true },
  ]);
  expect((await wire.send({ request, freshConnection: true })).connection).toEqual({ id: 2, reused: false });
});

test.each([
  ['if keep-alive is off', { keepAlive: false }, ''],
  ['if it was idle for too long', { keepAliveMs: 5 }, ''],
  ['if the server sent Connection: close', {}, 'Connection: close\r\n'],
  ['if the server announced a timeout of one second', {}, 'Keep-Alive: timeout=1\r\n'],
])('a connection is not used again %s', async (_, options, headers) => {
  const port = await rawServer(answering(ok('x', headers)));
  const wire = openWire(options);
  const request = post(`http://127.0.0.1:${port}/`);
  await wire.send({ request });
  await sleep(20);
  const { connection, outcome } = await wire.send({ request });
  expect(reasonOf(outcome)).toBe(200);
  expect(connection).toEqual({ id: 2, reused: false });
});

test('a call on a reused connection that the server closes has the reason stale-connection', async () => {
  let served = 0;
  const port = await rawServer((socket) =>
    onRequests(socket, () => {
      served += 1;
      if (served === 1) socket.write(ok('x'));
      else socket.destroy();
    }),
  );
  const wire = openWire();
  const request = post(`http://127.0.0.1:${port}/`);
  await wire.send({ request });
  const { outcome, connection } = await wire.send({ request });
  expect(reasonOf(outcome)).toBe('stale-connection');
  expect(connection).toEqual({ id: 1, reused: true });
});

test('an idle connection that the server has closed is replaced by a new one', async () => {
  const port = await rawServer((socket) => onRequests(socket, () => socket.end(ok('x'))));
  const wire = openWire();
  const request = post(`http://127.0.0.1:${port}/`);
  for (let i = 0; i < 5; i += 1) {
    const { outcome, connection } = await wire.send({ request });
    expect(reasonOf(outcome)).toBe(200);
    expect(connection?.reused).toBe(false);
    await sleep(50);
  }
});

test('a server that closes idle connections at once gets no reason except stale-connection', {
  timeout: 30_000,
}, async () => {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  server.keepAliveTimeout = 1;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const wire = openWire();
  const request = post(`http://127.0.0.1:${port}/`);
  const seen = new Map<string | number, number>();
  const run = async (): Promise<void> => {
    for (let i = 0; i < 500; i += 1) {
      const reason = reasonOf((await wire.send({ request })).outcome);
      seen.set(reason, (seen.get(reason) ?? 0) + 1);
      if (i % 20 === 0) await sleep(i % 3);
    }
  };
  await Promise.all([run(), run(), run(), run()]);
  const attributed = [...seen.keys()].filter((reason) => reason !== 200 && reason !== 'stale-connection');
  expect(attributed).toEqual([]);
  expect(seen.get(200)).toBeGreaterThan(1900);
});

test.each([
  ['the reply', 'with-reply', (reply: string, more: string) => [reply + more]],
  ['the reply, some time later', 'late', (reply: string, more: string) => [reply, more]],
] as const)('bytes behind %s are noticed, and no later call gets them', async (_, when, parts) => {
  const port = await rawServer((socket) =>
    onRequests(socket, () => {
      const [first = '', ...later] = parts(ok('first'), ok('stale'));
      socket.write(first);
      for (const more of later) setTimeout(() => socket.write(more), 5);
    }),
  );
  const noticed: string[] = [];
  const wire = openWire({ onExcess: (what) => noticed.push(what) });
  const request = post(`http://127.0.0.1:${port}/`);
  const { outcome } = await wire.send({ request });
  expect(outcome).toMatchObject({ kind: 'reply', reply: { body: { data: 'first' } } });
  expect(outcome.kind === 'reply' && outcome.reply.excessBytes).toBe(when === 'late' ? undefined : ok('stale').length);
  while (noticed.length === 0) await sleep(5);
  const next = await wire.send({ request });
  expect(next.outcome).toMatchObject({ kind: 'reply', reply: { body: { data: 'first' } } });
  expect(next.connection).toEqual({ id: 2, reused: false });
  expect(noticed[0]).toBe(when);
});

test('bytes that arrive within the next call are no fault of this call', async () => {
  let calls = 0;
  const port = await rawServer((socket) =>
    onRequests(socket, () => {
      calls += 1;
      socket.write(calls === 1 ? ok('x') : `the rest of the first reply${ok('y')}`);
    }),
  );
  const noticed: string[] = [];
  const wire = openWire({ onExcess: (what) => noticed.push(what) });
  const request = post(`http://127.0.0.1:${port}/`);
  await wire.send({ request });
  const { outcome } = await wire.send({ request });
  expect(reasonOf(outcome)).toBe('stale-connection');
  expect(noticed).toEqual(['late']);
});
