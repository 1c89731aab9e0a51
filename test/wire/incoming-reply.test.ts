import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { IncomingReply } from '../../src/wire/incoming-reply.ts';
import { get, ok, onRequests, openWire, rawServer, reasonOf } from './raw-server.ts';

function incoming(headers: readonly string[], ...chunks: readonly Buffer[]) {
  const reply = new IncomingReply();
  reply.begin(
    200,
    headers.map((text) => Buffer.from(text)),
  );
  for (const chunk of chunks) reply.add(chunk);
  return { reply, whole: (maxBytes = 1000) => reply.whole(reply.head?.headers ?? [], maxBytes) };
}

it('a reply is joined from its pieces', () => {
  const { reply, whole } = incoming(['X-a', '1'], Buffer.from('ab'), Buffer.from('c'));
  expect(reply.bytes).toBe(3);
  expect(whole()).toMatchObject({
    kind: 'reply',
    reply: { status: 200, headers: [['X-a', '1']], body: { data: 'abc' } },
  });
});

it('a reply is decompressed by its Content-Encoding in any letter case of the header', () => {
  const { whole } = incoming(['CONTENT-encoding', 'gzip'], gzipSync('abc'));
  expect(whole()).toMatchObject({ kind: 'reply', reply: { body: { data: 'abc' } } });
});

it('a reply that cannot be decompressed keeps its head', () => {
  const { whole } = incoming(['Content-Encoding', 'gzip'], Buffer.from('abc'));
  expect(whole()).toMatchObject({ kind: 'none', reason: 'bad-encoding', head: { status: 200 } });
});

it('receive returns true for the first chunk of a reply only', () => {
  const reply = new IncomingReply();
  expect(reply.head).toBeNull();
  expect([reply.receive(Buffer.from('HTTP')), reply.receive(Buffer.from('/1.1'))]).toEqual([true, false]);
  expect(String(reply.beginning)).toBe('HTTP');
});

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

it.each([
  ['once', [CONTINUE, ok('x')]],
  ['twice in one piece', [CONTINUE + CONTINUE + ok('x')]],
  ['in the middle of its status', ['HTTP/1.1 10', '0 Continue\r\n\r\n', ok('x')]],
  [
    'twice, with other interim replies, in odd pieces',
    [
      CONTINUE.slice(0, 22),
      `${CONTINUE.slice(22)}HTTP/1.1 103 Early\r\nLink: a\r\n\r`,
      `\n${CONTINUE.slice(0, 5)}`,
      CONTINUE.slice(5),
      ok('x'),
    ],
  ],
  ['byte by byte', [...(CONTINUE + CONTINUE).split(''), ok('x')]],
])('a reply after a 100 that is sent %s is read', async (_, pieces) => {
  const send = async (socket: Socket): Promise<void> => {
    for (const piece of pieces) {
      socket.write(piece);
      await sleep(2);
    }
  };
  const port = await rawServer((socket) => {
    socket.setNoDelay(true);
    onRequests(socket, () => void send(socket));
  });
  const { outcome } = await openWire().send({ request: get(`http://127.0.0.1:${port}/`) });
  expect(reasonOf(outcome)).toBe(200);
});
