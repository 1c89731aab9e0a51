import type { RuleId } from '../contract/catalogue.ts';
import { CORRECT } from '../operator/behaviour.ts';
import { type Defect, withDefects } from '../operator/defect.ts';
import { DEFECTS, defectByName } from '../operator/defects.ts';
import type { Trial } from './trial.ts';

/** Everything that croupier's judgement is tried on: correct operators first, then each defect, then two at once. */
export const TRIALS: readonly Trial[] = [
  { name: 'correct', kind: 'correct', breaks: [], mayBreak: [], behaviour: () => CORRECT },
  ...DEFECTS.map(trialOfDefect),
];

function trialOfDefect(defect: Defect): Trial {
  return {
    name: defect.name,
    kind: 'defect',
    breaks: [defect.breaks],
    mayBreak: defect.mayBreak ?? [],
    behaviour: (scale) => withDefects([defect], scale),
  };
}

function trialOfPair(first: Defect, second: Defect): Trial {
  const defects = [first, second];
  return {
    name: `${first.name}+${second.name}`,
    kind: 'pair',
    breaks: defects.map(({ breaks }) => breaks),
    mayBreak: defects.flatMap(({ mayBreak }): readonly RuleId[] => mayBreak ?? []),
    behaviour: (scale) => withDefects(defects, scale),
  };
}

const BY_NAME = new Map(TRIALS.map((trial) => [trial.name, trial]));

/** Any of {@link TRIALS}, or two defects joined by `+`. */
export function trialByName(name: string): Trial | undefined {
  const known = BY_NAME.get(name);
  if (known) return known;
  const [first, second, ...more] = name.split('+').map(defectByName);
  return first && second && more.length === 0 ? trialOfPair(first, second) : undefined;
}
