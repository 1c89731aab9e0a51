import path from 'node:path';
import { EXIT, UsageError } from '../../../app/exit-status.ts';
import { readTextFile } from '../../../app/files.ts';
import { journalEvents } from '../../../app/journal-files.ts';
import { reportOptions } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { foldJournal } from '../../../journal/fold.ts';
import { type Comparison, compare, isLessTested, newFailures } from '../../../report/comparison/comparison.ts';
import { comparisonText } from '../../../report/comparison/comparison-text.ts';
import {
  isNothingJudged,
  isUndecided,
  type RunSummary,
  summaryOfFold,
  summaryOfReport,
} from '../../../report/comparison/run-summary.ts';
import type { DiffFlags } from './flags.ts';

/**
 * `croupier report diff`: prints the changes from one run to a later one.
 *
 * @param before the path of a journal or a JSON report
 * @param now the path of a journal or a JSON report of the later run
 * @returns 1 if there is a new failure that no baseline lists, or if less was tested than before; 3 if the later run is undecided;
 *   otherwise 0
 * @throws UsageError for a file of any other kind
 */
export async function diffCommand(before: string, now: string, flags: DiffFlags, stdio: Stdio): Promise<number> {
  return printDiff(await summaryOf(before, stdio.cwd), await summaryOf(now, stdio.cwd), flags, stdio);
}

/** Prints the changes from one run to a later one. @returns the exit status of `croupier report diff` */
export function printDiff(earlier: RunSummary, later: RunSummary, flags: DiffFlags, stdio: Stdio): number {
  const comparison = compare(earlier, later);
  // --allow-gone does not excuse a run that judged nothing, for example because the operator was down.
  const isLess = isLessTested(comparison) && (!flags.allowGone || isNothingJudged(later));
  // The same is true for --allow-undecided.
  const isOpen = isUndecided(later) && (!flags.allowUndecided || isNothingJudged(later));
  const status = newFailures(comparison).length > 0 || isLess ? 1 : isOpen ? EXIT.UNDECIDED : 0;
  stdio.out.write(
    flags.json
      ? `${JSON.stringify(jsonOf(earlier, later, comparison, status), null, 2)}\n`
      : `${comparisonText(earlier, later, comparison, reportOptions(stdio.out, stdio, null))}\n${flagsText(comparison, later, flags)}${statusLine(comparison, status, { isLess, isOpen, isAllowed: flags.allowGone === true })}\n`,
  );
  return status;
}

/** Says which exit status the comparison has, and why. */
function statusLine(
  { broken, worse }: Comparison,
  status: number,
  { isLess, isOpen, isAllowed }: { readonly isLess: boolean; readonly isOpen: boolean; readonly isAllowed: boolean },
): string {
  const count = newFailures({ broken, worse }).length;
  const allow = isAllowed || count > 0 ? '' : '; if this is right, give --allow-gone';
  const reasons = [
    ...(count > 0 ? [`${plural(count, 'rule')} ${count === 1 ? 'is' : 'are'} newly broken or worse`] : []),
    ...(isLess ? [`the later run tested less than the earlier one${allow}`] : []),
    ...(isOpen ? ['the later run is undecided'] : []),
  ];
  return reasons.length === 0
    ? 'Exit status 0: no rule is newly broken or worse.'
    : `Exit status ${status}: ${reasons.join(', and ')}.`;
}

/** Says what each flag has allowed, or why it has no effect. Empty without such flags. */
function flagsText(comparison: Comparison, later: RunSummary, { allowGone, allowUndecided }: DiffFlags): string {
  const effectOf = (flag: string, isNeeded: boolean, what: string, otherwise: string): string => {
    if (!isNeeded) return `${flag} has no effect: the later run ${otherwise}.\n`;
    if (isNothingJudged(later)) return `${flag} has no effect: the later run judged no rule.\n`;
    return `${flag} allows that the later run ${what}.\n`;
  };
  const gone = 'tested less than the earlier one';
  const all = 'tested everything that the earlier one tested';
  return [
    ...(allowGone ? [effectOf('--allow-gone', isLessTested(comparison), gone, all)] : []),
    ...(allowUndecided ? [effectOf('--allow-undecided', isUndecided(later), 'is undecided', 'is not undecided')] : []),
  ].join('');
}

function jsonOf(before: RunSummary, now: RunSummary, comparison: Comparison, exitCode: number): object {
  const headOf = ({ extCID, contract, startedAt, verdict, firstLine, labels, digests }: RunSummary) => ({
    extCID,
    contract,
    startedAt,
    ...(verdict && { verdict }),
    firstLine,
    labels,
    ...(digests && { digests }),
  });
  return { schema: 'croupier-diff/1', exitCode, before: headOf(before), now: headOf(now), ...comparison };
}

async function summaryOf(given: string, cwd: string): Promise<RunSummary> {
  const file = path.resolve(cwd, given);
  const report = reportIn(file);
  if (report === undefined) return summaryOfFold(await foldJournal(journalEvents(file, given)));
  const summary = summaryOfReport(report);
  if ('problem' in summary) {
    throw new UsageError(`${given}: this is neither a journal nor a JSON report of croupier. ${summary.problem}`);
  }
  return summary;
}

/** Returns the JSON value of a report; undefined if the file is a journal, or is not JSON. */
function reportIn(file: string): object | undefined {
  const text = readTextFile(file, 'The run');
  // A journal may be long. So it is not parsed, but recognised by its first characters.
  if (text.startsWith('{"event":')) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
