import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { exchangesIn } from '../entries-in.ts';

const BET = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"b-1","type":"regular"}';
const REPLY = '{"balance":"95.00","txID":"op-1"}';
const quoted = JSON.stringify;
const ruby = BET.replaceAll('":', '"=>').replaceAll(',"', ', "');

/** One bet, as programs write it whose names for the fields croupier does not know. */
const ENTRIES: readonly (readonly [what: string, text: string])[] = [
  [
    'JSON with other names for the bodies',
    `{"ts":1795442400.04,"method":"POST","path":"/bet","in":${quoted(BET)},"status":200,"resp":${quoted(REPLY)}}`,
  ],
  [
    'JSON with bodies in inner objects',
    `{"time":"2026-11-23T14:00:00Z","method":"POST","path":"/bet","http":{"sent":${quoted(BET)},"got":${quoted(REPLY)}},"code":200}`,
  ],
  [
    'JSON with the call in a group, and with the body as the request',
    `{"time":"2026-11-23T14:00:00Z","http":{"method":"POST","target":"/bet","request":${quoted(BET)},"status":200,"response":${quoted(REPLY)}}}`,
  ],
  [
    'logfmt with other names',
    `time="2026-11-23T14:00:00Z" level=info method=POST uri="/bet" request=${quoted(BET)} code=200 response=${quoted(REPLY)}`,
  ],
  [
    'a path without its first slash',
    `[2026-11-23 14:00:00] production.INFO: POST api/wallet/bet {"request":${BET},"response":${REPLY},"status":200}`,
  ],
  ['the hash of Ruby', `2026-11-23T14:00:00Z method=POST path=/wallet/bet status=200 params=${ruby} response=${REPLY}`],
  [
    'the status before its reason',
    `[Request][2026-11-23 14:00:00] POST https://op.example/bet ${BET}\n[Response][2026-11-23 14:00:00] POST https://op.example/bet 200:OK ${REPLY}`,
  ],
  ['the time of PHP', `[23-Nov-2026 14:00:00 UTC] POST /bet in=${BET} out=200 ${REPLY}`],
  [
    'the body on the line before the URL',
    `2026-11-23 14:00:00 INF requestId=abc-1 Request body: ${BET}\n2026-11-23 14:00:00 INF requestId=abc-1 POST /bet responded 200 in 4.1 ms: ${REPLY}`,
  ],
  [
    'a line of the server after the reply',
    `2026-11-23T14:00:00.000Z POST /bet ${BET}\n2026-11-23T14:00:00.040Z 200 ${REPLY}\nPOST /bet 200 40.123 ms - 58`,
  ],
  [
    'CSV with semicolons',
    `Time;Method;Url;Request;Status;Response\n2026-11-23 14:00:00;POST;/bet;"${BET.replaceAll('"', '""')}";200;"${REPLY.replaceAll('"', '""')}"`,
  ],
  [
    'CSV with words as names',
    `Created At,Endpoint,HTTP Method,Request Body,HTTP Status,Response Body\n2026-11-23 14:00:00,bet,POST,"${BET.replaceAll('"', '""')}",200,"${REPLY.replaceAll('"', '""')}"`,
  ],
];

describe('a call in a log with other names', () => {
  it.each(ENTRIES)('is read: %s', async (_what, text) => {
    const exchanges = await exchangesIn(`${text}\n`);
    expect(exchanges).toHaveLength(1);
    const [exchange] = exchanges;
    if (!exchange) return;
    const { time, answer } = exchange;
    const { call, sessionID, txID, amount } = recordedCall(exchange) ?? {};
    expect({ call, sessionID, txID, amount }).toEqual({ call: 'bet', sessionID: 's-1', txID: 'b-1', amount: '5.00' });
    expect(answer).toMatchObject({ kind: 'reply', status: 200, body: { data: REPLY } });
    expect(Math.abs((time?.ms ?? 0) - Date.parse('2026-11-23T14:00:00Z'))).toBeLessThan(1000);
  });

  it('is read from a table with a column for each field', async () => {
    const [exchange] = await exchangesIn(
      'created_at,endpoint,session_id,tx_id,round_id,amount,http_status,balance_after\n2026-11-23 14:00:00,bet,s-1,b-1,r-1,5.00,200,95.00\n',
    );
    expect(exchange?.logged).toMatchObject({
      session: 's-1',
      tx: 'b-1',
      round: 'r-1',
      amount: '5.00',
      balance: '95.00',
    });
    expect(exchange?.answer).toMatchObject({ kind: 'reply', status: 200 });
  });

  it('has no status if the only number of its line is a duration', async () => {
    const [exchange] = await exchangesIn(
      `2026-11-23T14:00:00Z INFO player=p1 currency=EUR POST https://op.example/bet request=${BET} error="ECONNRESET" duration_ms=402\n`,
    );
    expect(exchange).toMatchObject({
      tookMs: 402,
      answer: { kind: 'none', reason: 'reset' },
      logged: { player: 'p1', currency: 'EUR' },
    });
  });

  it('is not read from a field that several texts may be', async () => {
    const text = `{"time":"2026-11-23T14:00:00Z","method":"POST","path":"/bet","a":${quoted(BET)},"b":${quoted(BET.replace('5.00', '6.00'))},"status":200}`;
    const [exchange] = await exchangesIn(`${text}\n`);
    expect(exchange?.request.body).toBe('unknown');
  });
});
