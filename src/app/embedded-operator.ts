import { behaviourWith, type Scale } from '../operator/variation.ts';
import type { ClientFlags, VariationFlags } from './config/run-flags.ts';
import { UsageError } from './exit-status.ts';
import type { Reference } from './reference-operator.ts';
import type { Stdio } from './stdio.ts';
import { type ChosenVariation, chosenVariations, describeVariations } from './variations.ts';

interface ReferenceFlags extends ClientFlags, VariationFlags {
  readonly reference?: boolean;
  readonly after?: readonly string[];
}

/**
 * The variations that the flags name for the embedded operator.
 *
 * @throws UsageError without `--reference`, or for an unknown name
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
 * Refuses flags that name another operator than the embedded one.
 *
 * @param verb the action of the command, for the message
 * @throws UsageError that lists these flags
 */
export function refuseOtherOperators(flags: ReferenceFlags, verb: 'judges' | 'searches'): void {
  const given = [
    flags.client && '--client',
    flags.baseUrl && '--base-url',
    flags.session && '--session',
    flags.keyFile && '--key-file',
    flags.after && '--after',
  ].filter((name) => typeof name === 'string');
  if (given.length === 0) return;
  throw new UsageError(
    `--reference ${verb} the embedded operator, and cannot be combined with ${given.join(', ')}. Leave one of them out.`,
  );
}

/**
 * Starts the embedded operator if `--reference` is given, and prints its variations.
 *
 * @param scale the waits of the run, which delays of variations depend on
 */
export async function embeddedOperator(
  flags: ReferenceFlags,
  variations: readonly ChosenVariation[],
  scale: Scale,
  { err }: Stdio,
): Promise<Reference | undefined> {
  if (!flags.reference) return undefined;
  // Imported only here: operator and service take longer to load than most commands take altogether.
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
  return reference;
}
