import { expect, it } from 'vitest';
import { withoutChance } from '../../src/load/money-problem.ts';
import { doubled, lost, problem } from './problem.ts';

it.each([
  ['a single one is', 1, 0, true],
  ['two of them are not', 2, 0, false],
  ['two of them are, if there are also five unexplained changes', 2, 5, true],
  ['two of them are not, if there are also four unexplained changes', 2, 4, false],
] as const)(
  'explanations by the amount of another player are only possible, because they may be chance: %s',
  (_, swapped, unexplained, isOut) => {
    const ofOther = { ...doubled, kind: 'swapped' } as const;
    const problems = [
      ...Array.from({ length: swapped }, (_item, at) => problem(`ada ${at}`, '8.49', [ofOther])),
      ...Array.from({ length: unexplained }, (_item, at) => problem(`ben ${at}`, '7.77')),
      problem('eve', '11.51', [lost]),
    ];
    const left = withoutChance(problems);
    const byOther = left.slice(0, swapped);
    expect(byOther.map(({ suspicions, possible, isDrift }) => [suspicions.length, possible?.length, isDrift])).toEqual(
      byOther.map(() => (isOut ? [0, 1, true] : [1, undefined, false])),
    );
    expect(left.slice(swapped)).toEqual(problems.slice(swapped));
  },
);
