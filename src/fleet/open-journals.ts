import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../app/exit-status.ts';
import { isOwnJournalName, journalEvents, runningWriter } from '../app/journal-files.ts';
import { owedBy } from '../app/run/earlier-journals.ts';
import { ByClient } from '../history/client.ts';
import { operatorOf } from '../history/operator-name.ts';
import type { RunStarted } from '../journal/event.ts';

/** A journal of a client whose run may still be in progress or owe something. */
export interface OpenJournal {
  /** The path from the folder of the fleet. */
  readonly name: string;
  readonly begun: RunStarted;
  readonly isRunning: boolean;
}

/** The journal of a run that owes something. */
export interface Owed {
  /** The path from the folder of the fleet. */
  readonly journal: string;
  /** Number of calls and balances that the run owes. */
  readonly items: number;
  /** The worker whose machine has the journal, as host and process id; null if this machine has it. */
  readonly worker: string | null;
}

/**
 * The journals in the folder of a fleet. The contents of each file are kept. So each file is read only once, even if a program asks
 * for the journals again and again.
 */
export class FleetJournals {
  readonly #dir: string;
  /** The first event of each file; null for a file that is no journal. */
  readonly #beginnings = new Map<string, RunStarted | null>();
  readonly #owed = new Map<string, { readonly state: string; readonly items: number }>();

  /** @param dir the folder of the fleet */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Returns the journals that must be checked, by client and operator:
   *
   * - the newest journal of each client
   * - the journals of runs that are not in the history. These runs are still in progress, or were killed
   *
   * @param known returns those of the run ids that are in the history
   */
  async open(known: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<ByClient<OpenJournal>> {
    const folder = path.join(this.#dir, '.croupier');
    // Each name begins with the time, so the sorted list is in the order of time.
    const files = existsSync(folder) ? readdirSync(folder).filter(isOwnJournalName).toSorted() : [];
    const all: { readonly name: string; readonly begun: RunStarted }[] = [];
    for (const file of files) {
      const name = path.join('.croupier', file);
      const begun = await this.#beginningOf(name);
      if (begun) all.push({ name, begun });
    }
    const inHistory = await known(all.map(({ begun }) => begun.runID));
    const byClient = Map.groupBy(all, ({ begun }) => JSON.stringify([begun.client.extCID, operatorOf(begun)]));
    const open = [...byClient.values()].flatMap((own) =>
      own
        .filter(({ begun }, at) => at === own.length - 1 || !inHistory.has(begun.runID))
        .map((one) => ({
          ...one,
          isRunning: runningWriter(path.resolve(this.#dir, one.name), one.begun) !== undefined,
        })),
    );
    return new ByClient(open, ({ begun }) => ({ extCID: begun.client.extCID, operator: operatorOf(begun) }));
  }

  /** Returns what the run of a journal owes; undefined if it owes nothing, or is in progress. */
  async owedBy({ name, isRunning }: OpenJournal): Promise<Owed | undefined> {
    if (isRunning) return undefined;
    const file = path.resolve(this.#dir, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    const state = `${stat?.size} ${stat?.mtimeMs}`;
    const before = this.#owed.get(name);
    const items = before?.state === state ? before.items : await owedBy(file, name, undefined);
    this.#owed.set(name, { state, items });
    return items === 0 ? undefined : { journal: name, items, worker: null };
  }

  async #beginningOf(name: string): Promise<RunStarted | null> {
    const before = this.#beginnings.get(name);
    if (before !== undefined) return before;
    const begun = await beginningOf(path.resolve(this.#dir, name), name);
    // A file without a first line may be a journal that another process is just creating. So the file is read again the next time.
    if (begun !== undefined) this.#beginnings.set(name, begun);
    return begun ?? null;
  }
}

/** Returns the first event of a journal; null if the file is no journal, and undefined if the file is still empty. */
async function beginningOf(file: string, name: string): Promise<RunStarted | null | undefined> {
  try {
    for await (const event of journalEvents(file, name)) return event.event === 'run-started' ? event : null;
  } catch (error) {
    // A file that is no journal has no running process.
    if (!(error instanceof UsageError)) throw error;
    return null;
  }
  return undefined;
}
