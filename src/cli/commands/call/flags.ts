import { Argument, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { CALL_NAMES } from '../../../contract/call-name.ts';
import { SIGN_KINDS } from '../../../contract/deviation.ts';
import { addClientOptions, addWaitOptions, productionOption, stakeOption } from '../../options/client.ts';
import { collect, countFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier call` and its flags. */
export function describeCall(program: CommandUnknownOpts) {
  const call = program
    .command('call')
    .description('make one call by hand: signed, sent, judged, with its timings')
    .summary('make one call by hand: signed, sent, judged')
    .addArgument(new Argument('<call>', 'the call').choices(CALL_NAMES))
    .optionsGroup('Fields (new values are made for those that are left out):')
    .option('--amount <amount>', 'in the main unit, such as 1.00 (default: the stake)')
    .addOption(new Option('--type <type>', 'of a bet or a win (default: regular, or free)'))
    .option('--fr-id <frID>', 'the free-rounds campaign')
    .option('--round <roundID>', 'the round')
    .option('--tx-id <txID>', 'the transaction; the id of an earlier one makes a replay')
    .option('--orig-tx-id <txID>', 'of a refund: the bet to give back')
    .option('--field <name=value>', 'a further field, or another value; repeatable', collect)
    .optionsGroup('Call:');
  const how = addClientOptions(call)
    .addOption(productionOption())
    .addOption(new Option('--sign <kind>', 'the signature').choices(SIGN_KINDS).default('valid'))
    .addOption(new Option('--repeat <n>', 'send the same bytes n times: one effect').argParser(countFlag))
    .option('--read', 'also judge by the balance before and after')
    .option('--no-read', 'do not (default except with --repeat)')
    .addOption(stakeOption())
    .option('--dry-run', 'print the bytes and a curl line, and send nothing')
    .option('--strict', 'a breach of a SHOULD fails too');
  return addWaitOptions(how)
    .optionsGroup('Output:')
    .option('--journal <file>', 'also write a journal, for incident and replay')
    .addOption(jsonOption())
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
    );
}

export type CallFlags = FlagsOf<typeof describeCall>;
