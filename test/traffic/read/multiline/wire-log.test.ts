import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { entriesIn } from '../entries-in.ts';

const at = (second: string, thread = 'main'): string =>
  `2026-11-23 13:03:${second}  INFO [pool-1-thread-${thread}] OkHttp : `;
const body = (tx: string): string =>
  JSON.stringify({ amount: '5.00', roundID: 'r-1', sessionID: 's-1', txID: tx, type: 'regular' });
const request = (second: string, tx: string, thread?: string): readonly string[] => {
  const prefix = at(second, thread);
  return [
    `--> POST http://wallet/bet`,
    'Content-Type: application/json',
    '',
    body(tx),
    '--> END POST (99-byte body)',
  ].map((line) => `${prefix}${line}`);
};
const reply = (second: string, thread?: string): readonly string[] =>
  ['<-- 200 OK http://wallet/bet (42ms)', 'date: x', '', '{"balance":"95.00"}', '<-- END HTTP (19-byte body)'].map(
    (line) => `${at(second, thread)}${line}`,
  );

async function callsIn(lines: readonly string[]) {
  const entries = await entriesIn(lines.join('\n'));
  return entries.flatMap((entry) => {
    const call = entry.kind === 'exchange' ? recordedCall(entry.exchange) : undefined;
    return call ? [{ tx: call.txID, side: call.exchange.side, answer: call.exchange.answer }] : [];
  });
}

describe('the log of an HTTP client of Java', () => {
  it('is the log of the service, and gives the reason for a missing reply', async () => {
    const failure = `${at('12.130')}<-- HTTP FAILED: java.net.SocketTimeoutException: timeout`;
    expect(await callsIn([...request('07.100', 'b-1'), failure])).toMatchObject([
      { tx: 'b-1', side: 'service', answer: { kind: 'none', reason: 'too-late' } },
    ]);
  });

  it('joins a request with the reply of the same thread', async () => {
    const lines = [...request('07.100', 'b-1', '1'), ...request('07.110', 'b-2', '2'), ...reply('07.300', '1')];
    expect(await callsIn(lines)).toMatchObject([
      { tx: 'b-1', answer: { kind: 'reply', status: 200 } },
      { tx: 'b-2', answer: { kind: 'unknown' } },
    ]);
  });

  it('leaves replies open if two requests without a thread are in progress at once', async () => {
    const lines = [...request('07.100', 'b-1'), ...request('07.110', 'b-2'), ...reply('07.300'), ...reply('07.400')];
    const bare = lines.map((line) => line.replace('[pool-1-thread-main] ', ''));
    expect(await callsIn(bare)).toMatchObject([
      { tx: 'b-1', answer: { kind: 'unknown' } },
      { tx: 'b-2', answer: { kind: 'unknown' } },
    ]);
  });

  it('ends a message at a line of another program', async () => {
    const [first = ''] = request('07.100', 'b-1');
    const other = '2026-11-23 13:03:07.100  INFO [pool-1-thread-main] Wallet : starting';
    const [call] = await callsIn([first, other, ...reply('07.300')]);
    expect(call).toMatchObject({ tx: null, answer: { kind: 'reply', status: 200 } });
  });
});
