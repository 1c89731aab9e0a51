import { type Command, Option } from 'commander';
import { addSettings } from './client-options.ts';
import { collect, countFlag } from './flag-values.ts';
import type { RunFlags } from './run-flags.ts';
import { shardFlag } from './shard-flag.ts';
import type { Stdio } from './stdio.ts';

/** The command `run` with its flags. */
export function addRun(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const run = program
    .command('run')
    .description(
      'judge an operator by the rules of the contract; SELECTION is a group, a rule, a scenario, a file or file:line (none: everything)',
    )
    .summary('judge an operator by the rules of the contract')
    .argument('[selection...]')
    .optionsGroup('Whom to judge (none of these: each client of croupier.yaml):')
    .option('--reference', 'the embedded reference operator')
    .option('--defect <name>', 'give it this (croupier list defects); repeatable', collect)
    .option('--habit <name>', 'give it this (croupier list habits); repeatable', collect)
    .addOption(new Option('--launches <n>', "n sessions that the operator's backend is to launch").argParser(countFlag))
    .optionsGroup('What to run:')
    .option('--tag <tag>', 'only scenarios with this tag; repeatable', collect)
    .option('--grep <text>', 'only scenarios whose id or title contains this')
    .option('--last-failed [journal]', 'only what failed, was flaky or undecided last')
    .addOption(new Option('--shard <i/n>', 'the i-th of n parts, with players of its own').argParser(shardFlag))
    .option('--timings <journal>', 'divide by the times of this run; repeatable', collect)
    .option('--watch', 'play again what a changed file touches, or on a key')
    .option('--list', 'print what would run, and send nothing')
    .optionsGroup('How:')
    .option('--after <journal>', 'is what this run sent known still?; repeatable', collect)
    .addOption(new Option('--bail [n]', 'stop after the first (or n) failed scenarios').argParser(countFlag))
    .addOption(
      new Option('--retries <n>', 'play a failed scenario again, up to n times')
        .argParser(countFlag)
        .env('CROUPIER_RETRIES'),
    )
    .option('--allow-flaky', 'what passes on a retry warns; else it fails the run')
    .addOption(new Option('--baseline <file>', 'rules that may fail for a while').env('CROUPIER_BASELINE'))
    .option('--strict', 'a breach of a SHOULD fails the run too')
    .addOption(new Option('--seed <text>', 'repeats choices and order of an earlier run').env('CROUPIER_SEED'))
    .addOption(
      new Option('--race-rounds <n>', 'tell a story of a race n times (default: 4 to 12)').argParser(countFlag),
    );
  addSettings(run)
    .optionsGroup('What to print:')
    .option('--report <KIND=file>', 'json, junit, html, markdown …; repeatable', collect)
    .option('--journal <file>', 'where the journal goes (default: in .croupier/)')
    .option('--no-github', 'nothing for GitHub Actions')
    .option('--json', 'the JSON report on stdout instead of text')
    .option('-v, --verbose', 'print every exchange as it happens')
    .addHelpText(
      'after',
      `
Examples:
  croupier run --reference --defect lost-update   a wallet with a bug
  croupier run idempotency refund.unknown         a group and a rule
  CROUPIER_KEY=… croupier run --base-url https://wallet.example/eu \\
    --ext-cid acme-eu --session eu-usd-1          without a croupier.yaml

Exit status: 0 conforming, 1 not conforming, 2 usage (nothing was sent),
  3 undecided, 70 a bug of croupier, 130 and 143 interrupted`,
    )
    .action(async (selection: string[], flags: RunFlags) => {
      const { runCommand } = await import('./run.ts');
      done(await runCommand(selection, flags, stdio));
    });
}
