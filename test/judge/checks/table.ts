import { describe, expect, test } from 'vitest';
import { GROUPS } from '../../../src/contract/catalogue.ts';
import type { Verdict } from '../../../src/journal/finding.ts';
import { type TellOptions, tell } from '../story-builder.ts';
import type { Lie } from '../toy-wallet.ts';

export interface Row {
  /** The steps of a scenario in YAML, and what else of it matters. */
  readonly story: string;
  readonly options?: TellOptions;
  /** What an honest operator gets; a pass unless it is said. */
  readonly honest?: Verdict;
  /** Each dishonest operator with the verdict it gets (a fail unless it is said), and what other rules are found broken too. */
  readonly lies: Readonly<Record<string, Lie | readonly [lie: Lie, verdict: Verdict, others?: readonly string[]]>>;
}

/** For each rule of a group: what an honest and some dishonest operators get, told by the same story. */
export function judges(group: string, rows: Readonly<Record<string, Row | readonly Row[]>>): void {
  const rules = GROUPS.find(({ name }) => name === group)?.rules.map(({ id }) => id);

  test(`every rule of ${group} is tried`, () => {
    expect(Object.keys(rows).sort()).toEqual([...(rules ?? [])].sort());
  });

  describe.each(
    Object.entries(rows).flatMap(([rule, row]) => ([row].flat() as readonly Row[]).map((one) => [rule, one] as const)),
  )('%s', (rule, row) => {
    test(`${row.honest ?? 'pass'} for an honest operator`, () => {
      const judged = tell(row.story, row.options);
      expect({ verdict: judged.verdict(rule), broken: judged.broken, stop: judged.stop }).toEqual({
        verdict: row.honest ?? 'pass',
        broken: [],
        stop: null,
      });
    });

    test.each(Object.entries(row.lies))('%s', (_, told) => {
      const [lie, verdict, others] = typeof told === 'function' ? ([told, 'fail'] as const) : told;
      const judged = tell(row.story, { ...row.options, lie });
      expect({
        verdict: judged.verdict(rule),
        others: judged.broken.filter((one) => one !== rule),
      }).toEqual({ verdict, others: others ?? [] });
    });
  });
}
