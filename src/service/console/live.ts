import type { ListenReply } from '../../listen/message.ts';
import { eventStream } from '../event-stream.ts';
import type { LoggedExchange } from '../exchange-log.ts';
import type { Feed } from '../feed.ts';
import type { ServiceParts } from '../service-parts.ts';
import { playerOf, rowOf } from './exchange-rows.ts';
import { stateOf } from './state.ts';

/** Events within this many milliseconds are sent together. */
const GATHER_MS = 120;

/**
 * Sends a console the exchanges and the state, and then every change.
 *
 * @param acted the actions of this console and others
 * @param closing ends the stream
 */
export function liveEvents(parts: ServiceParts, acted: Feed<void>, closing: AbortSignal): ListenReply {
  const { log, roundFeed, sleep } = parts;
  const changed = new Map<number, LoggedExchange>(log.recent().map((exchange) => [exchange.id, exchange]));
  return eventStream({
    subscribe: (wake) => {
      const ends = [
        log.subscribe((exchange) => {
          changed.set(exchange.id, exchange);
          wake();
        }),
        roundFeed.subscribe(wake),
        acted.subscribe(wake),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    take: () => {
      const rows = [...changed.values()].map((exchange) => rowOf(exchange, playerOf(parts, exchange)));
      changed.clear();
      return [
        { name: 'exchanges', data: rows },
        { name: 'state', data: stateOf(parts) },
      ];
    },
    closing,
    sleep,
    gatherMs: GATHER_MS,
  });
}
