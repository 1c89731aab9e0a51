import { type Command, Option } from 'commander';
import { addClientOptions } from './client-options.ts';
import type { DoctorFlags } from './doctor.ts';
import { collect, durationFlag } from './flag-values.ts';
import type { Stdio } from './stdio.ts';

/** `croupier doctor`. */
export function addDoctor(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const doctor = program
    .command('doctor')
    .description('say whether an operator can be reached and a run be made, and what to mend first; moves no money')
    .optionsGroup('Whom to look at (none: every client of the configuration):');
  addClientOptions(doctor)
    .optionsGroup('How:')
    .addOption(
      new Option('--deadline <duration>', 'how long connecting, and a reply, may take (default: 5s)')
        .argParser(durationFlag)
        .env('CROUPIER_DEADLINE'),
    )
    .option('--stake <CUR=amount>', 'the stake for a currency, as --stake USD=1.00; repeatable', collect)
    .optionsGroup('What to print:')
    .option('--json', 'JSON on stdout, for a machine')
    .addHelpText(
      'after',
      `
Nothing is sent but GET /balance. What can't be asked because something before it failed is "not tried".

Examples:
  croupier doctor                                every client of croupier.yaml
  croupier doctor --client acme-eu --json
  CROUPIER_KEY=… croupier doctor --base-url https://wallet.example/eu --ext-cid acme-eu --session eu-usd-1

Exit status: 0 a run can be made (there may be warnings), 1 something must be mended, 2 usage or configuration
  (nothing was sent), 3 the operator can't be reached`,
    )
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      done(await doctorCommand(flags, stdio));
    });
}
