import type { BoardRow } from '../view.ts';
import { isNewFailure } from './words.ts';

/** A condition of operators that the user can choose. */
interface Filter {
  readonly label: string;
  readonly tone: string;
  readonly fits: (row: BoardRow) => boolean;
}

const hasVerdict =
  (verdict: string) =>
  ({ run }: BoardRow): boolean =>
    run?.verdict === verdict;

/** The filters by their id. The first filters are about the latest verdict, and each operator fits exactly one of these. */
export const FILTERS = {
  nonconforming: { label: 'not conforming', tone: 'fail', fits: hasVerdict('nonconforming') },
  undecided: { label: 'undecided', tone: 'undecided', fits: hasVerdict('undecided') },
  conforming: { label: 'conforming', tone: 'pass', fits: hasVerdict('conforming') },
  never: { label: 'never judged', tone: 'none', fits: ({ run }) => run === null },
  new: { label: 'newly failing', tone: 'fail', fits: isNewFailure },
  late: { label: 'late', tone: 'undecided', fits: ({ late }) => late !== null },
  owing: { label: 'owing', tone: 'fail', fits: ({ owed }) => (owed ?? 0) > 0 },
  running: { label: 'running', tone: 'none', fits: ({ runningSince }) => runningSince !== null },
  flaky: { label: 'flaky', tone: 'undecided', fits: ({ flaky }) => (flaky?.rules ?? 0) > 0 },
} as const satisfies Readonly<Record<string, Filter>>;

export type FilterId = keyof typeof FILTERS;

export const FILTER_IDS = Object.keys(FILTERS) as readonly FilterId[];

const VERDICT_FILTERS: readonly FilterId[] = ['nonconforming', 'undecided', 'conforming', 'never'];

export type Order = 'worst' | 'name' | 'oldest' | 'flaky';

/** The choice of the user: which operators are shown, and in which order. */
export interface Choice {
  readonly words: readonly string[];
  readonly filters: ReadonlySet<FilterId>;
  /** Only operators that fail in one of these groups. Empty: all. */
  readonly groups: ReadonlySet<string>;
  readonly order: Order;
}

/**
 * True if an operator is shown. It must have one of the chosen verdicts, a failure in one of the chosen groups, and all words. All
 * other filters must fit it too. If the user has chosen no filter of a kind, this kind excludes nothing.
 */
export function isShown(row: BoardRow, { words, filters, groups }: Choice, names: readonly string[]): boolean {
  const verdicts = VERDICT_FILTERS.filter((id) => filters.has(id));
  const others = FILTER_IDS.filter((id) => filters.has(id) && !VERDICT_FILTERS.includes(id));
  if (verdicts.length > 0 && !verdicts.some((id) => FILTERS[id].fits(row))) return false;
  if (!others.every((id) => FILTERS[id].fits(row))) return false;
  if (groups.size > 0 && !names.some((name, at) => groups.has(name) && (row.groups[at]?.failed ?? 0) > 0)) return false;
  if (words.length === 0) return true;
  const failing = names.filter((_, at) => (row.groups[at]?.failed ?? 0) > 0);
  const text = [row.name, row.extCID, row.run?.build ?? '', ...failing].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns the rows in the chosen order. */
export function inOrder(rows: readonly BoardRow[], order: Order): readonly BoardRow[] {
  const byName = (a: BoardRow, b: BoardRow): number => a.name.localeCompare(b.name, 'en');
  const keyOf = KEYS[order];
  return rows.toSorted((a, b) => keyOf(a) - keyOf(b) || byName(a, b));
}

const KEYS: Readonly<Record<Order, (row: BoardRow) => number>> = {
  worst: severity,
  name: () => 0,
  oldest: ({ run }) => (run ? Date.parse(run.startedAt) : 0),
  flaky: ({ flaky }) => -((flaky?.worst ?? 0) * 1000 + (flaky?.rules ?? 0)),
};

function severity(row: BoardRow): number {
  if (isNewFailure(row)) return 0;
  if (row.run?.verdict === 'nonconforming') return 1;
  if ((row.owed ?? 0) > 0) return 2;
  if (row.late) return 3;
  if (row.run === null) return 4;
  return row.run.verdict === 'undecided' ? 5 : 6;
}
