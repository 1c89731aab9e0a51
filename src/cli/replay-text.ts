import type { Came, ComparedCall, Wrong } from '../incident/replay/compare.ts';
import type { ReplayOutcome } from '../incident/replay/replay-json.ts';
import { forTerminal } from '../report/escape.ts';
import { hanging, wrap } from '../report/layout.ts';
import type { Paint } from '../report/paint.ts';

/** More calls are not printed; the JSON holds all. */
const MOST_CALLS = 300;
const WIDEST_WHAT = 24;

/** The comparison for people: the verdict first. */
export function replayText(outcome: ReplayOutcome, paint: Paint, columns: number): string {
  const { verdict, compared, notes, run, journal } = outcome;
  const isGood = verdict === 'fixed' || verdict === 'same';
  const colour = isGood ? paint.green : verdict === 'undecided' ? paint.yellow : paint.red;
  const shown = compared.slice(0, MOST_CALLS);
  const width = String(shown.at(-1)?.number ?? 1).length;
  const whats = shown.map(({ call: { seen } }) =>
    forTerminal(seen.amount === null ? seen.call : `${seen.call} ${seen.amount}`),
  );
  const widest = Math.min(Math.max(...whats.map(({ length }) => length)), WIDEST_WHAT);
  const lines = shown.map((row, index) => {
    const what = (whats[index] ?? '').padEnd(widest);
    return hanging(`  ${String(row.number).padStart(width)}  ${what}  `, rowText(row, outcome), columns).join('\n');
  });
  if (compared.length > shown.length) lines.push(`  … and ${compared.length - shown.length} calls more`);
  const head = wrap(`${verdict}: ${forTerminal(sentence(outcome))}`, columns).join('\n');
  return [
    `${colour(paint.bold(verdict))}${head.slice(verdict.length)}`,
    '',
    ...lines,
    '',
    ...notes.flatMap((note) => wrap(forTerminal(note), columns)),
    ...(notes.length > 0 ? [''] : []),
    ...wrap(`The run that played it: ${forTerminal(run)}`, columns),
    ...(journal === null ? [] : [`Journal: ${forTerminal(journal)}`]),
    '',
  ].join('\n');
}

function rowText({ number, past, now, verdict }: ComparedCall, outcome: ReplayOutcome): string {
  const mark = outcome.now.calls.has(number) ? ' (wrong)' : '';
  const before = forTerminal(cameText(past));
  switch (verdict) {
    case 'same':
      return `as before: ${before}${mark}`;
    case 'differs':
      return `then ${before}; now ${forTerminal(now ? cameText(now) : '')}${mark}`;
    case 'unknown':
      return `then unknown; now ${forTerminal(now ? cameText(now) : '')}${mark}`;
    case 'not played':
      return `then ${before}; not played`;
  }
}

function cameText({ status, reason, code, change }: Came): string {
  const answer = status === null ? `no reply (${reason ?? 'not known'})` : String(status);
  const moved =
    change === null ? '' : `, balance ${change.isZero() || change.isNegative() ? '' : '+'}${change.format()}`;
  return `${answer}${code === null ? '' : ` ${code}`}${moved}`;
}

function sentence({ verdict, compared, past, now }: ReplayOutcome): string {
  const replies = repliesText(compared);
  switch (verdict) {
    case 'fixed':
      return `what was wrong (${wrongText(past)}) is right now.`;
    case 'same':
      return `nothing was wrong, and nothing is; ${replies}.`;
    case 'still failing':
      return `${wrongText(now)} is still wrong; ${replies}.`;
    case 'regressed':
      return `${wrongText(now)} is wrong now, and was not before; ${replies}.`;
    case 'differs':
      return `no rule is broken, but ${replies}.`;
    case 'undecided':
      return compared.every((row) => row.verdict === 'unknown')
        ? 'the record does not say what was answered; now no rule is broken.'
        : 'it could not be decided.';
  }
}

function repliesText(compared: readonly ComparedCall[]): string {
  const differ = compared.filter((row) => row.verdict === 'differs').length;
  const unknown = compared.filter((row) => row.verdict === 'unknown').length;
  if (differ > 0) return `${count(differ, 'reply')} of ${compared.length} differ${differ === 1 ? 's' : ''}`;
  if (unknown === compared.length) return 'the record does not say what was answered';
  return unknown > 0 ? `every reply that is in the record is as before` : 'every reply is as before';
}

function wrongText({ rules, calls }: Wrong): string {
  if (rules.size > 0) return [...rules].toSorted().join(', ');
  return `${calls.size === 1 ? 'call' : 'calls'} ${[...calls].join(', ')}`;
}

function count(number: number, word: 'reply'): string {
  return number === 1 ? `1 ${word}` : `${number} replies`;
}
