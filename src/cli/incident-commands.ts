import { Argument, type Command, Option } from 'commander';
import { CALL_NAMES } from '../contract/call-name.ts';
import { SIGN_KINDS } from '../wire/sign-kind.ts';
import type { CallFlags } from './call.ts';
import { addCapsule } from './capsule-command.ts';
import { addClientOptions, addWaitOptions, productionOption, stakeOption } from './client-options.ts';
import type { ExplainFlags } from './explain.ts';
import { collect, countFlag } from './flag-values.ts';
import { addIncident } from './incident-command.ts';
import { addProxy } from './proxy-command.ts';
import { addReplay } from './replay-command.ts';
import type { SignFlags } from './sign.ts';
import { addExplainOptions, addSignOptions, addVerifyOptions } from './signing-options.ts';
import type { Stdio } from './stdio.ts';
import type { VerifyFlags } from './verify.ts';

type Done = (status: number) => void;

const JSON_FLAG = ['--json', 'JSON on stdout, for a machine'] as const;

function addCall(program: Command, stdio: Stdio, done: Done): void {
  const call = program
    .command('call')
    .description('make one call by hand: signed, sent, judged, with its timings')
    .summary('make one call by hand: signed, sent, judged')
    .addArgument(new Argument('<call>', 'which one').choices(CALL_NAMES))
    .optionsGroup('What it says (what is left out is made anew):')
    .option('--amount <amount>', 'in the main unit, such as 1.00 (default: the stake)')
    .addOption(new Option('--type <type>', 'of a bet or a win (default: regular, or free)'))
    .option('--fr-id <frID>', 'the free-rounds campaign')
    .option('--round <roundID>', 'the round')
    .option('--tx-id <txID>', 'the transaction; one that was sent is a replay')
    .option('--orig-tx-id <txID>', 'of a refund: the bet that is given back')
    .option('--field <name=value>', 'a further field, or another value; repeatable', collect)
    .optionsGroup('How:');
  addClientOptions(call)
    .addOption(productionOption())
    .addOption(new Option('--sign <kind>', 'how it is signed').choices(SIGN_KINDS).default('valid'))
    .addOption(new Option('--repeat <n>', 'send the same bytes n times: they take effect once').argParser(countFlag))
    .option('--read', 'judge by the balance before and after too')
    .option('--no-read', 'do not (default but with --repeat)')
    .addOption(stakeOption())
    .option('--dry-run', 'print the bytes and a curl line, and send nothing')
    .option('--strict', 'a breach of a SHOULD fails too');
  addWaitOptions(call)
    .optionsGroup('What to print:')
    .option('--journal <file>', 'write it down too, for incident and replay')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
The session is the client's first, or that of --session. Money stays moved.

Examples:
  croupier call balance --session eu-usd-1
  croupier call bet --amount 2.50 --repeat 3       a replay has no effect
  croupier call win --amount 5.00 --round 7d0f… --tx-id 91ab… --dry-run
  croupier call refund --orig-tx-id 3c5e… --round 7d0f… --amount 2.50
  croupier call bet --sign wrong-key               it must be refused

Exit status: 0 no MUST is broken (a call may be declined rightly), 1 one is,
  2 usage (nothing was sent), 3 no reply came that could be judged`,
    )
    .action(async (name: string, flags: CallFlags) => {
      const { callCommand } = await import('./call.ts');
      done(await callCommand(name, flags, stdio));
    });
}

function addSigning(program: Command, stdio: Stdio, done: Done): void {
  addSignOptions(
    program
      .command('sign')
      .description('sign a body or a query as the service does; nothing is sent')
      .summary('sign a body or a query as the service does'),
  )
    .optionsGroup('What to print:')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier sign --file bet.json                  a body, to the byte
  printf %s '{"amount":"1.00"}' | croupier sign  standard input
  croupier sign --query 'sessionID=eu-usd-1'     a GET: its canonical JSON

Exit status: 0, or 2 when there is nothing to sign, or no key`,
    )
    .action(async (text: string | undefined, flags: SignFlags) => {
      const { signCommand } = await import('./sign.ts');
      done(await signCommand(text, flags, stdio));
    });
  addVerifyOptions(
    program
      .command('verify')
      .description('say whether a signature is that of a body or a query; nothing is sent')
      .summary('say whether a signature is that of a body or a query'),
  )
    .optionsGroup('What to print:')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier verify --file bet.json --signature 6d7a…
  croupier verify --query 'sessionID=s-1' --signature 6d7a…

Exit status: 0 right, 1 wrong (croupier explain finds out why), 2 usage`,
    )
    .action(async (text: string | undefined, flags: VerifyFlags) => {
      const { verifyCommand } = await import('./verify.ts');
      done(await verifyCommand(text, flags, stdio));
    });
}

function addExplain(program: Command, stdio: Stdio, done: Done): void {
  addExplainOptions(program.command('explain').description('say which mistake gives a signature that does not match'))
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Hundreds of ways to make the signature are tried with each key; what was done
otherwise than the contract says is named, with the line that mends it.

Examples:
  croupier explain request.txt                  by the keys of croupier.yaml
  pbpaste | croupier explain --signature 9f2c…  what the operator computed
  croupier explain --body-file bet.json --signature 9f2c… --key-file old.key
  croupier explain --query 'sessionID=s%201' --signature 9f2c… --language php

Exit status: 0 the signature is right, or explained; 1 nothing that is known
  gives it; 2 usage`,
    )
    .action(async (request: string | undefined, flags: ExplainFlags) => {
      const { explainCommand } = await import('./explain.ts');
      done(await explainCommand(request, flags, stdio));
    });
}

/** The commands for who has one call, one complaint or one log. */
export function addIncidentDesk(program: Command, stdio: Stdio, done: Done): void {
  addCall(program, stdio, done);
  addSigning(program, stdio, done);
  addExplain(program, stdio, done);
  addIncident(program, stdio, done);
  addReplay(program, stdio, done);
  addCapsule(program, stdio, done);
  addProxy(program, stdio, done);
}
