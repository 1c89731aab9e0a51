import { describe, expect, it } from 'vitest';
import { Futility } from '../../src/engine/futility.ts';
import { Patience } from '../../src/engine/patience.ts';
import type { Exchange } from '../../src/journal/exchange.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { scenarioOf } from './operator-server.ts';

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

function failing(times: number): Patience {
  const patience = new Patience();
  const exchange = { call: 'bet', outcome: { kind: 'reply', reply: { status: 500 } } } as Exchange;
  for (let n = 0; n < times; n += 1) patience.saw(exchange);
  return patience;
}

describe('an endpoint that lets the deadline pass', () => {
  it('is given up after five stories running, with whatever needs it', () => {
    const futility = new Futility(new Patience());
    for (let n = 0; n < 4; n += 1) futility.saw([LATE_BET, LATE_BET], {});
    expect(futility.reasonAgainst(BET)).toBeNull();
    futility.saw([LATE_BET], {});
    expect(futility.reasonAgainst(BET)).toMatch(/^POST \/bet has let the deadline pass in 5 scenarios running/);
    expect(futility.reasonAgainst(READ)).toBeNull();
  });

  it('is waited for again once it was in time', () => {
    const futility = new Futility(new Patience());
    for (let n = 0; n < 5; n += 1) futility.saw([LATE_BET], {});
    futility.saw([], { 'reply.deadline': { balance: 1 } });
    expect(futility.reasonAgainst(BET)).not.toBeNull();
    futility.saw([], { 'reply.deadline': { bet: 1 } });
    expect(futility.reasonAgainst(BET)).toBeNull();
  });
});

describe('bets that fail each time', () => {
  it('are given up after twelve, but for the story that is about them', () => {
    expect(new Futility(failing(11)).reasonAgainst(BET)).toBeNull();
    const futility = new Futility(failing(12));
    expect(futility.reasonAgainst(BET)).toMatch(/^POST \/bet has failed each time, 12 times/);
    expect([PLAIN_BET, READ].map((plan) => futility.reasonAgainst(plan))).toEqual([null, null]);
  });

  it('are told of at the end', () => {
    expect(new Futility(failing(11)).notice).toBeUndefined();
    expect(new Futility(failing(12)).notice).toContain('12 times with a 5xx, never with a 200');
  });
});
