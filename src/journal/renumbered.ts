import type { JournalEvent } from './event.ts';
import type { Exchange } from './exchange.ts';

/** By how much what is counted within one run goes on where another ended. */
export interface Offset {
  /** Of the numbers in the ids of exchanges. */
  readonly exchanges: number;
  /** Of the ids of connections. */
  readonly connections: number;
  /** Of all moments, in ms. */
  readonly ms: number;
}

const ID = /^x(\d+)$/;

/** The number in the id of an exchange; 0 for what is none of croupier's. */
export function numberOfExchange(id: string): number {
  return Number(ID.exec(id)?.[1] ?? 0);
}

/** An event as it stands in a journal that holds those of another run before it. */
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
    case 'scenario-ended':
    case 'blamed':
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
