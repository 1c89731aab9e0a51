import path from 'node:path';
import { foldJournal } from '../journal/fold.ts';
import { type Comparison, compare, newFailures } from '../report/comparison.ts';
import { comparisonText } from '../report/comparison-text.ts';
import { type RunSummary, summaryOfFold, summaryOfReport } from '../report/run-summary.ts';
import { readTextFile } from './configuration.ts';
import { journalEvents } from './journal-events.ts';
import { reportOptions } from './publish.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/**
 * Says what changed from one run to a later one.
 *
 * @param before each a journal, or a JSON report
 * @returns 1 when something fails that did not fail before, and that no baseline lets pass; else 0
 * @throws UsageError for what is neither
 */
export async function diffCommand(
  before: string,
  now: string,
  flags: { readonly json?: boolean },
  stdio: Stdio,
): Promise<number> {
  const [earlier, later] = [await summaryOf(before, stdio.cwd), await summaryOf(now, stdio.cwd)];
  const comparison = compare(earlier, later);
  const status = newFailures(comparison).length > 0 ? 1 : 0;
  stdio.out.write(
    flags.json
      ? `${JSON.stringify(jsonOf(earlier, later, comparison, status), null, 2)}\n`
      : comparisonText(earlier, later, comparison, reportOptions(stdio.out, stdio, null)),
  );
  return status;
}

function jsonOf(before: RunSummary, now: RunSummary, comparison: Comparison, exitCode: number): object {
  const headOf = ({ extCID, contract, startedAt, firstLine }: RunSummary) => ({
    extCID,
    contract,
    startedAt,
    firstLine,
  });
  return { schema: 'croupier-diff/1', exitCode, before: headOf(before), now: headOf(now), ...comparison };
}

async function summaryOf(given: string, cwd: string): Promise<RunSummary> {
  const file = path.resolve(cwd, given);
  const report = reportIn(file);
  if (report === undefined) return summaryOfFold(await foldJournal(journalEvents(file, given)));
  const summary = summaryOfReport(report);
  if ('complaint' in summary) {
    throw new UsageError(`${given}: this is neither a journal nor a JSON report of croupier. ${summary.complaint}`);
  }
  return summary;
}

/** A journal is no JSON as a whole, unless it is one event long. */
function reportIn(file: string): object | undefined {
  const text = readTextFile(file, 'the run');
  // A long journal need not be parsed to be told apart.
  if (text.startsWith('{"event":')) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
