import { describe, expect, test } from 'vitest';
import { GROUPS } from '../../../src/contract/catalogue.ts';
import type { Verdict } from '../../../src/journal/finding.ts';
import { type JudgeOptions, judgeScenario } from '../judged-scenario.ts';
import type { Fault } from '../toy-wallet.ts';

export interface Row {
  /** The steps of a scenario in YAML, and its needs. */
  readonly yaml: string;
  readonly options?: JudgeOptions;
  /** The verdict on an operator without a fault. Left out: pass. */
  readonly honest?: Verdict;
  /** Faults, each with its verdict (left out: fail) and the other rules that it breaks. */
  readonly faults: Readonly<
    Record<string, Fault | readonly [fault: Fault, verdict: Verdict, others?: readonly string[]]>
  >;
}

/** Tests every rule of a group: one scenario is played with a correct operator and with operators that have one fault each. */
export function judges(group: string, rows: Readonly<Record<string, Row | readonly Row[]>>): void {
  const rules = GROUPS.find(({ name }) => name === group)?.rules.map(({ id }) => id);

  test(`the table has a row for every rule of the group ${group}`, () => {
    expect(Object.keys(rows).sort()).toEqual([...(rules ?? [])].sort());
  });

  describe.each(
    Object.entries(rows).flatMap(([rule, row]) => ([row].flat() as readonly Row[]).map((one) => [rule, one] as const)),
  )('%s', (rule, row) => {
    test(`${rule}: a correct operator gets the verdict ${row.honest ?? 'pass'}`, () => {
      const judged = judgeScenario(row.yaml, row.options);
      expect({ verdict: judged.verdict(rule), broken: judged.broken, stop: judged.stop }).toEqual({
        verdict: row.honest ?? 'pass',
        broken: [],
        stop: null,
      });
    });

    const faults = Object.entries(row.faults).map(([name, entry]) => {
      const [fault, verdict, others = []] = typeof entry === 'function' ? ([entry, 'fail'] as const) : entry;
      return { name, fault, verdict, others };
    });

    test.each(faults)(`${rule}: the fault "$name" gets the verdict $verdict`, ({ fault, verdict, others }) => {
      const judged = judgeScenario(row.yaml, { ...row.options, fault });
      expect({
        verdict: judged.verdict(rule),
        others: judged.broken.filter((one) => one !== rule),
      }).toEqual({ verdict, others });
    });
  });
}
