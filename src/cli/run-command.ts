import { type Command, Option } from 'commander';
import { addClientOptions, addWaitOptions, productionOption } from './client-options.ts';
import { collect, countFlag, durationFlag, versionFlag } from './flag-values.ts';
import type { RunFlags } from './run-flags.ts';
import { shardFlag } from './shard-flag.ts';
import type { Stdio } from './stdio.ts';

/** The command `run` with its flags. */
export function addRun(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const run = program
    .command('run')
    .description('judge an operator by the rules of the contract')
    .argument('[selection...]', 'a group, a rule, a scenario, a file or file:line; none: everything')
    .optionsGroup('Whom to judge:')
    .option('--reference', 'the embedded reference operator, with sessions of its own')
    .option('--defect <name>', 'give the embedded operator this defect (croupier list defects); repeatable', collect)
    .option('--habit <name>', 'give the embedded operator this habit (croupier list habits); repeatable', collect);
  addClientOptions(run)
    .addOption(productionOption())
    .addOption(
      new Option(
        '--launches <n>',
        "start a Core API, wait until the operator's backend has launched n games there, and judge their sessions and what it sent",
      ).argParser(countFlag),
    )
    .option('--core-api-port <port>', 'of that Core API (default: a free one)')
    .addOption(
      new Option('--launch-wait <duration>', 'how long launches are waited for (default: 5m)').argParser(durationFlag),
    )
    .optionsGroup('What to run:')
    .option('--tag <tag>', 'only scenarios with this tag; repeatable', collect)
    .option('--grep <text>', 'only scenarios whose id or title contains this')
    .option('--last-failed [journal]', 'only what failed, was flaky or undecided when this client was judged last')
    .addOption(
      new Option(
        '--shard <i/n>',
        'only the i-th of n parts, with players of its own; report merge joins them',
      ).argParser(shardFlag),
    )
    .option('--timings <journal>', 'divide by how long scenarios took in this run; repeatable', collect)
    .option('--watch', 'play again what a changed file touches, and what a key asks for')
    .option('--list', 'print what would run, and send nothing')
    .optionsGroup('How:')
    .option(
      '--after <journal>',
      'send transactions of this earlier run again: they must be known still; repeatable',
      collect,
    )
    .addOption(new Option('--bail [n]', 'stop after the first (or n) failed scenarios').argParser(countFlag))
    .addOption(
      new Option('--retries <n>', 'play a failed scenario again, up to n times; if it passes then, it is flaky')
        .argParser(countFlag)
        .env('CROUPIER_RETRIES'),
    )
    .option('--allow-flaky', 'what is flaky warns; else it fails the run like any failure')
    .addOption(
      new Option('--baseline <file>', 'rules that may fail for a while: what is new, mended or expired fails').env(
        'CROUPIER_BASELINE',
      ),
    )
    .option('--strict', 'a breach of a SHOULD fails the run too (env: CROUPIER_STRICT=1)')
    .addOption(new Option('--seed <text>', 'repeats choices and order of an earlier run').env('CROUPIER_SEED'))
    .addOption(
      new Option('--workers <n>', 'scenarios side by side, one per player at most')
        .argParser(countFlag)
        .env('CROUPIER_WORKERS'),
    )
    .addOption(
      new Option(
        '--race-rounds <n>',
        'tell a story whose calls race each other n times (default: 4 to 12, for about a second)',
      ).argParser(countFlag),
    );
  addWaitOptions(run)
    .addOption(
      new Option('--campaign <frID>', 'a free-rounds campaign that the operator knows').env('CROUPIER_CAMPAIGN'),
    )
    .option('--stake <CUR=amount>', 'the stake for a currency, as --stake USD=1.00; repeatable', collect)
    .addOption(
      new Option(
        '--contract <version>',
        'the version of the contract that the integration was made by (default: the latest)',
      )
        .argParser(versionFlag)
        .env('CROUPIER_CONTRACT'),
    )
    .option('--large-amounts', 'also move amounts beyond 2^53 of the smallest unit')
    .optionsGroup('What to print:')
    .option(
      '--report <KIND=file>',
      'write a report (json, junit, html, markdown, github, baseline, har, curl); repeatable',
      collect,
    )
    .option('--journal <file>', 'where the journal goes (default: .croupier/…ndjson)')
    .option('--no-github', 'no annotations and no summary under GitHub Actions (env: CROUPIER_GITHUB=0)')
    .option('--json', 'the JSON report on stdout instead of text')
    .option('-v, --verbose', 'print every exchange as it happens')
    .addHelpText(
      'after',
      `
Examples:
  croupier run --reference                       see a whole run without an operator
  croupier run --reference --defect lost-update  see what is reported of a wallet with a bug
  croupier run                                   judge every client of croupier.yaml
  croupier run idempotency refund.unknown        a group and a rule
  croupier run scenarios/refund/unknown.yaml:12  the scenario at that line
  croupier run --launches 2                      judge two sessions that the operator launches
  croupier run --tag race --race-rounds 200      look long for a race that is seldom lost
  croupier run --last-failed                     what failed when this client was judged last
  croupier run --reference ours/ --watch         again and again, while scenarios are written
  croupier run --shard 2/4 --timings last.ndjson the second of four parts (then: croupier report merge)
  croupier run --after .croupier/before.ndjson   … and whether a restart or a deploy has forgotten anything
  CROUPIER_KEY=… croupier run --base-url https://wallet.example/eu --ext-cid acme-eu --session eu-usd-1

Exit status: 0 conforming, 1 not conforming, 2 usage or configuration (nothing was sent), 3 undecided,
  70 a bug of croupier, 130 and 143 interrupted`,
    )
    .action(async (selection: string[], flags: RunFlags) => {
      const { runCommand } = await import('./run.ts');
      done(await runCommand(selection, flags, stdio));
    });
}
