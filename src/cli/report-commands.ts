import type { Command } from 'commander';
import { collect } from './flag-values.ts';
import type { MergeFlags } from './merge.ts';
import type { Stdio } from './stdio.ts';

/** `report` with what can be made of journals. */
export function addReport(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const report = program
    .command('report')
    .description('from journals to what others read')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  croupier report convert .croupier/run.ndjson --to junit=junit.xml
  croupier report merge shard-*.ndjson
  croupier report diff before.ndjson .croupier/run.ndjson`,
    );
  report
    .command('convert')
    .description('make reports of a journal, also of a run that was cut short')
    .argument('<journal>', 'the journal (.croupier/….ndjson)')
    .requiredOption(
      '--to <KIND=file>',
      'terminal, json, junit, html, markdown, github, baseline, har or curl; a file or - for stdout; several with commas',
      collect,
    )
    .addHelpText(
      'after',
      `
Examples:
  croupier report convert .croupier/run.ndjson --to junit=junit.xml
  croupier report convert .croupier/run.ndjson --to har=run.har,curl=run.sh
                              for a browser's network panel, and for a shell

Exit status: 0 written, 2 usage, or no journal`,
    )
    .action(async (journal: string, flags: { to: readonly string[] }) => {
      const { convertCommand } = await import('./report.ts');
      done(await convertCommand(journal, flags, stdio));
    });
  report
    .command('merge')
    .description('one report of all shards of a run (run --shard), and the exit status of the whole')
    .summary('one report, and status, of all shards of a run')
    .argument('<journals...>', 'the journal of each shard')
    .option('--to <KIND=file>', 'as in report convert (default: terminal=-); repeatable', collect)
    .option('--out <journal>', 'write the journal of the whole too, for later reports and for settle')
    .addHelpText(
      'after',
      `
Examples:
  croupier report merge shard-*.ndjson
  croupier report merge shard-*.ndjson --to junit=junit.xml --out whole.ndjson

Exit status: that of the whole, as of run (0, 1, 3, 70, 130, 143); 3 when a
  shard is missing; 2 when one is there twice or belongs to another run`,
    )
    .action(async (journals: string[], flags: MergeFlags) => {
      const { mergeCommand } = await import('./merge.ts');
      done(await mergeCommand(journals, flags, stdio));
    });
  report
    .command('diff')
    .description('what changed from one run to a later one: broken, fixed, new, gone, slower')
    .argument('<before>', 'a journal, or a JSON report')
    .argument('<now>', 'the same of the later run')
    .option('--json', 'JSON on stdout, for a machine')
    .addHelpText(
      'after',
      `
Examples:
  croupier report diff before.ndjson .croupier/2026-11-21-111500-ab12cd.ndjson
  croupier report diff main.json branch.json --json

Exit status: 0 nothing fails that did not fail before, 1 something does, 2 one
  of the two can't be read`,
    )
    .action(async (before: string, now: string, flags: { json?: boolean }) => {
      const { diffCommand } = await import('./diff.ts');
      done(await diffCommand(before, now, flags, stdio));
    });
}
