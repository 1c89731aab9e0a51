import { createReadStream } from 'node:fs';
import type { JournalEvent } from '../journal/event.ts';
import { complaintAboutEvent } from '../journal/event-schema.ts';
import { JournalError, readJournal } from '../journal/read.ts';
import { whyUnreadable } from './configuration.ts';
import { UsageError } from './usage-error.ts';

/**
 * The events of a journal that somebody named, every one checked; also of one that a kill has torn.
 *
 * @param shown how messages name the file
 * @throws UsageError when it can't be read, or is no journal that this croupier reads
 */
export async function* journalEvents(file: string, shown: string): AsyncGenerator<JournalEvent> {
  try {
    yield* readJournal(createReadStream(file, 'utf8'), complaintAboutEvent);
  } catch (error) {
    if (error instanceof JournalError) throw new UsageError(`${shown}: ${error.message}`, { cause: error });
    if (error instanceof Error && 'syscall' in error) {
      throw new UsageError(`The journal can't be read: ${shown}: ${whyUnreadable(error)}.`, { cause: error });
    }
    throw error;
  }
}
