import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.ts';
import { Money } from '../../../src/contract/money.ts';
import type { RunOptions, SessionUnderTest } from '../../../src/engine/run-options.ts';
import { type Behaviour, operatorServer, ran, scenarioOf } from '../operator-server.ts';

const BET = scenarioOf('a/b', 'rules: [bet.debit]\nsteps: [bet: , balance: ]');
const FINE = scenarioOf(
  'a/c',
  'rules: [bet.decimal-amount]\nneeds: { currency: { decimals: some } }\nsteps: [bet: { amount: "${3 * unit}" }, balance: ]',
);

const session = (sessionID: string, currency?: string): SessionUnderTest => ({
  sessionID,
  player: sessionID,
  currency,
});

/** Plays scenarios at a wallet that writes the balance of each session with this number of decimals at least. */
async function played(
  decimals: Readonly<Record<string, number>>,
  currency: string | undefined,
  options: Partial<RunOptions> = {},
  scenarios = [BET],
) {
  const sessions = Object.keys(decimals).map((sessionID) => session(sessionID, currency));
  const write: Behaviour = ({ fields }, tell) => {
    const reply = tell();
    const body = reply.body as JsonObject;
    if (typeof body.balance !== 'string') return reply;
    const balance = Money.of(body.balance).format(
      decimals[typeof fields?.sessionID === 'string' ? fields.sessionID : ''],
    );
    return { ...reply, body: { ...body, balance } };
  };
  const { url, calls } = await operatorServer(write, { balance: '100', sessions });
  const result = await ran(url, scenarios, { workers: 1, ...options }, sessions);
  return {
    ...result,
    amounts: calls.flatMap(({ call, fields }) => (call === 'bet' ? [fields?.amount] : [])),
    notices: result.fold.notices,
  };
}

describe('the amounts of a run', () => {
  it('do not show whether decimals are exact if they are whole', async () => {
    const odd = scenarioOf('a/d', 'rules: [money.exact]\nsteps: [bet: { amount: "${stake + unit}" }, balance: ]');
    const verdicts = await Promise.all(
      [0, 2].map(async (s1) => (await played({ s1 }, undefined, {}, [odd])).verdict('money.exact')),
    );
    expect(verdicts).toEqual(['skip', 'pass']);
  });

  it.each([
    ['USDT', { s1: 6 }, '1.000000'],
    ['mBCH', { s1: 5 }, '1.00000'],
    ['uBTC', { s1: 2 }, '100.00'],
    ['BTC', { s1: 0 }, '1'],
    ['PEPE', { s1: 6 }, '1.00'],
    [undefined, { s1: 6 }, '1.00'],
    ['USD', { s1: 0 }, '1.00'],
  ])('in the currency %s have no more decimals than the balances (%j) show: %s', async (currency, shown, amount) => {
    const { amounts, verdict } = await played(shown, currency);
    expect(amounts[0]).toBe(amount);
    expect(verdict('bet.debit')).toBe('pass');
  });

  it.each([
    ['2 decimals', { s1: 2 }, 'pass', ['0.03']],
    ['8 decimals', { s1: 8 }, 'pass', ['0.03']],
    ['no decimals', { s1: 0 }, 'skip', []],
  ] as const)(
    'of a session without a currency whose balance has %s test decimals only if the balance shows them',
    async (_what, shown, verdict, wanted) => {
      const result = await played(shown, undefined, {}, [FINE]);
      expect(result.verdict('bet.decimal-amount')).toBe(verdict);
      expect(result.amounts).toEqual(wanted);
    },
  );

  it('have the decimals of the balance with the most decimals, because other balances may leave out zeros', async () => {
    const { amounts } = await played({ s1: 1, s2: 2 }, 'USDT', {}, [FINE]);
    expect(amounts[0]).toBe('0.03');
  });

  it('have the configured decimals and stakes, also for codes with small letters', async () => {
    const { amounts } = await played({ s1: 0 }, 'mBCH', { decimals: { mBCH: 5 }, stakes: { mBCH: '2.5' } });
    expect(amounts[0]).toBe('2.50000');
  });
});

describe('a scenario that needs decimals', () => {
  it('is played in the smallest unit that the balances show', async () => {
    const { amounts, verdict } = await played({ s1: 2 }, 'USDT', {}, [FINE]);
    expect(amounts[0]).toBe('0.03');
    expect(verdict('bet.decimal-amount')).toBe('pass');
  });

  it('is skipped if the balances show none, and the report says how to test it', async () => {
    const { amounts, verdict, notices } = await played({ s1: 0 }, 'BTC', {}, [FINE]);
    expect(amounts).toEqual([]);
    expect(verdict('bet.decimal-amount')).toBe('skip');
    expect(notices).toEqual([
      'The balances in BTC show no decimals, so every bet in BTC was a whole number. To test decimals, set `decimals: { BTC: … }` in croupier.yaml.',
    ]);
  });

  it('is played with the configured decimals, although the balances show none', async () => {
    const { amounts, notices } = await played({ s1: 0 }, 'BTC', { decimals: { BTC: 2 } }, [FINE]);
    expect(amounts[0]).toBe('0.03');
    expect(notices).toEqual([]);
  });
});

it('a setting for a currency that is not known, and that no session has, is noted as a likely mistake', async () => {
  const { notices } = await played({ s1: 2 }, 'USD', { stakes: { euro: '1.00', EUR: '1.00' } });
  expect(notices).toEqual([
    'A stake or decimals are set for euro, but croupier does not know this currency, and no session has it.',
  ]);
});

describe('a currency that croupier does not know', () => {
  it('is tested, and noted', async () => {
    const { verdict, notices } = await played({ s1: 2 }, 'PEPE');
    expect(verdict('bet.debit')).toBe('pass');
    expect(notices).toEqual([
      'croupier does not know the currency PEPE, but tests it all the same. To test its decimals, set `decimals: { PEPE: … }` in croupier.yaml.',
    ]);
  });

  it('is compared with known codes, because a letter may be in the wrong case', async () => {
    const { notices } = await played({ s1: 2 }, 'usd', { decimals: { usd: 2 } });
    expect(notices).toEqual([
      'croupier does not know the currency usd, but tests it all the same. Did you mean USD? Upper and lower case matter.',
    ]);
  });
});
