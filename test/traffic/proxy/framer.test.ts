import { describe, expect, it } from 'vitest';
import { Framer } from '../../../src/traffic/proxy/framer.ts';
import { replyFraming, requestFraming } from '../../../src/traffic/proxy/head.ts';

interface Framed {
  /** The first line of each head, the payload of each body, `end` for each message, and opaque bytes. */
  readonly events: readonly string[];
  /** All raw bytes that were passed on. */
  readonly raw: string;
}

/** Frames a stream in pieces of this size, and joins body or opaque bytes that follow each other. */
function framed(text: string, size: number, kind: 'requests' | 'replies', prefix = ''): Framed {
  const events: string[] = [];
  const raw: Buffer[] = [];
  const add = (name: string, payload: string): void => {
    if (events.at(-1)?.startsWith(`${name} `)) events.push(`${events.pop() ?? ''}${payload}`);
    else if (payload !== '') events.push(`${name} ${payload}`);
  };
  const framer = new Framer(
    {
      onHead: (head, bytes) => {
        raw.push(bytes);
        events.push(`head ${head.firstLine}`);
        return kind === 'requests'
          ? requestFraming(head)
          : replyFraming(head, Number(head.firstLine.slice(9, 12)), 'GET');
      },
      onBody: (bytes, payload) => {
        raw.push(bytes);
        add('body', Buffer.concat(payload).toString());
      },
      onEnd: () => events.push('end'),
      onEmptyLines: (bytes) => {
        raw.push(bytes);
        add('empty', bytes.toString());
      },
      onOpaque: (bytes) => {
        raw.push(bytes);
        add('opaque', bytes.toString());
      },
    },
    prefix,
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) framer.feed(bytes.subarray(at, at + size));
  framer.end();
  return { events, raw: Buffer.concat(raw).toString() };
}

const POST = 'POST /bet HTTP/1.1\r\nHost: w\r\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const GET = 'GET /balance HTTP/1.1\r\n\r\n';

describe.each([1, 2, 3, 5, 1000])('Framer, in pieces of %i bytes', (size) => {
  it.each<[string, string, readonly string[]]>([
    ['no body', GET, ['head GET /balance HTTP/1.1', 'end']],
    ['Content-Length: 0', `${POST}Content-Length: 0\r\n\r\n`, ['head POST /bet HTTP/1.1', 'end']],
    ['a length', `${POST}Content-Length: 3\r\n\r\nabc`, ['head POST /bet HTTP/1.1', 'body abc', 'end']],
    [
      'two messages, of which the first ends within the pieces',
      `${POST}Content-Length: 3\r\n\r\nabc${GET}`,
      ['head POST /bet HTTP/1.1', 'body abc', 'end', 'head GET /balance HTTP/1.1', 'end'],
    ],
    [
      'chunks with extensions and a trailer',
      `${CHUNKED}3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n${GET}`,
      ['head POST /bet HTTP/1.1', 'body abc0123456789', 'end', 'head GET /balance HTTP/1.1', 'end'],
    ],
    [
      'empty lines before them',
      `\r\n\r\n${GET}\r\n${GET}`,
      ['empty \r\n\r\n', 'head GET /balance HTTP/1.1', 'end', 'empty \r\n', 'head GET /balance HTTP/1.1', 'end'],
    ],
    ['only an empty chunk', `${CHUNKED}0\r\n\r\n`, ['head POST /bet HTTP/1.1', 'end']],
    [
      'a chunk whose data is a line end',
      `${CHUNKED}2\r\n\r\n\r\n0\r\n\r\n`,
      ['head POST /bet HTTP/1.1', 'body \r\n', 'end'],
    ],
  ])('frames requests with %s', (_, text, events) => {
    const result = framed(text, size, 'requests');
    expect(result.events).toEqual(events);
    expect(result.raw).toBe(text);
  });

  it.each<[string, string, readonly string[]]>([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', ['head HTTP/1.1 200 OK', 'body {}', 'end']],
    [
      'a body until the connection closes',
      'HTTP/1.0 200 OK\r\n\r\n{"a":1}',
      ['head HTTP/1.0 200 OK', 'body {"a":1}', 'end'],
    ],
    [
      'an interim reply before the final one',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
      ['head HTTP/1.1 100 Continue', 'end', 'head HTTP/1.1 204 No Content', 'end'],
    ],
  ])('frames replies with %s', (_, text, events) => {
    const result = framed(text, size, 'replies', 'HTTP/');
    expect(result.events).toEqual(events);
    expect(result.raw).toBe(text);
  });

  it.each<[string, string, readonly string[]]>([
    ['a first line that is not HTTP', 'HELLO\r\n\r\nabc', ['opaque HELLO\r\n\r\nabc']],
    ['a header line without a name', `GET / HTTP/1.1\r\n: x\r\n\r\n`, ['opaque GET / HTTP/1.1\r\n: x\r\n\r\n']],
    ['a head that does not end', `${POST}X: 1`, [`opaque ${POST}X: 1`]],
    ['a line feed within a header', `${POST}A: b\nHost: w\r\n\r\n`, [`opaque ${POST}A: b\nHost: w\r\n\r\n`]],
    ['a line that goes on', `${POST}A: b\r\n c\r\n\r\n`, [`opaque ${POST}A: b\r\n c\r\n\r\n`]],
    [
      'two different lengths',
      `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nabc`,
      ['head POST /bet HTTP/1.1', 'opaque abc'],
    ],
    [
      'a length and chunks',
      `${POST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nabc`,
      ['head POST /bet HTTP/1.1', 'opaque abc'],
    ],
    [
      'a coding that is not chunked',
      `${POST}Transfer-Encoding: gzip\r\n\r\nabc`,
      ['head POST /bet HTTP/1.1', 'opaque abc'],
    ],
  ])('passes on %s as opaque bytes', (_, text, events) => {
    const result = framed(text, size, 'requests');
    expect(result.events).toEqual(events);
    expect(result.raw).toBe(text);
  });

  it('stops framing after an invalid chunk size, and still passes on every byte', () => {
    const text = `${CHUNKED}3\r\nabc\r\nxyz\r\n${GET}`;
    const result = framed(text, size, 'requests');
    expect(result.events.slice(0, 2).map((event) => event.slice(0, 8))).toEqual(['head POS', 'body abc']);
    expect(result.events.filter((event) => event === 'end' || event.includes('head GET'))).toEqual([]);
    expect(result.raw).toBe(text);
  });

  it('passes on bytes with another prefix at once, before a head could be complete', () => {
    const result = framed('SSH-2.0\r\n', size, 'replies', 'HTTP/');
    expect(result.events).toEqual(['opaque SSH-2.0\r\n']);
  });
});

/** A framer that only keeps opaque bytes. */
function opaqueFramer(prefix = ''): { readonly framer: Framer; readonly opaque: readonly string[] } {
  const opaque: string[] = [];
  const framer = new Framer(
    {
      onHead: () => null,
      onBody: () => {},
      onEnd: () => {},
      onEmptyLines: () => {},
      onOpaque: (raw) => opaque.push(raw.toString()),
    },
    prefix,
  );
  return { framer, opaque };
}

it('a head whose lines end with a line feed alone is passed on at once', () => {
  const { framer, opaque } = opaqueFramer('HTTP/');
  framer.feed(Buffer.from('HTTP/1.1 200 OK'));
  expect(opaque).toEqual([]);
  framer.feed(Buffer.from('\nContent-'));
  expect(opaque).toEqual(['HTTP/1.1 200 OK\nContent-']);
});

it('a head of more than 64 KB is passed on as opaque bytes', () => {
  const text = `${POST}X: ${'x'.repeat(70_000)}\r\n\r\n`;
  const result = framed(text, 1000, 'requests');
  expect(result.events).toEqual([`opaque ${text}`]);
});

it('giveUp passes on the buffered part of a head, and all later bytes, as opaque bytes', () => {
  const { framer, opaque } = opaqueFramer();
  framer.feed(Buffer.from('POST /b'));
  framer.giveUp();
  framer.feed(Buffer.from(GET));
  expect(opaque).toEqual(['POST /b', GET]);
});
