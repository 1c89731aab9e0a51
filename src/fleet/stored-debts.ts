import { existsSync } from 'node:fs';
import path from 'node:path';
import { owedIn } from '../app/run/earlier-journals.ts';
import type { History } from '../history/history.ts';
import { journalParts, unsettledJournals } from '../history/jobs.ts';
import { readJournal } from '../journal/read.ts';
import type { Owed } from './open-journals.ts';

/** The debts of runs whose journals are on other machines. Their workers have copied the journals to the database. */
export class StoredDebts {
  readonly #dir: string;
  /** The number of items by the id of the journal and its number of parts, so that each journal is read once. */
  readonly #items = new Map<string, number>();

  /** @param dir the folder of the fleet */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Returns the debts by the name of the operator. Leaves out the journals that are also in the folder of the fleet. */
  async owed(history: History): Promise<ReadonlyMap<string, readonly Owed[]>> {
    const owed = new Map<string, Owed[]>();
    for (const { id, operator, name, parts, worker } of await unsettledJournals(history)) {
      const journal = path.join('.croupier', path.basename(name));
      if (parts === 0 || existsSync(path.join(this.#dir, journal))) continue;
      const key = `${id} ${parts}`;
      const items = this.#items.get(key) ?? (await owedIn(readJournal(await journalParts(history, id))));
      this.#items.set(key, items);
      if (items > 0) owed.set(operator, [...(owed.get(operator) ?? []), { journal, items, worker }]);
    }
    return owed;
  }
}
