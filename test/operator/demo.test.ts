import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listening } from '../../src/listen/server.ts';
import { DEMO_BEGUN, DEMO_CAMPAIGN, demoOperator } from '../../src/operator/demo.ts';
import { createOperator } from '../../src/operator/operator.ts';
import { type Caller, callerOf } from './caller.ts';

const options = demoOperator({ first: 'key-one', second: 'key-two' });
let listening: Listening;
let first: Caller;

beforeAll(async () => {
  listening = await createOperator(options).start();
  first = callerOf(`${listening.url}${options.clients[0].basePath}`, 'key-one');
});
afterAll(() => listening.close());

describe('demoOperator', () => {
  it('has every session with its balance', async () => {
    for (const client of options.clients) {
      const caller = callerOf(`${listening.url}${client.basePath}`, client.integrationApiKey);
      for (const { sessionID, balance } of client.sessions) expect(await caller.balance(sessionID)).toBe(balance);
    }
  });

  it('has a player in two games, and wallets with two, no and many decimals', () => {
    const { sessions } = options.clients[0];
    const games = sessions.filter(({ player }) => player === 'anna').map(({ gameID }) => gameID);
    expect(new Set(games).size).toBeGreaterThan(1);
    expect(sessions.map(({ currency }) => currency)).toEqual(
      expect.arrayContaining(['USD', 'EUR', 'JPY', 'KWD', 'BTC']),
    );
  });

  it('has a campaign', async () => {
    const reply = await first.bet('eu-ben-eur', '1.00', { type: 'free', frID: DEMO_CAMPAIGN });
    expect(reply).toMatchObject({ status: 200, body: { balance: '1000.00' } });
  });

  it('has an expired session that refuses bets and settles the round that began in time', async () => {
    const old = options.clients[0].sessions.find(({ state }) => state === 'expired')?.sessionID ?? '';
    expect(await first.bet(old, '1.00')).toMatchObject({ status: 403, body: { code: 'session_expired' } });
    const { roundID, txID, amount } = DEMO_BEGUN;
    expect(await first.win(old, '5.00', { roundID })).toMatchObject({ status: 200, body: { balance: '1003.00' } });
    expect(await first.refund(old, txID, amount, { roundID })).toMatchObject({
      status: 200,
      body: { balance: '1005.00' },
    });
  });

  it('refuses equal keys', () => {
    expect(() => demoOperator({ first: 'same', second: 'same' })).toThrow('have the same key');
  });
});
