import { describe, expect, it } from 'vitest';
import { RULES, type RuleId, ruleById } from '../../src/contract/catalogue.ts';
import { CORRECT } from '../../src/operator/behaviour.ts';
import { DEFECTS, defectByName } from '../../src/operator/defects.ts';
import { HABITS, habitByName } from '../../src/operator/habits.ts';
import { behaviourWith, type Variation } from '../../src/operator/variation.ts';

const ALL: readonly Variation[] = [...HABITS, ...DEFECTS];
const SCALE = { deadlineMs: 500 };

describe('defects and habits', () => {
  it('have names that are safe in a shell, each given once', () => {
    const names = ALL.map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z][a-z0-9.-]*$/.test(name))).toEqual([]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('are found by their names', () => {
    expect(DEFECTS.filter((defect) => defectByName(defect.name) !== defect)).toEqual([]);
    expect(HABITS.filter((habit) => habitByName(habit.name) !== habit)).toEqual([]);
    expect(defectByName('gzip')).toBeUndefined();
    expect(habitByName('lost-update')).toBeUndefined();
  });

  it('are described in whole sentences', () => {
    expect(ALL.filter(({ description }) => !/^[A-Z0-9].{15,}\.$/.test(description)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(ALL.map((variation) => [variation.name, variation] as const))(
    '%s changes something, and returns no step unchanged',
    (_name, variation) => {
      const steps = Object.entries(variation.change(CORRECT, SCALE));
      expect(steps.length).toBeGreaterThan(0);
      expect(steps.filter(([step, now]) => now === (CORRECT as unknown as Record<string, unknown>)[step])).toEqual([]);
      expect(steps.map(([step]) => step).filter((step) => !(step in CORRECT))).toEqual([]);
    },
  );
});

describe('defects', () => {
  it('break every rule that binds, but for those of the calls that an operator makes itself', () => {
    const broken = new Set<RuleId>(DEFECTS.flatMap(({ breaks }) => breaks));
    const unbroken = RULES.filter(({ id, level }) => level !== 'NOTE' && !broken.has(id));
    expect(unbroken.map(({ id }) => id)).toEqual([]);
  });

  it('are as many as real wallets have', () => {
    expect(DEFECTS.length).toBeGreaterThanOrEqual(90);
  });

  it('each name rules that bind, once, and none as both certain and possible', () => {
    for (const { name, breaks, mayBreak = [] } of DEFECTS) {
      const rules = [...breaks, ...mayBreak];
      expect([name, breaks.length > 0]).toEqual([name, true]);
      expect([name, rules.filter((rule) => ruleById(rule).level === 'NOTE')]).toEqual([name, []]);
      expect([name, rules.filter((rule, index) => rules.indexOf(rule) !== index)]).toEqual([name, []]);
    }
  });
});

describe('behaviourWith', () => {
  it('leaves the correct operator as it is when there is nothing to put in', () => {
    expect(behaviourWith([])).toEqual(CORRECT);
  });

  it('puts one upon the other, the later one outside', () => {
    const adding = (name: string, by: bigint): Variation => ({
      name,
      description: name,
      change: (right) => ({ creditOf: (win) => right.creditOf(win) * 10n + by }),
    });
    const { creditOf } = behaviourWith([adding('one', 1n), adding('two', 2n)]);
    expect(creditOf({ amount: 0n, type: 'regular' } as Parameters<typeof creditOf>[0])).toBe(12n);
  });
});
