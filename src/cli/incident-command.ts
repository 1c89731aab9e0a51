import type { Command } from 'commander';
import { configOption } from './client-options.ts';
import { collect } from './flag-values.ts';
import type { IncidentFlags } from './incident.ts';
import { addLogOptions, addSideOptions } from './reading-options.ts';
import type { Stdio } from './stdio.ts';

/** `croupier incident`. */
export function addIncident(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const incident = program
    .command('incident')
    .description('say what happened and whose money is where, from curl lines, HARs, raw HTTP, logs and journals')
    .summary('say what happened, and whose money is where')
    .argument('[files...]', 'what to read (- is stdin); its kind tells who wrote it');
  addSideOptions(incident)
    .optionsGroup('Which calls:')
    .option('--player <id>', 'those of a player')
    .option('--session <sessionID>', 'those of a session')
    .option('--round <roundID>', 'those of a round')
    .option('--tx <txID>', 'those of a transaction, and the refunds of it')
    .option('--from <time>', 'not before: 14:03 or 2026-11-21T14:03')
    .option('--to <time>', 'not after');
  addLogOptions(incident)
    .optionsGroup('What to verify by, and to print:')
    .option('--key-file <file>', 'this key too, beside that of the settings; repeatable', collect)
    .option('--json', 'JSON on stdout, for a machine')
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

Exit status: 0 nothing is wrong, 1 a rule was broken or something is owed,
  2 usage or nothing to tell of, 3 it can't be known`,
    )
    .action(async (files: string[], flags: IncidentFlags) => {
      const { incidentCommand } = await import('./incident.ts');
      done(await incidentCommand(files, flags, stdio));
    });
}
