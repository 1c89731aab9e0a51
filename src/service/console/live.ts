import { Money } from '../../contract/money.ts';
import type { ListenReply } from '../../listen/message.ts';
import type { Fault } from '../adapter/faults.ts';
import type { RoundRecord } from '../adapter/round-record.ts';
import { betLinesOf, formatAmount, USUAL_LINE } from '../bet-lines.ts';
import type { DemoRound } from '../demo-rounds.ts';
import { eventStream } from '../event-stream.ts';
import { type LoggedExchange, MAX_EXCHANGES, type ReplyFaultKind } from '../exchange-log.ts';
import type { Feed } from '../feed.ts';
import { viewOfPlayed, viewOfRecord } from '../game-page/round-view.ts';
import type { ServiceParts } from '../service-parts.ts';
import { brokenByRound, rowOf, sessionOf } from './exchange-rows.ts';
import type { OperatorControls } from './operator-controls.ts';
import type { ConsoleState, FaultRow, RoundRow, SessionRow } from './view.ts';

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
export function liveEvents(
  parts: ServiceParts,
  operator: OperatorControls | undefined,
  actions: Feed<void>,
  closing: AbortSignal,
): ListenReply {
  const { log, roundFeed, demoRounds, sleep } = parts;
  const changed = new Map<number, LoggedExchange>(log.recent().map((exchange) => [exchange.id, exchange]));
  return eventStream({
    subscribe: (wake) => {
      const ends = [
        log.subscribe((exchange) => {
          changed.set(exchange.id, exchange);
          // A page may read its events too slowly. The events that wait for this page must not need more memory than the log. So
          // the oldest events are dropped.
          const [oldest] = changed.keys();
          if (changed.size > MAX_EXCHANGES && oldest !== undefined) changed.delete(oldest);
          wake();
        }),
        roundFeed.subscribe(wake),
        demoRounds.subscribe(wake),
        ...(operator ? [operator.subscribe(wake)] : []),
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
        { name: 'state', data: stateOf(parts, operator) },
      ];
    },
    closing,
    sleep,
    batchMs: BATCH_MS,
  });
}

/** Returns the current sessions, rounds, owed calls and faults. */
function stateOf(
  { log, sessions, adapter, demoRounds, faults, clock }: ServiceParts,
  operator: OperatorControls | undefined,
): ConsoleState {
  const all = sessions.all();
  const owed = adapter.owed();
  const broken = brokenByRound(log.recent());
  return {
    now: clock(),
    sessions: all
      .slice(-MAX_ROWS)
      .toReversed()
      .map((session): SessionRow => {
        const { gsID, extCID, sessionID, player, currency, gameID, demo, openedAt, expiresAt } = session;
        const stakes = betLinesOf(currency).map(({ maxBet }) => formatAmount(maxBet, currency));
        const expired = sessions.isExpired(session);
        const usualStake = stakes[USUAL_LINE] ?? stakes[0] ?? '';
        return {
          gsID,
          extCID,
          sessionID,
          player,
          currency,
          gameID,
          demo,
          openedAt,
          expiresAt,
          expired,
          stakes,
          usualStake,
        };
      }),
    rounds: [
      ...adapter
        .rounds()
        .slice(-MAX_ROWS)
        .map((record) => rowOfRecord(record, broken.get(record.round.roundID) ?? [])),
      ...demoRounds.recent().map(rowOfDemo),
    ]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, MAX_ROWS),
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
    faults: [
      ...faults.pending.map(
        ({ id, call, gsID, fault }): FaultRow => ({ id, of: 'call', call, gsID, sessionID: null, text: textOf(fault) }),
      ),
      ...(operator?.waiting() ?? []).map(
        ({ id, call, sessionID, kind }): FaultRow => ({
          id,
          of: 'reply',
          call,
          gsID: null,
          sessionID,
          text: REPLY_TEXTS[kind],
        }),
      ),
    ],
    operator: operator
      ? {
          wallets: operator.wallets(),
          defects: operator.defects().flatMap(({ name, isOn }) => (isOn ? [name] : [])),
        }
      : null,
    counts: { sessions: all.length, owed: owed.length },
  };
}

function rowOfRecord(record: RoundRecord, broken: readonly string[]): RoundRow {
  const { gsID, player, gameID, currency, free } = record;
  const { roundID, at, stake, prize, state, payout } = viewOfRecord(record);
  const frID = free?.frID ?? null;
  return { roundID, gsID, player, gameID, currency, at, stake, prize, state, frID, payout, demo: false, broken };
}

function rowOfDemo({ session, played, at }: DemoRound): RoundRow {
  const { gsID, player, gameID, currency } = session;
  const { roundID, stake, prize, state } = viewOfPlayed(played, undefined, { at, currency, free: false });
  return {
    roundID,
    gsID,
    player,
    gameID,
    currency,
    at,
    stake,
    prize,
    state,
    frID: null,
    payout: null,
    demo: true,
    broken: [],
  };
}

const REPLY_TEXTS: Readonly<Record<ReplyFaultKind, string>> = {
  'error-500': 'is answered 500',
  late: 'is answered late',
  declined: 'is declined',
};

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
