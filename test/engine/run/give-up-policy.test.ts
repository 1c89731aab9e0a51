import { describe, expect, it } from 'vitest';
import { WaitPolicy } from '../../../src/engine/calls/wait-policy.ts';
import { GiveUpPolicy } from '../../../src/engine/run/give-up-policy.ts';
import type { Exchange } from '../../../src/journal/exchange.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { scenarioOf } from '../operator-server.ts';

const READ = scenarioOf('read', 'rules: [balance.read]\nsteps: [{ balance: }]').plan();
const BET = scenarioOf('bet', 'rules: [bet.exact-balance]\nsteps: [{ bet: }, { balance: }]').plan();
const PLAIN_BET = scenarioOf('plain', 'rules: [bet.decimal-amount]\nsteps: [{ bet: }, { balance: }]').plan();
const LATE_BET: Finding = {
  rule: 'reply.deadline',
  verdict: 'fail',
  endpoint: 'bet',
  step: '1',
  place: READ.place,
  exchange: null,
  expected: 'a reply within the deadline',
  actual: 'none',
  causes: [],
};

function failing(times: number): WaitPolicy {
  const waitPolicy = new WaitPolicy();
  const exchange = { call: 'bet', outcome: { kind: 'reply', reply: { status: 500 } } } as Exchange;
  for (let n = 0; n < times; n += 1) waitPolicy.note(exchange);
  return waitPolicy;
}

describe('an endpoint that misses the deadline', () => {
  it('scenarios that need an endpoint are given up after five scenarios in a row missed its deadline', () => {
    const giveUpPolicy = new GiveUpPolicy(new WaitPolicy());
    for (let n = 0; n < 4; n += 1) giveUpPolicy.note([LATE_BET, LATE_BET], {});
    expect(giveUpPolicy.reasonAgainst(BET)).toBeNull();
    giveUpPolicy.note([LATE_BET], {});
    expect(giveUpPolicy.reasonAgainst(BET)?.reason).toMatch(/^POST \/bet missed the deadline in 5 scenarios in a row/);
    expect(giveUpPolicy.reasonAgainst(READ)).toBeNull();
  });

  it('scenarios that need an endpoint are played again after a reply of that endpoint in time', () => {
    const giveUpPolicy = new GiveUpPolicy(new WaitPolicy());
    for (let n = 0; n < 5; n += 1) giveUpPolicy.note([LATE_BET], {});
    giveUpPolicy.note([], { 'reply.deadline': { balance: 1 } });
    expect(giveUpPolicy.reasonAgainst(BET)).not.toBeNull();
    giveUpPolicy.note([], { 'reply.deadline': { bet: 1 } });
    expect(giveUpPolicy.reasonAgainst(BET)).toBeNull();
  });
});

/** A wait policy that has seen timeouts of a call. */
function hanging(call: 'win' | 'balance', times: number): WaitPolicy {
  const waitPolicy = new WaitPolicy();
  const exchange = { call, outcome: { kind: 'none', reason: 'too-late' } } as Exchange;
  for (let n = 0; n < times; n += 1) waitPolicy.note(exchange);
  return waitPolicy;
}

describe('an endpoint that has missed the deadline each time', () => {
  const WIN = scenarioOf('win', 'rules: [win.credit]\nsteps: [{ bet: }, { win: }, { balance: }]').plan();
  const RACE = scenarioOf(
    'race',
    'rules: [concurrency.no-lost-update]\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ win: { round: a } }, { bet: }] }, { balance: }]',
  ).plan();
  const EITHER = scenarioOf(
    'either',
    'rules: [win.without-bet]\nsteps: [{ balance: }, { win: { round: new }, expect: either }, { balance: }]',
  ).plan();

  it('is given up after three timeouts, with every scenario that needs it', () => {
    const patient = new GiveUpPolicy(hanging('win', 2));
    patient.note([{ ...LATE_BET, endpoint: 'win' }], {});
    expect(patient.reasonAgainst(WIN)).toBeNull();
    const giveUpPolicy = new GiveUpPolicy(hanging('win', 3));
    // Until the fault is reported, a scenario that shows it is played.
    expect(giveUpPolicy.reasonAgainst(WIN)).toBeNull();
    giveUpPolicy.note([{ ...LATE_BET, endpoint: 'win' }], {});
    for (const plan of [WIN, RACE, EITHER])
      expect(giveUpPolicy.reasonAgainst(plan)?.reason).toMatch(
        /^POST \/win missed the deadline each time \(3 times so far\)/,
      );
    expect([BET, READ].map((plan) => giveUpPolicy.reasonAgainst(plan))).toEqual([null, null]);
  });

  it('is not given up after a call in time', () => {
    const waitPolicy = hanging('win', 9);
    waitPolicy.note({ call: 'win', outcome: { kind: 'reply', reply: { status: 200 } } } as Exchange);
    const giveUpPolicy = new GiveUpPolicy(waitPolicy);
    expect(giveUpPolicy.reasonAgainst(WIN)).toBeNull();
    expect(giveUpPolicy.notice).toBeUndefined();
  });

  it('ends all scenarios if it is the balance call, because each of them reads balances', () => {
    const giveUpPolicy = new GiveUpPolicy(hanging('balance', 3));
    giveUpPolicy.note([{ ...LATE_BET, endpoint: 'balance' }], {});
    expect(giveUpPolicy.reasonAgainst(BET)?.reason).toContain('GET /balance missed the deadline');
  });

  it('is reported at the end', () => {
    expect(new GiveUpPolicy(hanging('win', 4)).notice).toMatch(
      /^POST \/win missed the deadline each time \(4 times\), so croupier gave up early/,
    );
  });
});

describe('bets that fail each time', () => {
  it('scenarios that need bets are given up after twelve failed bets, except scenarios about plain bets', () => {
    expect(new GiveUpPolicy(failing(11)).reasonAgainst(BET)).toBeNull();
    const giveUpPolicy = new GiveUpPolicy(failing(12));
    expect(giveUpPolicy.reasonAgainst(BET)?.reason).toMatch(/^POST \/bet has failed each time \(12 times/);
    expect([PLAIN_BET, READ].map((plan) => giveUpPolicy.reasonAgainst(plan))).toEqual([null, null]);
  });

  it('bets that always fail are reported at the end', () => {
    expect(new GiveUpPolicy(failing(11)).notice).toBeUndefined();
    expect(new GiveUpPolicy(failing(12)).notice).toContain('12 times with a 5xx or 429, never with a 200');
  });
});
