import { RULE_GROUPS } from '../contract/rule.ts';
import { quoteWord } from './curl.ts';

/** The data of a scenario that is needed to name it on a command line. */
interface Named {
  readonly id: string;
  readonly place: { readonly file: string };
}

/**
 * The command that plays one scenario against the same operator again, for a POSIX shell; null if the scenario is not from a file.
 *
 * @param flags the flags that select the operator
 */
export function runAgain({ id, place }: Named, flags: readonly string[] = []): string | null {
  if (place.file === '') return null;
  // A scenario of the user is named by its file, because the configuration need not name its folder.
  const name = isBuiltIn(id, place.file) ? id : place.file;
  return ['croupier', 'run', ...flags, name].map(quoteWord).join(' ');
}

/** The file of a scenario for a page. For the built-in suite it is without the folder in which croupier is installed. */
export function shownFile({ id, place }: Named): string {
  return isBuiltIn(id, place.file) ? `scenarios/${place.file.split('/').slice(-2).join('/')}` : place.file;
}

/** The suite has a folder for each group of rules. */
function isBuiltIn(id: string, file: string): boolean {
  const [name = ''] = id.split('#');
  return (
    RULE_GROUPS.some((group) => name.startsWith(`${group}/`)) &&
    /(?:^|\/)scenarios\/(.*)\.yaml$/.exec(file)?.[1] === name
  );
}
