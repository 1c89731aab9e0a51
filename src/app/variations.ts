import { DEFECTS, defectByName } from '../operator/defects.ts';
import { VARIANTS, variantByName } from '../operator/variants.ts';
import type { Variation } from '../operator/variation.ts';
import { nearest } from '../scenario/near.ts';
import { type VariationFlags, variantNames } from './config/run-flags.ts';
import { UsageError } from './exit-status.ts';

/** A defect or a variant that the user gave to the reference operator. */
export interface ChosenVariation {
  readonly kind: 'variant' | 'defect';
  readonly variation: Variation;
}

/**
 * Returns the variants and defects that the flags name, without duplicates. Variants come first, because a defect may change
 * the behaviour of a variant.
 *
 * @throws UsageError for an unknown name
 */
export function chosenVariations(flags: VariationFlags): readonly ChosenVariation[] {
  return [
    ...variantNames(flags).map(
      (name): ChosenVariation => ({ kind: 'variant', variation: variantByName(name) ?? unknown('variant', name) }),
    ),
    ...[...new Set(flags.defect)].map(
      (name): ChosenVariation => ({ kind: 'defect', variation: defectByName(name) ?? unknown('defect', name) }),
    ),
  ];
}

/** Returns one line with kind, name and description for each defect or variant. */
export function describeVariations(chosen: readonly ChosenVariation[]): readonly string[] {
  return chosen.map(({ kind, variation }) => `${kind} ${variation.name}: ${variation.description}`);
}

function unknown(kind: ChosenVariation['kind'], name: string): never {
  const [own, other] = kind === 'defect' ? [DEFECTS, VARIANTS] : [VARIANTS, DEFECTS];
  const namesOf = (all: readonly Variation[]) => all.map((one) => one.name);
  const otherKind = kind === 'defect' ? 'variant' : 'defect';
  const near = nearest(name, namesOf(own));
  const help = namesOf(other).includes(name)
    ? `It is a ${otherKind}: --${otherKind} ${name}.`
    : near === undefined
      ? `croupier list ${kind}s shows them all.`
      : `Did you mean ${near}?`;
  throw new UsageError(`--${kind} ${name}: there is no such ${kind}. ${help}`);
}
