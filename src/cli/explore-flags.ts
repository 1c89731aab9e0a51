import { type Command, Option } from 'commander';
import { addClientOptions, addWaitOptions, productionOption } from './client-options.ts';
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
    .option('--reference', 'the embedded reference operator, with sessions of its own')
    .option('--defect <name>', 'give the embedded operator this defect (croupier list defects); repeatable', collect)
    .option('--habit <name>', 'give the embedded operator this habit (croupier list habits); repeatable', collect);
  addClientOptions(command)
    .addOption(productionOption())
    .optionsGroup('How:')
    .addOption(new Option('--runs <n>', 'how many histories at most').argParser(countFlag))
    .addOption(
      new Option(
        '--time <duration>',
        'begin no new history after this (default: 60s, unless --runs is given)',
      ).argParser(durationFlag),
    )
    .addOption(new Option('--seed <text>', 'repeats the histories of an earlier search').env('CROUPIER_SEED'))
    .addOption(new Option('--bail [n]', 'stop at the first (or n-th) failing history').argParser(countFlag))
    .option('--strict', 'look for breaches of a SHOULD too (env: CROUPIER_STRICT=1)')
    .addOption(
      new Option('--workers <n>', 'histories side by side, one per player at most')
        .argParser(countFlag)
        .env('CROUPIER_WORKERS'),
    );
  return addWaitOptions(command)
    .addOption(
      new Option('--campaign <frID>', 'a free-rounds campaign that the operator knows').env('CROUPIER_CAMPAIGN'),
    )
    .option('--stake <CUR=amount>', 'the stake for a currency, as --stake USD=1.00; repeatable', collect)
    .optionsGroup('What to print:')
    .option('--out <file>', 'write the shortest failing history there; further ones beside it, with a number')
    .option('--journal <file>', 'where the journal goes (default: .croupier/…ndjson)')
    .option('--json', 'JSON on stdout instead of text')
    .addHelpText(
      'after',
      `
Plays generated histories, makes each that breaks a rule as short as it can, and prints it as a scenario.

Examples:
  croupier explore --reference --defect replayed-win-paid   see what is found of a wallet with a bug
  croupier explore --time 5m --out found.yaml               search every client of croupier.yaml
  croupier run found.yaml                                   … and play what was found again
  croupier explore --seed 7f3a9c01                          the same histories once more, with fresh ids

Exit status: 0 nothing found, 1 a rule is broken, 2 usage or configuration (nothing was sent), 3 undecided,
  70 a bug of croupier, 130 and 143 interrupted`,
    );
}
