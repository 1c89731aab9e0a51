import { UnwritableJournal } from '../engine/journal-file.ts';
import { whyUnreadable } from './configuration.ts';
import type { Stdio } from './stdio.ts';

const BUG_STATUS = 70;
const UNWRITTEN_STATUS = 2;

/** What is said when croupier itself failed; where, only to those who want to know. */
export function bugText(error: unknown, { env }: Stdio): string {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const where =
    env.CROUPIER_DEBUG && error instanceof Error
      ? error.stack
      : 'Set CROUPIER_DEBUG=1 to see where, and please report it.';
  return `croupier met a bug of its own (${what}). This says nothing about the operator.\n${where}`;
}

/** Says why it could not go on, and gives the status: a bug of croupier, or a machine that takes no more. */
export function tellFault(error: unknown, stdio: Stdio): number {
  if (error instanceof UnwritableJournal) {
    const { path, cause } = error;
    stdio.err.write(
      `The journal can't be written any more: ${path}: ${whyUnreadable(cause)}. The run was stopped there, and this says nothing about the operator.\nMake room, or name another place with --journal FILE, and run again.\n`,
    );
    return UNWRITTEN_STATUS;
  }
  stdio.err.write(`${bugText(error, stdio)}\n`);
  return BUG_STATUS;
}
