import { EXIT } from '../app/exit-status.ts';
import { version } from '../app/version.ts';

/** The program that runs a command line. */
export interface Program {
  readonly main: (args: readonly string[]) => Promise<number>;
}

/**
 * Runs the command line of this process. Tools often call `--version`, so the program is not loaded for it.
 *
 * @param load imports the program
 */
export function start(load: () => Promise<Program>): void {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      // The reader has closed the pipe.
      if (error.code === 'EPIPE') return;
      process.exitCode = EXIT.USAGE;
      void import('../app/files.ts').then(({ whyUnreadable }) =>
        process.stderr.write(`The output can't be written to the standard output: ${whyUnreadable(error)}.\n`),
      );
    });
    process.stdout.write(`${version}\n`);
    return;
  }
  void load().then(async ({ main }) => {
    const status = await main(args);
    process.exitCode = status;
    // Ends the process, because open connections and timers would keep it alive. First waits until all output is written. If a
    // stream can't be written, it reports the error shortly after its callback, so this code waits for that too.
    process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit(status))));
  });
}
