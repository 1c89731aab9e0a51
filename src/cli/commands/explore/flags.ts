import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import {
  addClientOptions,
  addLockOptions,
  addPlayOptions,
  addWaitOptions,
  productionOption,
} from '../../options/client.ts';
import { countFlag, durationFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';
import { addReferenceOptions } from '../../options/reference.ts';

/** Defines `croupier explore` and its flags. */
export function describeExplore(program: CommandUnknownOpts) {
  const explore = program
    .command('explore')
    .description('test an operator with generated histories (sequences of calls), and shorten each history that fails')
    .summary('test an operator with generated histories')
    .optionsGroup('Operator (default: each client of croupier.yaml):');
  const search = addClientOptions(addReferenceOptions(explore))
    .addOption(productionOption())
    .optionsGroup('Search:')
    .addOption(new Option('--runs <n>', 'maximum number of histories').argParser(countFlag))
    .addOption(
      new Option(
        '--time <duration>',
        'start no history after this time (default: 60s, or no limit with --runs)',
      ).argParser(durationFlag),
    )
    .addOption(new Option('--seed <text>', 'repeat the histories of an earlier search').env('CROUPIER_SEED'))
    .addOption(new Option('--bail [n]', 'stop at the first (or n-th) failing history').argParser(countFlag))
    .option('--strict', 'also search for breaches of a SHOULD');
  return addLockOptions(addPlayOptions(addWaitOptions(search)))
    .optionsGroup('Output:')
    .option('--out <file>', 'file for the first failing history; the names of further files get a number')
    .option('--journal <file>', 'journal file (default: a new one in .croupier/)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Each history that breaks a rule is shortened as far as possible, and printed
as a scenario.

Examples:
  croupier explore --reference --defect replayed-win-paid
  croupier explore --time 5m --out found.yaml    every client of croupier.yaml
  croupier run found.yaml                        run the history again
  croupier explore --seed 7f3a9c01               the same histories again

Exit status: 0 nothing found, 1 a rule is broken, 2 usage (nothing was sent),
  3 undecided, 70 a bug of croupier, 129, 130, 143 interrupted`,
    );
}

export type ExploreFlags = FlagsOf<typeof describeExplore>;
