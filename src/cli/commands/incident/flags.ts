import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import { configOption } from '../../options/client.ts';
import { collect, type FlagsOf, jsonOption, verboseOption } from '../../options/parts.ts';

/** Defines `croupier incident` and its flags. */
export function describeIncident(program: CommandUnknownOpts) {
  const incident = program
    .command('incident')
    .description('explain what happened and where the money is, from curl lines, HARs, raw HTTP, logs and journals')
    .summary('explain what happened, and where the money is')
    .argument('[files...]', 'files to read (- is stdin); croupier recognises by the format which side wrote a file');
  const calls = addSelectionOptions(addSideOptions(incident));
  return addLogOptions(calls)
    .optionsGroup('Keys and output:')
    .option('--key-file <file>', 'file with a key to verify signatures; repeatable', collect)
    .addOption(verboseOption('each unknown thing on a line of its own'))
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText(
      'after',
      `
Fields: time, method, url, status, error, tookMs, tookSeconds, took,
  correlation, requestBody, responseBody, contentType, call, session, tx,
  origTx, round, amount, type, frID, player, currency, balance, replyTx, code,
  signature

Examples:
  croupier incident wallet.log.gz --player 4711 --from 14:00 --to 14:10
  croupier incident --service calls.ndjson --operator wallet.log    both sides
  croupier incident wallet.log --field session=ctx.sid --zone Europe/Berlin
  pbpaste | croupier incident -                a curl line with its reply

Exit status: 0 nothing is wrong, 1 a rule was broken or something is owed
  or the service is at fault, 2 usage or no call was found, 3 undecided`,
    );
}

export type IncidentFlags = FlagsOf<typeof describeIncident>;

/** Adds the flags for files that were written by a known side. All commands that read recorded calls share them. */
export function addSideOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .option('--service <file>', 'file of the service or another caller; repeatable', collect)
    .option('--operator <file>', 'file of the operator; repeatable', collect);
}

/** Adds the flags that select calls. All commands that read recorded calls share them. */
export function addSelectionOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .optionsGroup('Which calls:')
    .option('--player <id>', 'only the calls of this player')
    .option('--session <sessionID>', 'only the calls of this session')
    .option('--round <roundID>', 'only the calls of this round')
    .option('--tx <txID>', 'only the calls of this transaction and its refunds')
    .option('--from <time>', 'only calls from this time (14:03, 2026-11-21T14:03)')
    .option('--to <time>', 'only calls up to this time');
}

/** Adds the flags that describe the format of logs. All commands that read recorded calls share them. */
export function addLogOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .optionsGroup('Log format (also: logs in croupier.yaml):')
    .option('--zone <zone>', 'time zone of times without a zone, such as Europe/Berlin')
    .option('--field <FIELD=path>', 'JSON path of a field: session=user.sid; repeatable', collect)
    .option(
      '--pattern <regexp>',
      'regular expression for a log line; its named groups are the fields, such as session',
    );
}
