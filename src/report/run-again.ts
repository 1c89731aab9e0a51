import { quoteWord } from './curl.ts';

/** A scenario as far as it is needed to name it on a command line. */
interface Named {
  readonly id: string;
  readonly place: { readonly file: string };
}

/** What plays one scenario again, for a POSIX shell; null for what is no scenario of a file. */
export function runAgain({ id, place }: Named): string | null {
  if (place.file === '') return null;
  const [file] = id.split('#');
  // A scenario of the user's is found by its file, whether or not the configuration names its folder.
  return `croupier run ${quoteWord(place.file === `scenarios/${file}.yaml` ? id : place.file)}`;
}
