import type { Received, Sending } from '../journal/event.ts';
import type { OpenJournal } from './options.ts';

/** One exchange as the journal tells it: what was sent, and what came of it, if that was still written down. */
export interface JournalledExchange {
  readonly sending: Sending;
  readonly received: Received | null;
}

/** Looks up some exchanges of a journal by their ids. */
export async function findExchanges(
  open: OpenJournal,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, JournalledExchange>> {
  const found = new Map<string, JournalledExchange>();
  if (wanted.size === 0) return found;
  let missing = wanted.size;
  for await (const event of open()) {
    if (event.event === 'sending' && wanted.has(event.id)) {
      found.set(event.id, { sending: event, received: null });
    } else if (event.event === 'received') {
      const exchange = found.get(event.id);
      if (!exchange) continue;
      found.set(event.id, { ...exchange, received: event });
      missing -= 1;
      if (missing === 0) break;
    }
  }
  return found;
}

/** All exchanges of a journal, each when its reply came; those without one at the end. Holds only what is in flight. */
export async function* eachExchange(open: OpenJournal): AsyncGenerator<JournalledExchange> {
  const inFlight = new Map<string, Sending>();
  for await (const event of open()) {
    if (event.event === 'sending') inFlight.set(event.id, event);
    else if (event.event === 'received') {
      const sending = inFlight.get(event.id);
      if (!sending) continue;
      inFlight.delete(event.id);
      yield { sending, received: event };
    }
  }
  for (const sending of inFlight.values()) yield { sending, received: null };
}
