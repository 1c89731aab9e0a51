import type { Command } from 'commander';
import type { SignFlags } from './sign.ts';
import { addSignOptions, addVerifyOptions } from './signing-options.ts';
import type { Stdio } from './stdio.ts';
import type { VerifyFlags } from './verify.ts';

type Done = (status: number) => void;

const JSON_FLAG = ['--json', 'JSON on stdout, for a machine'] as const;

function addSigning(program: Command, stdio: Stdio, done: Done): void {
  addSignOptions(program.command('sign').description('sign a body or a query as the service does; nothing is sent'))
    .optionsGroup('What to print:')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier sign --file bet.json                     the body of that file, to the byte
  printf %s '{"amount":"1.00"}' | croupier sign     standard input
  croupier sign --query 'sessionID=eu-usd-1'        the query of a GET: its canonical JSON is signed

Exit status: 0, or 2 when there is nothing to sign, or no key`,
    )
    .action(async (text: string | undefined, flags: SignFlags) => {
      const { signCommand } = await import('./sign.ts');
      done(await signCommand(text, flags, stdio));
    });
  addVerifyOptions(
    program.command('verify').description('say whether a signature is that of a body or a query; nothing is sent'),
  )
    .optionsGroup('What to print:')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier verify --file bet.json --signature 6d7a…
  croupier verify --query 'https://wallet.example/balance?sessionID=s-1' --signature 6d7a…

Exit status: 0 right, 1 wrong (croupier explain finds out why), 2 usage`,
    )
    .action(async (text: string | undefined, flags: VerifyFlags) => {
      const { verifyCommand } = await import('./verify.ts');
      done(await verifyCommand(text, flags, stdio));
    });
}

/** The commands for who has one call, one complaint or one log. */
export function addIncidentDesk(program: Command, stdio: Stdio, done: Done): void {
  addSigning(program, stdio, done);
}
