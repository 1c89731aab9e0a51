import { type Command, Option } from 'commander';
import { configOption } from './client-options.ts';
import { collect, durationFlag, versionFlag } from './flag-values.ts';
import type { ServeAllFlags } from './serve-all.ts';
import type { ServeCoreApiFlags } from './serve-core-api.ts';
import type { ServeFlags } from './serve-operator.ts';
import type { Stdio } from './stdio.ts';

/** The flags of whatever serves the service. */
function addServiceOptions(command: Command): Command {
  return command
    .option('--port <n>', 'the port of the service (default: a free one)')
    .option('--data <dir>', 'keep all there, beyond a restart (default: in memory)')
    .option('--public-url <url>', 'where it is reached, when that is elsewhere')
    .addOption(new Option('--contract <version>', 'behave as it says (default: the latest)').argParser(versionFlag))
    .option('--large-catalogue', 'a list of games of more than 1 MB')
    .addOption(new Option('--catalogue-delay <duration>', 'answer GET /games after so long').argParser(durationFlag))
    .addOption(
      new Option('--session-life <duration>', 'a game can be played for (default: 4 hours)').argParser(durationFlag),
    );
}

/** `croupier serve` and its parts. */
export function addServe(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const serve = program
    .command('serve')
    .description('the parts to develop against: an operator, the service, or both')
    .summary('an operator, the service, or both')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  croupier serve all                     both, with a game to click at
  croupier serve operator --port 4000    a wallet that keeps the contract

Each prints where it listens, and ends on SIGINT or SIGTERM with status 0.`,
    );
  serve
    .command('operator')
    .description('the reference operator: a wallet that keeps the contract')
    .option('--port <n>', 'the port (default: any free one)')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--data <dir>', 'keep all there, beyond a restart (default: in memory)')
    .option('--write-config <file>', 'a croupier.yaml with its address and sessions')
    .option('--defect <name>', 'do this wrong (croupier list defects); repeatable', collect)
    .option('--habit <name>', 'do this in another right way (croupier list habits)', collect)
    .addHelpText(
      'after',
      `
Examples:
  croupier serve operator --port 4000 --write-config croupier.yaml
  croupier serve operator --defect replayed-bet-charged --defect lost-update

CROUPIER_KEY gives it a key of yours.
It ends on SIGINT or SIGTERM with status 0.`,
    )
    .action(async (flags: ServeFlags) => {
      const { serveOperatorCommand } = await import('./serve-operator.ts');
      done(await serveOperatorCommand(flags, stdio));
    });
  addServiceOptions(
    serve
      .command('core-api')
      .description('the service: the Core API, games that can be played, and the reverse calls to your operator')
      .summary('the service: Core API, games, and the calls to your operator')
      .addOption(configOption())
      .option('--client <extCID>', 'only this client of croupier.yaml; repeatable', collect),
  )
    .addHelpText(
      'after',
      `
Each client of croupier.yaml needs a cID and an apiKey: with them its backend
calls the Core API. With --data, sessions, campaigns and debts are kept.

Examples:
  croupier serve core-api --port 5000            at http://127.0.0.1:5000/api/v1
  croupier serve core-api --data .croupier/service
  croupier serve core-api --large-catalogue --catalogue-delay 15s

It ends on SIGINT or SIGTERM with status 0.`,
    )
    .action(async (flags: ServeCoreApiFlags) => {
      const { serveCoreApiCommand } = await import('./serve-core-api.ts');
      done(await serveCoreApiCommand(flags, stdio));
    });
  addServiceOptions(
    serve
      .command('all')
      .description('the reference operator and the service together, with a game to click at')
      .option('--defect <name>', 'a fault of the operator; repeatable', collect)
      .option('--habit <name>', 'another right way of it; repeatable', collect),
  )
    .addHelpText(
      'after',
      `
Examples:
  croupier serve all
  croupier serve all --defect refund-unknown-404    what a bug does to a player

It ends on SIGINT or SIGTERM with status 0.`,
    )
    .action(async (flags: ServeAllFlags) => {
      const { serveAllCommand } = await import('./serve-all.ts');
      done(await serveAllCommand(flags, stdio));
    });
}
