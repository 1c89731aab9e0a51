import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { exchangesIn } from '../entries-in.ts';

const TIME = '2026-11-23T13:03:05.123456789Z';

/** Each log collector, with what it writes of one line of a program. */
const COLLECTORS: readonly (readonly [name: string, write: (line: string) => string])[] = [
  ['docker compose', (line) => `wallet-1  | ${line}`],
  ['docker compose with times', (line) => `wallet-1  | ${TIME} ${line}`],
  ['docker logs -t', (line) => `${TIME} ${line}`],
  ['docker (json-file)', (line) => JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: TIME })],
  ['kubectl logs --prefix', (line) => `[pod/wallet-6d4c9-abcde/wallet] ${line}`],
  ['stern', (line) => `wallet-6d4c9-abcde wallet ${line}`],
  ['containerd', (line) => `${TIME} stdout F ${line}`],
  ['journald', (line) => `Nov 23 13:03:05 host-1 wallet[123]: ${line}`],
  ['journald with ISO times', (line) => `2026-11-23T13:03:05+0000 host-1 wallet[123]: ${line}`],
  ['syslog', (line) => `<134>Nov 23 13:03:05 host-1 wallet: ${line}`],
  ['syslog (RFC 5424)', (line) => `<134>1 2026-11-23T13:03:05.123Z host-1 wallet 12 - - ${line}`],
  ['Heroku', (line) => `2026-11-23T13:03:05.123456+00:00 app[web.1]: ${line}`],
];

const MULTI_LINE = ['pino-pretty.log', 'logbook-http.log', 'indented-json.log'];

const shown = async (text: string) =>
  (await exchangesIn(text)).map((exchange) => {
    const call = recordedCall(exchange);
    const { answer } = exchange;
    return [call?.call, call?.txID, call?.amount, answer.kind === 'reply' ? answer.body?.data : answer.kind];
  });

describe.each(COLLECTORS)('an entry of several lines with the prefix of %s', (_name, write) => {
  it.each(MULTI_LINE)('is joined: %s', async (file) => {
    const text = readFileSync(`fixtures/logs/${file}`, 'utf8');
    const collected = text.replace(/\n$/, '').split('\n').map(write).join('\n');
    const expected = await shown(text);
    expect(expected).toHaveLength(4);
    expect(await shown(`${collected}\n`)).toEqual(expected);
  });
});

describe('the time of a log collector', () => {
  it('is the time of a call whose program logs none', async () => {
    const entry = ['POST /wallet/bet HTTP/1.1', 'Host: wallet', '', '{"sessionID":"s-1","txID":"b-1","amount":"1.00"}'];
    const [exchange] = await exchangesIn(`${entry.map((line) => `${TIME} ${line}`).join('\n')}\n`);
    expect(Math.floor(exchange?.time?.ms ?? 0)).toBe(Date.parse('2026-11-23T13:03:05.123Z'));
  });
});
