import { DEFECTS, defectByName } from '../operator/defects.ts';
import { HABITS, habitByName } from '../operator/habits.ts';
import type { Variation } from '../operator/variation.ts';
import { nearest } from '../scenario/near.ts';
import { UsageError } from './usage-error.ts';

/** The flags that make the reference operator differ from the plain correct one. */
export interface VariationFlags {
  readonly defect?: readonly string[];
  readonly habit?: readonly string[];
}

/** What an operator was made to do otherwise. */
export interface Chosen {
  readonly kind: 'habit' | 'defect';
  readonly variation: Variation;
}

/**
 * The habits and defects that the flags name, each once. Habits come first: a defect is a fault of an operator that has them.
 *
 * @throws UsageError for a name that there isn't
 */
export function chosenVariations({ defect = [], habit = [] }: VariationFlags): readonly Chosen[] {
  return [
    ...[...new Set(habit)].map(
      (name): Chosen => ({ kind: 'habit', variation: habitByName(name) ?? unknown('habit', name) }),
    ),
    ...[...new Set(defect)].map(
      (name): Chosen => ({ kind: 'defect', variation: defectByName(name) ?? unknown('defect', name) }),
    ),
  ];
}

/** One line for each, for whoever starts such an operator. */
export function describeVariations(chosen: readonly Chosen[]): readonly string[] {
  return chosen.map(({ kind, variation }) => `${kind} ${variation.name}: ${variation.description}`);
}

function unknown(kind: Chosen['kind'], name: string): never {
  const [own, other] = kind === 'defect' ? [DEFECTS, HABITS] : [HABITS, DEFECTS];
  const namesOf = (all: readonly Variation[]) => all.map((one) => one.name);
  const otherKind = kind === 'defect' ? 'habit' : 'defect';
  const near = nearest(name, namesOf(own));
  const help = namesOf(other).includes(name)
    ? `It is a ${otherKind}: --${otherKind} ${name}.`
    : near === undefined
      ? `croupier list ${kind}s shows them all.`
      : `Did you mean ${near}?`;
  throw new UsageError(`--${kind} ${name}: there is no such ${kind}. ${help}`);
}
