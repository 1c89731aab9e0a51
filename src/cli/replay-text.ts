import type { Came, ComparedCall, ReplayVerdict, Wrong } from '../incident/replay/compare.ts';
import { forTerminal } from '../report/escape.ts';
import type { Paint } from '../report/paint.ts';

/** What a replay came to. */
export interface ReplayOutcome {
  readonly verdict: ReplayVerdict;
  readonly compared: readonly ComparedCall[];
  readonly past: Wrong;
  readonly now: Wrong;
  /** The first line of the run that played it. */
  readonly run: string;
  readonly journal: string | null;
}

/** More calls are not printed; the JSON holds all. */
const MOST_CALLS = 300;

/** The comparison for people: the verdict first. */
export function replayText(outcome: ReplayOutcome, paint: Paint): string {
  const { verdict, compared, run, journal } = outcome;
  const isGood = verdict === 'fixed' || verdict === 'same';
  const colour = isGood ? paint.green : verdict === 'undecided' ? paint.yellow : paint.red;
  const shown = compared.slice(0, MOST_CALLS);
  const width = String(shown.at(-1)?.number ?? 1).length;
  const lines = shown.map((row) => {
    const { number, call } = row;
    const amount = call.seen.amount === null ? '' : ` ${call.seen.amount}`;
    const what = forTerminal(`${call.seen.call}${amount}`).padEnd(16);
    return `  ${String(number).padStart(width)}  ${what}  ${rowText(row, outcome)}`;
  });
  if (compared.length > shown.length) lines.push(`  … and ${compared.length - shown.length} calls more`);
  return [
    `${colour(paint.bold(verdict))}: ${forTerminal(sentence(outcome))}`,
    '',
    ...lines,
    '',
    `The run that played it: ${forTerminal(run)}`,
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
  const differ = compared.filter((row) => row.verdict === 'differs').length;
  const replies = differ === 0 ? 'every reply is as before' : `${count(differ, 'reply')} of ${compared.length} differ`;
  switch (verdict) {
    case 'fixed':
      return `what was wrong (${wrongText(past)}) is right now.`;
    case 'same':
      return 'nothing was wrong, and nothing is; every reply is as before.';
    case 'still failing':
      return `${wrongText(now)} is still wrong; ${replies}.`;
    case 'regressed':
      return `${wrongText(now)} is wrong now, and was not before; ${replies}.`;
    case 'differs':
      return `no rule is broken, but ${replies}.`;
    case 'undecided':
      return 'it could not be decided.';
  }
}

function wrongText({ rules, calls }: Wrong): string {
  if (rules.size > 0) return [...rules].toSorted().join(', ');
  return `${calls.size === 1 ? 'call' : 'calls'} ${[...calls].join(', ')}`;
}

function count(number: number, word: 'reply'): string {
  return number === 1 ? `1 ${word}` : `${number} replies`;
}

/** The same for a machine. */
export function replayJson({ verdict, compared, past, now, run, journal }: ReplayOutcome, exitCode: number): object {
  const came = (one: Came) => ({ ...one, change: one.change?.toString() ?? null });
  const wrong = ({ rules, calls }: Wrong) => ({ rules: [...rules], calls: [...calls] });
  return {
    schema: 'croupier-replay/1',
    verdict,
    exitCode,
    wrong: { past: wrong(past), now: wrong(now) },
    run,
    journal,
    calls: compared.map((row) => ({
      number: row.number,
      call: row.call.seen.call,
      amount: row.call.seen.amount,
      verdict: row.verdict,
      differences: row.differences,
      past: came(row.past),
      now: row.now && came(row.now),
    })),
  };
}
