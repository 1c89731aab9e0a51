import { version } from './version.ts';

/** What a command line is handed to. */
export interface Program {
  readonly main: (args: readonly string[]) => Promise<number>;
}

/**
 * Answers `--version` at once, as tools that probe for it need, and runs every other command line of this process to its end.
 *
 * @param load is asked only then: the program takes far longer to load than the version to print
 */
export function start(load: () => Promise<Program>): void {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return;
  }
  void load().then(async ({ main }) => {
    const status = await main(args);
    process.exitCode = status;
    // What a command leaves open (an idle connection, a timer) must not keep the process; what it wrote must be out first.
    process.stdout.write('', () => process.stderr.write('', () => process.exit(status)));
  });
}
