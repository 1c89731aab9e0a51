import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { countFlag, durationFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier selftest` and its flags. */
export function describeSelftest(program: CommandUnknownOpts) {
  return program
    .command('selftest')
    .description('prove that croupier finds every defect, and that it accepts every correct operator')
    .summary('prove that croupier finds every defect, and nothing else')
    .argument('[names...]', 'defects or variants; + gives one operator several defects (default: all)')
    .option('--load', 'only the load tests')
    .addOption(new Option('--threads <n>', 'threads in parallel (default: one per core)').argParser(countFlag))
    .addOption(new Option('--deadline <duration>', 'maximum time for a reply (default: 1s)').argParser(durationFlag))
    .addOption(
      new Option('--linger <duration>', 'time to wait for a late debit (default: 300ms)').argParser(durationFlag),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier selftest                                      all, some minutes
  croupier selftest replayed-bet-charged                 one defect
  croupier selftest float-hidden+replayed-bet-charged    two at once
  croupier selftest --load lost-update                   one defect under load

Exit status: 0 every operator was judged correctly, 1 one was not, 2 no defect
  or variant has this name`,
    );
}

export type SelftestFlags = FlagsOf<typeof describeSelftest>;
