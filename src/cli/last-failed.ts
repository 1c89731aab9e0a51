import { createReadStream, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { RunStarted } from '../journal/event.ts';
import { foldJournal } from '../journal/fold.ts';
import { readJournal } from '../journal/read.ts';
import type { ScenarioResult } from '../journal/scenario-result.ts';
import { shownPath } from './configuration.ts';
import { journalEvents } from './journal-events.ts';
import { livingProcess } from './living-run.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** What is to be played again. */
export interface LastFailed {
  /** As messages name it. */
  readonly journal: string;
  readonly ids: ReadonlySet<string>;
}

/** True for what failed, could not be decided, or was flaky. */
export function isFailing({ verdict, flaky }: ScenarioResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || flaky;
}

/** Whether the word after `--last-failed` is its journal; else it is the first of the selection. */
export function isJournalName(word: string, cwd: string): boolean {
  if (word.endsWith('.ndjson')) return true;
  const stat = statSync(path.resolve(cwd, word), { throwIfNoEntry: false });
  return stat?.isFile() === true && !/\.ya?ml$/.test(word);
}

/**
 * What failed when each client was judged last, by ExtCID.
 *
 * @param given the journal; true: the newest of each client in .croupier/
 * @throws UsageError when there is none, or nothing failed in any
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
    found.set(fold.run.client.extCID, {
      journal: shown,
      ids: new Set(fold.scenarios.filter(isFailing).map(({ planned }) => planned.id)),
    });
  }
  const known = extCIDs.filter((extCID) => found.has(extCID));
  if (known.length === 0) throw new UsageError(noJournal(given, extCIDs, [...found.keys()]));
  if (known.every((extCID) => found.get(extCID)?.ids.size === 0)) {
    const where = known.map((extCID) => found.get(extCID)?.journal).join(', ');
    throw new UsageError(
      `Nothing failed in ${where}, and nothing was left undecided, so there is nothing to play again. Nothing was sent.\nPlay everything: croupier run without --last-failed.`,
    );
  }
  return found;
}

function noJournal(given: string | true, extCIDs: readonly string[], others: readonly string[]): string {
  const whom = extCIDs.join(', ');
  return given === true
    ? `--last-failed: .croupier/ has no journal of a run against ${whom}. Nothing was sent.\nName one: --last-failed JOURNAL.`
    : `--last-failed ${given}: it is about ${others.join(', ')}, and judged is ${whom}. Nothing was sent.`;
}

/** The newest journal of a run that has ended, for each client that has one. */
async function newestJournals(extCIDs: readonly string[], { cwd }: Stdio): Promise<readonly string[]> {
  const newest = new Map<string, string>();
  for (const file of newestFirst(path.join(cwd, '.croupier'))) {
    const run = await firstEvent(file);
    // A search makes up its stories, and what was done by hand has none: there is nothing to play again.
    if (!run || run.scenarios.length === 0 || livingProcess(run) !== undefined) continue;
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

/** undefined: it is no journal that can be read. */
async function firstEvent(file: string): Promise<RunStarted | undefined> {
  try {
    for await (const event of readJournal(createReadStream(file, 'utf8')))
      return event.event === 'run-started' ? event : undefined;
  } catch {
    // Another one may do, and it is not this one that was asked for by name.
  }
  return undefined;
}
