import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Fold } from '../journal/fold.ts';
import { forWorkflowMessage } from '../report/escape.ts';
import type { OpenJournal, ReportOptions } from '../report/options.ts';
import { whyUnreadable } from './configuration.ts';
import { packageRoot } from './package-root.ts';
import type { Sink, Stdio } from './stdio.ts';
import { isOn } from './switches.ts';

/** What a run says to GitHub Actions, beside its report. */
export interface GithubStep {
  /** Says what one run came to: annotations at the lines of scenarios, and a page for the summary of the step. */
  tell(fold: Fold, open: OpenJournal, options: ReportOptions, scrub: (text: string) => string): Promise<void>;
  /** From here on, lines are read as commands again. */
  end(): void;
}

/** GitHub takes 1 MiB as the summary of a step, or nothing of it; a report has 60 kB at most. */
const SUMMARY_BYTES = 1_048_576 - 65_536;

/**
 * Under GitHub Actions: hides the keys in its log, and stops it from taking lines of what follows for commands, whatever an operator
 * may have replied. undefined: elsewhere, and where it is switched off.
 *
 * @param isWanted what the flag says; undefined: nothing
 * @param secrets keys that the log must hide, also when something else prints them
 * @param json true: stdout holds a JSON report and nothing else
 */
export function startGithubStep(
  stdio: Stdio,
  { isWanted, secrets, json }: { isWanted: boolean | undefined; secrets: readonly string[]; json: boolean },
): GithubStep | undefined {
  if (!isOn(stdio.env.GITHUB_ACTIONS) || isWanted === false || isOff(stdio.env.CROUPIER_GITHUB)) return undefined;
  // GitHub reads both streams. stdout may go to a file, where a key must not be.
  for (const secret of secrets.filter((text) => text !== '')) {
    stdio.err.write(`::add-mask::${forWorkflowMessage(secret)}\n`);
  }
  const sink = json ? stdio.err : stdio.out;
  let token = stop(sink);
  return {
    tell: async (fold, open, options, scrub) => {
      const [{ githubReport }, { markdownReport }] = await Promise.all([
        import('../report/github.ts'),
        import('../report/markdown.ts'),
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

/** No operator can guess the word that starts the reading of commands again. */
function stop(sink: Sink): string {
  const token = randomUUID();
  sink.write(`::stop-commands::${token}\n`);
  return token;
}

function append(file: string, page: string, stdio: Stdio): void {
  try {
    const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (before > SUMMARY_BYTES) stdio.err.write('The summary of this step is full: what it came to is not added.\n');
    else appendFileSync(file, page);
  } catch (error) {
    // The verdict stands, and the log has it.
    stdio.err.write(`The summary of this step can't be written: ${file}: ${whyUnreadable(error)}\n`);
  }
}

/** Where croupier lies in a repository that depends on it: a path that is nobody else's. */
const PACKAGE = 'node_modules/croupier-conformance';

/** Names a file as the repository does; null for what lies outside. The scenarios that croupier brings along are named within its package. */
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
