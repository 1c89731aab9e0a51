import { version } from '../app/version.ts';

/** The file descriptor of the standard output. */
const STDOUT = 1;

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
    print(`${version}\n`);
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

/**
 * Prints a short text. `process.stdout` and an import of `node:fs` make Node load further modules, which takes longer than all the
 * rest. So `process.stdout` is used only if the text can't be written at once, for example because a pipe is full.
 */
function print(text: string): void {
  try {
    process.getBuiltinModule('node:fs').writeSync(STDOUT, text);
  } catch {
    process.stdout.on('error', reportUnwritable);
    process.stdout.write(text);
  }
}

function reportUnwritable(error: NodeJS.ErrnoException): void {
  // The reader has closed the pipe.
  if (error.code === 'EPIPE') return;
  void Promise.all([import('../app/exit-status.ts'), import('../app/files.ts')]).then(
    ([{ EXIT }, { whyUnreadable }]) => {
      process.exitCode = EXIT.USAGE;
      process.stderr.write(`The output can't be written to the standard output: ${whyUnreadable(error)}.\n`);
    },
  );
}
