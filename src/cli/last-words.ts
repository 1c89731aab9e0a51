import { quoteWord } from '../report/curl.ts';
import { shownPath } from './configuration.ts';
import type { Stdio } from './stdio.ts';

/**
 * A run that is ended at once leaves money in the air. The embedded operator's ends with it.
 *
 * @param journals those that were begun, the latest last
 */
export function lastWords(journals: readonly string[], stdio: Stdio): string {
  const journal = journals.at(-1);
  if (journal === undefined) return '';
  return `Ended at once. What it owes by now: croupier settle ${quoteWord(shownPath(journal, stdio.cwd))}\n`;
}
