import type { Candidate } from './effects.ts';

/** Maximum number of candidates that are tried in pairs. The latest candidates are used. */
const MAX_PAIRED = 100;

/**
 * Yields combinations of errors that may explain a balance, the likeliest first. Errors that replies prove come first,
 * then single errors. After them come the same error several times in one transaction, and any two errors.
 * An error of one smallest unit often fits by chance, so it is tried after the other single errors.
 *
 * @param candidates in the order in which they are to be tried
 */
export function* explanationsOf(candidates: readonly Candidate[]): Generator<readonly Candidate[]> {
  const shown = candidates.filter(({ isShown }) => isShown === true);
  const rest = candidates.filter(({ isShown }) => isShown !== true);
  const sorted = [
    ...shown,
    ...rest.filter(({ isRounding, fixes }) => isRounding !== true && fixes === undefined),
    ...rest.filter(({ isRounding }) => isRounding === true),
    ...rest.filter(({ fixes }) => fixes !== undefined),
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
  const paired = candidates.filter(({ isRounding }) => isRounding !== true).slice(-MAX_PAIRED);
  for (const [index, one] of paired.entries()) {
    for (const other of paired.slice(index + 1)) yield [one, other];
  }
}
