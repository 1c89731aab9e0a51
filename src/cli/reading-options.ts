import type { Command } from 'commander';
import { collect } from './flag-values.ts';

/** Which side wrote a file down: the same at every command that reads what has happened. */
export function addSideOptions(command: Command): Command {
  return command
    .option('--service <file>', 'what the service (or whoever calls) wrote down; repeatable', collect)
    .option('--operator <file>', 'what the operator wrote down; repeatable', collect);
}

/** How logs are read, where the configuration does not say it. */
export function addLogOptions(command: Command): Command {
  return command
    .optionsGroup('How logs are read (or logs: in croupier.yaml):')
    .option('--zone <zone>', 'of times that name none: Europe/Berlin, +01:00 (default: UTC)')
    .option('--field <FIELD=path>', 'where a JSON log has a field, as session=user.session; repeatable', collect)
    .option('--pattern <expression>', 'for lines of text: a regular expression with groups named like the fields');
}
