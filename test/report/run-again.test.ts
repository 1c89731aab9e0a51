import { describe, expect, it } from 'vitest';
import { runAgain } from '../../src/report/run-again.ts';

describe('what plays a scenario again', () => {
  it.each([
    ['idempotency/bet', 'scenarios/idempotency/bet.yaml', 'croupier run idempotency/bet'],
    ['signature/refused#bet-garbage', 'scenarios/signature/refused.yaml', 'croupier run signature/refused#bet-garbage'],
    ['first-deposit', 'our-scenarios/first-deposit.yaml', 'croupier run our-scenarios/first-deposit.yaml'],
    ['first', "it's ours/first.yaml", "croupier run 'it'\\''s ours/first.yaml'"],
    ['end of run', '', null],
  ])('%s of %s', (id, file, command) => {
    expect(runAgain({ id, place: { file } })).toBe(command);
  });
});
