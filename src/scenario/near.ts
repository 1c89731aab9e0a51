/**
 * Returns the smallest number of typing mistakes that turn one word into the other. A mistake is a letter that is omitted,
 * inserted, replaced, or swapped with its neighbour. This is the Damerau-Levenshtein distance in its "optimal string alignment"
 * form.
 */
export function distance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * Maximum number of characters of a word that is compared. A longer text is not a mistyped word, and comparing it would be slow.
 */
const MAX_WORD = 80;

/**
 * Returns the candidate that the author of `word` most likely meant. Ignores letter case and the difference between `-` and
 * `_`.
 *
 * @returns undefined if no candidate is near enough: more than a third of the letters would be wrong
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const plain = normalized(word);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD) continue;
    const wrong = distance(plain, normalized(candidate));
    const allowed = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (wrong <= allowed && wrong < least && wrong < Math.min(plain.length, candidate.length)) {
      best = candidate;
      least = wrong;
    }
  }
  return best;
}

function normalized(word: string): string {
  return word.toLowerCase().replaceAll('_', '-');
}
