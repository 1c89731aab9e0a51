import { type Command, Option } from 'commander';
import { addClientOptions, addWaitOptions, productionOption } from './client-options.ts';
import { collect, countFlag } from './flag-values.ts';
import { addLogOptions, addSideOptions } from './reading-options.ts';
import type { ReplayFlags } from './replay.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

function speedFlag(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (speed <= 0 || speed > 1_000_000) throw new UsageError(`--speed ${text}: write a number, such as 10 or 0.5.`);
  return speed;
}

/** `croupier replay`. */
export function addReplay(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const replay = program
    .command('replay')
    .description(
      'make what happened happen again against a test operator, and say whether it is mended; FILES are read as croupier incident reads them',
    )
    .summary('make it happen again against a test operator: is it mended?')
    .argument('[files...]');
  addSideOptions(replay)
    .optionsGroup('Which calls:')
    .option('--player <id>', 'those of a player')
    .option('--of <sessionID>', 'those of a session')
    .option('--round <roundID>', 'those of a round')
    .option('--tx <txID>', 'those of a transaction, and the refunds of it')
    .option('--from <time>', 'not before: 14:03 or 2026-11-21T14:03')
    .option('--until <time>', 'not after');
  addLogOptions(replay)
    .optionsGroup('Against whom (and its sessions):')
    .option('--reference', 'the embedded reference operator')
    .option('--defect <name>', 'give it this defect; repeatable', collect)
    .option('--habit <name>', 'give it this habit; repeatable', collect);
  addClientOptions(replay)
    .addOption(productionOption())
    .optionsGroup('How:')
    .addOption(new Option('--speed <n>', 'so many times as fast as it was (default: 1)').argParser(speedFlag))
    .option('--no-wait', 'one call right after the other')
    .addOption(new Option('--race-rounds <n>', 'tell a race n times (default: 4 to 12)').argParser(countFlag))
    .option('--to <scenario=FILE.yaml>', 'write it as a scenario, and send nothing');
  addWaitOptions(replay)
    .optionsGroup('What to print:')
    .option('--journal <file>', 'where it goes (default: in .croupier/)')
    .option('--json', 'JSON on stdout, for a machine')
    .addHelpText(
      'after',
      `
Examples:
  croupier replay wallet.log --player 4711 --from 14:00 --until 14:10
  croupier replay staging.har --of s-81f2 --session eu-usd-1 --no-wait
  croupier replay wallet.log --player 4711 --to scenario=lost-20-euros.yaml

Exit status: 0 fixed, or nothing was and is wrong; 1 still failing, regressed or
  different; 2 usage; 3 undecided or unreachable; 130 and 143 interrupted`,
    )
    .action(async (files: string[], flags: ReplayFlags) => {
      const { replayCommand } = await import('./replay.ts');
      done(await replayCommand(files, flags, stdio));
    });
}
