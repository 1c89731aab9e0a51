import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import {
  addClientOptions,
  addLockOptions,
  addWaitOptions,
  decimalsOption,
  productionOption,
  rateOption,
  stakeOption,
} from '../../options/client.ts';
import { durationFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier settle` and its flags. */
export function describeSettle(program: CommandUnknownOpts) {
  const settle = program
    .command('settle')
    .description('pay what an interrupted run still owes: send missing refunds and wins, and restore the balances')
    .summary('pay what an interrupted run still owes')
    .argument('<journal>', 'journal of the run (.croupier/….ndjson); new events are appended');
  const flags = addClientOptions(settle)
    .addOption(productionOption())
    .option('--dry-run', 'print what is owed, and send nothing')
    .addOption(
      new Option('--time <duration>', 'how long to retry a call that is not answered 200 (default: 30s)').argParser(
        durationFlag,
      ),
    )
    .addOption(stakeOption())
    .addOption(decimalsOption())
    .addOption(jsonOption());
  return addLockOptions(addWaitOptions(flags).addOption(rateOption())).addHelpText(
    'after',
    `
Examples:
  croupier settle .croupier/run.ndjson --dry-run   what is owed, without a call
  croupier settle .croupier/run.ndjson             send it, with croupier.yaml
  CROUPIER_KEY=… croupier settle run.ndjson        address and sessions are the
                                                   journal's

Every call is written to the same journal. An interrupted settlement can be
continued, and a finished one sends nothing more. Do not settle a run that is
still active.

Exit status: 0 nothing is owed (any more), 2 usage or no journal (nothing was
  sent), 3 something is still owed, 129, 130, 143 interrupted`,
  );
}

export type SettleFlags = FlagsOf<typeof describeSettle>;
