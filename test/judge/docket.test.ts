import { describe, expect, it } from 'vitest';
import { type RuleId, ruleById } from '../../src/contract/catalogue.ts';
import { CONTRACT_VERSION, type ContractVersion } from '../../src/contract/versions.ts';
import { EXPECTATION, type Finding } from '../../src/journal/finding.ts';
import { breach, PASS } from '../../src/judge/check.ts';
import { Docket, endpointOf, type Matter } from '../../src/judge/docket.ts';
import type { CallStep } from '../../src/scenario/plan.ts';
import { planOf } from './story-builder.ts';

const [BET] = planOf('rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]').steps.filter(
  (step): step is CallStep => step.kind === 'call',
);

function docket(options: { strict?: boolean; contract?: ContractVersion } = {}) {
  const findings: Finding[] = [];
  const { strict = false, contract = CONTRACT_VERSION } = options;
  return { findings, docket: new Docket(strict, contract, (finding) => findings.push(finding)) };
}

function about(rule: RuleId): Matter {
  if (!BET) throw new Error('the plan has a bet');
  return { rule, step: BET, exchange: 'x1' };
}

describe('what a breach becomes', () => {
  it.each([
    ['bet.debit', false, 'fail'],
    ['bet.debit', true, 'fail'],
    ['free-rounds.empty-wallet', false, 'warn'],
    ['free-rounds.empty-wallet', true, 'fail'],
    ['concurrency.order', false, 'note'],
    ['concurrency.order', true, 'note'],
  ] as const)('%s, strict: %s, is a %s', (rule, strict, verdict) => {
    const { docket: one, findings } = docket({ strict });
    one.decide(about(rule), breach('this', 'that'));
    expect(findings.map((finding) => finding.verdict)).toEqual([verdict]);
    expect(one.hasBreach).toBe(verdict === 'fail');
  });

  it('says where, what was expected and what came', () => {
    const { docket: one, findings } = docket();
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

describe('whether a rule is broken', () => {
  it('is so after a breach that nothing else explains', () => {
    const { docket: one } = docket();
    expect(one.isBroken('bet.debit')).toBe(false);
    one.decide(about('bet.debit'), breach('this', 'that', ['money.exact']));
    expect(one.isBroken('bet.debit')).toBe(true);
  });

  it('is not said of a breach that another broken rule explains', () => {
    const { docket: one } = docket();
    one.decide(about('money.exact'), breach('this', 'that'));
    one.decide(about('bet.debit'), breach('this', 'that', ['money.exact']));
    expect(one.isBroken('bet.debit')).toBe(false);
  });
});

describe('the other decisions', () => {
  it('count passes by endpoint, and report none', () => {
    const { docket: one, findings } = docket();
    one.decide(about('reply.deadline'), PASS);
    one.decide(about('reply.deadline'), PASS);
    one.decide(about('bet.debit'), PASS);
    expect(one.passes).toEqual({ 'reply.deadline': { bet: 2 }, 'bet.debit': { '*': 1 } });
    expect(findings).toEqual([]);
  });

  it.each([
    [{ kind: 'warn', expected: 'this', actual: 'that' }, 'warn', 'this', 'that'],
    [{ kind: 'note', actual: 'that' }, 'note', null, 'that'],
    [{ kind: 'skip', reason: 'its own limit' }, 'skip', null, 'its own limit'],
    [{ kind: 'undecided', reason: 'no reply' }, 'inconclusive', null, 'no reply'],
  ] as const)('%o is reported, and breaks nothing', (decision, verdict, expected, actual) => {
    const { docket: one, findings } = docket();
    one.decide(about('bet.debit'), decision);
    const { sentence } = ruleById('bet.debit');
    expect(findings).toMatchObject([{ verdict, expected: expected ?? sentence, actual }]);
    expect(one.hasBreach || one.isBroken('bet.debit')).toBe(false);
  });

  it('decide the rule, unless it was skipped', () => {
    const { docket: one } = docket();
    one.decide(about('bet.debit'), { kind: 'skip', reason: 'its own limit' });
    expect(one.hasDecided('bet.debit')).toBe(false);
    one.decide(about('bet.debit'), { kind: 'undecided', reason: 'no reply' });
    expect(one.hasDecided('bet.debit')).toBe(true);
  });
});

it('decides nothing about a rule that came with a later version of the contract', () => {
  const before = docket({ contract: '1.2.8' });
  before.docket.decide(about('bet.decimal-amount'), breach('this', 'that'));
  expect([before.findings, before.docket.hasDecided('bet.decimal-amount'), before.docket.hasBreach]).toEqual([
    [],
    false,
    false,
  ]);
  const since = docket({ contract: '1.2.11' });
  since.docket.decide(about('bet.decimal-amount'), breach('this', 'that'));
  expect(since.findings).toHaveLength(1);
});

it('fails the scenario for what it demands itself, under no rule', () => {
  const { docket: one, findings } = docket();
  one.unmet(about('bet.debit').step, 'x1', 'status 200', 'status 204');
  expect(findings).toMatchObject([
    { rule: EXPECTATION, verdict: 'fail', expected: 'status 200', actual: 'status 204', causes: [] },
  ]);
  expect(one.hasBreach).toBe(true);
});

it('counts a decision under the endpoint only for rules that are judged for each', () => {
  expect(endpointOf('reply.deadline', 'win')).toBe('win');
  expect(endpointOf('bet.debit', 'bet')).toBeNull();
});
