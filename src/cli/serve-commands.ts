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
    .option('--port <n>', 'the port of the service (default: any free one)')
    .option(
      '--data <dir>',
      'keep sessions, campaigns and what is owed there, so that a restart loses nothing (default: in memory)',
    )
    .option('--public-url <url>', 'where players and the operator reach it, when that is another address')
    .addOption(
      new Option('--contract <version>', 'behave as this version of the contract says (default: the latest)').argParser(
        versionFlag,
      ),
    )
    .option('--large-catalogue', 'a list of games of more than 1 MB')
    .addOption(
      new Option('--catalogue-delay <duration>', 'answer GET /games only after so long').argParser(durationFlag),
    )
    .addOption(
      new Option('--session-life <duration>', 'how long a launched game can be played (default: 4 hours)').argParser(
        durationFlag,
      ),
    );
}

/** `croupier serve` and its parts. */
export function addServe(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const serve = program.command('serve').description('the parts to develop against');
  serve
    .command('operator')
    .description('the reference operator: a wallet that keeps the contract')
    .option('--port <n>', 'the port (default: any free one)')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--data <dir>', 'keep the wallet there, so that a restart loses nothing (default: in memory)')
    .option('--write-config <file>', 'write a croupier.yaml with its address and sessions')
    .option('--defect <name>', 'do this wrong (croupier list defects); repeatable', collect)
    .option('--habit <name>', 'do this in another way that is right too (croupier list habits); repeatable', collect)
    .addHelpText(
      'after',
      `
Examples:
  croupier serve operator --port 4000 --write-config croupier.yaml
  croupier serve operator --defect replayed-bet-charged --defect lost-update

CROUPIER_KEY gives it a key of yours. It ends on SIGINT or SIGTERM with status 0.`,
    )
    .action(async (flags: ServeFlags) => {
      const { serveOperatorCommand } = await import('./serve-operator.ts');
      done(await serveOperatorCommand(flags, stdio));
    });
  addServiceOptions(
    serve
      .command('core-api')
      .description('the service: the Core API, games that can be played, and the reverse calls to your operator')
      .addOption(configOption())
      .option('--client <extCID>', 'only this client of the configuration; repeatable', collect),
  )
    .addHelpText(
      'after',
      `
Each client of croupier.yaml needs a cID and an apiKey: with them its backend calls the Core API.

Examples:
  croupier serve core-api --port 5000                     {base_url} is http://127.0.0.1:5000/api/v1
  croupier serve core-api --data .croupier/service        what is owed outlives a restart
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
      .option('--defect <name>', 'let the operator do this wrong (croupier list defects); repeatable', collect)
      .option(
        '--habit <name>',
        'let the operator do this in another right way (croupier list habits); repeatable',
        collect,
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  croupier serve all
  croupier serve all --defect refund-unknown-404     see what a bug does to a player

It ends on SIGINT or SIGTERM with status 0.`,
    )
    .action(async (flags: ServeAllFlags) => {
      const { serveAllCommand } = await import('./serve-all.ts');
      done(await serveAllCommand(flags, stdio));
    });
}
