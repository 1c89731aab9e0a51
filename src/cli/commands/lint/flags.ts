import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { configOption } from '../../options/client.ts';
import { type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier lint` and its flags. */
export function describeLint(program: CommandUnknownOpts) {
  return program
    .command('lint')
    .description('check scenario files without sending anything')
    .argument('[files...]', 'files or folders (default: the configured files and the built-in scenarios)')
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier lint                     before a commit
  croupier lint our-scenarios/ --json

Exit status: 0 no mistake, 2 mistakes`,
    );
}

export type LintFlags = FlagsOf<typeof describeLint>;
