import { quoteWord } from '../report/curl.ts';
import { shownPath } from './configuration.ts';
import type { Stdio } from './stdio.ts';

/**
 * A run that is ended at once leaves money in the air. The embedded operator's ends with it.
 *
 * @param journal the latest that was begun; undefined: none was
 */
export function lastWords(
  journal: string | undefined,
  { isEmbedded, stdio }: { readonly isEmbedded: boolean; readonly stdio: Stdio },
): string {
  if (journal === undefined) return 'Ended at once, before anything was sent.\n';
  const file = quoteWord(shownPath(journal, stdio.cwd));
  return `Ended at once. ${isEmbedded ? 'Journal:' : 'What it owes by now: croupier settle'} ${file}\n`;
}
