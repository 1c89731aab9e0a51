import { expect, it } from 'vitest';
import { error } from '../../judge/toy-wallet.ts';
import { operatorServer, P1, ran, scenarioOf } from '../operator-server.ts';

const ROUND =
  'steps: [{ bet: { amount: "7.00" }, as: placed }, { win: { round: placed, amount: "3.00" } }, { balance: }]';
const WIN = scenarioOf('win/credit', `rules: [win.credit]\n${ROUND}`);
const PROBED = scenarioOf(
  'robustness/probed',
  `rules: [robustness.unknown-field]\nsteps: [{ balance: }, { bet: { amount: "1.00" }, body: { set: { device: mobile } }, expect: accepted }, ${ROUND.slice(8)}`,
);

/**
 * Runs a scenario with an operator that answers the first win 500 with a message, and carries it out when it is sent again. Returns
 * the broken rules and the texts of their findings.
 */
async function brokenWith(message: string, scenario = WIN) {
  let failed = false;
  const { url } = await operatorServer(
    ({ call }, tell) => {
      if (call !== 'win' || failed) return tell();
      failed = true;
      return error(500, message);
    },
    { sessions: [P1] },
  );
  const { fold } = await ran(url, [scenario], { deadlineMs: 2000 }, [P1]);
  const broken = fold.rules.filter(({ verdict }) => verdict === 'fail');
  return broken.map(({ rule, findings }) => `${rule.id}: ${findings[0]?.actual}`);
}

it('a database error that a player sees only once is found, although the call is accepted when it is sent again', async () => {
  expect(await brokenWith('SQLITE_BUSY: database is locked')).toEqual([
    'reply.error-message: the `message` contains a database error: "SQLITE_BUSY: database is locked"',
  ]);
});

it('an error that a player may read is no failure', async () => {
  expect(await brokenWith('Something went wrong. Please try again.')).toEqual([]);
});

it('a database error after a call that the service never sends is no failure', async () => {
  expect(await brokenWith('SQLITE_BUSY: database is locked', PROBED)).toEqual([]);
});
