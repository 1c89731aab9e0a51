import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { collect } from './parts.ts';

/** Adds the flags that give defects or variants to the reference operator. */
export function addVariationOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return (
    command
      .option('--defect <name>', 'add a defect (croupier list defects); repeatable', collect)
      .option('--variant <name>', 'add a variant (croupier list variants); repeatable', collect)
      // The hidden flag --habit is the former name of --variant, and still works.
      .addOption(new Option('--habit <name>').argParser(collect).hideHelp())
  );
}

/** Adds the flags that replace the configured operator by the embedded reference operator. */
export function addReferenceOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addVariationOptions(command.option('--reference', 'use the embedded reference operator'));
}
