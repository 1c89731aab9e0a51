import { RULE_GROUPS } from '../contract/rule.ts';
import type { Place } from '../journal/finding.ts';
import { quoteWord } from './curl.ts';

/** The data of a scenario that is needed to name it on a command line. */
interface Named {
  readonly id: string;
  readonly place: { readonly file: string };
}

/**
 * Writes the command that plays one scenario against the same operator again, for a POSIX shell. Returns null if the scenario is
 * not from a file.
 *
 * @param flags the flags that select the operator
 */
export function runAgain({ id, place }: Named, flags: readonly string[] = []): string | null {
  if (place.file === '') return null;
  // For a scenario of the user, the command names the file of the scenario, because the configuration may not contain the folder of
  // this file.
  const name = isBuiltIn(id, place.file) ? id : place.file;
  return ['croupier', 'run', ...flags, name].map(quoteWord).join(' ');
}

/**
 * Returns the path of a scenario file as a page shows it. For the built-in suite, the folder in which croupier is installed is
 * left out.
 */
export function shownFile({ id, place }: Named): string {
  return isBuiltIn(id, place.file) ? `scenarios/${place.file.split('/').slice(-2).join('/')}` : place.file;
}

/**
 * Returns a line of a scenario file as the terminal shows it, such as `refund/unknown:8`. A built-in scenario is named by its id,
 * because its path is long and the user did not write its file. Other scenarios are named by their path.
 */
export function shownLine(scenario: string, { file, line }: Pick<Place, 'file' | 'line'>): string {
  const [id = ''] = scenario.split('#');
  return `${isBuiltIn(id, file) ? id : file}:${line}`;
}

/** True if a scenario is part of the built-in suite, which has a folder for each group of rules. */
function isBuiltIn(id: string, file: string): boolean {
  const [name = ''] = id.split('#');
  return RULE_GROUPS.some((group) => name.startsWith(`${group}/`)) && `/${file}`.endsWith(`/scenarios/${name}.yaml`);
}
