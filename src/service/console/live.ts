import { Money } from '../../contract/money.ts';
import type { ListenReply } from '../../listen/message.ts';
import type { Fault } from '../adapter/faults.ts';
import { betLinesOf, formatAmount } from '../bet-lines.ts';
import { eventStream } from '../event-stream.ts';
import { type LoggedExchange, MAX_EXCHANGES } from '../exchange-log.ts';
import type { Feed } from '../feed.ts';
import { viewOfRecord } from '../game-page/round-view.ts';
import type { ServiceParts } from '../service-parts.ts';
import { rowOf, sessionOf } from './exchange-rows.ts';
import type { ConsoleState, SessionRow } from './view.ts';

/** The milliseconds to wait for further events, which are then sent together. */
const BATCH_MS = 120;
/** The maximum number of rows in each list. */
const MAX_ROWS = 100;

/**
 * Returns the event stream of a console page: first all exchanges and the state, then every change.
 *
 * @param actions publishes the actions of all open consoles
 * @param closing ends the stream
 */
export function liveEvents(parts: ServiceParts, actions: Feed<void>, closing: AbortSignal): ListenReply {
  const { log, roundFeed, sleep } = parts;
  const changed = new Map<number, LoggedExchange>(log.recent().map((exchange) => [exchange.id, exchange]));
  return eventStream({
    subscribe: (wake) => {
      const ends = [
        log.subscribe((exchange) => {
          changed.set(exchange.id, exchange);
          // A page that does not read its events must not keep more exchanges in memory than the log does.
          const [oldest] = changed.keys();
          if (changed.size > MAX_EXCHANGES && oldest !== undefined) changed.delete(oldest);
          wake();
        }),
        roundFeed.subscribe(wake),
        actions.subscribe(wake),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    take: () => {
      const rows = [...changed.values()].map((exchange) => rowOf(exchange, sessionOf(parts, exchange)));
      changed.clear();
      return [
        { name: 'exchanges', data: rows },
        { name: 'state', data: stateOf(parts) },
      ];
    },
    closing,
    sleep,
    batchMs: BATCH_MS,
  });
}

/** Returns the current sessions, rounds, owed calls and faults. */
function stateOf({ sessions, adapter, faults, clock }: ServiceParts): ConsoleState {
  const all = sessions.all();
  const owed = adapter.owed();
  return {
    now: clock(),
    sessions: all
      .slice(-MAX_ROWS)
      .toReversed()
      .map((session): SessionRow => {
        const { gsID, extCID, sessionID, player, currency, gameID, demo, openedAt, expiresAt } = session;
        const stakes = betLinesOf(currency).map(({ maxBet }) => formatAmount(maxBet, currency));
        const expired = sessions.isExpired(session);
        return { gsID, extCID, sessionID, player, currency, gameID, demo, openedAt, expiresAt, expired, stakes };
      }),
    rounds: adapter
      .rounds()
      .slice(-MAX_ROWS)
      .toReversed()
      .map((record) => {
        const { gsID, player, gameID, currency, free } = record;
        const { roundID, at, stake, prize, state, payout } = viewOfRecord(record);
        return { roundID, gsID, player, gameID, currency, at, stake, prize, state, frID: free?.frID ?? null, payout };
      }),
    owed: owed
      .slice(0, MAX_ROWS)
      .map(({ id, call, gsID, player, amount, currency, roundID, attempts, nextTryAt, trouble }) => ({
        txID: id,
        amount: formatAmount(Money.of(amount), currency),
        call,
        gsID,
        player,
        currency,
        roundID,
        attempts,
        nextTryAt,
        trouble,
      })),
    faults: faults.pending.map(({ id, call, gsID, fault }) => ({ id, call, gsID, text: textOf(fault) })),
    counts: { sessions: all.length, owed: owed.length },
  };
}

function textOf(fault: Fault): string {
  switch (fault.kind) {
    case 'delay':
      return `leaves ${fault.ms} ms late`;
    case 'drop':
      return 'loses its connection';
    case 'repeat':
      return 'is sent twice';
    case 'sign-wrongly':
      return 'is signed wrongly';
    case 'refund-first':
      return 'is refunded before it is sent';
  }
}
