import { behaviourWith, type Scale } from '../operator/variation.ts';
import type { Reference } from './reference.ts';
import type { ClientFlags } from './run-flags.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';
import { type Chosen, chosenVariations, describeVariations, type VariationFlags } from './variations.ts';

interface ReferenceFlags extends ClientFlags, VariationFlags {
  readonly reference?: boolean;
  readonly after?: readonly string[];
}

/**
 * What the embedded operator is made to do otherwise.
 *
 * @throws UsageError where another one is meant, or where there is no such thing
 */
export function variationsOf(flags: ReferenceFlags): readonly Chosen[] {
  const chosen = chosenVariations(flags);
  const [first] = chosen;
  if (!first || flags.reference) return chosen;
  throw new UsageError(
    `--${first.kind} ${first.variation.name} is for the embedded operator. Add --reference, or leave it out.`,
  );
}

/**
 * @param verb what is done to the operator
 * @throws UsageError for flags that name another operator beside `--reference`
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
    `--reference ${verb} the embedded operator, which knows no ${given.join(', ')}. Leave one of them out.`,
  );
}

/**
 * Starts the embedded operator where `--reference` asks for it, and says what it was made to do otherwise.
 *
 * @param scale what variations in time scale themselves by
 */
export async function embeddedOperator(
  flags: ReferenceFlags,
  variations: readonly Chosen[],
  scale: Scale,
  { err }: Stdio,
): Promise<Reference | undefined> {
  if (!flags.reference) return undefined;
  // Only here, because operator and service together take longer to load than most commands take in all.
  const { startReference } = await import('./reference.ts');
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
