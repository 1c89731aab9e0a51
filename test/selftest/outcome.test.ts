import { expect, it } from 'vitest';
import type { RuleId } from '../../src/contract/catalogue.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import { startFolding } from '../../src/journal/fold.ts';
import { CORRECT } from '../../src/operator/behaviour.ts';
import { idleScenarios } from '../../src/selftest/idle-scenarios.ts';
import { type Outcome, outcomeOf } from '../../src/selftest/outcome.ts';
import type { Trial, TrialKind } from '../../src/selftest/trial.ts';
import { ended, found, planned, runOf } from '../journal/events.ts';

const STORY = planned('bet/twice', ['idempotency.bet', 'money.exact', 'bet.debit']);

function trial(kind: TrialKind, breaks: readonly (readonly RuleId[])[], mayBreak: readonly RuleId[] = []): Trial {
  return {
    name: 'tried',
    kind,
    breaks,
    mayBreak,
    restarted: false,
    mustFail: breaks.length > 0,
    behaviour: () => CORRECT,
  };
}

function judge(of: Trial, events: readonly JournalEvent[], faults: readonly string[] = []): Outcome {
  const folding = startFolding();
  const kept = STORY.rules.map((rule) => found(STORY.id, rule, 'pass'));
  for (const event of runOf(STORY, [...kept, ...events, ended(STORY.id)])) folding.add(event);
  return outcomeOf(of, folding.result(), faults, 1);
}

const breach = (rule: RuleId) => found(STORY.id, rule, 'fail');
const kinds = ({ wrongs }: Outcome) => wrongs.map(({ kind, rule }) => `${kind} ${rule}`);

it('is content with a defect that is told whole, and with a neighbour that may be told', () => {
  const outcome = judge(trial('defect', [['idempotency.bet']], ['money.exact']), [
    breach('idempotency.bet'),
    breach('money.exact'),
  ]);
  expect(outcome.wrongs).toEqual([]);
  expect(outcome.failed).toEqual(['idempotency.bet', 'money.exact']);
  expect(outcome.alarmed).toEqual(['bet/twice']);
  expect(outcome.exitCode).toBe(1);
});

it('names each rule that was missed, and one that has nothing to do with it, with what was seen', () => {
  const outcome = judge(trial('defect', [['idempotency.bet', 'money.exact']]), [
    breach('idempotency.bet'),
    breach('bet.debit'),
  ]);
  expect(kinds(outcome)).toEqual(['missed money.exact', 'unrelated bet.debit']);
  expect(outcome.wrongs[1]?.told).toEqual([expect.stringContaining('fail in bet/twice: expected what is right')]);
});

it('minds an unrelated warning as much', () => {
  const outcome = judge(trial('defect', [['idempotency.bet']]), [
    breach('idempotency.bet'),
    found(STORY.id, 'robustness.unknown-field', 'warn'),
  ]);
  expect(kinds(outcome)).toEqual(['unrelated robustness.unknown-field']);
});

it('wants the status to say so', () => {
  const outcome = judge(trial('defect', [['idempotency.bet']]), [found(STORY.id, 'idempotency.bet', 'warn')]);
  expect(outcome.exitCode).toBe(0);
  expect(kinds(outcome)).toEqual(['status null']);
});

it.each<TrialKind>(['correct', 'habit'])(
  'lets nothing be accused or left open where the operator is right: %s',
  (kind) => {
    expect(judge(trial(kind, []), []).wrongs).toEqual([]);
    const accused = judge(trial(kind, []), [breach('money.exact')]);
    expect(kinds(accused)).toEqual(['unrelated money.exact', 'status null']);
    const open = judge(trial(kind, []), [found(STORY.id, 'idempotency.bet', 'inconclusive')]);
    expect(kinds(open)).toEqual(['undecided idempotency.bet', 'status null']);
  },
);

it('wants of two defects that each is found by one of its rules', () => {
  const several = trial('several', [['idempotency.bet', 'idempotency.concurrent'], ['money.exact']]);
  expect(judge(several, [breach('idempotency.bet'), breach('money.exact')]).wrongs).toEqual([]);
  expect(kinds(judge(several, [breach('money.exact')]))).toEqual([
    'missed idempotency.bet',
    'missed idempotency.concurrent',
  ]);
});

it('tells an error of the operator itself once', () => {
  const outcome = judge(trial('correct', []), [], ['TypeError: no', 'TypeError: no']);
  expect(outcome.wrongs).toEqual([{ kind: 'fault', rule: null, told: ['TypeError: no'] }]);
});

it('finds the scenarios that never raised an alarm, whatever their cases', () => {
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
