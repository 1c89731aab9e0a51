import path from 'node:path';
import { AfterRun } from '../../engine/after/after-run.ts';
import type { EarlierJournal } from '../../engine/after/earlier-run.ts';
import { signedBy } from '../../engine/after/past-call.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { Received, Sending } from '../../journal/event.ts';
import { UsageError } from '../exit-status.ts';
import { journalEvents } from '../journal-files.ts';
import type { Stdio } from '../stdio.ts';

/** The state of players and transactions at the end of an earlier run. */
export interface Left {
  readonly afterRun: AfterRun;
  /** An event for each call without a reply, whose `received` event the journal does not have. */
  readonly unanswered: readonly Received[];
}

/**
 * Reads from a journal in which state its run left players and transactions.
 *
 * @param shown the file's name in messages
 * @param key finds calls that were signed wrongly on purpose, which move no money; undefined to treat every call as
 * signed correctly
 * @throws UsageError when the file can't be read, or is not a journal of a supported version
 */
export async function readAfterRun(file: string, shown: string, key: string | undefined): Promise<Left> {
  const afterRun = new AfterRun({ signedRight: await signatureTest(file, shown, key) });
  for await (const event of journalEvents(file, shown)) afterRun.add(event);
  return { afterRun, unanswered: afterRun.giveUp('croupier ended before an answer came') };
}

/**
 * Returns a function that says whether a call was signed correctly. If the key has changed since the run, the function
 * returns true for every call.
 */
async function signatureTest(
  file: string,
  shown: string,
  key: string | undefined,
): Promise<(sending: Sending) => boolean> {
  const isRight = key === undefined ? () => true : signedBy(key);
  for await (const event of journalEvents(file, shown)) {
    // The first call of a run reads a balance and is signed correctly. If its signature does not match, the key has
    // changed.
    if (event.event === 'sending') return isRight(event) ? isRight : () => true;
  }
  return isRight;
}

/**
 * Reads the journals of `--after`, by the ExtCID of their client.
 *
 * @throws UsageError if a journal can't be read, belongs to another client, or is the second one of the same client
 */
export async function readEarlierJournals(
  journals: readonly string[],
  clients: readonly ClientUnderTest[],
  stdio: Stdio,
): Promise<ReadonlyMap<string, EarlierJournal>> {
  const found = new Map<string, EarlierJournal>();
  for (const journal of journals) {
    const file = path.resolve(stdio.cwd, journal);
    const { extCID } = (await readAfterRun(file, journal, undefined)).afterRun.run.client;
    const client = clients.find((one) => one.extCID === extCID);
    if (!client) {
      throw new UsageError(
        `--after ${journal}: the journal belongs to the client ${extCID}, but this run judges ${clients.map((one) => one.extCID).join(', ')}. Nothing was sent.\nGive a journal of the same ExtCID: another client has other transactions.`,
      );
    }
    if (found.has(extCID)) {
      throw new UsageError(
        `--after ${journal}: only one journal of the client ${extCID} can be given. Nothing was sent.`,
      );
    }
    const { afterRun } = await readAfterRun(file, journal, client.integrationApiKey);
    found.set(extCID, { afterRun, ageMs: Math.max(0, Date.now() - Date.parse(afterRun.run.startedAt)) });
  }
  return found;
}
