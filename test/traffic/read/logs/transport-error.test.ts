import { describe, expect, it } from 'vitest';
import { logForm } from '../../../../src/traffic/read/logs/log-form.ts';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { buildTimeline } from '../../../../src/traffic/timeline/timeline.ts';
import { exchangesIn } from '../entries-in.ts';

const BET = '{"amount":"2.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const REFUND = '{"amount":"2.00","origTxID":"t-1","roundID":"r-1","sessionID":"s-1","txID":"t-2"}';

/** The end and the status of each call in a log of the service or the operator. */
async function endsIn(lines: readonly string[], side: 'service' | 'operator' = 'service') {
  const exchanges = await exchangesIn(lines.join('\n'), logForm({ side }));
  const calls = exchanges.flatMap((exchange) => recordedCall(exchange) ?? []);
  return buildTimeline(calls, {}, new Map()).calls.map(({ seen, ending, status }) => [seen.call, ending, status]);
}

const line = (second: string, thread: string, text: string): string =>
  `2026-11-23 13:03:${second} INFO [${thread}] c.x.WalletClient - ${text}`;

describe('a line of text with the reason why a call has no reply', () => {
  it.each([
    ['java.net.SocketTimeoutException: Read timed out', 'late'],
    ['timeout of 5000ms exceeded', 'late'],
    ['dial tcp 10.0.4.4:443: connect: connection refused', 'not-sent'],
    ["('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))", 'lost'],
    ['socket hang up', 'lost'],
    ['HeadersTimeoutError: Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)', 'late'],
    ['java.util.concurrent.TimeoutException', 'late'],
    ['unexpected end of stream on https://wallet.example/...', 'lost'],
    ['wallet.example:443 failed to respond', 'lost'],
    ['Post "https://wallet.example/bet": EOF', 'lost'],
    ['System.IO.IOException: The response ended prematurely.', 'lost'],
    ['net/http: TLS handshake timeout', 'not-sent'],
    ['Net::OpenTimeout: execution expired', 'not-sent'],
    ['httpx.PoolTimeout', 'not-sent'],
    ['httpx.ConnectError: All connection attempts failed', 'not-sent'],
    ['cURL error 28: Resolving timed out after 5000 milliseconds', 'not-sent'],
    ['write tcp 10.0.4.2:5000->10.0.4.4:443: write: connection timed out', 'lost'],
    ['java.net.SocketException: Connection timed out (Write failed)', 'lost'],
    ['OSError: [Errno 110] Connection timed out', 'lost'],
    ['remote error: tls: bad certificate', 'lost'],
    ['http2: server sent GOAWAY and closed the connection', 'lost'],
    ['%Mint.TransportError{reason: :closed}', 'lost'],
    ['dial tcp 10.0.4.4:443: i/o timeout', 'not-sent'],
    ['java.net.UnknownHostException: wallet.example', 'not-sent'],
    ['The SSL connection could not be established, see inner exception.', 'not-sent'],
    ['No connection could be made because the target machine actively refused it. (wallet:443)', 'not-sent'],
  ])('ends the request before it: %s', async (error, ending) => {
    const log = [
      line('06.100', 'exec-1', `POST /wallet/bet ${BET}`),
      line('11.101', 'exec-1', `call failed: ${error}`),
      line('12.100', 'exec-1', `POST /wallet/refund ${REFUND}`),
      line('12.140', 'exec-1', '200 {"balance":"8.00","txID":"o-2"}'),
    ];
    expect(await endsIn(log)).toEqual([
      ['bet', ending, null],
      ['refund', 'accepted', 200],
    ]);
    const withoutThread = log.map((one) => one.replace(' [exec-1]', ''));
    expect(await endsIn(withoutThread)).toEqual(await endsIn(log));
  });

  it.each([
    ['ConnectionError: [Errno 111] Connection refused', 'not-sent'],
    ["cURL error 7: Failed to connect to wallet port 443 after 3 ms: Couldn't connect to server", 'not-sent'],
    ['timed out after 500 milliseconds', 'late'],
    ['attempt 201 failed: ECONNRESET', 'lost'],
  ])('has no status, although the text of the error has a number: %s', async (error, ending) => {
    expect(await endsIn([line('06.100', 'exec-1', `POST /wallet/bet ${BET} ${error}`)])).toEqual([
      ['bet', ending, null],
    ]);
  });

  it.each(['504 Gateway Time-out', '-> 503 upstream connect error, reset reason: connection timeout', '[502] reset'])(
    'has a status if a server in front of the operator answered: %s',
    async (text) => {
      const status = Number(/\d{3}/.exec(text)?.[0]);
      expect(await endsIn([line('06.100', 'exec-1', `POST /wallet/bet ${BET} ${text}`)])).toEqual([
        ['bet', 'declined', status],
      ]);
    },
  );

  it.each([
    [
      'the stack trace of Java',
      { stack_trace: 'java.net.SocketTimeoutException: Read timed out\n\tat a.B.c(B.java:1)' },
    ],
    ['exc_info of Python', { exc_info: 'requests.exceptions.ReadTimeout: Read timed out.' }],
    ['the code of Node.js', { code: 'ECONNABORTED', message: 'timeout of 5000ms exceeded' }],
  ])('may be a field of JSON: %s', async (_, error) => {
    const entry = {
      time: '2026-11-23T13:03:06.100Z',
      method: 'POST',
      url: '/wallet/bet',
      sent: JSON.parse(BET),
      ...error,
    };
    expect(await endsIn([JSON.stringify(entry)])).toEqual([['bet', 'late', null]]);
  });

  it('does not end a request that is answered later, because the error was about something else', async () => {
    const log = [
      line('06.100', 'nio-exec-1', `POST /wallet/bet ${BET}`),
      line('06.120', 'nio-exec-1', 'cache: connect timed out, using the database'),
      line('06.140', 'nio-exec-1', '200 {"balance":"8.00","txID":"o-1"}'),
    ];
    expect(await endsIn(log)).toEqual([['bet', 'accepted', 200]]);
  });

  it('says nothing in the log of the operator, which sends no calls', async () => {
    const log = [
      line('06.100', 'nio-exec-1', `POST /wallet/bet ${BET}`),
      line('06.120', 'nio-exec-1', 'payment service: Read timed out'),
    ];
    expect(await endsIn(log, 'operator')).toEqual([['bet', 'unknown', null]]);
  });

  it('separates two attempts of one call', async () => {
    const log = [
      line('06.100', 'nio-exec-1', `POST /wallet/win ${BET}`),
      line('11.101', 'nio-exec-1', 'call failed: Read timed out'),
      line('12.100', 'nio-exec-1', `POST /wallet/win ${BET}`),
      line('12.140', 'nio-exec-1', '200 {"balance":"8.00","txID":"o-2"}'),
    ];
    expect(await endsIn(log)).toEqual([
      ['win', 'late', null],
      ['win', 'accepted', 200],
    ]);
  });

  it('leaves the call at its place, so that the order of the calls is known', async () => {
    const log = [
      line('05.100', 'exec-1', 'GET /wallet/balance?sessionID=s-1'),
      line('05.120', 'exec-1', '200 {"balance":"10.00"}'),
      line('06.100', 'exec-2', `POST /wallet/bet ${BET}`),
      line('11.101', 'exec-2', 'call failed: Read timed out'),
      line('12.100', 'exec-3', `POST /wallet/refund ${REFUND}`),
      line('12.140', 'exec-3', '404 {"code":"unknown","message":"no"}'),
      line('13.100', 'exec-4', 'GET /wallet/balance?sessionID=s-1'),
      line('13.120', 'exec-4', '200 {"balance":"10.00"}'),
    ];
    const exchanges = await exchangesIn(log.join('\n'), logForm({ side: 'service' }));
    const calls = exchanges.flatMap((exchange) => recordedCall(exchange) ?? []);
    const [wallet] = buildTimeline(calls, {}, new Map()).wallets;
    expect(wallet?.unknowns).toEqual([]);
    expect(wallet?.debts.map(({ kind, owedBy }) => [kind, owedBy])).toEqual([['refund-pending', 'nobody']]);
  });

  it('is read after the JSON of the request on the same line', async () => {
    expect(await endsIn([line('06.100', 'main', `POST /wallet/bet ${BET} failed: read ECONNRESET`)])).toEqual([
      ['bet', 'lost', null],
    ]);
  });
});

describe('a reply that is no JSON', () => {
  it.each(['<-- 502 <html><body>Bad Gateway</body></html> (41 ms)', 'Response: 502 Bad Gateway', '502 <html></html>'])(
    'is read with its status: %s',
    async (reply) => {
      const log = [line('06.100', 'nio-exec-1', `--> POST /wallet/bet ${BET}`), line('06.141', 'nio-exec-1', reply)];
      expect(await endsIn(log)).toEqual([['bet', 'declined', 502]]);
    },
  );
});
