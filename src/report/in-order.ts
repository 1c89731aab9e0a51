import type { JournalEvent } from '../journal/event.ts';
import type { JournalledExchange } from './evidence.ts';
import type { OpenJournal } from './options.ts';

/**
 * All exchanges of a journal in the order in which they were sent. Holds what is in flight, and what was answered before a call
 * that was sent earlier.
 *
 * @param watch hears of every event as it is read
 */
export async function* sentExchanges(
  open: OpenJournal,
  watch: (event: JournalEvent) => void = () => {},
): AsyncGenerator<JournalledExchange> {
  const waiting = new Map<number, JournalledExchange>();
  const places = new Map<string, number>();
  let sent = 0;
  for await (const event of open()) {
    watch(event);
    if (event.event === 'sending') {
      sent += 1;
      waiting.set(sent, { sending: event, received: null });
      places.set(event.id, sent);
    } else if (event.event === 'received') {
      const place = places.get(event.id);
      const exchange = place === undefined ? undefined : waiting.get(place);
      if (place === undefined || !exchange) continue;
      places.delete(event.id);
      waiting.set(place, { ...exchange, received: event });
      for (const [first, oldest] of waiting) {
        if (oldest.received === null) break;
        waiting.delete(first);
        yield oldest;
      }
    }
  }
  yield* waiting.values();
}
