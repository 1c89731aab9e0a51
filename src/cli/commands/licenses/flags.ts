import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { FlagsOf } from '../../options/parts.ts';

/** Defines `croupier licenses`. */
export function describeLicenses(program: CommandUnknownOpts) {
  return program
    .command('licenses')
    .description('print the licences of croupier and of all software in it')
    .option('--sbom', 'print the list of this software (SBOM) as CycloneDX JSON instead')
    .addHelpText(
      'after',
      `
The single executable and the container image also contain Node, so they print
the licences of Node and of its libraries too.

Examples:
  croupier licenses > licences.txt
  croupier licenses --sbom > sbom.cdx.json    for a scanner`,
    );
}

export type LicensesFlags = FlagsOf<typeof describeLicenses>;
