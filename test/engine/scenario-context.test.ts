import { expect, it } from 'vitest';
import { operatorServer, P1, P2, ran, scenarioOf } from './operator-server.ts';

it('balances are restored in the currency of each session', async () => {
  const other = { ...P2, currency: 'JPY' };
  const { url, wallet, calls } = await operatorServer(undefined, { balance: '150.00', sessions: [P1, other] });
  const plannedCalls = scenarioOf(
    'session/elsewhere',
    'rules: [session.isolated]\nneeds: { currency: { decimals: 2 }, other: { player: other } }\nsteps: [{ bet: { amount: "3.00" } }, { bet: { session: other, amount: "5" } }, { balance: }, { balance: { session: other } }]',
  );
  const run = await ran(url, [plannedCalls], {}, [P1, other]);
  expect(run.scenario(plannedCalls.id).restored).toBe(true);
  expect([wallet.balance('p1'), wallet.balance('p2')].map(String)).toEqual(['150', '150']);
  const wins = calls.filter(({ call }) => call === 'win').map(({ fields }) => fields?.amount);
  // Each round is completed with the missing amount, in the currency of its session.
  expect(wins).toEqual(['3.00', '5']);
});
