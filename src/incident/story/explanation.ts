import type { Suspect } from './effects.ts';

/** Where no balance is answered for long, the last of what may have gone wrong meanwhile is enough to try in pairs. */
const MOST_PAIRED = 100;

/**
 * What may have gone wrong together, the likeliest first: what replies show by themselves, then one fault alone, then the same fault
 * several times with one transaction, then any two. A cent is soon found, so that it is looked for where nothing else fits.
 *
 * @param suspects in the order in which they are to be tried
 */
export function* explanationsOf(suspects: readonly Suspect[]): Generator<readonly Suspect[]> {
  const shown = suspects.filter(({ isShown }) => isShown === true);
  const rest = suspects.filter(({ isShown }) => isShown !== true);
  const sorted = [
    ...shown,
    ...rest.filter(({ isRounding, mends }) => isRounding !== true && mends === undefined),
    ...rest.filter(({ isRounding }) => isRounding === true),
    ...rest.filter(({ mends }) => mends !== undefined),
  ];
  if (shown.length > 1) yield shown;
  for (const one of sorted) yield [one];
  const repeated = Map.groupBy(
    sorted.filter(({ repeat }) => repeat !== undefined),
    ({ rule, transaction }) => `${rule ?? ''} ${transaction.key}`,
  );
  for (const same of repeated.values()) {
    for (let times = 2; times <= same.length; times += 1) yield same.slice(0, times);
  }
  const paired = suspects.filter(({ isRounding }) => isRounding !== true).slice(-MOST_PAIRED);
  for (const [index, one] of paired.entries()) {
    for (const other of paired.slice(index + 1)) yield [one, other];
  }
}
