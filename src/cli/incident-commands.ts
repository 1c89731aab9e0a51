import { Argument, type Command, Option } from 'commander';
import { CALL_NAMES } from '../contract/call-name.ts';
import { SIGN_KINDS } from '../wire/sign-kind.ts';
import type { CallFlags } from './call.ts';
import { addCapsule } from './capsule-command.ts';
import { addClientOptions, addWaitOptions, productionOption } from './client-options.ts';
import { addDoctor } from './doctor-command.ts';
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
    .addArgument(new Argument('<call>', 'which one').choices(CALL_NAMES))
    .optionsGroup('What it says (ids that are left out are made anew):')
    .option('--amount <amount>', 'in the main unit, such as 1.00 (default: the stake of the currency)')
    .addOption(new Option('--type <type>', 'of a bet or a win (default: regular; free with --fr-id)'))
    .option('--fr-id <frID>', 'the free-rounds campaign')
    .option('--round <roundID>', 'the round')
    .option('--tx-id <txID>', 'the transaction; one that was sent before makes it a replay')
    .option('--orig-tx-id <txID>', 'of a refund: the bet that is given back')
    .option('--field <name=value>', 'a further field, or another value of one; repeatable', collect)
    .optionsGroup('Whom to call:');
  addClientOptions(call)
    .addOption(productionOption())
    .optionsGroup('How:')
    .addOption(new Option('--sign <kind>', 'how it is signed').choices(SIGN_KINDS).default('valid'))
    .addOption(
      new Option('--repeat <n>', 'send the same bytes n times in all: they must take effect once').argParser(countFlag),
    )
    .option('--read', 'read the balance before and after, and judge what was moved (with --repeat: always)')
    .option('--no-read', 'do not')
    .option('--stake <CUR=amount>', 'the stake for a currency, as --stake USD=1.00; repeatable', collect)
    .option('--dry-run', 'print the bytes, what is signed and a curl line, and send nothing')
    .option('--strict', 'a breach of a SHOULD fails too (env: CROUPIER_STRICT=1)');
  addWaitOptions(call)
    .optionsGroup('What to print:')
    .option('--journal <file>', 'write it down too, for incident, replay and report convert; a journal is continued')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
The session is the first of the client, or that of --session. Money that is moved stays moved.

Examples:
  croupier call balance --session eu-usd-1
  croupier call bet --amount 2.50 --read                  what does the wallet make of it?
  croupier call bet --amount 2.50 --repeat 3              the same txID three times has one effect
  croupier call win --amount 5.00 --round 7d0f… --tx-id 91ab… --dry-run
  croupier call refund --orig-tx-id 3c5e… --round 7d0f… --amount 2.50
  croupier call bet --sign wrong-key                      it must be refused
  croupier call bet --journal calls.ndjson                then: croupier incident calls.ndjson

Exit status: 0 no MUST is broken (a call may be declined rightly), 1 one is, 2 usage (nothing was sent),
  3 no reply came that could be judged`,
    )
    .action(async (name: string, flags: CallFlags) => {
      const { callCommand } = await import('./call.ts');
      done(await callCommand(name, flags, stdio));
    });
}

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

function addExplain(program: Command, stdio: Stdio, done: Done): void {
  addExplainOptions(program.command('explain').description('say which mistake gives a signature that does not match'))
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
The signature is the one that was sent, or the one that the operator computed: hundreds of ways to make it are tried
with each key, and what was done otherwise than the contract says is named, with the line that mends it.

Examples:
  croupier explain request.txt                       a curl line, raw HTTP or a HAR, with the keys of croupier.yaml
  pbpaste | croupier explain --signature 9f2c…       what the operator computed of the request on the clipboard
  croupier explain --body-file bet.json --signature 9f2c… --key-file right.key --key-file old.key
  croupier explain --query 'sessionID=s%201' --signature 9f2c… --language php
  croupier explain --body-file sent.json --other-body-file received.json --signature 9f2c…

Exit status: 0 the signature is right, or explained; 1 nothing that is known gives it; 2 usage`,
    )
    .action(async (request: string | undefined, flags: ExplainFlags) => {
      const { explainCommand } = await import('./explain.ts');
      done(await explainCommand(request, flags, stdio));
    });
}

/** The commands for who has one call, one complaint or one log. */
export function addIncidentDesk(program: Command, stdio: Stdio, done: Done): void {
  addDoctor(program, stdio, done);
  addCall(program, stdio, done);
  addSigning(program, stdio, done);
  addExplain(program, stdio, done);
  addIncident(program, stdio, done);
  addReplay(program, stdio, done);
  addCapsule(program, stdio, done);
  addProxy(program, stdio, done);
}
