import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { collect } from './parts.ts';

/** The flags that make the reference operator differ from the plain correct one. */
export function addVariationOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return (
    command
      .option('--defect <name>', 'a defect (croupier list defects); repeatable', collect)
      .option('--variant <name>', 'a variant (croupier list variants); repeatable', collect)
      // The former name of --variant.
      .addOption(new Option('--habit <name>').argParser(collect).hideHelp())
  );
}

/** The flags for the embedded reference operator in place of a configured one. */
export function addReferenceOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addVariationOptions(command.option('--reference', 'the embedded reference operator'));
}
