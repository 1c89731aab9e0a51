import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { entriesIn, exchangesIn } from '../entries-in.ts';

const REPLY = '{"balance":"95.00","txID":"w-1"}';

function entry(content: object, more: object = {}, headers: object[] = []): object {
  return {
    startedDateTime: '2026-11-21T14:03:07.200+01:00',
    time: 63.5,
    request: {
      method: 'POST',
      url: 'https://wallet.example/eu/bet',
      headers: [{ name: 'X-REQUEST-SIGN', value: 'abc' }],
      postData: { mimeType: 'application/json', text: '{"amount":"5.00"}' },
    },
    response: { status: 200, statusText: 'OK', headers, content },
    ...more,
  };
}

const har = (...entries: readonly object[]): string =>
  JSON.stringify(
    { log: { version: '1.2', creator: { name: 'a "entries": [ in a string' }, pages: [{}], entries } },
    null,
    1,
  );

describe('a HAR', () => {
  it('gives its entries with time and duration', async () => {
    const [first] = await exchangesIn(har(entry({ text: REPLY })));
    expect(first).toMatchObject({
      side: 'service',
      time: { ms: Date.parse('2026-11-21T13:03:07.200Z') },
      tookMs: 63.5,
      request: { method: 'POST', body: { data: '{"amount":"5.00"}' } },
      answer: { kind: 'reply', status: 200, body: { data: REPLY } },
    });
  });

  it.each([
    ['base64', REPLY, []],
    ['base64 of gzip', gzipSync(REPLY), [{ name: 'content-encoding', value: 'gzip' }]],
    ['base64 of brotli', brotliCompressSync(REPLY), [{ name: 'Content-Encoding', value: 'br' }]],
    ['base64 of zstd', zstdCompressSync(REPLY), [{ name: 'Content-Encoding', value: 'zstd' }]],
    ['base64 that a browser has unpacked already', REPLY, [{ name: 'Content-Encoding', value: 'br' }]],
  ])('has content in %s', async (_, bytes, headers) => {
    const content = { encoding: 'base64', text: Buffer.from(bytes).toString('base64') };
    const [first] = await exchangesIn(har(entry(content, {}, headers)));
    expect(first?.answer).toMatchObject({ body: { data: REPLY } });
  });

  it('keeps binary content unchanged', async () => {
    const text = Buffer.from([0xff, 0x00, 0xfe]).toString('base64');
    const [first] = await exchangesIn(har(entry({ encoding: 'base64', text })));
    expect(first?.answer).toMatchObject({ body: { encoding: 'base64', data: text, length: 3 } });
  });

  it('is read up to the place where it was cut off, which is reported with its line', async () => {
    const whole = har(entry({ text: REPLY }), entry({ text: 'the second' }));
    const all = await entriesIn(whole.slice(0, whole.indexOf('the second')));
    expect(all.map(({ kind }) => kind)).toEqual(['exchange', 'unreadable']);
    const line = whole.slice(0, whole.lastIndexOf('"startedDateTime"')).split('\n').length - 1;
    expect(all[1]).toEqual({ kind: 'unreadable', line, why: 'the file ends within the entry that begins here' });
  });

  it('is read on one line, with a byte order mark, and as a single entry', async () => {
    const one = entry({ text: REPLY });
    expect(await exchangesIn(`\uFEFF${JSON.stringify({ log: { entries: [one, one] } })}`)).toHaveLength(2);
    expect(await exchangesIn(JSON.stringify(one, null, 2))).toHaveLength(1);
    expect(await exchangesIn(JSON.stringify(one))).toHaveLength(1);
  });

  it('gives the reason for a missing reply', async () => {
    const lost = { response: { status: 0, statusText: '', headers: [], content: {}, _error: 'net::ERR_TIMED_OUT' } };
    const [first] = await exchangesIn(har(entry({}, lost)));
    expect(first?.answer).toEqual({ kind: 'none', reason: 'too-late', detail: 'net::ERR_TIMED_OUT' });
  });

  it('is not assumed for a log whose lines have a request and a response', async () => {
    const line = JSON.stringify({
      time: '2026-11-21T13:03:07.200Z',
      request: { method: 'POST', url: 'https://wallet.example/eu/bet', body: '{"sessionID":"s-1","txID":"t-1"}' },
      response: { status: 200, body: REPLY },
    });
    const found = await exchangesIn(`${line}\n${line}\n`);
    expect(found).toHaveLength(2);
    expect(found[1]).toMatchObject({
      time: { ms: Date.parse('2026-11-21T13:03:07.200Z') },
      request: { body: { data: '{"sessionID":"s-1","txID":"t-1"}' } },
      answer: { kind: 'reply', status: 200, body: { data: REPLY } },
    });
  });
});
