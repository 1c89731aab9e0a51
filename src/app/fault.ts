import { UnwritableJournal } from '../engine/run/journal-file.ts';
import { EXIT } from './exit-status.ts';
import { whyUnreadable } from './files.ts';
import type { Stdio } from './stdio.ts';

/** Returns the message for a bug of croupier. The message contains the stack if CROUPIER_DEBUG is set. */
export function bugText(error: unknown, { env }: Stdio): string {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const where =
    env.CROUPIER_DEBUG && error instanceof Error
      ? error.stack
      : 'Set CROUPIER_DEBUG=1 to see where it happened, and please report it.';
  return `This is a bug of croupier (${what}). It is not a fault of the operator.\n${where}`;
}

/**
 * Prints why croupier could not continue: either a bug, or a journal that cannot be written.
 *
 * @returns the exit status
 */
export function reportFault(error: unknown, stdio: Stdio): number {
  if (error instanceof UnwritableJournal) {
    const { path, cause } = error;
    stdio.err.write(
      `The journal can no longer be written: ${path}: ${whyUnreadable(cause)}. The run was stopped. This is not a fault of the operator.\nFree disk space, or name another file with --journal FILE, and run again.\n`,
    );
    return EXIT.USAGE;
  }
  stdio.err.write(`${bugText(error, stdio)}\n`);
  return EXIT.BUG;
}
