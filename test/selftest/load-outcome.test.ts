import { expect, it } from 'vitest';
import type { RuleId } from '../../src/contract/catalogue.ts';
import { concludeLoad, type LoadFacts } from '../../src/journal/load/result.ts';
import { CORRECT } from '../../src/operator/behaviour.ts';
import { outcomeOfLoad } from '../../src/selftest/load-outcome.ts';
import type { Outcome } from '../../src/selftest/outcome.ts';
import type { Trial } from '../../src/selftest/trials.ts';
import { RIGHT_LOAD } from '../load/load-result.ts';

type Problem = LoadFacts['money']['problems'][number];

const LOST: Problem['transactions'][number] = {
  call: 'bet',
  txID: 'lost-bet',
  roundID: 'r',
  sessionID: 's',
  amount: '1.01',
  what: 'was answered 200, but took nothing',
  atMs: 1,
};

function wrongBalance(rule: RuleId, transactions: Problem['transactions']): Partial<LoadFacts> {
  const problem: Problem = {
    player: 'anna',
    sessionID: 's',
    currency: 'EUR',
    rule,
    expected: '10.00',
    shown: '11.01',
    difference: '1.01',
    transactions,
    isOneOfSeveral: false,
    windowSize: 1,
    atMs: 1,
    isDrift: transactions.length === 0,
    hasMovedInSilence: false,
    replay: '',
  };
  return { money: { ...RIGHT_LOAD.money, problems: [problem], problemCount: 1 } };
}

function judge(kind: 'load-variant' | 'load-defect', facts: Partial<LoadFacts>): Outcome {
  const trial: Trial = {
    name: 'load:tried',
    kind,
    breaks: kind === 'load-defect' ? [['concurrency.no-lost-update', 'bet.debit']] : [],
    mayBreak: ['reply.error-message'],
    restarted: false,
    mustFail: kind === 'load-defect',
    mayBeUndecided: false,
    mayConform: true,
    behaviour: () => CORRECT,
  };
  const all = { ...RIGHT_LOAD, ...facts };
  return outcomeOfLoad(trial, { ...concludeLoad(all), ...all }, [], 1);
}

const kinds = ({ wrongs }: Outcome) => wrongs.map(({ kind, rule }) => `${kind} ${rule}`);

it('a defect under load is judged correctly if one of its rules is reported together with a transaction', () => {
  const outcome = judge('load-defect', wrongBalance('bet.debit', [LOST]));
  expect(kinds(outcome)).toEqual([]);
  expect(outcome.named).toBe('bet lost-bet of 1.01 was answered 200, but took nothing');
});

it('a defect under load is missed if the report names no transaction', () => {
  expect(kinds(judge('load-defect', wrongBalance('bet.debit', [])))).toEqual([
    'missed concurrency.no-lost-update',
    'status null',
  ]);
});

it('a defect under load is missed if only a rule is reported that the defect does not break', () => {
  expect(kinds(judge('load-defect', wrongBalance('win.credit', [LOST])))).toEqual([
    'missed concurrency.no-lost-update',
  ]);
});

it('a wrong balance, an unrelated warning and a doubt are errors if the operator is correct', () => {
  const warning = (rule: RuleId) => ({
    findings: [
      {
        rule,
        verdict: 'warn' as const,
        call: 'bet' as const,
        count: 1,
        expected: 'a',
        actual: 'b',
        player: 'anna',
        sessionID: 's',
        txID: null,
        atMs: 1,
      },
    ],
  });
  expect(kinds(judge('load-variant', {}))).toEqual([]);
  expect(kinds(judge('load-variant', warning('reply.error-message')))).toEqual([]);
  expect(kinds(judge('load-variant', warning('money.precision')))).toEqual(['unrelated money.precision']);
  expect(kinds(judge('load-variant', wrongBalance('bet.debit', [LOST])))).toEqual([
    'unrelated bet.debit',
    'status null',
  ]);
  expect(kinds(judge('load-variant', { sessionsEnded: ['s'] }))).toEqual(['status null']);
});
