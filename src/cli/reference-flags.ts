import type { ClientFlags } from './run-flags.ts';
import { UsageError } from './usage-error.ts';
import { type Chosen, chosenVariations, type VariationFlags } from './variations.ts';

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
