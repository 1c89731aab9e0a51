import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from '../../src/wire/body.ts';
import { WireFailure } from '../../src/wire/failure.ts';
import { answering, openWire, post, rawServer } from './raw-server.ts';

const TEXT = '{"balance":"11.00"}';
const plain = Buffer.from(TEXT);

test.each<[string, Buffer]>([
  ['gzip', gzipSync(plain)],
  ['X-GZIP', gzipSync(plain)],
  ['deflate', deflateSync(plain)],
  ['deflate', deflateRawSync(plain)],
  ['br', brotliCompressSync(plain)],
  ['zstd', zstdCompressSync(plain)],
  ['identity', plain],
  ['gzip, br', brotliCompressSync(gzipSync(plain))],
])('a body with the coding %s is decoded', (coding, bytes) => {
  expect(decodeBody(bytes, coding, 1000).toString()).toBe(TEXT);
});

test('an empty body stays empty with any coding', () => {
  expect(decodeBody(Buffer.alloc(0), 'gzip', 10).length).toBe(0);
});

function reason(bytes: Buffer, coding: string, max: number): string {
  try {
    decodeBody(bytes, coding, max);
  } catch (error) {
    return error instanceof WireFailure ? error.reason : String(error);
  }
  return 'none';
}

test.each<[string, Buffer, string, string]>([
  ['an unknown coding', plain, 'compress', 'bad-encoding'],
  ['data that is not gzip', plain, 'gzip', 'bad-encoding'],
  ['half a gzip', gzipSync(plain).subarray(0, 15), 'gzip', 'bad-encoding'],
  ['many layers', plain, 'gzip,gzip,gzip,gzip', 'bad-encoding'],
  ['a gzip bomb', gzipSync(Buffer.alloc(5_000_000)), 'gzip', 'too-large'],
  ['a brotli bomb', brotliCompressSync(Buffer.alloc(5_000_000)), 'br', 'too-large'],
  ['a zstd bomb', zstdCompressSync(Buffer.alloc(5_000_000)), 'zstd', 'too-large'],
  ['a bomb in a bomb', gzipSync(gzipSync(Buffer.alloc(5_000_000))), 'gzip, gzip', 'too-large'],
])('decoding refuses %s', (_, bytes, coding, expected) => {
  expect(reason(bytes, coding, 10_000)).toBe(expected);
});

test('a reply over the wire is decompressed', async () => {
  const zipped = gzipSync(plain);
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`;
  const port = await rawServer(answering(Buffer.concat([Buffer.from(head), zipped])));
  const { outcome } = await openWire().send({ request: post(`http://127.0.0.1:${port}/`) });
  expect(outcome).toMatchObject({ reply: { body: { data: TEXT, length: plain.length } } });
});
