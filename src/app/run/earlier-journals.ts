import { statSync } from 'node:fs';
import path from 'node:path';
import { AfterRun } from '../../engine/after/after-run.ts';
import { type Debts, debtsOf } from '../../engine/after/debts.ts';
import type { EarlierJournal } from '../../engine/after/earlier-run.ts';
import { signedBy } from '../../engine/after/past-call.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import {
  isOfEmbeddedOperator,
  type JournalEvent,
  type Received,
  type RunStarted,
  type Sending,
} from '../../journal/event.ts';
import { quoteWord } from '../../report/curl.ts';
import { UsageError } from '../exit-status.ts';
import { journalEvents, runningWriter } from '../journal-files.ts';
import { fileForClient } from '../report-files.ts';
import type { Stdio } from '../stdio.ts';

/** The state of players and transactions at the end of an earlier run. */
export interface Left {
  readonly afterRun: AfterRun;
  /** For each call whose `received` event is missing in the journal: an event which says that no reply came. */
  readonly unanswered: readonly Received[];
}

/**
 * Reads from a journal in which state its run left players and transactions.
 *
 * @param shown the file's name in messages
 * @param key the key of the client. It shows which calls were signed wrongly on purpose, so that they moved no money.
 * Undefined: every call counts as signed correctly
 * @throws UsageError when the file can't be read, or is not a journal of a supported version
 */
export async function readAfterRun(file: string, shown: string, key: string | undefined): Promise<Left> {
  const afterRun = new AfterRun({ signedRight: await signatureTest(file, shown, key) });
  for await (const event of journalEvents(file, shown)) afterRun.add(event);
  return { afterRun, unanswered: afterRun.giveUp('croupier ended before an answer came') };
}

/**
 * Refuses to overwrite the journal of a run that still owes something, because `croupier settle` needs it. For a run against
 * the embedded operator, the journal may be overwritten, because the money of this operator ended with its process.
 *
 * @param name the file's name as the user wrote it
 * @param key the key of the client. It shows which calls were signed wrongly, so that they moved no money. Undefined if it is
 * not known
 * @throws UsageError that names the command which settles
 */
export async function refuseOwingJournal(name: string, key: string | undefined, cwd: string): Promise<void> {
  const file = path.resolve(cwd, name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const owed = await owedBy(file, name, key);
  if (owed === 0) return;
  throw new UsageError(
    `${name} is the journal of an earlier run that still owes ${owed === 1 ? '1 call or balance' : `${owed} calls or balances`}, so it is not overwritten. Nothing was sent.\nSettle it with: croupier settle ${quoteWord(name)}\nOr name another file.`,
  );
}

/** Does {@link refuseOwingJournal} for the journal of each client. @param journal the value of `--journal` */
export async function refuseOwingJournals(
  journal: string,
  clients: readonly ClientUnderTest[],
  cwd: string,
): Promise<void> {
  for (const { extCID, integrationApiKey } of clients)
    await refuseOwingJournal(fileForClient(journal, extCID), integrationApiKey, cwd);
}

/**
 * Returns the number of items that the run of a journal owes. A file that is no journal owes nothing.
 *
 * @param key the key of the client; undefined if it is not known. Then every call counts as signed correctly, so the number may
 * be too high
 */
export async function owedBy(file: string, shown: string, key: string | undefined): Promise<number> {
  let begun: RunStarted | undefined;
  try {
    for await (const event of journalEvents(file, shown)) {
      if (event.event === 'run-started') begun = event;
      break;
    }
    if (!begun || begun.source === 'proxy' || isOfEmbeddedOperator(begun)) return 0;
    const { afterRun } = await readAfterRun(file, shown, key);
    // A run that is still active owes nothing yet. The caller refuses its journal with another message.
    return afterRun.ended || runningWriter(file, begun) === undefined ? countOf(debtsOf(afterRun)) : 0;
  } catch (error) {
    if (error instanceof UsageError) return 0;
    throw error;
  }
}

/** Returns the number of items that a run owes whose process has ended. Every call counts as signed correctly. */
export async function owedIn(events: AsyncIterable<JournalEvent>): Promise<number> {
  const afterRun = new AfterRun({ signedRight: () => true });
  for await (const event of events) afterRun.add(event);
  afterRun.giveUp('the run ended before an answer came');
  return countOf(debtsOf(afterRun));
}

function countOf({ calls, balances }: Debts): number {
  return calls.length + balances.length;
}

/**
 * Returns a function that says whether a call was signed correctly. If the key was changed after the run, this function returns
 * true for every call.
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
 * Reads the journals that `--after` names. The keys of the result are the ExtCIDs of their clients.
 *
 * @throws UsageError if a journal can't be read or belongs to another client, or if two journals belong to the same client
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
        `--after ${journal}: the journal belongs to the client ${extCID}, but this run judges ${clients.map((one) => one.extCID).join(', ')}. Nothing was sent.\nGive a journal of the same ExtCID, because another client has other transactions.`,
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
