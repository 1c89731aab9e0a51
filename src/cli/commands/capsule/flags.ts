import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { ADDRESS_KINDS, type AddressKind } from '../../../traffic/capsule/addresses.ts';
import { configOption } from '../../options/client.ts';
import { collect, type FlagsOf } from '../../options/parts.ts';
import { addLogOptions, addSelectionOptions, addSideOptions } from '../incident/flags.ts';

/** Adds a kind of addresses. @throws InvalidArgumentError for an unknown kind */
function addressKind(text: string, earlier: readonly AddressKind[] | undefined): readonly AddressKind[] {
  const kind = ADDRESS_KINDS.find((one) => one === text);
  if (kind === undefined) throw new InvalidArgumentError(`Allowed choices are ${ADDRESS_KINDS.join(', ')}.`);
  return [...(earlier ?? []), kind];
}

/** Defines `croupier capsule` and its flags. */
export function describeCapsule(program: CommandUnknownOpts) {
  const remove = new Option('--remove <kind>', 'replace all addresses; repeatable')
    .choices(ADDRESS_KINDS)
    .argParser(addressKind);
  // `argParser` has removed the choices of the flag. They are set again, because the help and the completion need them.
  remove.argChoices = [...ADDRESS_KINDS];
  const capsule = program
    .command('capsule')
    .description('remove keys, sessions and players, so that files are safe to share')
    .summary('remove keys, sessions and players from journals, HARs and logs')
    .argument('[files...]', 'the files to share')
    .option('--out <file>', 'file, or a folder for several files (default: stdout)');
  return addLogOptions(addSelectionOptions(addSideOptions(capsule)))
    .optionsGroup('Values to remove:')
    .addOption(configOption())
    .option('--key-file <file>', 'file with a key to remove (or CROUPIER_KEY); repeatable', collect)
    .option('--header <name>', 'header whose value is removed; repeatable', collect)
    .addOption(remove)
    .optionsGroup('Aliases:')
    .option('--salt <file>', 'file with the salt (default: .croupier/capsule.salt)')
    .option('--map <file>', 'list of all aliases with their ids; never share it')
    .addHelpText(
      'after',
      `
Sessions and players become aliases such as player-3f9a2c81d0, the same in every
capsule with one salt. Transactions, rounds, amounts and times stay. A selection
keeps all calls of its players, because a balance depends on all of them.

Examples:
  croupier capsule .croupier/run.ndjson --out ticket.ndjson
  croupier capsule staging.har wallet.log --out ticket/    the same aliases
  croupier capsule wallet.log --player 4711 --out ticket.ndjson
  croupier capsule wallet.log --remove email --remove ip --out ticket.log

Exit status: 0 written, 2 wrong usage or file, or an id would be left in it`,
    );
}

export type CapsuleFlags = FlagsOf<typeof describeCapsule>;
