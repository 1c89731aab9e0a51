import type { JournalEvent } from './event.ts';
import type { Exchange } from './exchange.ts';

/**
 * These numbers are added to the ids and times in the events of a run, when the events are appended to the journal of an earlier
 * run.
 */
export interface Offset {
  /** Number that is added to the number in each exchange id. */
  readonly exchanges: number;
  /** Number that is added to each connection id. */
  readonly connections: number;
  /** Milliseconds that are added to each stamp. */
  readonly ms: number;
}

const ID = /^x(\d+)$/;

/** Returns the number in the id of an exchange, or 0 if croupier did not make the id. */
export function numberOfExchange(id: string): number {
  return Number(ID.exec(id)?.[1] ?? 0);
}

/** Returns an event with new ids and stamps, so that it can be appended to a journal with the events of another run. */
export function renumbered(event: JournalEvent, { exchanges, connections, ms }: Offset): JournalEvent {
  const idOf = (id: string): string => (ID.test(id) ? `x${numberOfExchange(id) + exchanges}` : `${id}+${exchanges}`);
  switch (event.event) {
    case 'scenario-started':
      return { ...event, at: event.at + ms };
    case 'sending':
      return { ...event, id: idOf(event.id) };
    case 'received': {
      const { connection, stamps } = event;
      return {
        ...event,
        id: idOf(event.id),
        stamps: shifted(stamps, ms),
        connection: connection && { ...connection, id: connection.id + connections },
      };
    }
    case 'race':
      return { ...event, exchanges: event.exchanges.map(idOf), barrier: event.barrier + ms };
    case 'finding': {
      const { exchange } = event.finding;
      return exchange === null ? event : { ...event, finding: { ...event.finding, exchange: idOf(exchange) } };
    }
    case 'run-started':
    case 'notice':
    case 'owed':
    case 'balance-owed':
    case 'owed-known':
    case 'scenario-ended':
    case 'blamed':
    case 'moved-alone':
    case 'intermittent':
    case 'wrong-sum':
    case 'run-ended':
      return event;
  }
}

function shifted(stamps: Exchange['stamps'], ms: number): Exchange['stamps'] {
  const at = (stamp: number | null): number | null => (stamp === null ? null : stamp + ms);
  const { start, resolved, connected, secured, sent, firstByte, end } = stamps;
  return {
    start: start + ms,
    resolved: at(resolved),
    connected: at(connected),
    secured: at(secured),
    sent: at(sent),
    firstByte: at(firstByte),
    end: end + ms,
  };
}
