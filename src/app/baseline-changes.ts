import { plural } from '../contract/plural.ts';

/** A change of one entry when a baseline is brought up to date. */
export interface BaselineChange {
  /**
   * - `added`: the entry is new.
   * - `extended`: the entry allows more, or names the players whose calls fail.
   * - `fixed`: the entry was removed, because its failure is fixed.
   * - `decided`: the entry was removed, because its rule is no longer undecided.
   * - `replaced`: the entry was removed, because a new entry for all scenarios replaces it.
   */
  readonly kind: 'added' | 'extended' | 'fixed' | 'decided' | 'replaced';
  readonly rule: string;
  readonly endpoint: string | null;
  /** The scenarios of the entry. Empty if it is valid for all scenarios. */
  readonly scenarios: readonly string[];
  readonly isUndecided: boolean;
  /** The keys that an extension has changed. */
  readonly keys: readonly string[];
  /** The first line of the entry in the file before the update, and its ticket. Undefined for a new entry. */
  readonly before?: { readonly line: number; readonly ticket: string };
}

/** Maximum number of changes that are listed. */
const MAX_LINES = 10;

/** Describes the changes of a baseline, one in each line. The lines contain text of the baseline file that is not yet escaped. */
export function changeLines(changes: readonly BaselineChange[]): readonly string[] {
  if (changes.length === 0) return ['No entry of the baseline has changed.'];
  const lines = changes.slice(0, MAX_LINES).map(changeLine);
  const rest = changes.length - lines.length;
  return [
    ...lines,
    ...(rest === 0 ? [] : [`And ${plural(rest, 'more change')}.`]),
    // The result of the run was printed before the update. It still asks to remove these entries.
    ...(changes.some(({ kind }) => kind === 'fixed')
      ? ['The entries of fixed failures are now removed. You need not remove them yourself.']
      : []),
  ];
}

function changeLine(change: BaselineChange): string {
  const { kind, rule, endpoint, scenarios, isUndecided, keys, before } = change;
  const [first, ...others] = scenarios;
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more scenario')}`;
  const at = endpoint === null ? '' : ` at ${endpoint}`;
  const ticket = before?.ticket ? `${before.ticket}, ` : '';
  const was = before === undefined ? '' : ` (${ticket}line ${before.line})`;
  const place = `${rule}${at}${first === undefined ? '' : ` in ${first}${more}`}${was}`;
  switch (kind) {
    case 'added':
      return `Added: ${place}${isUndecided ? ', which may stay undecided' : ''}`;
    case 'extended':
      return `Extended: ${place}: ${keys.join(', ')}`;
    case 'fixed':
      return `Removed: ${place}, because it no longer fails`;
    case 'decided':
      return `Removed: ${place} as undecided, because it is decided again`;
    case 'replaced':
      return `Removed: ${place}, because an entry for all scenarios replaces it`;
  }
}
