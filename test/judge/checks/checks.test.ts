import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import { applicableRules } from '../../../src/judge/checks/checks.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { planScenario } from '../../../src/scenario/plan/planner.ts';
import { planOf, uuid } from '../judged-scenario.ts';

const ALL = RULES.map(({ id }) => id);
const FOLDER = path.resolve(import.meta.dirname, '../../../scenarios');
const FILES = globSync('**/*.yaml', { cwd: FOLDER }).sort();

function plansOf(file: string) {
  const { scenario } = loadScenario(readFileSync(path.join(FOLDER, file), 'utf8'), file, {
    id: file,
    readFragment: () => undefined,
  });
  return (scenario?.boundScenarios ?? []).map(({ caseId }) =>
    planScenario(scenario as NonNullable<typeof scenario>, caseId, { uuid }),
  );
}

describe('the built-in suite', () => {
  it.each(FILES)('%s can decide every rule that it claims', (file) => {
    const plans = plansOf(file);
    const claims = plans[0]?.rules ?? [];
    const applicable = new Set(plans.flatMap((plan) => applicableRules(plan, claims)));
    expect(claims.length).toBeGreaterThan(0);
    expect(claims.filter((rule) => !applicable.has(rule))).toEqual([]);
  });

  it('tests every rule', () => {
    const applied = new Set(FILES.flatMap((file) => plansOf(file).flatMap((plan) => applicableRules(plan, ALL))));
    expect(RULES.filter(({ id }) => !applied.has(id))).toEqual([]);
  });
});

it.each([
  ['steps: [{ balance: }]', 'bet.debit', false],
  ['steps: [{ bet: }]', 'bet.debit', true],
  ['steps: [{ bet: , break: sent }]', 'bet.debit', false],
  ['steps: [{ bet: , as: a }, { resend: a }]', 'idempotency.bet', true],
  ['steps: [{ bet: , as: a }, { refund: { of: a } }, { resend: a, expect: either }]', 'idempotency.bet', false],
  ['steps: [{ bet: , as: a }, { refund: { of: a } }, { resend: a, expect: either }]', 'idempotency.after-refund', true],
  ['steps: [{ balance: }]', 'balance.read-only', false],
  ['steps: [{ balance: }, { balance: }]', 'balance.read-only', true],
  ['needs: { b: { player: other } }\nsteps: [{ bet: }, { balance: { session: b } }]', 'session.isolated', true],
  ['needs: { b: { player: other } }\nsteps: [{ bet: { session: b } }, { balance: }]', 'session.isolated', true],
  ['needs: { b: { player: same } }\nsteps: [{ bet: { session: b } }, { balance: }]', 'session.isolated', false],
  [
    'needs: { b: { player: other } }\nsteps: [{ bet: { session: b } }, { balance: { session: b } }]',
    'session.isolated',
    false,
  ],
] as const)('%s tests %s: %s', (yaml, rule, expected) => {
  expect(applicableRules(planOf(`rules: [balance.read]\n${yaml}`), [rule])).toEqual(expected ? [rule] : []);
});
