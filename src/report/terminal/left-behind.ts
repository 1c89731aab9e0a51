import type { Fold } from '../../journal/fold.ts';
import { quoteWord } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import type { ReportOptions } from '../options.ts';
import { owedTexts } from '../owed.ts';
import { hanging } from './layout.ts';

/**
 * Lists the calls that croupier must still send and the balances that it could not restore, with the command that does both. The calls
 * of one cause are one entry, and only the verbose report lists each of them.
 */
export function leftBehind(fold: Fold, options: ReportOptions): readonly string[] {
  const { width, journal, paint, verbosity } = options;
  const unrestored = fold.scenarios.filter(({ restored }) => restored === false).map(({ planned }) => planned.id);
  const lines: string[] = [];
  if (unrestored.length > 0) {
    const sentence = `the balance could not be restored after ${unrestored.join(', ')}`;
    lines.push(...hanging('  ! ', forTerminal(sentence), width));
  }
  const { summary, all } = owedTexts(fold);
  for (const clause of summary) lines.push(...hanging('  ! ', forTerminal(clause), width));
  if (fold.ended === null) {
    lines.push(...hanging('  ! ', 'the run ended too early, so the result of calls without a reply is unknown', width));
  }
  if (verbosity > 0) for (const clause of all) lines.push(...hanging('    - ', forTerminal(clause), width));
  if (lines.length > 0 && journal !== null) {
    // This command is never wrapped, so that a user can copy it.
    lines.push(
      '',
      '  Send the owed calls and restore the balances:',
      `    ${paint.cyan(forTerminal(`croupier settle ${quoteWord(journal)}`))}`,
    );
  }
  return lines;
}
