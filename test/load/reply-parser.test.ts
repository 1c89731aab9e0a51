import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ReplyParser } from '../../src/load/reply-parser.ts';
import { KnownHeads } from '../../src/wire/known-heads.ts';

const BODY = '{"balance":"1.00"}';
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

const REPLIES: readonly (readonly [what: string, text: string, reusable: boolean])[] = [
  ['with a length', `${OK}Content-Length: 18\r\n\r\n${BODY}`, true],
  ['with chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\n{"bal\r\nd;x=1\r\nance":"1.00"}\r\n0\r\n\r\n`, true],
  ['with a trailer', `${OK}Transfer-Encoding: chunked\r\n\r\n12\r\n${BODY}\r\n0\r\nX-End: 1\r\n\r\n`, true],
  [
    'after interim replies',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${OK}Content-Length: 18\r\n\r\n${BODY}`,
    true,
  ],
  ['that closes the connection', `${OK}Connection: close\r\nContent-Length: 18\r\n\r\n${BODY}`, false],
  ['of HTTP/1.0', `HTTP/1.0 200 OK\r\nContent-Length: 18\r\n\r\n${BODY}`, false],
  [
    'of HTTP/1.0 that keeps the connection',
    `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 18\r\n\r\n${BODY}`,
    true,
  ],
  ['with bytes after it', `${OK}Content-Length: 18\r\n\r\n${BODY}more`, false],
];

describe('the reader of replies', () => {
  it.each(REPLIES)('reads a reply %s, whole and byte by byte', (_, text, reusable) => {
    const whole = new ReplyParser().add(Buffer.from(text));
    expect(whole?.reply.body.data).toBe(BODY);
    expect(whole?.isReusable).toBe(reusable);
    const parser = new ReplyParser();
    let received: ReturnType<ReplyParser['add']>;
    for (let at = 0; received === undefined && at < text.length; at += 1)
      received = parser.add(Buffer.from(text[at] ?? ''));
    // Byte by byte, nothing has arrived behind the reply yet.
    const { status, headers, body } = whole?.reply ?? {};
    expect(received?.reply).toEqual({ status, headers, body });
  });

  it.each(REPLIES)('reads a reply %s in the same way when its head is known', (_, text) => {
    const known = new KnownHeads();
    for (const body of [BODY, '{"balance":"2.00"}', '{"balance":"é.0"}', '{"balance":"\\n.0"}']) {
      const bytes = Buffer.from(text.replace(BODY, body));
      const expected = new ReplyParser().add(bytes);
      for (let times = 0; times < 2; times += 1) expect(new ReplyParser(known).add(bytes)).toEqual(expected);
    }
  });

  it('reads a known head again when its reply comes in two pieces', () => {
    const known = new KnownHeads();
    const text = `${OK}Content-Length: 18\r\n\r\n${BODY}`;
    const expected = new ReplyParser(known).add(Buffer.from(text));
    for (let at = 1; at < text.length; at += 1) {
      const parser = new ReplyParser(known);
      expect(parser.add(Buffer.from(text.slice(0, at)))).toBeUndefined();
      expect(parser.add(Buffer.from(text.slice(at)))).toEqual(expected);
      expect(parser.add(Buffer.from(text))).toEqual(expected);
    }
  });

  it('keeps only some heads of a server whose heads all differ', () => {
    const parser = new ReplyParser(new KnownHeads());
    for (let id = 0; id < 1000; id += 1) {
      const text = `${OK}X-Request: ${id}\r\nContent-Length: 18\r\n\r\n${BODY}`;
      expect(parser.add(Buffer.from(text))?.reply.headers[1]).toEqual(['X-Request', String(id)]);
    }
  });

  it('reads a body that lasts until the connection ends', () => {
    const parser = new ReplyParser();
    expect(parser.add(Buffer.from(`${OK}\r\n${BODY}`))).toBeUndefined();
    expect(parser.end()).toMatchObject({ reply: { status: 200, body: { data: BODY } }, isReusable: false });
    expect(new ReplyParser().end()).toBeUndefined();
  });

  it('reads a compressed body, an empty one, and several replies in turn', () => {
    const parser = new ReplyParser();
    const zipped = gzipSync(BODY);
    const head = `${OK}Content-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`;
    expect(parser.add(Buffer.concat([Buffer.from(head), zipped]))?.reply.body.data).toBe(BODY);
    expect(parser.add(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'))?.reply).toMatchObject({ status: 204 });
    expect(parser.hasBytes).toBe(false);
  });

  it.each([
    ['not HTTP', 'SSH-2.0-OpenSSH'],
    ['without a status', 'HTTP/1.1 OK\r\n\r\n'],
    ['of HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['with a wrong length', `${OK}Content-Length: -1\r\n\r\n`],
    ['with a wrong chunk', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['with an unknown coding', `${OK}Transfer-Encoding: gzip\r\n\r\n`],
    ['with a header without a colon', 'HTTP/1.1 200 OK\r\nNonsense\r\n\r\n'],
  ])('refuses a reply that is %s', (_, text) => {
    expect(() => new ReplyParser().add(Buffer.from(text))).toThrow();
  });
});
