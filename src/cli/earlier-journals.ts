import path from 'node:path';
import type { EarlierJournal } from '../engine/earlier-run.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { readAftermath } from './aftermath.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/**
 * The journals of `--after`, each with the client that it is about, by ExtCID.
 *
 * @throws UsageError for one that can't be read, that is about a client which is not judged now, or of which there are two
 */
export async function readEarlierJournals(
  journals: readonly string[],
  clients: readonly ClientUnderTest[],
  stdio: Stdio,
): Promise<ReadonlyMap<string, EarlierJournal>> {
  const found = new Map<string, EarlierJournal>();
  for (const journal of journals) {
    const file = path.resolve(stdio.cwd, journal);
    const { extCID } = (await readAftermath(file, journal, undefined)).aftermath.run.client;
    const client = clients.find((one) => one.extCID === extCID);
    if (!client) {
      throw new UsageError(
        `--after ${journal}: it is about the client ${extCID}, and judged is ${clients.map((one) => one.extCID).join(', ')}. Nothing was sent.\nWhat one client has sent says nothing about another: give a journal of the same ExtCID.`,
      );
    }
    if (found.has(extCID)) {
      throw new UsageError(`--after ${journal}: another journal about ${extCID} was given already. Nothing was sent.`);
    }
    const { aftermath } = await readAftermath(file, journal, client.integrationApiKey);
    found.set(extCID, { aftermath, ageMs: Math.max(0, Date.now() - Date.parse(aftermath.run.startedAt)) });
  }
  return found;
}
