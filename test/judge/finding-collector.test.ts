import { describe, expect, it } from 'vitest';
import { type RuleId, ruleById } from '../../src/contract/catalogue.ts';
import { CONTRACT_VERSION, type ContractVersion } from '../../src/contract/versions.ts';
import { EXPECTATION, type Finding } from '../../src/journal/finding.ts';
import { breach, PASS } from '../../src/judge/decision.ts';
import { endpointOf, FindingCollector, type FindingSubject } from '../../src/judge/finding-collector.ts';
import type { CallStep } from '../../src/scenario/plan/plan.ts';
import { planOf } from './judged-scenario.ts';

const [BET] = planOf('rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]').steps.filter(
  (step): step is CallStep => step.kind === 'call',
);

function collector(options: { strict?: boolean; contract?: ContractVersion; amountsVary?: boolean } = {}) {
  const findings: Finding[] = [];
  const { strict = false, contract = CONTRACT_VERSION, amountsVary = false } = options;
  return {
    findings,
    collector: new FindingCollector({ strict, contract, amountsVary }, (finding) => findings.push(finding)),
  };
}

function about(rule: RuleId): FindingSubject {
  if (!BET) throw new Error('the plan has a bet');
  return { rule, step: BET, exchange: 'x1' };
}

describe('a breach', () => {
  it.each([
    ['bet.debit', false, 'fail'],
    ['bet.debit', true, 'fail'],
    ['free-rounds.empty-wallet', false, 'warn'],
    ['free-rounds.empty-wallet', true, 'fail'],
    ['concurrency.order', false, 'note'],
    ['concurrency.order', true, 'note'],
  ] as const)('of %s, with strict = %s, gives the verdict %s', (rule, strict, verdict) => {
    const { collector: one, findings } = collector({ strict });
    one.decide(about(rule), breach('this', 'that'));
    expect(findings.map((finding) => finding.verdict)).toEqual([verdict]);
    expect(one.hasBreach).toBe(verdict === 'fail');
  });

  it('is reported with its place, the expected and the actual behaviour', () => {
    const { collector: one, findings } = collector();
    one.decide(about('reply.deadline'), breach('a reply', 'none', ['bet.debit', 'reply.deadline']));
    expect(findings).toEqual([
      {
        rule: 'reply.deadline',
        verdict: 'fail',
        endpoint: 'bet',
        step: BET?.key,
        place: BET?.place,
        exchange: 'x1',
        expected: 'a reply',
        actual: 'none',
        // No rule is a cause of itself.
        causes: ['bet.debit'],
      },
    ]);
  });
});

describe('a rule', () => {
  it('is broken after a breach that no other broken rule explains', () => {
    const { collector: one } = collector();
    expect(one.isBroken('bet.debit')).toBe(false);
    one.decide(about('bet.debit'), breach('this', 'that', ['money.exact']));
    expect(one.isBroken('bet.debit')).toBe(true);
  });

  it('is not broken by a breach that another broken rule explains', () => {
    const { collector: one } = collector();
    one.decide(about('money.exact'), breach('this', 'that'));
    one.decide(about('bet.debit'), breach('this', 'that', ['money.exact']));
    expect(one.isBroken('bet.debit')).toBe(false);
  });
});

describe('a decision', () => {
  it('to pass is counted by endpoint, and is not reported', () => {
    const { collector: one, findings } = collector();
    one.decide(about('reply.deadline'), PASS);
    one.decide(about('reply.deadline'), PASS);
    one.decide(about('bet.debit'), PASS);
    expect(one.passes).toEqual({ 'reply.deadline': { bet: 2 }, 'bet.debit': { '*': 1 } });
    expect(findings).toEqual([]);
  });

  it.each([
    [{ kind: 'warn', expected: 'this', actual: 'that', why: 'it is minor' }, 'warn', 'this', 'that'],
    [{ kind: 'note', actual: 'that' }, 'note', null, 'that'],
    [{ kind: 'skip', reason: 'its own limit' }, 'skip', null, 'its own limit'],
    [{ kind: 'undecided', reason: 'no reply' }, 'inconclusive', null, 'no reply'],
  ] as const)('%o is reported, and breaks no rule', (decision, verdict, expected, actual) => {
    const { collector: one, findings } = collector();
    one.decide(about('bet.debit'), decision);
    const { sentence } = ruleById('bet.debit');
    expect(findings).toMatchObject([{ verdict, expected: expected ?? sentence, actual }]);
    expect(one.hasBreach || one.isBroken('bet.debit')).toBe(false);
  });

  it('against a MUST only warns after a call that the service never sends, except about signatures', () => {
    const { collector: one, findings } = collector();
    one.decide(about('money.precision'), breach('this', 'that'));
    one.noteProbe();
    one.decide(about('money.precision'), breach('this', 'that'));
    one.decide(about('signature.raw-body'), breach('this', 'that'));
    expect(findings.map(({ rule, verdict, why }) => [rule, verdict, why])).toEqual([
      ['money.precision', 'fail', undefined],
      ['money.precision', 'warn', 'only a call that the service never sends has shown it'],
      ['signature.raw-body', 'fail', undefined],
    ]);
  });

  it('decides the rule, unless it is a skip', () => {
    const { collector: one } = collector();
    one.decide(about('bet.debit'), { kind: 'skip', reason: 'its own limit' });
    expect(one.hasDecided('bet.debit')).toBe(false);
    one.decide(about('bet.debit'), { kind: 'undecided', reason: 'no reply' });
    expect(one.hasDecided('bet.debit')).toBe(true);
  });
});

it('a rule that was added in a later version of the contract is not judged', () => {
  const before = collector({ contract: '1.2.8' });
  before.collector.decide(about('bet.decimal-amount'), breach('this', 'that'));
  expect([before.findings, before.collector.hasDecided('bet.decimal-amount'), before.collector.hasBreach]).toEqual([
    [],
    false,
    false,
  ]);
  const since = collector({ contract: '1.2.11' });
  since.collector.decide(about('bet.decimal-amount'), breach('this', 'that'));
  expect(since.findings).toHaveLength(1);
});

it('an unmet expectation of the scenario fails it, under no rule', () => {
  const { collector: one, findings } = collector();
  one.unmet(about('bet.debit').step, 'x1', 'status 200', 'status 204');
  expect(findings).toMatchObject([
    { rule: EXPECTATION, verdict: 'fail', expected: 'status 200', actual: 'status 204', causes: [] },
  ]);
  expect(one.hasBreach).toBe(true);
});

it('a decision is counted under the endpoint only for rules that are judged per endpoint', () => {
  expect(endpointOf('reply.deadline', 'win')).toBe('win');
  expect(endpointOf('bet.debit', 'bet')).toBeNull();
});
