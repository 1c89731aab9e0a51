import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { databaseIn } from '../../../app/history/settings.ts';
import { openStoredRun } from '../../../app/history/stored-run.ts';
import { useHistory } from '../../../app/history/use-history.ts';
import { readLoadReports, writeLoadReports } from '../../../app/load/load-reports.ts';
import { reportOptions, verbosityOf } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { RULES } from '../../../contract/catalogue.ts';
import { type History, historyFile } from '../../../history/history.ts';
import { ruleResults } from '../../../history/rule-results.ts';
import { ruleTrend } from '../../../history/rule-trend.ts';
import {
  findRun,
  latestRuns,
  type PastRun,
  runCount,
  setPinned,
  storedLoad,
  summaryOf,
} from '../../../history/runs.ts';
import { EXPECTATION } from '../../../journal/finding.ts';
import type { RunSummary } from '../../../report/comparison/run-summary.ts';
import { forTerminal } from '../../../report/escape.ts';
import { nearest } from '../../../scenario/near.ts';
import { readRequests, writeReports } from '../report/convert.ts';
import { printDiff } from '../report/diff.ts';
import type { HistoryDiffFlags, HistoryListFlags, HistoryOpenFlags, HistoryRuleFlags } from './flags.ts';
import { ruleJson, runsJson } from './json.ts';
import { rulesText, ruleText, runsText } from './text.ts';

/** `croupier history list`: prints the latest runs. @returns 0 @throws UsageError when the history can't be read */
export async function listCommand(flags: HistoryListFlags, stdio: Stdio): Promise<number> {
  const { client, limit, json } = flags;
  return useHistory(
    stdio.cwd,
    async (history) => {
      const runs = history ? await latestRuns(history, { client, limit }) : [];
      const total = history ? await runCount(history) : 0;
      stdio.out.write(
        json ? runsJson(runs, total) : runsText(runs, { total, client }, reportOptions(stdio.out, stdio, null)),
      );
      return 0;
    },
    databaseIn(stdio),
  );
}

/**
 * `croupier history open`: writes reports of a run.
 *
 * @returns 0
 * @throws UsageError if there is no such run, if its journal is no longer stored, or if a file can't be written
 */
export async function openCommand(id: string, flags: HistoryOpenFlags, stdio: Stdio): Promise<number> {
  return withRuns(stdio, async (history) => {
    const run = await runWith(history, id);
    const target = path.join('.croupier', `run-${run.number}.html`);
    const words = flags.to ?? [`html=${target}`];
    const written =
      run.kind === 'load' ? openLoad(history, run, words, stdio) : openRun(history, run, words, flags, stdio);
    const status = await written;
    if (flags.to === undefined && status === 0) stdio.out.write(`${target}\n`);
    return status;
  });
}

async function openRun(
  history: History,
  run: PastRun,
  words: readonly string[],
  { to, curl, verbose }: HistoryOpenFlags,
  stdio: Stdio,
): Promise<number> {
  const reports = readRequests(words);
  const stored = await openStoredRun(history, run, stdio.cwd);
  if (!stored) throw noLongerStored(run);
  const { fold, open, journal } = stored;
  const shown = { journal, curl, verbosity: verbosityOf(verbose), isSilent: to === undefined };
  await writeReports({ fold, open }, reports, shown, stdio);
  return 0;
}

async function openLoad(history: History, run: PastRun, words: readonly string[], stdio: Stdio): Promise<number> {
  const reports = readLoadReports(words, '--to');
  if (run.evidence === null) throw noLongerStored(run);
  const statuses = await writeLoadReports(reports, await storedLoad(history, run.number), (text) => text, stdio);
  return Math.max(0, ...statuses);
}

function noLongerStored({ number }: PastRun): UsageError {
  return new UsageError(
    `The journal of run ${number} is no longer stored, so croupier can't make its report. The history keeps the journals of the latest runs (key history in croupier.yaml) and of pinned runs (croupier history pin).`,
  );
}

/** `croupier history diff`: compares two runs. @returns the exit status of `croupier report diff` @throws UsageError if a run is missing */
export async function diffCommand(before: string, now: string, flags: HistoryDiffFlags, stdio: Stdio): Promise<number> {
  return withRuns(stdio, async (history) => {
    const [earlier, later] = [await summaryWith(history, before), await summaryWith(history, now)];
    return printDiff(earlier, later, flags, stdio);
  });
}

async function summaryWith(history: History, id: string): Promise<RunSummary> {
  const run = await runWith(history, id);
  const summary = await summaryOf(history, run.number);
  if (!summary)
    throw new UsageError(`Run ${run.number} is a load test, and has no rules to compare. Choose a run of the suite.`);
  return summary;
}

/** `croupier history rule`: prints the verdicts of rules over time. @returns 0 @throws UsageError if there is no such rule */
export async function ruleCommand(rule: string | undefined, flags: HistoryRuleFlags, stdio: Stdio): Promise<number> {
  if (rule !== undefined) refuseUnknownRule(rule);
  return withRuns(stdio, async (history) => {
    const { client, limit, json } = flags;
    const results = await ruleResults(history, { rules: rule === undefined ? undefined : [rule], client });
    const trends = results.map(({ runs, ...about }) => ({ ...about, trend: ruleTrend(runs) }));
    const shown =
      rule === undefined
        ? trends.filter(({ trend }) => !['passing', 'warning', 'undecided'].includes(trend.state))
        : trends;
    const options = reportOptions(stdio.out, stdio, null);
    const write = rule === undefined ? rulesText : ruleText;
    stdio.out.write(json ? ruleJson(shown, limit) : write(shown, { rule, client, limit }, options));
    return 0;
  });
}

function refuseUnknownRule(rule: string): void {
  const ids = RULES.map(({ id }) => id);
  if (ids.some((id) => id === rule) || rule.startsWith(`${EXPECTATION} in `)) return;
  const near = nearest(rule, ids);
  throw new UsageError(
    `There is no rule ${forTerminal(rule)}. ${near === undefined ? 'croupier list rules shows all.' : `Did you mean ${near}?`}`,
  );
}

/** `croupier history pin` and `unpin`. @returns 0 @throws UsageError if there is no such run, or the history can't be written */
export async function pinCommand(id: string, isPinned: boolean, stdio: Stdio): Promise<number> {
  return withRuns(stdio, async (history) => {
    const run = await runWith(history, id);
    await setPinned(history, run.number, isPinned);
    const lost = isPinned && run.evidence === null ? ' Its journal is no longer stored.' : '';
    stdio.out.write(
      isPinned
        ? `Run ${run.number} is kept until you run croupier history unpin ${run.number}.${lost}\n`
        : `Run ${run.number} is no longer pinned.\n`,
    );
    return 0;
  });
}

async function runWith(history: History, id: string): Promise<PastRun> {
  const run = await findRun(history, id);
  if (run) return run;
  const why = /^\d{1,3}$/.test(id) ? '' : ', or the runIDs of several runs begin with this text';
  throw new UsageError(`The history has no run ${forTerminal(id)}${why}. croupier history lists the runs.`);
}

async function withRuns(stdio: Stdio, work: (history: History) => Promise<number>): Promise<number> {
  return useHistory(
    stdio.cwd,
    async (history) => {
      if (history) return work(history);
      throw new UsageError(
        `This folder has no history: ${path.relative(stdio.cwd, historyFile(stdio.cwd))} is missing. croupier run and croupier load write it, except with --reference.`,
      );
    },
    databaseIn(stdio),
  );
}
