import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Defect } from '../operator/defect.ts';
import { DEFECTS, defectByName } from '../operator/defects.ts';
import type { Habit } from '../operator/habit.ts';
import { HABITS } from '../operator/habits.ts';
import { behaviourWith } from '../operator/variation.ts';
import { PAIRS } from './pairs.ts';
import type { Trial } from './trial.ts';

/** Durable books, and a start upon them in between: nothing may be forgotten. */
const RESTARTED: Habit = {
  name: 'restarted',
  description: 'It is started anew between two runs, upon the books of the first.',
  change: () => ({}),
};

/** Everything that croupier's judgement is tried on: correct operators first, then each defect, then two at once. */
export const TRIALS: readonly Trial[] = [
  {
    name: 'correct',
    kind: 'correct',
    breaks: [],
    mayBreak: [],
    restarted: false,
    mustFail: false,
    behaviour: (scale) => behaviourWith([], scale),
  },
  { ...trialOfHabit(RESTARTED), restarted: true },
  ...HABITS.map(trialOfHabit),
  ...DEFECTS.map((defect) => trialOfDefects([defect])),
  ...PAIRS.map((names) => trialOfDefects(names.map(named))),
];

const BY_NAME = new Map(TRIALS.map((trial) => [trial.name, trial]));

/** Any of {@link TRIALS}, or several defects joined by `+`. */
export function trialByName(name: string): Trial | undefined {
  const known = BY_NAME.get(name);
  if (known) return known;
  const names = name.split('+');
  const defects = names.map(defectByName).filter((defect) => defect !== undefined);
  return defects.length === names.length ? trialOfDefects(defects) : undefined;
}

function trialOfHabit(habit: Habit): Trial {
  return {
    name: habit.name,
    kind: 'habit',
    breaks: [],
    mayBreak: habit.mayWarn ?? [],
    restarted: false,
    mustFail: false,
    behaviour: (scale) => behaviourWith([habit], scale),
  };
}

function trialOfDefects(defects: readonly Defect[]): Trial {
  return {
    name: defects.map(({ name }) => name).join('+'),
    kind: defects.length === 1 ? 'defect' : 'several',
    breaks: defects.map(({ breaks }) => breaks),
    mayBreak: defects.flatMap(({ mayBreak }): readonly RuleId[] => mayBreak ?? []),
    restarted: defects.some(({ restarted }) => restarted === true),
    mustFail: defects.some(
      ({ breaks, onlyWarns }) => !onlyWarns && breaks.some((rule) => ruleById(rule).level === 'MUST'),
    ),
    behaviour: (scale) => behaviourWith(defects, scale),
  };
}

function named(name: string): Defect {
  const defect = defectByName(name);
  if (!defect) throw new RangeError(`there is no defect ${name}`);
  return defect;
}
