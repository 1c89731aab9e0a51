import { RULE_GROUPS } from '../contract/rule.ts';
import { quoteWord } from './curl.ts';

/** A scenario as far as it is needed to name it on a command line. */
interface Named {
  readonly id: string;
  readonly place: { readonly file: string };
}

/**
 * What plays one scenario against the same operator again, for a POSIX shell; null for what is no scenario of a file.
 *
 * @param flags those that led to the operator
 */
export function runAgain({ id, place }: Named, flags: readonly string[] = []): string | null {
  if (place.file === '') return null;
  // A scenario of the user's is found by its file, whether or not the configuration names its folder.
  const name = isBuiltIn(id, place.file) ? id : place.file;
  return ['croupier', 'run', ...flags, name].map(quoteWord).join(' ');
}

/** How a page names a scenario's file: one of the suite without the folder that croupier happens to be installed in. */
export function shownFile({ id, place }: Named): string {
  return isBuiltIn(id, place.file) ? `scenarios/${place.file.split('/').slice(-2).join('/')}` : place.file;
}

/** The suite has a folder for each group of rules. */
function isBuiltIn(id: string, file: string): boolean {
  const [story = ''] = id.split('#');
  return (
    RULE_GROUPS.some((group) => story.startsWith(`${group}/`)) &&
    /(?:^|\/)scenarios\/(.*)\.yaml$/.exec(file)?.[1] === story
  );
}
