import { randomUUID } from 'node:crypto';
import { AfterRun } from '../../engine/after/after-run.ts';
import { sessionOfSending } from '../../engine/after/past-call.ts';
import { settleRun } from '../../engine/after/settle.ts';
import type { JournalFile } from '../../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { LoadFacts } from '../../journal/load/result.ts';
import { processNow } from '../../wire/clock.ts';
import { journalEvents } from '../journal-files.ts';
import type { RunSettings } from '../run/settings.ts';
import type { LostWorker, WorkersEnd } from './load-workers.ts';

/** Time limit for the calls that a lost worker owes, in milliseconds. */
const TIME_MS = 30_000;

/**
 * Settles the players of workers that ended before their result, as `croupier settle` does: refunds their bets without a reply,
 * sends their wins again, completes their rounds and restores their balances. The calls of other workers are left out.
 *
 * @returns the lost workers, each with the result for its players
 */
export async function settleLost(
  lost: WorkersEnd['lost'],
  { client, settings, written }: { client: ClientUnderTest; settings: RunSettings; written: JournalFile },
): Promise<LoadFacts['load']['workers']['lost']> {
  if (lost.length === 0) return [];
  // If the workers were on other machines, another worker has already tried to settle their players.
  if (lost.every(({ isSettled }) => isSettled !== undefined))
    return lost.map((one) => ({ players: playersOf(one), reason: one.reason, isSettled: one.isSettled === true }));
  const sessions = new Set(lost.flatMap(({ wallets }) => wallets.flatMap((wallet) => wallet.sessions)).map(idOf));
  const afterRun = new AfterRun({ signedRight: () => true });
  for await (const event of journalEvents(written.path, written.path)) {
    if (event.event === 'sending' && !sessions.has(sessionOfSending(event) ?? '')) continue;
    afterRun.add(event);
  }
  const settled = await settleRun({
    ...settings,
    client,
    afterRun,
    unanswered: afterRun.giveUp('the worker ended before an answer came'),
    timeMs: TIME_MS,
    record: (event) => written.append(event),
    signal: new AbortController().signal,
    uuid: randomUUID,
    now: processNow,
  });
  const isSettled = settled.every(({ done }) => done);
  return lost.map((one) => ({ players: playersOf(one), reason: one.reason, isSettled }));
}

function playersOf({ wallets }: LostWorker): string[] {
  return wallets.map(({ player }) => player);
}

function idOf({ sessionID }: { readonly sessionID: string }): string {
  return sessionID;
}
