import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listCases } from '../../../src/scenario/cases.ts';
import type { CallStep, Plan, Step } from '../../../src/scenario/plan/plan.ts';
import { planScenario } from '../../../src/scenario/plan/planner.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { literalText, writeScenario } from '../../../src/scenario/write.ts';
import * as fc from '../../properties.ts';
import { countingIds, fixtureNames, fixturePath, loadAs, loadFixture } from '../fixtures.ts';

function good(name: string): Scenario {
  const { scenario } = loadFixture('good', name);
  if (!scenario) throw new Error(`${name} has mistakes`);
  return scenario;
}

function scenarioOf(text: string): Scenario {
  const { scenario, diagnostics } = loadAs('good', 'x', text);
  if (!scenario) throw new Error(diagnostics.map((diagnostic) => diagnostic.message).join('; '));
  return scenario;
}

function plansOf(scenario: Scenario, uuid: () => string = randomUUID): Plan[] {
  return scenario.boundScenarios.map(({ caseId }) => planScenario(scenario, caseId, { uuid }));
}

function planOf(steps: string): Plan {
  return planScenario(scenarioOf(`title: x\nrules: [bet.debit]\nsteps:\n${steps}`), undefined, { uuid: countingIds() });
}

function callsOf(steps: readonly Step[]): CallStep[] {
  return steps.flatMap((step): readonly CallStep[] => {
    if (step.kind === 'wait' || step.kind === 'launches') return [];
    if (step.kind === 'together') return step.steps;
    return step.kind === 'call' ? [step] : Array.from({ length: step.times }, (_, index) => step.instance(index));
  });
}

/** For JSON.stringify: maps as objects. */
function readable(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  return value;
}

function unfold(steps: readonly Step[]): unknown[] {
  return steps.map((step) =>
    step.kind === 'repeat' ? { ...step, instances: [step.instance(0), step.instance(1)] } : step,
  );
}

function unfolded(plan: Plan): unknown {
  return { ...plan, steps: unfold(plan.steps), always: unfold(plan.always) };
}

describe('planScenario', () => {
  it.each(fixtureNames('good'))('%s is planned exactly as in its golden file', async (name) => {
    const plans = plansOf(good(name), countingIds()).map(unfolded);
    await expect(`${JSON.stringify(plans, readable, 1)}\n`).toMatchFileSnapshot(
      fixturePath('good', `${name}.plan.json`),
    );
  });

  it('refuses a case that does not exist', () => {
    expect(() => planScenario(good('rows'), 'medium', { uuid: randomUUID })).toThrow('rows has no case medium');
    expect(() => planScenario(good('rows'), undefined, { uuid: randomUUID })).toThrow(RangeError);
  });

  it('gives cases ids that are safe in a shell, and different ids to cases that look alike', () => {
    expect(listCases(good('rows')).map((each) => each.id)).toEqual([
      'small-0.01-2-true',
      'large-90-stake-3-true',
      'very-large-1000-3-false',
      'very-large-1000-3-false-2',
    ]);
    expect(listCases(good('sent-twice'))).toEqual([]);
    const ids = plansOf(good('signed-wrongly')).map((plan) => plan.id);
    expect(ids).toContain('signed-wrongly#bet-garbage');
    expect(ids).toHaveLength(12);
  });

  it('keeps the types of case values, and inserts them into titles', () => {
    const [first] = plansOf(good('rows'));
    expect(first?.title).toBe('A small win of 0.01');
    expect(listCases(good('rows'))[0]?.values).toEqual({ size: 'small', amount: '0.01', times: 2, ok: true });
    expect(callsOf(first?.steps ?? [])[1]?.expect.body).toEqual([
      ['ok', { kind: 'literal', value: true }],
      ['message', { kind: 'literal', value: 'won 0.01 small' }],
    ]);
  });

  it('gives each bet a round of its own, and gives a win the round of the latest bet in its session', () => {
    const [bet, other, win, old] = callsOf(
      planOf('  - bet:\n    as: one\n  - bet:\n  - win:\n  - win: { round: one }\n').steps,
    );
    expect(bet?.roundID).not.toBe(other?.roundID);
    expect(win).toMatchObject({ roundID: other?.roundID, winOf: other?.key });
    expect(old).toMatchObject({ roundID: bet?.roundID, winOf: bet?.key });
  });

  it('accepts a refund that comes before its bet', () => {
    const [refund, bet] = callsOf(planOf('  - refund: { of: late }\n  - bet: { amount: "7" }\n    as: late\n').steps);
    expect(refund?.refund).toEqual({ kind: 'step', of: bet?.key });
    expect(Object.fromEntries(refund?.fields ?? [])).toMatchObject({
      amount: { value: '7' },
      origTxID: { value: bet?.txID },
      roundID: { value: bet?.roundID },
    });
  });

  it('refunds the amount that a bet of the whole balance took, not the current balance', () => {
    const [bet, refund] = callsOf(planOf('  - bet: { amount: "${balance}" }\n  - refund:\n').steps);
    expect(bet?.name).toBe('step_1');
    expect(Object.fromEntries(refund?.fields ?? []).amount).toMatchObject({
      expression: { path: [bet?.name, 'amount'] },
    });
  });

  it('gives a bet that needs a name a name that no other step has', () => {
    const [bet] = callsOf(planOf('  - bet: { amount: "${balance}" }\n  - refund:\n  - bet:\n    as: step_1\n').steps);
    expect(bet?.name).toBe('step_1_');
  });

  it('gives all copies of a call the same txID, and each repeated call a txID of its own', () => {
    const calls = callsOf(
      planOf('  - together:\n      - bet:\n        copies: 3\n      - bet:\n        times: 3\n').steps,
    );
    expect(calls.map((call) => call.origin.kind)).toEqual(['fresh', 'copy', 'copy', 'fresh', 'fresh', 'fresh']);
    expect(new Set(calls.slice(0, 3).map((call) => call.txID)).size).toBe(1);
    expect(new Set(calls.slice(3).map((call) => call.txID)).size).toBe(3);
    expect(new Set(calls.slice(3).map((call) => call.roundID)).size).toBe(3);
  });

  it('gives a refund of an unknown transaction an id that no call of the scenario has', () => {
    const [bet, refund] = callsOf(planOf('  - bet:\n  - refund: { of: unknown }\n').steps);
    const fields = JSON.stringify(refund?.fields);
    expect(refund?.refund).toEqual({ kind: 'unknown' });
    expect(fields).not.toContain(bet?.txID);
    expect(fields).not.toContain(bet?.roundID);
  });

  it('contains null for an id that is only known later', () => {
    const [, win] = callsOf(planOf('  - bet:\n    as: first\n  - win: { txID: "${first.reply.txID}" }\n').steps);
    expect(win?.txID).toBeNull();
    expect(Object.fromEntries(win?.fields ?? []).txID).toMatchObject({ kind: 'expression' });
  });
});

function written(verb: string): string {
  return verb.includes(':') ? verb : `${verb}:`;
}

describe('any plan', () => {
  const verb = fc.constantFrom(
    'bet',
    'win',
    'refund',
    'balance',
    'bet: { round: new, type: free }',
    'refund: { of: unknown }',
    'refund: { of: first }',
    'win: { round: first }',
    'resend: first',
  );
  const single = verb.map((each) => `  - ${written(each)}\n`);
  const repeated = fc
    .tuple(verb, fc.integer({ min: 2, max: 5 }))
    .map(([each, times]) => `  - ${written(each)}\n    times: ${times}\n`);
  const atOnce = fc
    .array(fc.tuple(verb, fc.constantFrom('times', 'copies'), fc.integer({ min: 2, max: 5 })), {
      minLength: 1,
      maxLength: 3,
    })
    .map(
      (steps) =>
        `  - together:\n${steps.map(([each, how, count]) => `      - ${written(each)}\n        ${how}: ${count}\n`).join('')}`,
    );
  const steps = fc
    .array(fc.oneof(single, repeated, atOnce), { maxLength: 8 })
    .map((each) => `  - bet:\n    as: first\n${each.join('')}`);

  it('uses no txID and no key twice', () => {
    fc.assert(
      fc.property(steps, (text) => {
        const calls = callsOf(planOf(text).steps);
        const fresh = calls.flatMap((call) => (call.origin.kind === 'fresh' && call.txID !== null ? [call.txID] : []));
        expect(new Set(fresh).size).toBe(fresh.length);
        const keys = calls.map((call) => call.key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9._-]+$/);
      }),
      { numRuns: 300 },
    );
  });

  it('refers only to its own steps', () => {
    fc.assert(
      fc.property(steps, (text) => {
        const calls = callsOf(planOf(text).steps);
        const keys = new Set(calls.map((call) => call.key));
        for (const { origin, refund, winOf } of calls) {
          if (origin.kind === 'resend' || origin.kind === 'copy') expect(keys).toContain(origin.of);
          if (refund?.kind === 'step') expect(keys).toContain(refund.of);
          if (winOf !== undefined) expect(keys).toContain(winOf);
        }
      }),
      { numRuns: 300 },
    );
  });
});

it('each call inside `together` can have its own time, and a resend during the first call counts as a copy', () => {
  const [together] = planOf(`  - together:
      - bet: { amount: "1.00" }
        as: slow
      - refund: { of: slow }
        at: 300ms
        expect: either
      - resend: slow
        at: 1s
`).steps;
  if (together?.kind !== 'together') throw new Error('no together');
  expect(together.steps.map(({ atMs, origin }) => [atMs, origin])).toEqual([
    [undefined, { kind: 'fresh' }],
    [300, { kind: 'fresh' }],
    [1000, { kind: 'copy', of: '1.1' }],
  ]);
});

it('a text that the function `literalText` escaped is not read as an expression', () => {
  const written = literalText('${stake} and ${');
  const draft = {
    title: literalText('A title with ${x}'),
    rules: ['robustness.bad-amount'],
    steps: [{ bet: null, body: { set: { amount: written } }, expect: 'declined' }],
  };
  const { scenario, diagnostics } = loadAs('good', 'x', writeScenario(draft));
  if (!scenario) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  const plan = planScenario(scenario, undefined, { uuid: countingIds() });
  expect(plan.title).toBe('A title with ${x}');
  const [step] = callsOf(plan.steps);
  expect(step?.deviations.body?.set).toEqual([['amount', { kind: 'literal', value: '${stake} and ${' }]]);
});
