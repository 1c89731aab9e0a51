import { describe, expect, it } from 'vitest';
import { haveOtherAmounts, isZeroAmount, plannedAmount } from '../../../src/judge/checks/planned-amount.ts';
import type { CallStep } from '../../../src/scenario/plan/plan.ts';
import { planOf } from '../judged-scenario.ts';

function steps(yaml: string): readonly CallStep[] {
  return planOf(`rules: [balance.read]\n${yaml}`).steps.filter((step) => step.kind === 'call');
}

function bet(amount: string): CallStep {
  const [, step] = steps(`steps: [{ bet: , as: first }, { bet: { amount: "${amount}" }, expect: either }]`);
  if (!step) throw new Error('there is no such step');
  return step;
}

describe('a planned amount', () => {
  it.each([
    ['1.25', true],
    ['${1.25}', true],
    ["${'1.25'}", true],
    ['1.${25}', true],
    ['${stake + unit}', true],
    ['${drift.first}', true],
    ['${0.5 * stake}', true],
    ['1.00', false],
    ['${2.00 * stake}', false],
    ['${stake}', false],
    ['${balance}', false],
    ['1e-2', false],
  ])('of %s may have decimals: %s', (amount, may) => {
    expect(plannedAmount(bet(amount)).mayHaveDecimals).toBe(may);
  });

  it.each([
    ['1.5', true],
    ['2', true],
    ['1.50', false],
    ['0', false],
    ['${stake}', false],
  ])('of %s is written with fewer decimals than most currencies have: %s', (amount, short) => {
    expect(plannedAmount(bet(amount)).hasFewDecimals).toBe(short);
  });

  it('is the whole balance only if nothing is added to the balance', () => {
    expect(plannedAmount(bet('${balance}')).isBalance).toBe(true);
    expect(plannedAmount(bet('${balance - unit}')).isBalance).toBe(false);
  });

  it('is zero in every notation of zero', () => {
    expect(['0', '0.00', '${0}', '${1 - 1}'].filter((amount) => !isZeroAmount(bet(amount)))).toEqual([]);
    expect(['0.01', '${stake}', 'nothing'].filter((amount) => isZeroAmount(bet(amount)))).toEqual([]);
  });

  it('is the same for two calls with equal amounts in different notations', () => {
    expect(haveOtherAmounts(bet('1.5'), bet('${1.50}'))).toBe(false);
    expect(haveOtherAmounts(bet('1.5'), bet('1.51'))).toBe(true);
    expect(haveOtherAmounts(bet('${2 * stake}'), bet('${2 * stake}'))).toBe(false);
    expect(haveOtherAmounts(bet('${2 * stake}'), bet('2.00'))).toBe(true);
  });
});
