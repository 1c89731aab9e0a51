import { CommanderError } from 'commander';
import { tellFault } from './bug.ts';
import { addCommands } from './commands.ts';
import { CroupierCommand } from './help-page.ts';
import { processStdio, type Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

const USAGE_STATUS = 2;

/** `--color` and `--no-color` hold for every message, those about wrong flags too, so they are read before the rest. */
function colourFlag(args: readonly string[]): boolean | undefined {
  const last = args.findLast((arg) => arg === '--color' || arg === '--no-color');
  return last === undefined ? undefined : last === '--color';
}

function reportFailure(error: unknown, stdio: Stdio): number {
  if (error instanceof CommanderError) {
    // Commander has printed its message or the help already.
    return error.exitCode === 0 ? 0 : USAGE_STATUS;
  }
  if (error instanceof UsageError) {
    stdio.err.write(`${error.message}\n`);
    return USAGE_STATUS;
  }
  return tellFault(error, stdio);
}

/** Runs one command line (without node and script) to its exit status. Throws nothing. */
export async function main(args: readonly string[]): Promise<number> {
  const stdio = processStdio(colourFlag(args));
  let status = 0;
  const program = new CroupierCommand('croupier')
    .description("Plays a game platform's part towards an operator's wallet and judges every reply by the contract.")
    .version(version, '-V, --version', 'print the version')
    .option('--color', 'colours also where there is no terminal')
    .option('--no-color', 'no colours')
    .exitOverride()
    .showHelpAfterError('(croupier --help shows the commands, croupier COMMAND --help their options)')
    .configureOutput({
      writeOut: (text) => stdio.out.write(text),
      writeErr: (text) => stdio.err.write(text),
      getOutHasColors: () => stdio.out.colour,
      getErrHasColors: () => stdio.err.colour,
    })
    .usage('COMMAND …')
    .helpCommand(false)
    .helpOption('-h, --help', 'this, and of each command what it takes');
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
