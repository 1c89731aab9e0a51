import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Incoming } from '../../src/wire/incoming.ts';

function incoming(headers: readonly string[], ...chunks: readonly Buffer[]) {
  const reply = new Incoming();
  reply.begin(
    200,
    headers.map((text) => Buffer.from(text)),
  );
  for (const chunk of chunks) reply.add(chunk);
  return { reply, whole: (maxBytes = 1000) => reply.whole(reply.head?.headers ?? [], maxBytes) };
}

it('is put together from its pieces', () => {
  const { reply, whole } = incoming(['X-a', '1'], Buffer.from('ab'), Buffer.from('c'));
  expect(reply.bytes).toBe(3);
  expect(whole()).toMatchObject({
    kind: 'reply',
    reply: { status: 200, headers: [['X-a', '1']], body: { data: 'abc' } },
  });
});

it('is decompressed by the coding that any of its headers names', () => {
  const { whole } = incoming(['CONTENT-encoding', 'gzip'], gzipSync('abc'));
  expect(whole()).toMatchObject({ kind: 'reply', reply: { body: { data: 'abc' } } });
});

it('keeps its head when it can not be decompressed', () => {
  const { whole } = incoming(['Content-Encoding', 'gzip'], Buffer.from('abc'));
  expect(whole()).toMatchObject({ kind: 'none', reason: 'bad-encoding', head: { status: 200 } });
});

it('tells the first of its bytes from the others', () => {
  const reply = new Incoming();
  expect(reply.head).toBeNull();
  expect([reply.came(Buffer.from('HTTP')), reply.came(Buffer.from('/1.1'))]).toEqual([true, false]);
  expect(String(reply.beginning)).toBe('HTTP');
});
