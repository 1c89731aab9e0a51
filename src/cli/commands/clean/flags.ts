import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import { configOption } from '../../options/client.ts';
import { countFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Number of journals that `croupier clean` keeps if no flag gives another number. */
const KEPT = 20;

/** Defines `croupier clean` and its flags. */
export function describeClean(program: CommandUnknownOpts) {
  return program
    .command('clean')
    .description(
      'remove old journals from .croupier/, except those that you named yourself and those whose run still owes money; and old runs from the history, except pinned ones',
    )
    .summary('remove old journals and old runs of the history')
    .addOption(new Option('--keep <n>', 'keep the n newest journals').default(KEPT).argParser(countFlag))
    .addOption(
      new Option(
        '--keep-runs <n>',
        'keep the n newest runs of each operator (default: as in croupier.yaml, or 1000)',
      ).argParser(countFlag),
    )
    .addOption(configOption())
    .option('--dry-run', 'only print what would be removed')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier clean --dry-run
  croupier clean --keep 5

Exit status: 0 removed, or nothing to remove, 2 a journal can't be removed`,
    );
}

export type CleanFlags = FlagsOf<typeof describeClean>;
