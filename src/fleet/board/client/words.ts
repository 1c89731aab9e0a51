import type { BoardRow, GroupCounts, RunView } from '../view.ts';

type RunVerdict = RunView['verdict'];

/** The sign, the words and the tone of each verdict of a run. The tone chooses the colour. */
export const RUN_VERDICTS: Readonly<
  Record<RunVerdict, { readonly sign: string; readonly words: string; readonly tone: Tone }>
> = {
  conforming: { sign: '✓', words: 'conforming', tone: 'pass' },
  nonconforming: { sign: '✗', words: 'not conforming', tone: 'fail' },
  undecided: { sign: '?', words: 'undecided', tone: 'undecided' },
  reconciled: { sign: '✓', words: 'reconciled', tone: 'pass' },
  'not-reconciled': { sign: '✗', words: 'not reconciled', tone: 'fail' },
};

/** The state of a cell, which chooses its colour. `part`: passed, but some rules were not judged. */
export type Tone = 'pass' | 'part' | 'fail' | 'warn' | 'undecided' | 'none';

/** The sign of a group of rules in one run, and what it means in words. */
export interface GroupSign {
  readonly tone: Tone;
  readonly text: string;
  readonly title: string;
}

/** Returns the sign of a group: its most severe verdict, and how many rules have it. */
export function groupSign(group: string, counts: GroupCounts | null): GroupSign {
  if (!counts) return { tone: 'none', text: '·', title: `${group}: not judged` };
  const { passed, failed, warned, undecided, notJudged } = counts;
  const parts = [
    [failed, 'failed'],
    [undecided, 'undecided'],
    [warned, warned === 1 ? 'warning' : 'warnings'],
    [passed, 'passed'],
    [notJudged, 'not judged'],
  ] as const;
  const title = `${group}: ${parts.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : [])).join(', ')}`;
  if (failed > 0) return { tone: 'fail', text: `✗${failed}`, title };
  if (undecided > 0) return { tone: 'undecided', text: `?${undecided}`, title };
  if (warned > 0) return { tone: 'warn', text: `!${warned}`, title };
  return { tone: notJudged > 0 ? 'part' : 'pass', text: '✓', title };
}

/** Says in words what a trend shows, for readers who can't see it. */
export function trendWords(trend: string): string {
  const count = (mark: string): number => trend.split(mark).length - 1;
  return `Last ${trend.length} days: ${count('c')} conforming, ${count('n')} not conforming, ${count('u')} undecided, ${count('-')} without a run`;
}

/** Formats a time as `2026-11-26 03:00`. @param iso in UTC */
export function momentOf(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

const HOUR_MS = 3_600_000;

/** Writes how long ago a time is, such as `5 h` or `3 d`. */
export function ageOf(iso: string, now: number): string {
  const hours = Math.max(0, now - Date.parse(iso)) / HOUR_MS;
  if (hours < 1) return '< 1 h';
  return hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`;
}

/** Writes a share such as 0.134 as `13 %`. */
export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** True if the latest day with a run is not conforming, and the day with a run before it was conforming or undecided. */
export function isNewFailure({ trend }: Pick<BoardRow, 'trend'>): boolean {
  return /[cu]-*n-*$/.test(trend);
}
