import type { Command } from 'commander';
import { collect } from './flag-values.ts';

/** Which side wrote a file down: the same at every command that reads what has happened. */
export function addSideOptions(command: Command): Command {
  return command
    .option('--service <file>', 'what the service, or who calls, wrote down; repeatable', collect)
    .option('--operator <file>', 'what the operator wrote down; repeatable', collect);
}

/** How logs are read, where the configuration does not say it. */
export function addLogOptions(command: Command): Command {
  return command
    .optionsGroup('How logs are read (or by logs: in croupier.yaml):')
    .option('--zone <zone>', 'of times without one: Europe/Berlin, +01:00')
    .option('--field <FIELD=path>', 'where JSON has it: session=user.sid; repeatable', collect)
    .option('--pattern <regexp>', 'for text: one with groups named like fields');
}
