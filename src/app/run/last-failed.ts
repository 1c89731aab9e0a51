import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { RunStarted } from '../../journal/event.ts';
import { type Fold, foldJournal } from '../../journal/fold.ts';
import { readJournal } from '../../journal/read.ts';
import { unmetRequirements } from '../../journal/required.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import { UsageError } from '../exit-status.ts';
import { shownPath } from '../files.ts';
import { journalEvents, runningWriter, textOfFile } from '../journal-files.ts';
import type { Stdio } from '../stdio.ts';

/** The scenarios that must be repeated, from the last run of one client. */
export interface LastFailed {
  /** The path of the journal of the last run, as messages show it. */
  readonly journal: string;
  readonly ids: ReadonlySet<string>;
  /** Those of the scenarios that the last run did not begin, for example because its time was up. Absent: none. */
  readonly unplayed?: ReadonlySet<string>;
}

/** True for a scenario that failed, was undecided, or was flaky. */
export function isFailing({ verdict, flaky }: ScenarioResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || flaky;
}

/**
 * Returns the ids of the scenarios that failed, warned, were flaky, or did not decide what they test. A skip counts only
 * if the operator declined the calls, or if the user requires the scenario or one of its rules.
 */
function unsettledScenarios(fold: Fold): ReadonlySet<string> {
  const open = fold.rules.filter(({ verdict, isDeclined }) => verdict === 'inconclusive' || isDeclined);
  const seenIn = new Set(open.map((rule) => rule.seenIn));
  const declined = new Set(open.filter(({ isDeclined }) => isDeclined).map(({ rule }) => rule.id));
  const unmet = new Set(unmetRequirements(fold).map(({ id }) => id));
  const unsettled = fold.scenarios.filter(
    (scenario) =>
      isFailing(scenario) ||
      scenario.verdict === 'warn' ||
      scenario.verdict === 'untested' ||
      seenIn.has(scenario.planned.id) ||
      unmet.has(scenario.planned.id) ||
      scenario.planned.rules.some((rule) => unmet.has(rule) || (declined.has(rule) && scenario.verdict === 'skip')),
  );
  return new Set(unsettled.map(({ planned }) => planned.id));
}

/** True if the word after `--last-failed` names a journal. Otherwise the word belongs to the selection of scenarios. */
export function isJournalName(word: string, cwd: string): boolean {
  if (word.endsWith('.ndjson')) return true;
  const stat = statSync(path.resolve(cwd, word), { throwIfNoEntry: false });
  return stat?.isFile() === true && !/\.ya?ml$/.test(word);
}

/**
 * For each client, reads the scenarios of its last run that failed, warned or stayed undecided. The key of the result is the
 * ExtCID.
 *
 * @param given the path of a journal; true for the newest journal of each client in .croupier/
 * @throws UsageError when there is no journal, or there is nothing to repeat
 */
export async function readLastFailed(
  given: string | true,
  extCIDs: readonly string[],
  stdio: Stdio,
): Promise<ReadonlyMap<string, LastFailed>> {
  const found = new Map<string, LastFailed>();
  const journals = given === true ? await newestJournals(extCIDs, stdio) : [path.resolve(stdio.cwd, given)];
  for (const file of journals) {
    const shown = shownPath(file, stdio.cwd);
    const fold = await foldJournal(journalEvents(file, shown));
    const unplayed = fold.scenarios.filter(({ state }) => state === 'not-started');
    found.set(fold.run.client.extCID, {
      journal: shown,
      ids: unsettledScenarios(fold),
      unplayed: new Set(unplayed.map(({ planned }) => planned.id)),
    });
  }
  const known = extCIDs.filter((extCID) => found.has(extCID));
  if (known.length === 0) throw new UsageError(noJournal(given, extCIDs, [...found.keys()]));
  if (known.every((extCID) => found.get(extCID)?.ids.size === 0)) {
    const where = known.map((extCID) => found.get(extCID)?.journal).join(', ');
    throw new UsageError(
      `No scenario failed, warned or was undecided in ${where}, so there is nothing to repeat. Nothing was sent.\nTo run everything, leave out --last-failed.`,
    );
  }
  return found;
}

function noJournal(given: string | true, extCIDs: readonly string[], others: readonly string[]): string {
  const clients = extCIDs.join(', ');
  return given === true
    ? `--last-failed: .croupier/ has no journal of a run against ${clients}. Nothing was sent.\nName a journal: --last-failed JOURNAL.`
    : `--last-failed ${given}: the journal belongs to ${others.join(', ')}, but this run judges ${clients}. Nothing was sent.`;
}

/** Returns, for each client, the newest journal of a run that has ended. */
async function newestJournals(extCIDs: readonly string[], { cwd }: Stdio): Promise<readonly string[]> {
  const newest = new Map<string, string>();
  for (const file of newestFirst(path.join(cwd, '.croupier'))) {
    const run = await firstEvent(file);
    // Journals of `explore` and `call` are skipped, because a run cannot repeat their calls.
    if (!run || run.scenarios.length === 0 || runningWriter(file, run) !== undefined) continue;
    if (!newest.has(run.client.extCID)) newest.set(run.client.extCID, file);
    if (extCIDs.every((extCID) => newest.has(extCID))) break;
  }
  return extCIDs.flatMap((extCID) => newest.get(extCID) ?? []);
}

function newestFirst(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .map(({ file }) => file);
}

/** Reads the first event of a journal. Returns undefined if the file can't be read, or is not a journal. */
async function firstEvent(file: string): Promise<RunStarted | undefined> {
  try {
    for await (const event of readJournal(textOfFile(file))) return event.event === 'run-started' ? event : undefined;
  } catch {
    // The error is ignored, because the user did not name this file. Another journal may be readable.
  }
  return undefined;
}
