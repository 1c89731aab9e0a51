import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { addClientOptions, deadlineOption, decimalsOption, rateOption, stakeOption } from '../../options/client.ts';
import { type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier doctor` and its flags. */
export function describeDoctor(program: CommandUnknownOpts) {
  const doctor = program
    .command('doctor')
    .description(
      'check that an operator is reachable and that a run is possible, and say what to fix first; no money is moved',
    )
    .summary('check that a run is possible, and say what to fix first');
  return addClientOptions(doctor)
    .addOption(deadlineOption())
    .addOption(stakeOption())
    .addOption(decimalsOption())
    .addOption(rateOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Only GET /balance is sent. A check is "not tried" if it depends on an earlier
check that failed.

Examples:
  croupier doctor                          every client of croupier.yaml
  croupier doctor --client acme-eu --json
  CROUPIER_KEY=… croupier doctor --base-url https://wallet.example/eu \\
    --ext-cid acme-eu --session eu-usd-1   without a croupier.yaml

Exit status: 0 a run is possible (there may be warnings), 1 something must be
  fixed, 2 usage (nothing was sent), 3 the operator is unreachable`,
    );
}

export type DoctorFlags = FlagsOf<typeof describeDoctor>;
