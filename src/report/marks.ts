import type { Verdict } from '../journal/finding.ts';
import type { Paint } from './paint.ts';

const UNICODE: Readonly<Record<Verdict, string>> = {
  fail: '✗',
  inconclusive: '?',
  warn: '!',
  note: '~',
  pass: '✓',
  skip: '-',
  untested: '·',
};

const ASCII: Readonly<Record<Verdict, string>> = { ...UNICODE, fail: 'x', pass: '+', untested: '.' };

/** Returns the character that stands for a verdict. */
export function mark(verdict: Verdict, unicode: boolean): string {
  return (unicode ? UNICODE : ASCII)[verdict];
}

/** Returns the function that paints a text in the colour of a verdict. */
export function tint(verdict: Verdict, paint: Paint): (text: string) => string {
  switch (verdict) {
    case 'fail':
      return paint.red;
    case 'inconclusive':
    case 'warn':
      return paint.yellow;
    case 'note':
      return paint.cyan;
    case 'pass':
      return paint.green;
    case 'skip':
    case 'untested':
      return paint.dim;
  }
}

/** Returns the word for a number of rules with this verdict. It is written after the number, as in `2 warnings`. */
export function verdictNoun(verdict: Verdict, count: number): string {
  switch (verdict) {
    case 'fail':
      return 'failed';
    case 'inconclusive':
      return 'undecided';
    case 'warn':
      return count === 1 ? 'warning' : 'warnings';
    case 'note':
      return count === 1 ? 'note' : 'notes';
    case 'pass':
      return 'passed';
    case 'skip':
      return 'skipped';
    case 'untested':
      return 'untested';
  }
}
