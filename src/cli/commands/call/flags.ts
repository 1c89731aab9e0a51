import { Argument, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { CALL_NAMES } from '../../../contract/call-name.ts';
import { SIGN_KINDS } from '../../../contract/deviation.ts';
import {
  addClientOptions,
  addLockOptions,
  addWaitOptions,
  decimalsOption,
  productionOption,
  stakeOption,
  traceOption,
} from '../../options/client.ts';
import { collect, countFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier call` and its flags. */
export function describeCall(program: CommandUnknownOpts) {
  const call = program
    .command('call')
    .description('sign, send and judge a single call, and print its timings')
    .summary('sign, send and judge a single call')
    .addArgument(new Argument('<call>', 'the call').choices(CALL_NAMES))
    .optionsGroup('Fields of the call (croupier invents missing ones):')
    .option('--amount <amount>', 'amount, such as 1.00 (default: the stake)')
    .addOption(new Option('--type <type>', 'type of a bet or win (regular, or free with --fr-id)'))
    .option('--fr-id <frID>', 'id of the free-rounds campaign')
    .option('--round <roundID>', 'id of the round')
    .option('--tx-id <txID>', 'id of the transaction; to repeat an earlier transaction, give its id')
    .option('--orig-tx-id <txID>', 'txID of the bet that a refund gives back')
    .option('--field <name=value>', 'add a field, or replace its value; repeatable', collect)
    .optionsGroup('Call:');
  const how = addClientOptions(call)
    .addOption(productionOption())
    .addOption(new Option('--sign <kind>', 'kind of signature').choices(SIGN_KINDS).default('valid'))
    .addOption(
      new Option('--repeat <n>', 'send the same bytes n times; only one call may have an effect').argParser(countFlag),
    )
    .option('--read', 'read the balance before and after, and judge the change')
    .option('--no-read', 'do not read the balance (default without --repeat)')
    .addOption(stakeOption())
    .addOption(decimalsOption())
    .addOption(traceOption())
    .option('--dry-run', 'print the bytes and a curl line, and send nothing')
    .option('--strict', 'a breach of a SHOULD is a failure, too');
  return addLockOptions(addWaitOptions(how))
    .optionsGroup('Output:')
    .option('--journal <file>', 'write a journal, which incident and replay can read')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Without --session, the first session of the client is used. croupier does not
move any money back afterwards.

Examples:
  croupier call balance --session eu-usd-1
  croupier call bet --amount 2.50 --repeat 3       repeats have no effect
  croupier call win --amount 5.00 --round 7d0f… --tx-id 91ab… --dry-run
  croupier call refund --orig-tx-id 3c5e… --round 7d0f… --amount 2.50
  croupier call bet --sign wrong-key               must be refused

Exit status: 0 no MUST is broken (the operator may decline the call), 1 a MUST
  is broken, 2 usage (nothing was sent), 3 no reply, or an unknown session`,
    );
}

export type CallFlags = FlagsOf<typeof describeCall>;
