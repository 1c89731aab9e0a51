import type { FindingView } from '../view.ts';

/** The sign and the word for each verdict. The sign alone would mean nothing to a screen reader. */
export const VERDICTS: Readonly<Record<FindingView['verdict'], { readonly sign: string; readonly word: string }>> = {
  fail: { sign: '✗', word: 'breaks' },
  warn: { sign: '!', word: 'warning' },
  note: { sign: 'i', word: 'note' },
};
