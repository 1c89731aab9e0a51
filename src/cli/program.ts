import { Command, CommanderError } from '@commander-js/extra-typings';
import { EXIT, UndecidedError, UsageError } from '../app/exit-status.ts';
import { reportFault } from '../app/fault.ts';
import { inUseText, PlayersInUse } from '../app/lock/players-in-use.ts';
import type { Stdio } from '../app/stdio.ts';
import { version } from '../app/version.ts';
import { addCommands } from './commands.ts';
import { removeEmptyVariables } from './environment.ts';
import { HELP, MAX_HELP_WIDTH } from './help.ts';
import { processStdio } from './process-stdio.ts';
import { USAGE_HINT, usageMessage } from './usage-message.ts';

/** Reads `--color` and `--no-color` before all other flags, because a message about a wrong flag may have colours too. */
function colourFlag(args: readonly string[]): boolean | undefined {
  const last = args.findLast((arg) => arg === '--color' || arg === '--no-color');
  return last === undefined ? undefined : last === '--color';
}

function reportFailure(error: unknown, stdio: Stdio): number {
  if (error instanceof CommanderError) {
    // Commander has already printed its message or the help.
    return error.exitCode === 0 ? 0 : EXIT.USAGE;
  }
  if (error instanceof UsageError) {
    stdio.err.write(`${error.message}\n`);
    return EXIT.USAGE;
  }
  if (error instanceof UndecidedError) {
    stdio.err.write(`${error.message}\n`);
    return EXIT.UNDECIDED;
  }
  if (error instanceof PlayersInUse) {
    stdio.err.write(inUseText(error));
    return EXIT.UNDECIDED;
  }
  return reportFault(error, stdio);
}

/**
 * Runs one command line. Throws nothing.
 *
 * @param args the arguments, without node and the script
 * @returns the exit status
 */
export async function main(args: readonly string[]): Promise<number> {
  removeEmptyVariables(process.env);
  const stdio = processStdio(colourFlag(args));
  let status = 0;
  const program = new Command('croupier')
    .description("Makes the game service's calls to an operator's wallet, and judges every reply.")
    .version(version, '-V, --version', 'print the version')
    .option('--color', 'colours also without a terminal')
    .option('--no-color', 'no colours')
    .exitOverride()
    .showHelpAfterError(USAGE_HINT)
    .configureOutput({
      writeOut: (text) => stdio.out.write(text),
      // The value of an unknown flag may be a key: `--api-key=…`.
      writeErr: (text) =>
        stdio.err.write(usageMessage(text.replace(/(?<=unknown option '--[\w-]{1,60}=)[^'\n]*/, '…'), program, args)),
      getOutHelpWidth: () => Math.min(stdio.out.columns, MAX_HELP_WIDTH),
      getErrHelpWidth: () => Math.min(stdio.err.columns, MAX_HELP_WIDTH),
      getOutHasColors: () => stdio.out.colour,
      getErrHasColors: () => stdio.err.colour,
    })
    .configureHelp(HELP)
    .usage('COMMAND …')
    .helpCommand(false)
    .helpOption('-h, --help', 'show this page, or the page of a command');
  addCommands(program, stdio, (value) => {
    status = value;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    return reportFailure(error, stdio);
  }
}
