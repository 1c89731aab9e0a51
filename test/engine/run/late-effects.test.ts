import { expect, it } from 'vitest';
import { error } from '../../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, P1, P2, ran, scenarioOf } from '../operator-server.ts';

const LOST = scenarioOf(
  'refund/broken',
  'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }]',
);
const SESSIONS = [P1, { ...P2, currency: 'JPY' }];
/** A scenario in another wallet that takes longer than the debit of {@link LOST} is late. */
const ELSEWHERE = scenarioOf(
  'robustness/elsewhere',
  'rules: [balance.read]\nneeds: { currency: { decimals: 0 } }\nsteps: [{ balance: }, { wait: 450ms }]',
);

/** Changes the balance of the first player after the scenario of the lost bet. */
const later =
  (sum: string): Behaviour =>
  ({ call, fields }, tell, wallet) => {
    if (call !== 'bet' || fields?.sessionID !== 's1') return tell();
    setTimeout(() => wallet.move(sum), 300);
    return wallet.ok();
  };

async function endOf(lie?: Behaviour) {
  const { url } = await operatorServer(lie, { sessions: SESSIONS });
  const run = await ran(url, [LOST, ELSEWHERE], {}, SESSIONS);
  return run.findings('refund.broken-connection').map(({ verdict, actual }) => `${verdict}: ${actual}`);
}

it('an unchanged balance at the end gives no finding', async () => {
  expect(await endOf()).toEqual([]);
});

it('a debit that takes effect after the end of its scenario is found', async () => {
  const [found, ...others] = await endOf(later('-7.00'));
  expect(others).toEqual([]);
  expect(found).toContain('fail: the balance is 93');
  expect(found).toContain('a debit took effect after its refund');
});

it('a balance that rose after the end of the scenario is inconclusive', async () => {
  const [found] = await endOf(later('7.00'));
  expect(found).toContain('inconclusive: the balance is 107');
  expect(found).toContain('somebody else may use the session');
});

it('a wallet whose balance could not be read at the end of the scenario is not judged', async () => {
  let refusals = 0;
  const { url } = await operatorServer(
    ({ call }, tell) => {
      if (call === 'win') refusals = 4;
      if (call !== 'balance' || refusals === 0) return tell();
      refusals -= 1;
      return error(503, 'Busy');
    },
    { sessions: SESSIONS },
  );
  const lost = scenarioOf(
    'refund/broken',
    'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { bet: { amount: "5.00" } }, { balance: }]',
  );
  const run = await ran(url, [lost], {}, SESSIONS);
  expect(run.scenario('refund/broken').restored).toBe(false);
  expect(run.findings('refund.broken-connection')).toEqual([]);
});
