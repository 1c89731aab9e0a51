import { Money } from '../contract/money.ts';
import type { Obligation, Offset } from './obligation.ts';

/** One breach that would account for a part of the difference. */
export interface Breach {
  readonly obligation: Obligation;
  readonly offset: Offset;
}

/** What explains a balance, and what else would explain it just as well. */
export interface Explanation {
  readonly breaches: readonly Breach[];
  readonly rivals: readonly Breach[];
}

const MOST_BREACHES = 3;

/**
 * The fewest breaches that together predict exactly the balance that was read.
 *
 * Of several equally short explanations that one is taken whose rules were shown to be broken elsewhere (the cheaper
 * assumption), then the one that the story is about.
 *
 * @param possible what the balance may be if nothing is broken
 * @param proven tells whether a rule was shown to be broken by something that had no other explanation
 */
export function explain(
  read: Money,
  possible: readonly Money[],
  obligations: readonly Obligation[],
  proven: (rule: string) => boolean,
): Explanation | undefined {
  const candidates = obligations.flatMap((obligation) => obligation.offsets.map((offset) => ({ obligation, offset })));
  // A wallet that counts in another unit does so throughout: nothing more is wrong then, or it is not that.
  const combinable = candidates.filter(
    ({ obligation, offset }) => obligation.rule !== 'money.main-unit' && offset.alone !== true,
  );
  for (let size = 1; size <= MOST_BREACHES; size += 1) {
    const pool = size === 1 ? candidates : combinable;
    if (size > 1 && pool.length ** size > 200_000) return undefined;
    const found: Breach[][] = [];
    for (const expected of possible) collect(read.minus(expected), pool, size, 0, [], found);
    if (found.length > 0) return cheapest(found, proven);
  }
  return undefined;
}

function collect(
  rest: Money,
  candidates: readonly Breach[],
  size: number,
  from: number,
  taken: Breach[],
  found: Breach[][],
): void {
  if (size === 0) {
    if (rest.isZero()) found.push([...taken]);
    return;
  }
  for (let at = from; at < candidates.length; at += 1) {
    const candidate = candidates[at];
    if (!candidate || taken.some(({ obligation }) => obligation === candidate.obligation)) continue;
    if (size === 1 && !candidate.offset.by.equals(rest)) continue;
    taken.push(candidate);
    collect(rest.minus(candidate.offset.by), candidates, size - 1, at + 1, taken, found);
    taken.pop();
  }
}

function cheapest(found: readonly Breach[][], proven: (rule: string) => boolean): Explanation {
  const cost = (breaches: readonly Breach[]): number =>
    breaches.reduce(
      (sum, { obligation }) => sum + (obligation.reported ? 0 : proven(obligation.rule) ? 1 : 3 + obligation.rank),
      0,
    );
  const sorted = [...found].sort((a, b) => cost(a) - cost(b));
  const [best = [], ...others] = sorted;
  return {
    breaches: best,
    rivals: others.flat().filter((rival) => !best.some((one) => one.obligation.rule === rival.obligation.rule)),
  };
}

/** True when the breach could not have stayed hidden: with it, none of the right balances would have been read. */
export function wouldHaveShown(obligation: Obligation, read: Money, possible: readonly Money[]): boolean {
  return obligation.offsets.every(
    ({ by }) => by.isZero() || possible.every((expected) => !expected.plus(by).equals(read)),
  );
}

/** The difference to the nearest right balance. */
export function nearestDifference(read: Money, possible: readonly Money[]): Money {
  const differences = possible.map((expected) => read.minus(expected));
  return differences.reduce(
    (nearest, one) => (one.absolute().compare(nearest.absolute()) < 0 ? one : nearest),
    differences[0] ?? Money.zero,
  );
}
