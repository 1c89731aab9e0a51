import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Fold } from '../journal/fold.ts';
import { forWorkflowMessage, forWorkflowProperty } from '../report/escape.ts';
import { forOthers } from '../report/for-others.ts';
import type { OpenJournal, ReportOptions } from '../report/options.ts';
import { isOff, isOn } from './config/run-flags.ts';
import { whyUnreadable } from './files.ts';
import type { Stdio } from './stdio.ts';

/** Writes the messages for GitHub Actions, in addition to the report of a run. */
export interface GithubStep {
  /** Writes an annotation at the line of each failed scenario, and adds a report to the summary of the step. */
  report(fold: Fold, open: OpenJournal, options: ReportOptions, scrub: (text: string) => string): Promise<void>;
  /**
   * Adds a report to the summary of the step, for a run that was interrupted and still sends what it owes. If the CI system kills
   * croupier before the end of the run, this report stays. Otherwise, `report` replaces it.
   */
  reportSoFar(fold: Fold, open: OpenJournal, options: ReportOptions, scrub: (text: string) => string): Promise<void>;
  /** Writes an annotation without a file. */
  error(title: string, text: string): void;
}

/**
 * Maximum size of a step summary to which croupier adds a report. GitHub drops a summary above 1 MiB, and a report has at most 60
 * kB.
 */
const SUMMARY_BYTES = 1_048_576 - 65_536;

/**
 * Hides keys in the log of GitHub Actions. Returns the functions with which a command writes its messages for GitHub.
 *
 * @param isWanted false for `--no-github`; undefined without the flag
 * @param secrets keys that GitHub must hide in the log, also when another program prints them
 * @param json true if stdout must contain only a JSON report
 * @returns undefined outside GitHub Actions, and if the user switched the messages off
 */
export function startGithubStep(
  stdio: Stdio,
  { isWanted, secrets, json }: { isWanted: boolean | undefined; secrets: readonly string[]; json: boolean },
): GithubStep | undefined {
  if (!isOn(stdio.env.GITHUB_ACTIONS) || isWanted === false || isOff(stdio.env.CROUPIER_GITHUB)) return undefined;
  // GitHub also reads these lines from stderr. They contain keys, so croupier does not write them to stdout, which may be
  // redirected to a file.
  for (const secret of secrets.filter((text) => text !== '')) {
    stdio.err.writeSecret(`::add-mask::${forWorkflowMessage(secret)}\n`);
  }
  const sink = json ? stdio.err : stdio.out;
  const summary = stdio.env.GITHUB_STEP_SUMMARY || undefined;
  /** For each client, the report so far that the summary contains. */
  const soFar = new Map<string, string>();
  return {
    report: async (fold, open, options, scrub) => {
      const { githubReport } = await import('../report/exports/github.ts');
      for await (const command of forOthers(githubReport)(fold, open, options)) sink.command(scrub(command));
      if (summary === undefined) return;
      const page = await summaryPage(fold, open, options, scrub);
      addToSummary(summary, page, { replaced: soFar.get(fold.run.client.extCID), stdio });
    },
    reportSoFar: async (fold, open, options, scrub) => {
      if (summary === undefined) return;
      const page = await summaryPage(fold, open, options, scrub);
      if (addToSummary(summary, page, { replaced: undefined })) soFar.set(fold.run.client.extCID, page);
    },
    error: (title, text) =>
      sink.command(
        `::error title=${forWorkflowProperty(title)}::${text.split('\n').map(forWorkflowMessage).join('%0A')}\n`,
      ),
  };
}

/** Writes the report that the summary of the step shows. */
async function summaryPage(...[fold, open, options, scrub]: Parameters<GithubStep['report']>): Promise<string> {
  const { markdownReport } = await import('../report/exports/markdown.ts');
  let page = '';
  for await (const piece of forOthers(markdownReport)(fold, open, options)) page += scrub(piece);
  return page;
}

/**
 * Adds a page to the summary of the step.
 *
 * @param how `replaced`: an earlier page that this page replaces. `stdio`: says on stderr why the page can't be added; without it,
 * says nothing
 * @returns true if the summary now has the page
 */
function addToSummary(
  file: string,
  page: string,
  { replaced, stdio }: { readonly replaced: string | undefined; readonly stdio?: Stdio },
): boolean {
  try {
    const text = replaced === undefined ? '' : readFileSync(file, 'utf8');
    const start = replaced === undefined ? -1 : text.indexOf(replaced);
    if (replaced !== undefined && start >= 0) {
      writeFileSync(file, text.slice(0, start) + page + text.slice(start + replaced.length));
      return true;
    }
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= SUMMARY_BYTES) {
      appendFileSync(file, page);
      return true;
    }
    stdio?.err.write(
      'The report was not added to the summary of this step, because the summary would be too long for GitHub.\n',
    );
  } catch (error) {
    // The log contains the same report. So a missing summary does not change the exit status.
    stdio?.err.write(`The summary of this step can't be written: ${file}: ${whyUnreadable(error)}\n`);
  }
  return false;
}
