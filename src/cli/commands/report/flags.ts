import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { collect, curlOption, type FlagsOf, jsonOption, verboseOption } from '../../options/parts.ts';

/** Defines `croupier report`, which only groups its subcommands. */
export function describeReport(program: CommandUnknownOpts) {
  return program
    .command('report')
    .description('make reports from journals')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  croupier report convert .croupier/run.ndjson --to junit=junit.xml
  croupier report merge shard-*.ndjson
  croupier report diff before.ndjson .croupier/run.ndjson`,
    );
}

/** Defines `croupier report convert` and its flags. */
export function describeConvert(report: CommandUnknownOpts) {
  return report
    .command('convert')
    .description('make reports from a journal, even if the run was interrupted')
    .argument('<journal>', 'the journal (.croupier/….ndjson)')
    .option(
      '--to <KIND=file>',
      'kind of report (terminal, json, junit, ctrf, summary, slack, teams, html, markdown, github, openmetrics, otlp, baseline, har or curl) and its file (- for stdout); write commas between several reports (default: terminal=-)',
      collect,
    )
    .addOption(curlOption())
    .addOption(verboseOption('every rule, finding and note in the text; -vv: each exchange too'))
    .addHelpText(
      'after',
      `
Examples:
  croupier report convert .croupier/run.ndjson -v
  croupier report convert .croupier/run.ndjson --to junit=junit.xml
  croupier report convert .croupier/run.ndjson --to junit=junit.xml,strict
                              for the xUnit plugin of Jenkins
  croupier report convert .croupier/run.ndjson --to summary=-
                              at most 20 lines, for a chat
  croupier report convert .croupier/run.ndjson --to har=run.har,curl=run.sh
                              for a browser's network panel, and for a shell

Exit status: 0 written, 2 usage, or no journal`,
    );
}

/** Defines `croupier report merge` and its flags. */
export function describeMerge(report: CommandUnknownOpts) {
  return report
    .command('merge')
    .description('make one report of all shards of a run (run --shard), with the exit status of the whole run')
    .summary('make one report of all shards of a run')
    .argument('<journals...>', 'the journal of each shard, or a folder with these journals')
    .option('--to <KIND=file>', 'kind and file, as for report convert (default: terminal=-); repeatable', collect)
    .addOption(curlOption())
    .option('--no-github', 'print nothing for GitHub Actions')
    .option('--out <journal>', 'also join the journals into one file, for other reports and for croupier settle')
    .addOption(verboseOption('every rule, finding and note in the text; -vv: each exchange too'))
    .addHelpText(
      'after',
      `
Examples:
  croupier report merge shard-*.ndjson
  croupier report merge shard-*.ndjson --to junit=junit.xml --out whole.ndjson

Exit status: the status of the whole run (0, 1, 3, 70, 129, 130, 143); 3 when a
  shard is missing; 2 when a shard is given twice or belongs to another run`,
    );
}

/** Defines `croupier report diff` and its flags. */
export function describeDiff(report: CommandUnknownOpts) {
  return report
    .command('diff')
    .description('show what changed from one run to a later one: what is broken, worse, fixed, new, gone or slower')
    .argument('<before>', 'journal or JSON report of the earlier run')
    .argument('<now>', 'journal or JSON report of the later run')
    .option('--allow-gone', 'end with 0 even if the later run tested less, unless it judged no rule')
    .option('--allow-undecided', 'end with 0 even if the later run is undecided, unless it judged no rule')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier report diff before.ndjson .croupier/2026-11-21-111500-ab12cd.ndjson
  croupier report diff main.json branch.json --json

Exit status: 0 no new failure, 1 something fails that did not fail before or
  got worse, or less was tested than before (rules, endpoints, scenarios or
  sessions are gone), 2 one of the two cannot be read, 3 the later run is
  undecided`,
    );
}

export type ConvertFlags = FlagsOf<typeof describeConvert>;
export type MergeFlags = FlagsOf<typeof describeMerge>;
export type DiffFlags = FlagsOf<typeof describeDiff>;
