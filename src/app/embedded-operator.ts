import { behaviourWith, type Scale } from '../operator/variation.ts';
import { type ClientFlags, sessionFlagOf, type VariationFlags } from './config/run-flags.ts';
import { UsageError } from './exit-status.ts';
import type { Reference } from './reference-operator.ts';
import type { Stdio } from './stdio.ts';
import { type ChosenVariation, chosenVariations, describeVariations } from './variations.ts';

interface ReferenceFlags extends ClientFlags, VariationFlags {
  readonly reference?: boolean;
  readonly after?: readonly string[];
}

/**
 * Returns the defects and variants that the flags add to the embedded operator.
 *
 * @throws UsageError for an unknown name, and if `--reference` is missing
 */
export function variationsOf(flags: ReferenceFlags): readonly ChosenVariation[] {
  const chosen = chosenVariations(flags);
  const [first] = chosen;
  if (!first || flags.reference) return chosen;
  throw new UsageError(
    `--${first.kind} ${first.variation.name} is for the embedded operator. Add --reference, or leave out --${first.kind}.`,
  );
}

/**
 * Refuses flags that name a different operator than the embedded operator.
 *
 * @param verb the verb for the command in the error message
 * @throws UsageError that lists these flags
 */
export function refuseOtherOperators(flags: ReferenceFlags, verb: 'judges' | 'searches'): void {
  const given = [
    flags.client && '--client',
    flags.baseUrl && '--base-url',
    flags.session && sessionFlagOf(flags),
    flags.keyFile && '--key-file',
    flags.after && '--after',
  ].filter((name) => typeof name === 'string');
  if (given.length === 0) return;
  throw new UsageError(
    `--reference ${verb} the embedded operator, and cannot be combined with ${given.join(', ')}. Leave one of them out.`,
  );
}

/**
 * Starts the embedded operator if `--reference` is given, and prints its defects and variants.
 *
 * @param scale the waits of the run; delays of defects and variants are computed from them
 * @returns undefined without `--reference`
 */
export async function embeddedOperator(
  flags: ReferenceFlags,
  variations: readonly ChosenVariation[],
  scale: Scale,
  { err }: Stdio,
): Promise<Reference | undefined> {
  if (!flags.reference) return undefined;
  // Imported only with --reference, because loading the operator and the service takes longer than most commands take in total.
  const { startReference } = await import('./reference-operator.ts');
  const behaviour = behaviourWith(
    variations.map(({ variation }) => variation),
    scale,
  );
  const reference = await startReference(
    (error) => err.write(`The embedded operator failed: ${String(error)}\n`),
    behaviour,
  );
  for (const line of describeVariations(variations)) err.write(`The embedded operator has the ${line}\n`);
  const credit = variations.some(({ variation }) => 'credit' in variation);
  return { ...reference, credit };
}
