import type { Command } from 'commander';
import { addChoiceOptions, addReachOptions } from './client-options.ts';
import { collect } from './flag-values.ts';
import type { ProxyFlags } from './proxy.ts';
import type { Stdio } from './stdio.ts';

/** `croupier proxy`. */
export function addProxy(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const proxy = program
    .command('proxy')
    .description('stand between a service and an operator: pass every byte on, and judge what passes')
    .summary('stand between service and operator, and judge what passes')
    .option('--to <url>', "the operator's base URL (default: that of croupier.yaml)")
    .option('--listen <port>', 'the port where the service calls (default: any free one)')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--fault <what>', 'do this to calls on purpose; repeatable: the first that fits', collect);
  addChoiceOptions(proxy);
  addReachOptions(proxy)
    .option('--journal <file>', 'where all is written down (default: in .croupier/)')
    .option('--quiet', 'no line for each call, only for what is wrong')
    .option('--json', 'NDJSON on stdout, for a machine')
    .addHelpText(
      'after',
      `
--fault takes delay=6s (the reply), delay-request=6s, drop=reply, drop=request
or repeat=1, and then call=bet, every=10 (each tenth that fits) and times=1 (no
more than so often), with commas between.

Examples:
  croupier proxy --to https://wallet.staging.example/eu --listen 4100
                                             called at http://127.0.0.1:4100/bet
  croupier proxy --fault drop=reply,call=bet,every=10    each tenth bet's reply
  croupier proxy --quiet --journal traffic.ndjson
  croupier incident traffic.ndjson                       … and what it tells

Exit status: 0 on SIGINT or SIGTERM, after a summary, whatever was found;
  2 usage, or the port is taken`,
    )
    .action(async (flags: ProxyFlags) => {
      const { proxyCommand } = await import('./proxy.ts');
      done(await proxyCommand(flags, stdio));
    });
}
