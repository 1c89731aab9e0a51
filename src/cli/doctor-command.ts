import type { Command } from 'commander';
import { addClientOptions, deadlineOption, stakeOption } from './client-options.ts';
import type { DoctorFlags } from './doctor.ts';
import type { Stdio } from './stdio.ts';

/** `croupier doctor`. */
export function addDoctor(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const doctor = program
    .command('doctor')
    .description('say whether an operator can be reached and a run be made, and what to mend first; moves no money')
    .summary('say whether a run can be made, and what to mend first');
  addClientOptions(doctor)
    .addOption(deadlineOption())
    .addOption(stakeOption())
    .option('--json', 'JSON on stdout, for a machine')
    .addHelpText(
      'after',
      `
Nothing is sent but GET /balance. What can't be asked because something before
it failed is "not tried".

Examples:
  croupier doctor                          every client of croupier.yaml
  croupier doctor --client acme-eu --json
  CROUPIER_KEY=… croupier doctor --base-url https://wallet.example/eu \\
    --ext-cid acme-eu --session eu-usd-1   without a croupier.yaml

Exit status: 0 a run can be made (there may be warnings), 1 something must be
  mended, 2 usage (nothing was sent), 3 the operator can't be reached`,
    )
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      done(await doctorCommand(flags, stdio));
    });
}
