import { describe, expect, it } from 'vitest';
import { runAgain, shownLine } from '../../src/report/run-again.ts';

describe('the command that plays a scenario again', () => {
  it.each([
    ['idempotency/bet', 'scenarios/idempotency/bet.yaml', 'croupier run idempotency/bet'],
    ['signature/refused#bet-garbage', 'scenarios/signature/refused.yaml', 'croupier run signature/refused#bet-garbage'],
    ['first-deposit', 'our-scenarios/first-deposit.yaml', 'croupier run our-scenarios/first-deposit.yaml'],
    ['first', "it's ours/first.yaml", "croupier run 'it'\\''s ours/first.yaml'"],
    ['bet/debit', '/usr/lib/croupier/scenarios/bet/debit.yaml', 'croupier run bet/debit'],
    ['mine/debit', 'scenarios/mine/debit.yaml', 'croupier run scenarios/mine/debit.yaml'],
    ['end of run', '', null],
  ])('%s of %s', (id, file, command) => {
    expect(runAgain({ id, place: { file } })).toBe(command);
  });

  it('repeats the flags that select the operator', () => {
    const story = { id: 'bet/debit', place: { file: 'scenarios/bet/debit.yaml' } };
    expect(runAgain(story, ['--session', "s'1"])).toBe("croupier run --session 's'\\''1' bet/debit");
  });
});

describe('a line of a scenario in the terminal', () => {
  it.each([
    ['refund/unknown', '/usr/lib/croupier/scenarios/refund/unknown.yaml', 'refund/unknown:8'],
    ['signature/refused#bet-garbage', 'scenarios/signature/refused.yaml', 'signature/refused:8'],
    ['first', 'our-scenarios/first.yaml', 'our-scenarios/first.yaml:8'],
    ['mine/debit', 'scenarios/mine/debit.yaml', 'scenarios/mine/debit.yaml:8'],
  ])('of %s in %s is %s', (scenario, file, shown) => {
    expect(shownLine(scenario, { file, line: 8 })).toBe(shown);
  });
});
