import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { collect, type FlagsOf } from '../../options/parts.ts';

/** Defines `croupier init` and its flags. */
export function describeInit(program: CommandUnknownOpts) {
  return program
    .command('init')
    .description('write a croupier.yaml with comments, and an example scenario')
    .option('--yes', 'ask nothing; --base-url, --ext-cid and --session are required then')
    .option('--base-url <url>', "the operator's base URL for reverse calls")
    .option('--ext-cid <id>', "the client's ExtCID")
    .option('--session <session>', 'a session, as ID or as ID,player=p1,currency=USD; repeatable', collect)
    .option('--key-env <name>', 'environment variable that holds the key (default: a name made from the ExtCID)')
    .option('--force', 'overwrite files that exist')
    .addHelpText(
      'after',
      `
Examples:
  croupier init                                              asks for values
  croupier init --yes --base-url https://wallet.example/eu \\
    --ext-cid acme-eu --session eu-usd-1,currency=USD        asks nothing

Exit status: 0 written, 2 usage, or a file exists already`,
    );
}

export type InitFlags = FlagsOf<typeof describeInit>;
