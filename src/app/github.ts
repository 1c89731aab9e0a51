import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Fold } from '../journal/fold.ts';
import { forWorkflowMessage } from '../report/escape.ts';
import type { OpenJournal, ReportOptions } from '../report/options.ts';
import { isOn } from './config/run-flags.ts';
import { packageRoot, whyUnreadable } from './files.ts';
import type { Sink, Stdio } from './stdio.ts';

/** The messages of a run to GitHub Actions, in addition to its report. */
export interface GithubStep {
  /** Reports one run: annotations at the lines of scenarios, and a page for the summary of the step. */
  report(fold: Fold, open: OpenJournal, options: ReportOptions, scrub: (text: string) => string): Promise<void>;
  /** Ends the protection: GitHub reads the following lines as commands again. */
  end(): void;
}

/** GitHub accepts a step summary of at most 1 MiB, and drops a longer one whole. A report has at most 60 kB. */
const SUMMARY_BYTES = 1_048_576 - 65_536;

/**
 * Under GitHub Actions, hides the keys in its log, and stops it from reading lines of the output as commands, because an
 * operator's reply may contain such lines.
 *
 * @param isWanted the flag; undefined: not given
 * @param secrets keys that the log must hide, also when another program prints them
 * @param json true: stdout holds a JSON report and nothing else
 * @returns undefined outside GitHub Actions, and if it is switched off
 */
export function startGithubStep(
  stdio: Stdio,
  { isWanted, secrets, json }: { isWanted: boolean | undefined; secrets: readonly string[]; json: boolean },
): GithubStep | undefined {
  if (!isOn(stdio.env.GITHUB_ACTIONS) || isWanted === false || isOff(stdio.env.CROUPIER_GITHUB)) return undefined;
  // GitHub reads both streams. stdout may go to a file, which must not contain a key.
  for (const secret of secrets.filter((text) => text !== '')) {
    stdio.err.write(`::add-mask::${forWorkflowMessage(secret)}\n`);
  }
  const sink = json ? stdio.err : stdio.out;
  let token = stop(sink);
  return {
    report: async (fold, open, options, scrub) => {
      const [{ githubReport }, { markdownReport }] = await Promise.all([
        import('../report/exports/github.ts'),
        import('../report/exports/markdown.ts'),
      ]);
      sink.write(`::${token}::\n`);
      for await (const command of githubReport(fold, open, options)) sink.write(scrub(command));
      token = stop(sink);
      const summary = stdio.env.GITHUB_STEP_SUMMARY;
      if (summary === undefined || summary === '') return;
      let page = '';
      for await (const piece of markdownReport(fold, open, options)) page += scrub(piece);
      append(summary, page, stdio);
    },
    end: () => sink.write(`::${token}::\n`),
  };
}

const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

function isOff(text: string | undefined): boolean {
  return OFF.has(text?.toLowerCase() ?? '');
}

/** Stops the reading of commands. @returns the token that starts it again, which no operator can guess */
function stop(sink: Sink): string {
  const token = randomUUID();
  sink.write(`::stop-commands::${token}\n`);
  return token;
}

function append(file: string, page: string, stdio: Stdio): void {
  try {
    const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (before > SUMMARY_BYTES)
      stdio.err.write('The summary of this step is full: the report of this run was not added to it.\n');
    else appendFileSync(file, page);
  } catch (error) {
    // The log has the report too, so this does not change the status.
    stdio.err.write(`The summary of this step can't be written: ${file}: ${whyUnreadable(error)}\n`);
  }
}

/** The path of croupier in a repository that depends on it. No other file has this path. */
const PACKAGE = 'node_modules/croupier-conformance';

/** Gives a file's path in the repository; null: it is outside. A built-in scenario gets its path in croupier's package. */
export function repositoryFile({ env, cwd }: Stdio): (file: string) => string | null {
  const root = path.resolve(env.GITHUB_WORKSPACE ?? cwd);
  return (file) => {
    const whole = path.resolve(cwd, file);
    if (isWithin(root, whole) && existsSync(whole)) return named(root, whole);
    return isWithin(packageRoot(), whole) ? `${PACKAGE}/${named(packageRoot(), whole)}` : null;
  };
}

function named(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/');
}

function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
