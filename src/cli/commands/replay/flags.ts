import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import {
  addLockOptions,
  addTestClientOptions,
  addWaitOptions,
  productionOption,
  rateOption,
} from '../../options/client.ts';
import { countFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';
import { addReferenceOptions } from '../../options/reference.ts';
import { addLogOptions, addSelectionOptions, addSideOptions } from '../incident/flags.ts';

const MAX_SPEED = 1_000_000;

function speedFlag(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (speed <= 0 || speed > MAX_SPEED) throw new InvalidArgumentError('Write a number, such as 10 or 0.5.');
  return speed;
}

/** Defines `croupier replay` and its flags. */
export function describeReplay(program: CommandUnknownOpts) {
  const replay = program
    .command('replay')
    .description(
      'repeat recorded calls against a test operator, and say whether the problem is fixed; FILES may have the same formats as for croupier incident',
    )
    .summary('repeat recorded calls against a test operator: is it fixed?')
    .argument('[files...]');
  const calls = addSelectionOptions(addSideOptions(replay))
    // The names of these flags in older releases.
    .addOption(new Option('--of <sessionID>').hideHelp())
    .addOption(new Option('--until <time>').hideHelp());
  const operator = addLogOptions(calls).optionsGroup('Test operator (and its sessions):');
  const how = addTestClientOptions(addReferenceOptions(operator))
    .addOption(productionOption())
    .optionsGroup('Replay:')
    .addOption(new Option('--speed <n>', 'replay n times as fast as recorded (default: 1)').argParser(speedFlag))
    .option('--no-wait', 'send each call right after the previous call')
    .addOption(new Option('--race-rounds <n>', 'repeat a race n times (default: 2 to 12)').argParser(countFlag))
    .option('--scenario <file.yaml>', 'write the calls to a scenario file, and send nothing');
  return addLockOptions(addWaitOptions(how).addOption(rateOption()))
    .optionsGroup('Output:')
    .option('--journal <file>', 'journal file (default: a new one in .croupier/)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier replay wallet.log --player 4711 --from 14:00 --to 14:10
  croupier replay staging.har --session s-81f2 --test-session eu-usd-1 --no-wait
  croupier replay wallet.log --player 4711 --scenario lost-20-euros.yaml

Exit status: 0 fixed or fine, 1 failing, 2 usage, 3 undecided, 129-143 stopped`,
    );
}

export type ReplayFlags = FlagsOf<typeof describeReplay>;
