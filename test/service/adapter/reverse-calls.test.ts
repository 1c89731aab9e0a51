import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ReverseCalls } from '../../../src/service/adapter/reverse-calls.ts';
import { ExchangeLog } from '../../../src/service/exchange-log.ts';
import { sleep } from '../../../src/service/sleep.ts';
import { startAdapter, startFront } from './adapter-setup.ts';
import { KEY } from './operator-front.ts';
import { clientAt, sessionOf } from './sessions.ts';

const BALANCE = { call: 'balance', extCID: 'acme', gsID: 'gs', roundID: null, fields: { sessionID: 's-p0' } } as const;

function callsTo(url: string, client = clientAt(url)): { calls: ReverseCalls; log: ExchangeLog } {
  const log = new ExchangeLog({ secrets: [KEY, 'gate-secret'], clock: Date.now });
  const calls = new ReverseCalls({ clients: [client], log, sleep });
  onTestFinished(() => calls.close());
  return { calls, log };
}

it('every reverse call is written into the log without secrets', async () => {
  const front = await startFront();
  const { calls, log } = callsTo(front.url, { ...clientAt(front.url), headers: { 'X-Gateway': 'gate-secret' } });
  expect(await calls.send(BALANCE)).toMatchObject({ kind: 'reply', reply: { status: 200 } });
  const [exchange] = log.recent();
  expect(exchange).toMatchObject({
    direction: 'reverse',
    name: 'balance',
    extCID: 'acme',
    gsID: 'gs',
    notes: [],
    request: { method: 'GET', url: `${front.url}/balance?sessionID=s-p0` },
    outcome: { kind: 'reply', reply: { status: 200 } },
    stamps: { sent: expect.any(Number) },
  });
  expect(JSON.stringify(exchange)).toContain('X-REQUEST-SIGN');
  expect(JSON.stringify(exchange)).not.toContain('gate-secret');
});

it('reverse calls use the paths of the client', async () => {
  const front = await startFront();
  const { calls } = callsTo(front.url, { ...clientAt(front.url), paths: { balance: '/wallet/read' } });
  await calls.send(BALANCE);
  expect(front.arrived.map(({ call }) => call)).toEqual(['wallet/read']);
});

it('the outcome of a call that can’t be made contains the reason', async () => {
  const { calls, log } = callsTo('nonsense');
  expect(await calls.send(BALANCE)).toEqual({
    kind: 'none',
    reason: 'unreachable',
    detail: "The call can't be made: the base URL is not a URL.",
  });
  expect(await calls.send({ ...BALANCE, extCID: 'other' })).toMatchObject({
    kind: 'none',
    detail: expect.stringContaining('No client other is configured.'),
  });
  expect(log.recent()).toEqual([]);
});

it('a call of the log can be sent again, and its round does not change', async () => {
  const front = await startFront();
  const { adapter, calls, log } = startAdapter(front.url);
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  const win = log.recent().find(({ name }) => name === 'win');
  expect(await calls.again(win?.id ?? 0)).toMatchObject({ reply: { status: 200 } });
  expect(calls.again(99)).toBeUndefined();
  expect(front.arrived.at(-1)?.body).toBe(front.arrived.at(-2)?.body);
  expect(log.recent().at(-1)).toMatchObject({ name: 'win', notes: ['sent again by hand'] });
  expect(front.balance()).toBe('1004.00');
});

it('each call to an operator that closes kept-alive connections during calls gets a new connection', async () => {
  const ids: number[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const id = connections;
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) return void socket.destroy();
      ids.push(id);
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"balance":"1"}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const { calls } = callsTo(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  // The second balance call meets the closed connection, and is sent again.
  for (let read = 0; read < 4; read += 1) expect(await calls.send(BALANCE)).toMatchObject({ kind: 'reply' });
  expect(ids).toEqual([1, 2, 3, 4]);
});
