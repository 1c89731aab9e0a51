import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { addChoiceOptions, addReachOptions } from '../../options/client.ts';
import { collect, type FlagsOf } from '../../options/parts.ts';

/** Defines `croupier proxy` and its flags. */
export function describeProxy(program: CommandUnknownOpts) {
  const proxy = program
    .command('proxy')
    .description('forward every byte between a service and an operator, and judge the calls')
    .summary('forward calls between service and operator, and judge them')
    .option('--to <url>', "the operator's base URL (default: the base URL in croupier.yaml)")
    .option('--port <n>', 'port for the calls of the service (default: any free port)')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--fault <what>',
      'disturb calls on purpose; repeatable; the first --fault that matches a call is used',
      collect,
    );
  return addReachOptions(addChoiceOptions(proxy))
    .option('--journal <file>', 'journal of the traffic (default: a new one in .croupier/)')
    .option('--quiet', 'print only problems, not a line for each call')
    .option('--json', 'print NDJSON instead of text')
    .addOption(new Option('--listen <port>').hideHelp())
    .addHelpText(
      'after',
      `
--fault takes delay=6s (the reply), delay-request=6s, drop=reply, drop=request
or repeat=1, and then call=bet, every=10 (every 10th matching call) and times=1
(at most once), separated by commas.

Examples:
  croupier proxy --to https://wallet.staging.example/eu --port 4100
                                             called at http://127.0.0.1:4100/bet
  croupier proxy --fault drop=reply,call=bet,every=10    every 10th bet's reply
  croupier proxy --quiet --journal traffic.ndjson
  croupier incident traffic.ndjson                       explain the traffic

Exit status: 0 after SIGINT or SIGTERM and a summary, whatever was found;
  2 usage, or the port is in use`,
    );
}

export type ProxyFlags = FlagsOf<typeof describeProxy>;
