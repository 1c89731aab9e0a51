import { describe, expect, it } from 'vitest';
import { entriesIn, exchangesIn } from '../entries-in.ts';

const BET = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const URL = 'http://wallet.example/eu/bet';
const COMMAND = `$ wget -S -O - --header='X-REQUEST-SIGN: ab' --post-data='${BET}' ${URL}\n`;
const BEGUN = `--2026-11-23 14:03:07--  ${URL}
Resolving wallet.example (wallet.example)... 192.0.2.7
Connecting to wallet.example (wallet.example)|192.0.2.7|:80... connected.
HTTP request sent, awaiting response... `;
const HEADERS = `
  HTTP/1.1 200 OK
  content-type: application/json
  Date: Mon, 23 Nov 2026 13:03:07 GMT
`;
const SAVING = 'Length: 33 [application/json]\nSaving to: ‘STDOUT’\n';
const REPLY = '{"balance":"95.00","txID":"o-1"}';
const DONE = '\n2026-11-23 14:03:07 (2.48 MB/s) - written to stdout [33]\n\n';

/** The output that wget 1.21 writes, with the request. */
const SENT = `Setting --post-data (postdata) to ${BET}
DEBUG output created by Wget 1.21.3 on linux-gnu.

URI encoding = ‘UTF-8’
--2026-11-23 14:03:07--  ${URL}
Connecting to wallet.example:80... connected.
Created socket 3.

---request begin---
POST /eu/bet HTTP/1.1
Host: wallet.example
X-REQUEST-SIGN: ab
Content-Length: ${BET.length}

---request end---
[BODY data: ${BET}]
HTTP request sent, awaiting response... 
---response begin---
HTTP/1.1 200 OK
content-type: application/json
Date: Mon, 23 Nov 2026 13:03:07 GMT

---response end---
200 OK
Registered socket 3 for persistent reuse.
${SAVING}${REPLY}
     0K                                                        4.10M=0s
${DONE}`;

describe('the output of wget', () => {
  const accepted = {
    time: { ms: Date.parse('2026-11-23T13:03:07Z') },
    request: { method: 'POST', url: URL, body: { data: BET } },
    answer: { kind: 'reply', status: 200, body: { data: REPLY } },
  };

  it.each([
    ['in a file', `${COMMAND}${BEGUN}${HEADERS}${SAVING}${REPLY}\n     0K                        2.48M=0s\n${DONE}`],
    [
      'in a terminal',
      `${COMMAND}${BEGUN}${HEADERS}${SAVING}\n-                     0%[                    ]       0  --.-KB/s               ${REPLY}\r-                   100%[===================>]      32  --.-KB/s    in 0s      \n${DONE}`,
    ],
    ['with -q', `${COMMAND}${HEADERS.slice(1)}${REPLY}anna@desk:~$ \n`],
    [
      'with -q and JSON on several lines',
      `${COMMAND}${HEADERS.slice(1)}{\n  "balance": "95.00",\n  "txID": "o-1"\n}\n`,
    ],
    ['with -d', `${COMMAND}${SENT}`],
    ['with -d and without the command', SENT],
  ])('is the reply of the command: %s', async (_, text) => {
    const all = await entriesIn(`${text}${COMMAND}`);
    const [first, ...others] = all.flatMap((one) => (one.kind === 'exchange' ? [one.exchange] : []));
    const { answer, ...rest } = accepted;
    expect(first).toMatchObject(rest);
    expect(first?.answer).toMatchObject({
      status: 200,
      headers: expect.arrayContaining([['content-type', 'application/json']]) as unknown,
    });
    const body = first?.answer.kind === 'reply' ? first.answer.body?.data : undefined;
    expect(JSON.parse(body ?? '')).toEqual(JSON.parse(answer.body.data));
    expect(others).toHaveLength(1);
    expect(
      all.filter(({ kind }) => kind === 'unreadable').map((one) => (one.kind === 'unreadable' ? one.text : '')),
    ).toEqual(text.includes('DEBUG') ? expect.any(Array) : []);
  });

  it('has the status and the local time without -S', async () => {
    const [exchange] = await exchangesIn(`${COMMAND}${BEGUN}200 OK\n${SAVING}${REPLY}\n${DONE}`);
    expect(exchange).toMatchObject({
      time: { ms: Date.parse('2026-11-23T14:03:07Z'), zoneless: true },
      answer: { status: 200, body: { data: REPLY } },
    });
  });

  it('does not show the body of an error or of a file', async () => {
    const error = `${COMMAND}${BEGUN}${HEADERS.replace('200 OK', '402 Payment Required')}2026-11-23 14:03:07 ERROR 402: Payment Required.\n\n`;
    const file = `${COMMAND}${BEGUN}${HEADERS}Length: 33\nSaving to: ‘bet’\n\n     0K                        2.48M=0s\n\n2026-11-23 14:03:07 (3.86 MB/s) - ‘bet’ saved [33]\n\n`;
    const all = await entriesIn(`${error}${file}`);
    expect(all).toMatchObject([
      { exchange: { answer: { status: 402, body: null } } },
      { exchange: { answer: { status: 200, body: null } } },
    ]);
    const shown = error.replace(
      '2026-11-23 14:03:07 ERROR',
      'Saving to: ‘STDOUT’\n{"code":"insufficient_funds","message":"no"}\n2026-11-23 14:03:07 ERROR',
    );
    expect(await exchangesIn(shown)).toMatchObject([
      { answer: { body: { data: '{"code":"insufficient_funds","message":"no"}' } } },
    ]);
  });

  it('shows each attempt as a call', async () => {
    const again = BEGUN.replace('--  http', '--  (try: 2)  http').replace(':07', ':08');
    const text = `${COMMAND}${BEGUN}Read error (Connection reset by peer) in headers.\nRetrying.\n\n${again}${HEADERS}${SAVING}${REPLY}\n${DONE}`;
    expect(await exchangesIn(text)).toMatchObject([
      { request: { body: { data: BET } }, answer: { kind: 'none', reason: 'reset' } },
      accepted,
    ]);
  });

  it.each([
    ['Connecting to wallet.example:80... failed: Connection refused.', 'refused'],
    ['Connecting to wallet.example (wallet.example)|192.0.2.7|:80... failed: Connection timed out.', 'connect-timeout'],
    ['Connecting to wallet.example:80... failed: No route to host.', 'unreachable'],
    ['Resolving wallet.example (wallet.example)... failed: Name or service not known.', 'unresolved'],
    ['HTTP request sent, awaiting response... Read error (Connection timed out) in headers.', 'too-late'],
    ['HTTP request sent, awaiting response... No data received.', 'closed-early'],
  ])('says why there is no reply: %s', async (line, reason) => {
    const text = `${COMMAND}--2026-11-23 14:03:07--  ${URL}\n${line}\nGiving up.\n\n`;
    expect(await exchangesIn(text)).toMatchObject([
      { request: { body: { data: BET } }, answer: { kind: 'none', reason } },
    ]);
  });

  it('without the command has the URL of the call', async () => {
    const text = `${BEGUN.replace('/bet', '/balance?sessionID=s-1')}${HEADERS}${SAVING}{"balance":"100.00"}\n${DONE}`;
    expect(await exchangesIn(text)).toMatchObject([
      { request: { method: null, url: 'http://wallet.example/eu/balance?sessionID=s-1' }, answer: { status: 200 } },
    ]);
  });

  it('ends, so that lines after it are read as usual', async () => {
    const access = '203.0.113.7 - - [23/Nov/2026:14:03:07 +0100] "POST /eu/win HTTP/1.1" 200 52';
    const all = await exchangesIn(`${COMMAND}${BEGUN}${HEADERS}${SAVING}${REPLY}\n${DONE}${access}\n`);
    expect(all).toMatchObject([accepted, { request: { url: '/eu/win' } }]);
  });
});
