import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { entriesIn, exchangesIn } from './entries-in.ts';

const BODY = '{"amount":"5.00","sessionID":"s-1","txID":"t-1"}';

describe('a file that is read line by line', () => {
  const started = (format: string): string => JSON.stringify({ event: 'run-started', format });
  const notice = JSON.stringify({ event: 'notice', text: 'a remark' });

  it.each([
    ['a journal without its first line', [notice], 'it is an event of a journal whose first line is missing'],
    [
      'a journal of another format, of which only the first line is reported',
      [started('croupier-journal/9'), notice, notice],
      'the journal is in the format "croupier-journal/9", but this croupier reads croupier-journal/1',
    ],
  ])('is not read as a log if it is %s', async (_, lines, why) => {
    expect(await entriesIn(lines.join('\n'))).toEqual([{ kind: 'unreadable', line: 1, why, text: lines[0] }]);
  });

  it('may mix formats, and a line of unknown format is reported with its number', async () => {
    const text = [
      'starting up',
      JSON.stringify({ time: '2026-11-21T13:03:07Z', method: 'POST', url: '/eu/bet', status: 200, requestBody: BODY }),
      JSON.stringify({ level: 'info', msg: 'no request' }),
      '203.0.113.7 - - [21/Nov/2026:14:03:07 +0100] "POST /eu/win HTTP/1.1" 200 52 "-" "Go-http-client/1.1" 0.063',
      '{"time":"2026-11-21T13:0',
      "curl 'http://h/eu/bet' \\",
      `  --data-raw '${BODY}'`,
      'HTTP/1.1 200 OK',
      'Date: Sat, 21 Nov 2026 13:03:07 GMT',
      '',
      '{"balance":"1.00"}',
      '',
      '{"torn',
    ].join('\n');
    const all = await entriesIn(text);
    expect(all.map((one) => (one.kind === 'exchange' ? one.exchange.place.line : `${one.kind} ${one.line}`))).toEqual([
      'unreadable 1',
      2,
      'other 3',
      4,
      'unreadable 5',
      6,
      'unreadable 13',
    ]);
    const [json, access, curl] = all.flatMap((one) => (one.kind === 'exchange' ? [one.exchange] : []));
    expect(json).toMatchObject({ side: 'operator', request: { body: { data: BODY } }, answer: { status: 200 } });
    expect(access).toMatchObject({
      side: 'operator',
      tookMs: 63,
      time: { ms: Date.parse('2026-11-21T13:03:07Z'), precisionMs: 1000 },
      request: { method: 'POST', url: '/eu/win', body: 'unknown' },
      answer: { kind: 'reply', status: 200, body: null },
    });
    expect(curl).toMatchObject({
      side: 'service',
      time: { ms: Date.parse('2026-11-21T13:03:07Z') },
      answer: { status: 200, body: { data: '{"balance":"1.00"}' } },
    });
    expect(all.at(-1)).toMatchObject({ why: 'the file ends within this line' });
  });

  it('may contain traces, error lines, prompts and comments from a terminal', async () => {
    const line = `$ curl -v http://h/bet -d '${BODY}'`;
    const traced = [
      '* Trying 1.2.3.4:80...',
      '> POST /bet HTTP/1.1',
      '> Host: h',
      '>',
      '* upload sent',
      '< HTTP/1.1 200 OK',
      '<',
    ];
    const answers = async (...lines: readonly string[]) =>
      (await exchangesIn(`${lines.join('\n')}\n`)).map(({ answer }) => answer);
    const accepted = { kind: 'reply', status: 200, body: { data: '{"balance":"1.00"}' } };
    expect(await answers(line, ...traced, '{"balance":"1.00"}', '* Connection #0 left intact')).toMatchObject([
      accepted,
    ]);
    // curl writes its notes and the body to two outputs, so their order may change.
    const notes = ['{ [18 bytes data]', '* Connection #0 to host h left intact'];
    expect(await answers(line, ...traced, ...notes, '{"balance":"1.00"}', '$ exit')).toMatchObject([accepted]);
    expect(await answers(line, 'HTTP/1.1 200 OK', '', '{"balance":"1.00"}anna@desk:~$ ')).toMatchObject([accepted]);
    expect(await answers(line, '', 'and got', '', 'HTTP/1.1 200 OK', '', '{"balance":"1.00"}')).toMatchObject([
      accepted,
    ]);
    expect(await answers(line, 'curl: (28) Operation timed out after 5001 milliseconds')).toMatchObject([
      { kind: 'none', reason: 'too-late' },
    ]);
    expect(await answers(line, 'curl: (7) Failed to connect to h port 80')).toMatchObject([{ reason: 'refused' }]);
  });

  it('may contain raw HTTP with chunk sizes, or with the chunks joined', async () => {
    const [first, second] = [BODY.slice(0, 20), BODY.slice(20)];
    const chunked = `14;x=y\r\n${first}\r\n${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`;
    for (const body of [chunked, chunked.replaceAll('\r', ''), `${BODY}\n\n`]) {
      const text = `POST /eu/bet HTTP/1.1\nTransfer-Encoding: chunked\n\n${body}HTTP/1.1 200 OK\n\n{"balance":"1.00"}\n`;
      const [exchange] = await exchangesIn(text);
      expect(exchange).toMatchObject({
        request: { body: { data: BODY } },
        answer: { status: 200, body: { data: '{"balance":"1.00"}' } },
      });
    }
  });

  it('may contain raw HTTP, with bodies as long as their headers say', async () => {
    const text = [
      'POST /eu/bet HTTP/1.1',
      'Host: wallet.example',
      `Content-Length: ${BODY.length}`,
      '',
      BODY,
      'HTTP/1.1 500 Internal Server Error',
      'Content-Length: 0',
      '',
      'GET /eu/balance?sessionID=s-1 HTTP/1.1',
      'Host: wallet.example',
      '',
      'HTTP/1.1 200 OK',
      '',
      '{"balance":"1.00"}',
    ].join('\r\n');
    const [bet, read] = await exchangesIn(text);
    expect(bet).toMatchObject({
      request: { method: 'POST', url: 'http://wallet.example/eu/bet', body: { data: BODY } },
      answer: { status: 500 },
    });
    expect(read).toMatchObject({ request: { body: null }, answer: { body: { data: '{"balance":"1.00"}' } } });
  });

  it('gives one request for a curl line and the trace of `curl -v` after it', async () => {
    const text = [
      "curl -v 'http://h/bet' -d x",
      '> POST /bet HTTP/1.1',
      '> Host: h',
      '>',
      '< HTTP/1.1 402 Payment Required',
      '<',
    ];
    expect(await exchangesIn(text.join('\n'))).toMatchObject([
      { request: { body: { data: 'x' } }, answer: { status: 402 } },
    ]);
  });

  it('may contain the output of HTTPie, whose JSON is longer than its Content-Length says', async () => {
    const indented = '{\n    "balance": "95.00"\n}';
    const reply = `HTTP/1.1 200 OK\nContent-Length: 19\n\n${indented}\n\n`;
    const sent = 'POST /bet HTTP/1.1\nHost: h\nContent-Length: 13\nX-REQUEST-SIGN: ab\n\n{\n    "a": "1"\n}\n\n';
    const log = [
      `$ http POST http://h/bet a=1\n${reply}`,
      `$ http -v POST http://h/bet a=1\n${sent}${reply}`,
      `$ http -v POST http://h/bet a=1\n${sent}http: error: Request timed out (5.0s).\n`,
      `${sent}${reply}`,
    ].join('\n');
    const all = await entriesIn(log);
    const bodies = all.map((entry) =>
      entry.kind === 'exchange' && entry.exchange.answer.kind === 'reply'
        ? entry.exchange.answer.body?.data
        : entry.kind,
    );
    expect(bodies).toEqual([indented, indented, 'exchange', indented]);
    const [, traced, failed, raw] = all.flatMap((entry) => (entry.kind === 'exchange' ? [entry.exchange] : []));
    expect(traced?.request).toMatchObject({ url: 'http://h/bet', body: { data: '{"a": "1"}' } });
    expect(traced?.request.headers).toContainEqual(['X-REQUEST-SIGN', 'ab']);
    expect(failed?.answer).toMatchObject({ kind: 'none', reason: 'too-late' });
    expect([traced, raw].map((exchange) => exchange?.isBodyRewritten)).toEqual([undefined, true]);
  });

  it('takes the fields of a log from the configured names', async () => {
    const line = {
      at: '2026-11-21 14:03:07',
      req: { in: { amount: '5.00', sessionID: 's' } },
      'http.route': '/bet',
      ctx: { who: 4711 },
    };
    const form = logForm({
      zone: 'Europe/Berlin',
      side: 'service',
      fields: { time: 'at', requestBody: 'req.in', url: ['nowhere', 'http.route'], player: 'ctx.who' },
    });
    expect(await exchangesIn(JSON.stringify(line), form)).toMatchObject([
      {
        side: 'service',
        time: { ms: Date.parse('2026-11-21T13:03:07Z'), zoneless: true },
        request: { url: '/bet', body: { data: '{"amount":"5.00","sessionID":"s"}' } },
        logged: { player: '4711' },
      },
    ]);
  });

  it('reads lines of text by the configured pattern', async () => {
    const form = logForm({
      pattern: /^(?<time>\S+) (?<call>bet|win) (?<amount>\S+) for (?<session>\S+) -> (?<status>\d+)/,
    });
    expect(await exchangesIn('2026-11-21T13:03:07Z bet 5.00 for s-1 -> 500\n', form)).toMatchObject([
      { logged: { call: 'bet', amount: '5.00', session: 's-1' }, answer: { status: 500 } },
    ]);
  });

  it.each([
    ['context deadline exceeded', 'too-late'],
    ['read ETIMEDOUT', 'too-late'],
    ['connect ETIMEDOUT 10.0.0.1:443', 'connect-timeout'],
    ['connect ECONNREFUSED 10.0.0.1:443', 'refused'],
    ['getaddrinfo ENOTFOUND wallet', 'unresolved'],
    ['socket hang up', 'reset'],
  ])('knows why there was no reply: %s', async (error, reason) => {
    const line = JSON.stringify({ method: 'POST', url: '/bet', error });
    expect(await exchangesIn(line)).toMatchObject([{ answer: { kind: 'none', reason } }]);
  });

  it('may be compressed, and may contain binary data', async () => {
    const line = JSON.stringify({ method: 'POST', url: '/bet', status: 200 });
    expect(await exchangesIn(gzipSync(`${line}\n${line}\n`))).toHaveLength(2);
    const all = await entriesIn(Buffer.concat([Buffer.from([0, 255, 10]), Buffer.from(`${line}\n`)]));
    expect(all.map(({ kind }) => kind)).toEqual(['unreadable', 'exchange']);
  });

  it('is read up to the place where a compressed file is damaged', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) =>
      JSON.stringify({ method: 'POST', url: '/bet', n: Math.sin(index) }),
    );
    const packed = gzipSync(lines.join('\n'));
    const all = await entriesIn(packed.subarray(0, packed.length / 2));
    expect(all.filter(({ kind }) => kind === 'exchange').length).toBeGreaterThan(1000);
    expect(all.at(-1)).toMatchObject({
      kind: 'unreadable',
      why: 'the compressed file is cut off or damaged from here on',
    });
  });

  it('may be UTF-16, as PowerShell writes it', async () => {
    const line = JSON.stringify({ method: 'POST', url: '/bet', requestBody: { sessionID: 'é😀' } });
    const wide = Buffer.from(`\uFEFF${line}\r\n`, 'utf16le');
    expect(await exchangesIn(wide)).toMatchObject([{ request: { body: { data: '{"sessionID":"é😀"}' } } }]);
    expect(await exchangesIn(wide.swap16())).toHaveLength(1);
  });

  it('is read as lines even if the first one begins like a JSON document', async () => {
    const line = JSON.stringify({ method: 'POST', url: '/bet' });
    expect((await entriesIn(`{ torn\n${line}\n`)).map(({ kind }) => kind)).toEqual(['unreadable', 'exchange']);
    expect((await entriesIn(`[info] up\n${line}\n`)).map(({ kind }) => kind)).toEqual(['unreadable', 'exchange']);
  });

  it('may contain a command that does not end, which is reported', async () => {
    const all = await entriesIn(`curl 'http://h/bet\ncurl 'http://h/win'\n`);
    expect(all).toMatchObject([{ kind: 'unreadable', line: 1 }, { kind: 'exchange' }]);
  });
});

describe('a line of JSON whose end is missing', () => {
  const whole = JSON.stringify({
    time: '2026-11-23T14:00:00Z',
    method: 'POST',
    path: '/bet',
    status: 200,
    body: '{"amount":"5.00","sessionID":"s-1","txID":"b-1"}',
    reply: '{"balance":"95.00"}',
  });

  it('is read up to the cut', async () => {
    const [, exchange] = await exchangesIn(`${whole}\n${whole.slice(0, -12)}…\n`);
    expect(exchange?.answer).toMatchObject({ kind: 'reply', status: 200 });
    expect(exchange?.request.body).toMatchObject({ truncated: false });
  });

  it('is counted as unreadable if the cut is before the path', async () => {
    const [, entry] = await entriesIn(`${whole}\n${whole.slice(0, 40)}…\n`);
    expect(entry).toMatchObject({ kind: 'unreadable', line: 2 });
  });
});
