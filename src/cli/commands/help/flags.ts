import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { topicLines } from './pages.ts';

/** Defines `croupier help`. */
export function describeHelp(program: CommandUnknownOpts) {
  return program
    .command('help')
    .description('show the page of a command, or one of the pages that all commands share')
    .summary('show the page of a command')
    .argument('[words...]', 'a command, or settings, or environment')
    .addHelpText(
      'after',
      `
Examples:
  croupier help run
  croupier help serve operator
${topicLines('  croupier help ')}

Exit status: 0, 2 no such page`,
    );
}
