import { type Command, Option } from 'commander';
import { addClientOptions, addPlayOptions, addWaitOptions, productionOption } from './client-options.ts';
import { collect, countFlag, durationFlag } from './flag-values.ts';
import type { RunFlags } from './run-flags.ts';

/** The flags of `explore`: those of `run` that say whom to judge and how, and its own. */
export interface ExploreFlags
  extends Omit<
    RunFlags,
    | 'launches'
    | 'launchWait'
    | 'coreApiPort'
    | 'tag'
    | 'grep'
    | 'list'
    | 'after'
    | 'report'
    | 'largeAmounts'
    | 'verbose'
  > {
  readonly runs?: number;
  readonly time?: number;
  readonly out?: string;
}

export function addExploreOptions(command: Command): Command {
  command
    .optionsGroup('Whom to search:')
    .option('--reference', 'the embedded reference operator')
    .option('--defect <name>', 'give it this defect (croupier list defects); repeatable', collect)
    .option('--habit <name>', 'give it this habit (croupier list habits); repeatable', collect);
  addClientOptions(command)
    .addOption(productionOption())
    .optionsGroup('How:')
    .addOption(new Option('--runs <n>', 'how many histories at most').argParser(countFlag))
    .addOption(
      new Option('--time <duration>', 'begin none after this (default: 60s, or no end with --runs)').argParser(
        durationFlag,
      ),
    )
    .addOption(new Option('--seed <text>', 'repeats the histories of an earlier search').env('CROUPIER_SEED'))
    .addOption(new Option('--bail [n]', 'stop at the first (or n-th) failing history').argParser(countFlag))
    .option('--strict', 'look for breaches of a SHOULD too');
  return addPlayOptions(addWaitOptions(command))
    .optionsGroup('What to print:')
    .option('--out <file>', 'the shortest failing history; further ones beside it')
    .option('--journal <file>', 'where the journal goes (default: in .croupier/)')
    .option('--json', 'JSON on stdout instead of text')
    .addHelpText(
      'after',
      `
Each history that breaks a rule is made as short as can be, and printed as a
scenario.

Examples:
  croupier explore --reference --defect replayed-win-paid
  croupier explore --time 5m --out found.yaml    every client of croupier.yaml
  croupier run found.yaml                        … and what was found, again
  croupier explore --seed 7f3a9c01               the same histories once more

Exit status: 0 nothing found, 1 a rule is broken, 2 usage (nothing was sent),
  3 undecided, 70 a bug of croupier, 130 and 143 interrupted`,
    );
}
