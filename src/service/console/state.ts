import { Money } from '../../contract/money.ts';
import type { Fault } from '../adapter/faults.ts';
import { betLinesOf, written } from '../bet-lines.ts';
import { viewOfRecord } from '../game-page/round-view.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { ConsoleState, SessionRow } from './view.ts';

/** The maximum number of rows in each list. */
const MAX_ROWS = 100;

/** The sessions, rounds, debts and faults at this moment. */
export function stateOf({ sessions, adapter, faults, clock }: ServiceParts): ConsoleState {
  const all = sessions.all();
  const owed = adapter.owed();
  return {
    now: clock(),
    sessions: all
      .slice(-MAX_ROWS)
      .toReversed()
      .map((session): SessionRow => {
        const { gsID, extCID, sessionID, player, currency, gameID, demo, openedAt, expiresAt } = session;
        const stakes = betLinesOf(currency).map(({ maxBet }) => written(maxBet, currency));
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
        amount: written(Money.of(amount), currency),
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
