import type { Fold } from '../../journal/fold.ts';
import { forTerminal } from '../escape.ts';
import type { ReportOptions } from '../options.ts';
import { owedClauses, owedTexts, settleCommandLine } from '../owed.ts';
import { hanging } from './layout.ts';

/**
 * Lists the calls that croupier must still send, and the balances that it could not restore. Adds the command that sends these
 * calls and restores these balances. The calls of one cause are one entry, and only the verbose report lists each of them.
 */
export function leftBehind(fold: Fold, options: ReportOptions): readonly string[] {
  const { width, journal, paint, verbosity } = options;
  const lines = owedClauses(fold).flatMap((clause) => hanging('  ! ', forTerminal(clause), width));
  const { all } = owedTexts(fold);
  if (verbosity > 0) for (const clause of all) lines.push(...hanging('    - ', forTerminal(clause), width));
  if (lines.length > 0 && journal !== null) {
    // This command is never wrapped, so that a user can copy it.
    lines.push(
      '',
      '  Send the owed calls and restore the balances:',
      `    ${paint.cyan(forTerminal(settleCommandLine(journal)))}`,
    );
  }
  return lines;
}
