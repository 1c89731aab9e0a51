import { plural } from '../../../contract/plural.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { Paint } from '../../../report/paint.ts';
import { columnsOf, hanging, padEnd, wrap } from '../../../report/terminal/layout.ts';
import type { CallResult, ComparedCall, Failures } from '../../../traffic/replay/compare.ts';
import { RULE_OF_OTHER_SESSION } from '../../../traffic/replay/other-session.ts';
import type { ReplayOutcome } from '../../../traffic/replay/replay-json.ts';

/** Maximum number of calls in the text output. The JSON output has all of them. */
const MAX_CALLS = 300;
const MAX_COLUMN_WIDTH = 24;

/** Returns the comparison as text for people, with the verdict first. */
export function replayText(outcome: ReplayOutcome, paint: Paint, columns: number): string {
  const { verdict, compared, notes, run, journal } = outcome;
  const isGood = verdict === 'fixed' || verdict === 'same';
  const colour = isGood
    ? paint.green
    : verdict === 'undecided' || verdict === 'not reproduced'
      ? paint.yellow
      : paint.red;
  const shown = compared.slice(0, MAX_CALLS);
  const width = String(shown.at(-1)?.number ?? 1).length;
  const whats = shown.map(({ call: { seen } }) =>
    forTerminal(seen.amount === null ? seen.call : `${seen.call} ${seen.amount}`),
  );
  const widest = Math.min(Math.max(...whats.map(columnsOf)), MAX_COLUMN_WIDTH);
  const lines = shown.map((row, index) => {
    const what = padEnd(whats[index] ?? '', widest);
    return hanging(`  ${String(row.number).padStart(width)}  ${what}  `, rowText(row, outcome), columns).join('\n');
  });
  if (compared.length > shown.length) lines.push(`  … and ${plural(compared.length - shown.length, 'more call')}`);
  const head = wrap(`${verdict}: ${forTerminal(sentence(outcome))}`, columns).join('\n');
  return [
    `${colour(paint.bold(verdict))}${head.slice(verdict.length)}`,
    ...whyLines(outcome, columns),
    '',
    ...lines,
    '',
    ...notes.flatMap((note) => wrap(forTerminal(note), columns)),
    ...(notes.length > 0 ? [''] : []),
    ...wrap(`The run of the replay: ${forTerminal(run)}`, columns),
    ...(journal === null ? [] : [`Journal: ${forTerminal(journal)}`]),
    '',
  ].join('\n');
}

/** Returns the reasons for `not reproduced` as a list. Other verdicts need no reasons. */
function whyLines({ verdict, missing }: ReplayOutcome, columns: number): readonly string[] {
  if (verdict !== 'not reproduced') return [];
  return ['Why:', ...missing.flatMap((reason) => hanging('- ', `${forTerminal(reason)}.`, columns))];
}

function rowText({ number, past, now, verdict }: ComparedCall, outcome: ReplayOutcome): string {
  const mark = outcome.now.calls.has(number) ? ' (wrong)' : '';
  const before = forTerminal(cameText(past));
  switch (verdict) {
    case 'same':
      return `as before: ${before}${mark}`;
    case 'differs':
      return `logs: ${before}; now: ${forTerminal(now ? cameText(now) : '')}${mark}`;
    case 'unknown':
      return `logs: unknown; now: ${forTerminal(now ? cameText(now) : '')}${mark}`;
    case 'not played':
      return `logs: ${before}; now: not played`;
  }
}

function cameText({ status, reason, code, change }: CallResult): string {
  const answer = status === null ? `no reply (${reason ?? 'unknown'})` : String(status);
  return `${answer}${code === null ? '' : ` ${code}`}${change === null ? '' : `, balance ${changeText(change)}`}`;
}

function changeText(change: NonNullable<CallResult['change']>): string {
  if (change.isZero()) return 'unchanged';
  return change.isNegative() ? change.toString() : `+${change.toString()}`;
}

function sentence({ verdict, compared, past, now, isUnexplained }: ReplayOutcome): string {
  const replies = repliesText(compared);
  switch (verdict) {
    case 'fixed':
      return `the recorded problem (${wrongText(past)}) is fixed.`;
    case 'same':
      return `nothing was wrong, and nothing is wrong now; ${replies}.`;
    case 'still failing': {
      const isOtherRule = now.rules.size > 0 && [...now.rules].every((rule) => !past.rules.has(rule));
      // If a call was repeated in another session, a run names another rule for it than `incident` does. So the rules can differ
      // although the problem is the same.
      if (isOtherRule && now.rules.has(RULE_OF_OTHER_SESSION))
        return `the recorded problem (${wrongText(past)}) came again: ${wrongText(now)} is still wrong; ${replies}.`;
      const isSameCall = [...now.calls].some((call) => past.calls.has(call));
      if (!isOtherRule || isSameCall || compared.every((row) => row.verdict !== 'differs'))
        return `${wrongText(now)} is still wrong; ${replies}.`;
      const recorded =
        past.rules.size > 0
          ? `the recorded problem (${wrongText(past)})`
          : 'a change of the balance that the logs do not explain';
      return `${wrongText(now)} is wrong now, and can be the cause of ${recorded}; ${replies}.`;
    }
    case 'regressed':
      return `${wrongText(now)} is wrong now, and was not before; ${replies}.`;
    case 'differs':
      return `no rule is broken, but ${replies}.`;
    case 'not reproduced':
      return `nothing is wrong now, but the replay does not show that the recorded problem (${wrongText(past)}) is fixed.`;
    case 'undecided':
      if (isUnexplained && past.rules.size === 0 && past.calls.size === 0)
        return 'no rule is broken now, but the record does not show for certain whether one was (see croupier incident).';
      return compared.every((row) => row.verdict === 'unknown')
        ? 'the record contains no replies, and the replay breaks no rule.'
        : 'the replay could not decide whether the recorded problem is fixed.';
  }
}

function repliesText(compared: readonly ComparedCall[]): string {
  const differ = compared.filter((row) => row.verdict === 'differs').length;
  const unknown = compared.filter((row) => row.verdict === 'unknown').length;
  if (differ > 0) return `${count(differ, 'reply')} of ${compared.length} differ${differ === 1 ? 's' : ''}`;
  if (unknown === compared.length) return 'the record has no replies';
  return unknown > 0 ? 'every reply is the same as in the record' : 'every reply is as before';
}

function wrongText({ rules, calls }: Failures): string {
  if (rules.size > 0) return [...rules].toSorted().join(', ');
  return `${calls.size === 1 ? 'call' : 'calls'} ${[...calls].join(', ')}`;
}

function count(number: number, word: 'reply'): string {
  return number === 1 ? `1 ${word}` : `${number} replies`;
}
