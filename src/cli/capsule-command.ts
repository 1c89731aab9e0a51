import type { Command } from 'commander';
import type { CapsuleFlags } from './capsule.ts';
import { configOption } from './client-options.ts';
import { collect } from './flag-values.ts';
import type { Stdio } from './stdio.ts';

/** `croupier capsule`. */
export function addCapsule(program: Command, stdio: Stdio, done: (status: number) => void): void {
  program
    .command('capsule')
    .description(
      'make of journals, HARs, reports, scenarios and logs what can be passed on: without keys, sessions and players',
    )
    .summary('take keys, sessions and players out of journals, HARs and logs')
    .argument('<files...>', 'what to make fit for a ticket')
    .option('--out <file>', 'where it goes (default: stdout); of several: a folder')
    .optionsGroup('What must not be in it:')
    .addOption(configOption())
    .option('--key-file <file>', 'a further key (or CROUPIER_KEY); repeatable', collect)
    .option('--header <name>', 'a further header whose value is private; repeatable', collect)
    .optionsGroup('How ids are replaced:')
    .option('--salt <file>', 'what aliases are made with (default: .croupier/capsule.salt)')
    .option('--map <file>', 'write down, for yourself alone, which alias is whose')
    .addHelpText(
      'after',
      `
Keys are taken out, with cookies, authorization and signatures; sessions and
players become aliases such as player-3f9a2c81d0, the same in every capsule of
one salt. Transactions, rounds, amounts and times stay, so that croupier
incident, replay and report convert say of it what they say of the original.

Examples:
  croupier capsule .croupier/run.ndjson --out ticket.ndjson
  croupier capsule staging.har wallet.log --out ticket/    the same aliases
  croupier capsule ticket.har --out for-support.har --map who-is-who.json

Exit status: 0 it was written, 2 usage, or a file that can't be read or written`,
    )
    .action(async (files: string[], flags: CapsuleFlags) => {
      const { capsuleCommand } = await import('./capsule.ts');
      done(await capsuleCommand(files, flags, stdio));
    });
}
