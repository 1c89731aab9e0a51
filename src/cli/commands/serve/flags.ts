import { type Command, type CommandUnknownOpts, Option, type OptionValues } from '@commander-js/extra-typings';
import { SESSION_LIFE_HOURS } from '../../../contract/limits.ts';
import { configOption, productionOption } from '../../options/client.ts';
import { collect, durationFlag, type FlagsOf, versionFlag } from '../../options/parts.ts';
import { addVariationOptions } from '../../options/reference.ts';

/** Adds the flags of the simulated service. */
function addServiceOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .option('--port <n>', 'port of the service (default: any free port)')
    .option('--host <address>', 'the address that the service listens on, such as 0.0.0.0', '127.0.0.1')
    .option('--data <dir>', 'folder that stores the data (default: in memory, lost at the end)')
    .option('--public-url <url>', 'URL that operators and players use, if it differs from the address of the server')
    .addOption(
      new Option('--contract <version>', 'contract version of the service (default: the latest)').argParser(
        versionFlag,
      ),
    )
    .option('--large-catalogue', 'make the list of games larger than 1 MB')
    .addOption(new Option('--catalogue-delay <duration>', 'delay the reply to GET /games').argParser(durationFlag))
    .addOption(
      new Option(
        '--session-life <duration>',
        `lifetime of a game session (default: ${SESSION_LIFE_HOURS} hours)`,
      ).argParser(durationFlag),
    );
}

/** Defines `croupier serve`, which only groups its subcommands. */
export function describeServe(program: CommandUnknownOpts) {
  return program
    .command('serve')
    .description('run servers to develop against: an operator, the service, or both')
    .summary('run an operator, the service, or both')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  croupier serve all                     both, with a game to play
  croupier serve operator --port 4000    a wallet that follows the contract

Each server prints its address, and ends on SIGINT or SIGTERM with status 0.`,
    );
}

/** Defines `croupier serve operator` and its flags. */
export function describeServeOperator(serve: CommandUnknownOpts) {
  const operator = serve
    .command('operator')
    .description('run the reference operator: a wallet that follows the contract')
    .option('--port <n>', 'the port (default: any free port)')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--data <dir>', 'folder that stores the data (default: in memory, lost at the end)')
    .option('--write-config <file>', 'write a croupier.yaml with the address and the sessions');
  return addVariationOptions(operator).addHelpText(
    'after',
    `
Examples:
  croupier serve operator --port 4000 --write-config croupier.yaml
  croupier serve operator --defect replayed-bet-charged --defect lost-update

CROUPIER_KEY sets the key of the first client.
It ends on SIGINT or SIGTERM with status 0.`,
  );
}

function clientChoice() {
  return new Option('--client <extCID>', 'only this client of croupier.yaml; repeatable').argParser(collect);
}

/** Defines `croupier serve core-api` and its flags. */
export function describeServeCoreApi(serve: CommandUnknownOpts) {
  const service = serve
    .command('core-api')
    .description('run the service: the Core API, games to play, and the reverse calls to your operator')
    .summary('run the service: Core API, games, and the calls to your operator')
    .addOption(configOption())
    .addOption(clientChoice());
  return addServiceOptions(service).addHelpText(
    'after',
    `
Each client of croupier.yaml needs a cID and an apiKey, with which its backend
calls the Core API. You can invent both values, if your backend uses the same.
With --data, sessions, campaigns and debts are kept.

Examples:
  croupier serve core-api --port 5000            at http://127.0.0.1:5000/api/v1
  croupier serve core-api --data .croupier/service
  croupier serve core-api --large-catalogue --catalogue-delay 15s

It ends on SIGINT or SIGTERM with status 0.`,
  );
}

/** Defines `croupier serve all` and its flags. */
export function describeServeAll(serve: CommandUnknownOpts) {
  const both = serve
    .command('all')
    .description('run an operator and the service together, with games to play')
    .addOption(configOption())
    .addOption(clientChoice())
    .addOption(productionOption());
  return addServiceOptions(addVariationOptions(both)).addHelpText(
    'after',
    `
Without --config, the operator is the reference operator with play money. With
--config, it is your own wallet: croupier launches a game in each session of the
file, and the rounds that you play move the money of these players. Each client
of the file then needs a cID and an apiKey: any values that you invent.

Examples:
  croupier serve all
  croupier serve all --defect refund-unknown-404    play with a bug
  croupier serve all --config croupier.yaml         play with your own wallet

It ends on SIGINT or SIGTERM with status 0.`,
  );
}

export type ServeOperatorFlags = FlagsOf<typeof describeServeOperator>;
export type ServeCoreApiFlags = FlagsOf<typeof describeServeCoreApi>;
export type ServeAllFlags = FlagsOf<typeof describeServeAll>;
/** The flags that `serve core-api` and `serve all` share. */
export type ServiceFlags = Omit<ServeCoreApiFlags, 'config' | 'client'>;
