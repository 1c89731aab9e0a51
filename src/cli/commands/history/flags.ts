import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { collect, countFlag, curlOption, type FlagsOf, jsonOption, verboseOption } from '../../options/parts.ts';

/** Number of runs that a list has if no flag gives another number. */
const LISTED = 20;

const RUN_ID = 'the number of the run, the beginning of its runID, or latest';

/** Defines `croupier history`, which only groups its subcommands. Without a subcommand, it lists the runs. */
export function describeHistory(program: CommandUnknownOpts) {
  return program
    .command('history')
    .description('list, open and compare the runs and load tests of this folder, and show since when a rule is broken')
    .summary('the runs of this folder, and since when a rule is broken')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  croupier history                         the latest runs, and what changed
  croupier history rule                    which rules are broken or flaky
  croupier history rule bet.debit          one rule over time
  croupier history open latest             the HTML report of a run
  croupier history diff 12 latest          two runs

Each run and load test adds itself to .croupier/history.sqlite. The flag
--no-history keeps it out.`,
    );
}

/** Defines `croupier history list` and its flags. `croupier history` does the same. */
export function describeHistoryList(history: CommandUnknownOpts) {
  return history
    .command('list', { isDefault: true })
    .description('list the latest runs, the newest first, and the changes from the previous run to each run')
    .summary('list the latest runs, and what changed')
    .addOption(clientOption())
    .addOption(new Option('--limit <n>', 'list at most n runs').default(LISTED).argParser(countFlag))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier history --client acme-eu
  croupier history --limit 100 --json

Exit status: 0 listed, 2 the history can't be read`,
    );
}

/** Defines `croupier history open` and its flags. */
export function describeHistoryOpen(history: CommandUnknownOpts) {
  return history
    .command('open')
    .description('write the report of a run, from its stored journal')
    .argument('<run>', RUN_ID)
    .option(
      '--to <KIND=file>',
      'kind and file, as for report convert; for a load test json, html or hgrm (default: html=.croupier/run-NUMBER.html); repeatable',
      collect,
    )
    .addOption(curlOption())
    .addOption(verboseOption('every rule, finding and note in the text; -vv: each exchange too'))
    .addHelpText(
      'after',
      `
Examples:
  croupier history open latest
  croupier history open 12 --to terminal=-

Exit status: 0 written, 2 no such run, or its journal is no longer stored`,
    );
}

/** Defines `croupier history diff` and its flags. */
export function describeHistoryDiff(history: CommandUnknownOpts) {
  return history
    .command('diff')
    .description('show what changed from one run to a later one, as report diff does')
    .argument('<before>', RUN_ID)
    .argument('<now>', 'the later run')
    .option('--allow-gone', 'end with 0 even if the later run tested less, unless it judged no rule')
    .option('--allow-undecided', 'end with 0 even if the later run is undecided, unless it judged no rule')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Example:
  croupier history diff 12 latest

Exit status: 0 no new failure, 1 something fails that did not fail before or
  got worse, or less was tested than before, 2 no such run, 3 the later run is
  undecided`,
    );
}

/** Defines `croupier history rule` and its flags. */
export function describeHistoryRule(history: CommandUnknownOpts) {
  return history
    .command('rule')
    .description(
      'show the verdicts of a rule over time: since which run and build it is broken, and whether it is flaky',
    )
    .summary('show one rule over time, or all that are broken or flaky')
    .argument('[rule]', 'the id of a rule, or "expectation in SCENARIO" (default: every broken or flaky rule)')
    .addOption(clientOption())
    .addOption(new Option('--limit <n>', 'list at most n runs').default(LISTED).argParser(countFlag))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier history rule
  croupier history rule bet.debit --client acme-eu

A rule is flaky if its verdict changed while the build, croupier, its rules,
the contract, the suite, the configuration and the scenarios stayed the same.

Exit status: 0 shown, 2 no such rule, or the history can't be read`,
    );
}

/** Defines `croupier history pin`. */
export function describeHistoryPin(history: CommandUnknownOpts) {
  return history
    .command('pin')
    .description('keep a run and its journal, whatever its age')
    .argument('<run>', RUN_ID)
    .addHelpText('after', '\nExample:\n  croupier history pin 12\n\nExit status: 0 pinned, 2 no such run');
}

/** Defines `croupier history unpin`. */
export function describeHistoryUnpin(history: CommandUnknownOpts) {
  return history
    .command('unpin')
    .description('no longer keep a pinned run')
    .argument('<run>', RUN_ID)
    .addHelpText('after', '\nExample:\n  croupier history unpin 12\n\nExit status: 0 no longer pinned, 2 no such run');
}

function clientOption() {
  return new Option('--client <extCID>', 'only the runs of this client');
}

export type HistoryListFlags = FlagsOf<typeof describeHistoryList>;
export type HistoryOpenFlags = FlagsOf<typeof describeHistoryOpen>;
export type HistoryDiffFlags = FlagsOf<typeof describeHistoryDiff>;
export type HistoryRuleFlags = FlagsOf<typeof describeHistoryRule>;
