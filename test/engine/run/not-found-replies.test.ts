import { expect, it } from 'vitest';
import { error } from '../../judge/toy-wallet.ts';
import { operatorServer, P1, ran, scenarioOf } from '../operator-server.ts';

const BROKEN_BET = scenarioOf(
  'refund/broken',
  'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }]',
);
const TWO_ROUNDS = scenarioOf(
  'bet/two-rounds',
  'rules: [bet.debit]\nsteps: [{ bet: { amount: "7.00" } }, { balance: }, { bet: { amount: "3.00" } }, { balance: }]',
);
const RACE = scenarioOf(
  'win/race',
  'rules: [concurrency.no-lost-update]\nsteps: [{ bet: { amount: "7.00" }, as: placed }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { win: { round: placed, amount: "9.00" } }] }, { balance: }]',
);

/**
 * Runs a scenario with an operator that answers the first call of this kind with the status, and carries it out when it is sent again.
 * Returns the broken rules and the texts of their findings.
 */
async function brokenWith(call: 'win' | 'refund', status: number, scenario = BROKEN_BET) {
  let failed = false;
  const { url } = await operatorServer(
    (called, tell) => {
      if (called.call !== call || failed) return tell();
      failed = true;
      return error(status, 'Not found.');
    },
    { sessions: [P1] },
  );
  const { fold } = await ran(url, [scenario], { deadlineMs: 2000 }, [P1]);
  const broken = fold.rules.filter(({ verdict }) => verdict === 'fail');
  return broken.map(({ rule, findings }) => `${rule.id}: ${findings[0]?.actual}`);
}

const NOT_FOUND = 'answered 404, "Not found."; later, the operator carried out such a call';

it('a refund that is answered 404 once breaks a rule, although the operator carries it out when it is sent again', async () => {
  expect(await brokenWith('refund', 404)).toEqual([`refund.unknown: ${NOT_FOUND}`]);
});

it('a refund may be declined once while its bet may still be in progress, if the status does not say that something is missing', async () => {
  expect(await brokenWith('refund', 409)).toEqual([]);
  expect(await brokenWith('refund', 422)).toEqual([]);
});

it('a win of 0 that is answered 404 once breaks a rule, also if croupier only completes a round with it', async () => {
  expect(await brokenWith('win', 404, TWO_ROUNDS)).toEqual([`win.zero: ${NOT_FOUND}`]);
});

it('a win that is answered 404 in a race breaks a rule, although the operator carries it out when it is sent again', async () => {
  expect(await brokenWith('win', 404, RACE)).toEqual([`win.credit: ${NOT_FOUND}`]);
  expect(await brokenWith('win', 423, RACE)).toEqual([]);
});
