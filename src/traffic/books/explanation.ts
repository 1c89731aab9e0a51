import type { Candidate } from './effects.ts';

/** Maximum number of candidates that are tried in pairs. If there are more, only the latest candidates are used. */
const MAX_PAIRED = 100;

/** Combinations of errors that are equally likely. */
type EquallyLikely = Iterable<readonly Candidate[]>;

/**
 * Yields the combinations of errors that may explain a balance, in groups. The errors of one group are equally likely, and the
 * likeliest group comes first: errors that replies prove, single errors, the same error several times in one transaction, then any
 * two errors. An error of only one smallest unit of the currency (such as one cent) often fits by chance, so such an error is tried
 * after the other single errors.
 *
 * @param candidates in the order in which they are to be tried
 */
export function* explanationsOf(candidates: readonly Candidate[]): Generator<EquallyLikely> {
  const shown = candidates.filter(({ isShown }) => isShown === true);
  const rest = candidates.filter(({ isShown }) => isShown !== true);
  const single = rest.filter(({ isRounding, fixes }) => isRounding !== true && fixes === undefined);
  const rounding = rest.filter(({ isRounding }) => isRounding === true);
  const fixing = rest.filter(({ fixes }) => fixes !== undefined);
  if (shown.length > 1) yield [shown];
  for (const group of [shown, single, rounding, fixing]) yield group.map((one) => [one]);
  const repeated = Map.groupBy(
    [...shown, ...single, ...rounding, ...fixing].filter(({ repeat }) => repeat !== undefined),
    ({ rule, transaction }) => `${rule ?? ''} ${transaction.key}`,
  );
  for (const same of repeated.values()) {
    for (let times = 2; times <= same.length; times += 1) yield [same.slice(0, times)];
  }
  yield pairsOf(candidates.filter(({ isRounding }) => isRounding !== true).slice(-MAX_PAIRED));
}

function* pairsOf(candidates: readonly Candidate[]): Generator<readonly Candidate[]> {
  for (const [index, one] of candidates.entries()) {
    for (const other of candidates.slice(index + 1)) yield [one, other];
  }
}
