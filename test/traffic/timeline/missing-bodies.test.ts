import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../src/traffic/recorded-call.ts';
import { buildTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { exchangesIn } from '../read/entries-in.ts';

/** Returns what is not known about each wallet. The wallet of nobody has the name null. */
async function unknowns(log: string, unread: readonly string[] = []) {
  const calls = (await exchangesIn(log)).flatMap((exchange) => recordedCall(exchange) ?? []);
  const { wallets, status } = buildTimeline(calls, {}, new Map(), undefined, { unread, judgements: [] });
  return { status, of: new Map(wallets.map((wallet) => [wallet.wallet, wallet.unknowns])) };
}

const NOT_LOGGED = 'the bodies of the calls were not logged, so their players, amounts and balances are not known';

describe('a log without bodies', () => {
  it.each([
    'envoy.log',
    'envoy.ndjson',
    'aws-alb.log',
    'cloudflare.ndjson',
    'haproxy.log',
    'iis.log',
    'dotnet-httpclient.log',
  ])('gives this as the reason why nothing about money is known: %s', async (file) => {
    const { status, of } = await unknowns(readFileSync(`fixtures/logs/${file}`, 'utf8'));
    expect(of.get(null)?.[0]).toBe(NOT_LOGGED);
    const ofSession = [...of].filter(([name]) => name !== null).flatMap(([, clauses]) => clauses);
    expect(ofSession).toEqual([
      'the logs do not show whose calls 2 (bet), 3 (win), 4 (bet) are, because their bodies were not logged',
      'the bodies of the replies were not logged',
    ]);
    expect(status).toBe(3);
  });

  it('is not named as the reason if some lines could not be read, because they may have the bodies', async () => {
    const { of } = await unknowns(readFileSync('fixtures/logs/envoy.log', 'utf8'), ['1 line could not be read']);
    expect(of.get(null)).not.toContain(NOT_LOGGED);
  });

  it('is not named as the reason if the session of a logged body is masked', async () => {
    const sent = { amount: '5.00', roundID: 'r-1', sessionID: '***', txID: 't-1', type: 'regular' };
    const line = { time: '2026-11-23T13:03:05.100Z', method: 'POST', url: '/bet', requestBody: sent, status: 200 };
    const { of } = await unknowns(`${JSON.stringify(line)}\n`);
    expect(of.get(null)?.[0]).toContain('the calls name no player and no session');
  });
});
