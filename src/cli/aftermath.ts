import { Aftermath } from '../engine/aftermath.ts';
import { signedBy } from '../engine/signed-by.ts';
import type { Received, Sending } from '../journal/event.ts';
import { journalEvents } from './journal-events.ts';

/** What a run left behind, now that nobody waits for its answers any more. */
export interface Left {
  readonly aftermath: Aftermath;
  /** What its journal lacks: that calls had no answer. */
  readonly unanswered: readonly Received[];
}

/**
 * What the run of a journal left behind.
 *
 * @param shown how messages name the file
 * @param key tells calls that were signed wrongly on purpose, which move nothing; undefined: every call counts
 * @throws UsageError when it can't be read, or is no journal that this croupier reads
 */
export async function readAftermath(file: string, shown: string, key: string | undefined): Promise<Left> {
  const aftermath = new Aftermath({ signedRight: await signatureTest(file, shown, key) });
  for await (const event of journalEvents(file, shown)) aftermath.add(event);
  return { aftermath, unanswered: aftermath.giveUp('croupier ended before an answer came') };
}

/** When the key has been changed since the run, wrong signatures can't be told any more, and every call counts. */
async function signatureTest(
  file: string,
  shown: string,
  key: string | undefined,
): Promise<(sending: Sending) => boolean> {
  const isRight = key === undefined ? () => true : signedBy(key);
  for await (const event of journalEvents(file, shown)) {
    // A run begins with a read that is as it should be.
    if (event.event === 'sending') return isRight(event) ? isRight : () => true;
  }
  return isRight;
}
