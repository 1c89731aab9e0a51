import type { LoggedCall } from '../calls/logged-call.ts';

/** Maximum number of calls that one replay sends, and that a scenario sends in all its cases. */
export const MAX_CALLS = 500;

/**
 * Returns how many times the calls must be sent until each kind of wrong call was sent often enough. A call that repeats an earlier
 * call is of another kind.
 *
 * @param wrong numbers of the wrong calls
 * @param minSent how often each kind of wrong call must be sent
 */
export function timesNeeded(calls: readonly LoggedCall[], wrong: ReadonlySet<number>, minSent: number): number {
  const seen = new Set<string>();
  const kinds = calls.map(({ number, seen: sent }) => {
    const key = `${sent.call} ${sent.txID ?? number}`;
    const isRepeat = seen.has(key);
    seen.add(key);
    return { number, kind: `${sent.call} ${isRepeat ? 'repeated' : 'first'}` };
  });
  const ofWrong = new Set(kinds.flatMap(({ number, kind }) => (wrong.has(number) ? [kind] : [])));
  const times = [...ofWrong].map((kind) => Math.ceil(minSent / kinds.filter((one) => one.kind === kind).length));
  return Math.min(Math.max(1, ...times), Math.max(1, Math.floor(MAX_CALLS / Math.max(1, calls.length))));
}
