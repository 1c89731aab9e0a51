import type { Command } from 'commander';
import { collect } from './flag-values.ts';
import type { Stdio } from './stdio.ts';

/** `report` with what can be made of journals. */
export function addReport(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const report = program.command('report').description('from journals to what others read');
  report
    .command('convert')
    .description('make reports of a journal, also of a run that was cut short')
    .argument('<journal>', 'the journal (.croupier/….ndjson)')
    .requiredOption('--to <KIND=file>', 'terminal, json or junit; a file or - for stdout; repeatable', collect)
    .addHelpText(
      'after',
      '\nExample:\n  croupier report convert .croupier/run.ndjson --to junit=junit.xml --to terminal=-',
    )
    .action(async (journal: string, flags: { to: readonly string[] }) => {
      const { convertCommand } = await import('./report.ts');
      done(await convertCommand(journal, flags, stdio));
    });
}
