import { describe, expect, it } from 'vitest';
import { readRequests } from '../../../src/traffic/read/read-requests.ts';

const read = (text: string | Uint8Array) => readRequests(typeof text === 'string' ? Buffer.from(text) : text, 'a file');

describe('readRequests', () => {
  it('keeps the body of raw HTTP exact to the byte', async () => {
    const head = 'POST /bet HTTP/1.1\r\nHost: w.example\r\nx-request-sign: ab\r\nContent-Length: 4\r\n\r\n';
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0x0a, 0x00, 0x0a, 0x0a])]);
    expect(await read(bytes)).toMatchObject({
      requests: [
        { method: 'POST', url: 'http://w.example/bet', body: Buffer.from([0xff, 0x0a, 0x00, 0x0a]), signature: 'ab' },
      ],
      unread: [],
    });
  });

  it.each([
    ['the line break of an editor', 'POST /bet HTTP/1.1\nHost: w\n\n{}\n', '{}'],
    ['and that of Windows', 'POST /bet HTTP/1.1\r\nHost: w\r\n\r\n{}\r\n', '{}'],
    ['nothing, where there is none', 'POST /bet HTTP/1.1\nHost: w\n\n{ }', '{ }'],
  ])('leaves out %s', async (_what, text, body) => {
    const { requests } = await read(text);
    expect(Buffer.from(requests[0]?.body ?? []).toString()).toBe(body);
  });

  it('reads a GET without a body', async () => {
    const { requests } = await read('GET /balance?sessionID=s-1 HTTP/1.1\r\nHost: w\r\nX-REQUEST-SIGN: ab\r\n\r\n');
    expect(requests).toMatchObject([
      { method: 'GET', url: 'http://w/balance?sessionID=s-1', body: null, signature: 'ab' },
    ]);
  });

  it.each([
    [
      'a JSON line',
      `{"method":"POST","url":"/bet","headers":{"x-request-sign":"${'ab'.repeat(32)}"},"requestBody":"{}"}`,
    ],
    [
      'a line of text',
      `Request: POST https://w/bet headers={'X-REQUEST-SIGN': '${'ab'.repeat(32)}'} body=b'{"sessionID":"s-1","txID":"1"}'`,
    ],
    [
      'a line of nginx',
      `10.0.0.1 - - [21/Nov/2026:13:03:04 +0000] "POST /bet?sign=${'cd'.repeat(32)} HTTP/1.1" 200 5 "-" "-" sign="${'ab'.repeat(32)}" req="{\\x22sessionID\\x22:\\x22s-1\\x22,\\x22txID\\x22:\\x221\\x22}"`,
    ],
  ])('finds the signature in %s', async (_what, text) => {
    expect((await read(`${text}\n`)).requests).toMatchObject([{ signature: 'ab'.repeat(32) }]);
  });

  it('reads several requests of one file', async () => {
    const one = (sign: string) => `POST /bet HTTP/1.1\nX-REQUEST-SIGN: ${sign}\n\n{"txID":"${sign}"}\n`;
    const { requests } = await read(`${one('ab')}\n###\n\n${one('cd')}`);
    expect(requests.map(({ signature }) => signature)).toEqual(['ab', 'cd']);
  });

  it('reports what it cannot read with its line', async () => {
    const { requests, unread } = await read("curl http://w/bet -d 'x\n");
    expect(requests).toEqual([]);
    expect(unread).toMatchObject([{ line: 1 }]);
  });
});

it('the chunks of raw HTTP are joined to one body', async () => {
  const raw =
    'POST /bet HTTP/1.1\r\nHost: w.example\r\nTransfer-Encoding: chunked\r\nX-Request-Sign: ab\r\n\r\n' +
    '5\r\n{"a":\r\n4;x=1\r\n"1"}\r\n0\r\n\r\n';
  for (const text of [raw, raw.replaceAll('\r\n', '\n')]) {
    const { requests } = await readRequests(Buffer.from(text), 'raw.http');
    expect(requests.map(({ body }) => Buffer.from(body ?? []).toString())).toEqual(['{"a":"1"}']);
  }
});
