import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Connections, type Delivery } from '../../src/load/connections.ts';
import { readOrigin } from '../../src/wire/origin.ts';
import { routeOf } from '../../src/wire/wire.ts';

const DEADLINE_MS = 200;
/** A deadline that a test does not reach. */
const FAR_DEADLINE_MS = 60_000;

/** A thread with a server that answers each call at once, and posts its port. */
const ANSWERING = `
  const server = require('node:net').createServer((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}'));
  });
  server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port));
`;

describe('the connections of a load test', () => {
  let opened = 0;
  const sockets = new Set<net.Socket>();
  /** Answers `GET /now` at once, and nothing else. */
  const server = net.createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (chunk.toString().startsWith('GET /now ')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    });
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  function connect(deadlineMs: number, port = (server.address() as AddressInfo).port): Connections {
    return new Connections({ origin: readOrigin(`http://127.0.0.1:${port}`), route: routeOf({}), deadlineMs });
  }

  function call(connections: Connections, path: string, breakAfterMs: number | null = null): Promise<Delivery> {
    return new Promise((done) => {
      const bytes = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
      connections.send({ bytes, breakAfterMs, done, onLateBytes: () => {} });
    });
  }

  it.each([
    ['soon after', DEADLINE_MS / 2],
    ['a long time after', DEADLINE_MS * 1.5],
  ])('give each call its whole deadline, %s another call on the same connection', async (_, pauseMs) => {
    const connections = connect(DEADLINE_MS);
    await call(connections, '/now');
    await sleep(pauseMs);
    const { outcome, sent, end } = await call(connections, '/never');
    expect(outcome).toMatchObject({ kind: 'none', reason: 'too-late' });
    expect(end - (sent ?? end)).toBeGreaterThanOrEqual(DEADLINE_MS - 1);
    connections.close();
  });

  it('receive a reply that arrived in time, although this process stood still until after the deadline', async () => {
    const answering = new Worker(ANSWERING, { eval: true });
    onTestFinished(async () => void (await answering.terminate()));
    const [port] = (await once(answering, 'message')) as [number];
    const connections = connect(DEADLINE_MS, port);
    await call(connections, '/now');
    const answered = call(connections, '/now');
    // After this callback, the timers come before the sockets.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DEADLINE_MS * 2));
    expect((await answered).outcome).toMatchObject({ kind: 'reply' });
    connections.close();
  });

  it.each([0, 2])('are closed on purpose %i ms after the last byte, and not used again', async (ms) => {
    const connections = connect(FAR_DEADLINE_MS);
    const before = opened;
    const { outcome, sent } = await call(connections, '/never', ms);
    expect(outcome).toMatchObject({ kind: 'none', reason: 'broken' });
    expect(sent).not.toBeNull();
    expect((await call(connections, '/now')).outcome).toMatchObject({ kind: 'reply' });
    expect(opened).toBe(before + 2);
    connections.close();
  });
});
