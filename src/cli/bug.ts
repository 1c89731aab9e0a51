import type { Stdio } from './stdio.ts';

export const BUG_STATUS = 70;

/** What is said when croupier itself failed; where, only to those who want to know. */
export function bugText(error: unknown, { env }: Stdio): string {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const where =
    env.CROUPIER_DEBUG && error instanceof Error
      ? error.stack
      : 'Set CROUPIER_DEBUG=1 to see where, and please report it.';
  return `croupier met a bug of its own (${what}). This says nothing about the operator.\n${where}`;
}
