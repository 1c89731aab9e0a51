import { expect, it } from 'vitest';
import type { RuleId } from '../../src/contract/catalogue.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import { startFold } from '../../src/journal/fold.ts';
import { CORRECT } from '../../src/operator/behaviour.ts';
import { idleScenarios, type Outcome, outcomeOf } from '../../src/selftest/outcome.ts';
import type { Trial, TrialKind } from '../../src/selftest/trials.ts';
import { ended, found, planned, runOf } from '../journal/events.ts';

const SCENARIO = planned('bet/twice', ['idempotency.bet', 'money.exact', 'bet.debit']);

function trial(kind: TrialKind, breaks: readonly (readonly RuleId[])[], mayBreak: readonly RuleId[] = []): Trial {
  return {
    name: 'tried',
    kind,
    breaks,
    mayBreak,
    restarted: false,
    mustFail: breaks.length > 0,
    mayBeUndecided: false,
    mayConform: true,
    behaviour: () => CORRECT,
  };
}

function judge(of: Trial, events: readonly JournalEvent[], faults: readonly string[] = []): Outcome {
  const folding = startFold();
  const kept = SCENARIO.rules.map((rule) => found(SCENARIO.id, rule, 'pass'));
  for (const event of runOf(SCENARIO, [...kept, ...events, ended(SCENARIO.id)])) folding.add(event);
  return outcomeOf(of, folding.result(), faults, 1);
}

const breach = (rule: RuleId) => found(SCENARIO.id, rule, 'fail');
const kinds = ({ wrongs }: Outcome) => wrongs.map(({ kind, rule }) => `${kind} ${rule}`);

it('a defect is judged correctly if all its rules are reported, with or without the rules that may be reported too', () => {
  const outcome = judge(trial('defect', [['idempotency.bet']], ['money.exact']), [
    breach('idempotency.bet'),
    breach('money.exact'),
  ]);
  expect(outcome.wrongs).toEqual([]);
  expect(outcome.failed).toEqual(['idempotency.bet', 'money.exact']);
  expect(outcome.alarmed).toEqual(['bet/twice']);
  expect(outcome.exitCode).toBe(1);
});

it('each rule that was missed and each unrelated rule is an error, with its findings', () => {
  const outcome = judge(trial('defect', [['idempotency.bet', 'money.exact']]), [
    breach('idempotency.bet'),
    breach('bet.debit'),
  ]);
  expect(kinds(outcome)).toEqual(['missed money.exact', 'unrelated bet.debit']);
  expect(outcome.wrongs[1]?.details).toEqual([expect.stringContaining('fail in bet/twice: expected what is right')]);
});

it('an unrelated warning is an error too', () => {
  const outcome = judge(trial('defect', [['idempotency.bet']]), [
    breach('idempotency.bet'),
    found(SCENARIO.id, 'robustness.unknown-field', 'warn'),
  ]);
  expect(kinds(outcome)).toEqual(['unrelated robustness.unknown-field']);
});

it('an exit status that does not fit is an error', () => {
  const outcome = judge(trial('defect', [['idempotency.bet']]), [found(SCENARIO.id, 'idempotency.bet', 'warn')]);
  expect(outcome.exitCode).toBe(0);
  expect(kinds(outcome)).toEqual(['status null']);
});

it.each<TrialKind>(['correct', 'variant'])(
  'a finding or an undecided rule is an error if the operator is correct (%s)',
  (kind) => {
    expect(judge(trial(kind, []), []).wrongs).toEqual([]);
    const accused = judge(trial(kind, []), [breach('money.exact')]);
    expect(kinds(accused)).toEqual(['unrelated money.exact', 'status null']);
    const open = judge(trial(kind, []), [found(SCENARIO.id, 'idempotency.bet', 'inconclusive')]);
    expect(kinds(open)).toEqual(['undecided idempotency.bet', 'status null']);
  },
);

it('two defects are judged correctly if one rule of each is reported', () => {
  const several = trial('several', [['idempotency.bet', 'idempotency.concurrent'], ['money.exact']]);
  expect(judge(several, [breach('idempotency.bet'), breach('money.exact')]).wrongs).toEqual([]);
  expect(kinds(judge(several, [breach('money.exact')]))).toEqual([
    'missed idempotency.bet',
    'missed idempotency.concurrent',
  ]);
});

it('an error of the operator itself is reported once', () => {
  const outcome = judge(trial('correct', []), [], ['TypeError: no', 'TypeError: no']);
  expect(outcome.wrongs).toEqual([{ kind: 'fault', rule: null, details: ['TypeError: no'] }]);
});

it('the scenarios that neither failed nor warned in any case are listed', () => {
  const scenarios = [
    { scenarioId: 'bet/twice', rules: ['idempotency.bet'] as const },
    { scenarioId: 'bet/idle', rules: ['bet.debit'] as const },
    { scenarioId: 'bet/cases', rules: ['bet.debit'] as const },
    { scenarioId: 'reply/noted', rules: ['bet.zero'] as const },
  ];
  const outcome = judge(trial('defect', [['idempotency.bet']]), [breach('idempotency.bet')]);
  expect(idleScenarios(scenarios, [{ ...outcome, alarmed: ['bet/twice', 'bet/cases#win'] }])).toEqual(['bet/idle']);
  expect(idleScenarios(scenarios, [{ ...outcome, alarmed: ['bet/twice', 'bet/cases#win', 'bet/idle'] }])).toEqual([]);
});
