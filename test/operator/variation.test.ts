import { describe, expect, it } from 'vitest';
import { RULES, type RuleId, ruleById } from '../../src/contract/catalogue.ts';
import { CORRECT } from '../../src/operator/behaviour.ts';
import { DEFECTS, defectByName } from '../../src/operator/defects.ts';
import { VARIANTS, variantByName } from '../../src/operator/variants.ts';
import { behaviourWith, type Variation } from '../../src/operator/variation.ts';

const ALL: readonly Variation[] = [...VARIANTS, ...DEFECTS];
const SCALE = { deadlineMs: 500 };

describe('defects and variants', () => {
  it('have unique names that are safe in a shell', () => {
    const names = ALL.map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z][a-z0-9.-]*$/.test(name))).toEqual([]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('are found by their names', () => {
    expect(DEFECTS.filter((defect) => defectByName(defect.name) !== defect)).toEqual([]);
    expect(VARIANTS.filter((variant) => variantByName(variant.name) !== variant)).toEqual([]);
    expect(defectByName('gzip')).toBeUndefined();
    expect(variantByName('lost-update')).toBeUndefined();
  });

  it('have descriptions in whole sentences', () => {
    expect(ALL.filter(({ description }) => !/^[A-Z0-9].{15,}\.$/.test(description)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(ALL.map((variation) => [variation.name, variation] as const))(
    'change at least one step, and return no step unchanged: %s',
    (_name, variation) => {
      const steps = Object.entries(variation.change(CORRECT, SCALE));
      expect(steps.length).toBeGreaterThan(0);
      expect(steps.filter(([step, now]) => now === (CORRECT as unknown as Record<string, unknown>)[step])).toEqual([]);
      expect(steps.map(([step]) => step).filter((step) => !(step in CORRECT))).toEqual([]);
    },
  );
});

describe('defects', () => {
  it('break every MUST and SHOULD of the catalogue', () => {
    const broken = new Set<RuleId>(DEFECTS.flatMap(({ breaks }) => breaks));
    const unbroken = RULES.filter(({ id, level }) => level !== 'NOTE' && !broken.has(id));
    expect(unbroken.map(({ id }) => id)).toEqual([]);
  });

  it('name only MUST and SHOULD rules, each rule once, and at least one rule unless they leave rules untested', () => {
    for (const { name, breaks, mayBreak = [], leavesUntested } of DEFECTS) {
      const rules = [...breaks, ...mayBreak];
      expect([name, rules.length > 0 || leavesUntested === true]).toEqual([name, true]);
      expect([name, rules.filter((rule) => ruleById(rule).level === 'NOTE')]).toEqual([name, []]);
      expect([name, rules.filter((rule, index) => rules.indexOf(rule) !== index)]).toEqual([name, []]);
    }
  });
});

describe('behaviourWith', () => {
  it('returns the correct behaviour if there are no variations', () => {
    expect(behaviourWith([])).toEqual(CORRECT);
  });

  it('applies variations in their order, so that the last one sees the changes of the others', () => {
    const adding = (name: string, by: bigint): Variation => ({
      name,
      description: name,
      change: (right) => ({ creditOf: (win) => right.creditOf(win) * 10n + by }),
    });
    const { creditOf } = behaviourWith([adding('one', 1n), adding('two', 2n)]);
    expect(creditOf({ amount: 0n, type: 'regular' } as Parameters<typeof creditOf>[0])).toBe(12n);
  });
});
