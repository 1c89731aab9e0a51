import { Money } from '../../contract/money.ts';
import type { PlayedRound } from '../adapter/play.ts';
import type { RoundRecord } from '../adapter/round-record.ts';
import { formatAmount } from '../bet-lines.ts';
import type { RoundState, RoundView } from './view.ts';

/** The maximum number of characters of an operator's message that are shown. */
const MAX_MESSAGE = 500;

/**
 * Returns the view of a stored round. The store keeps neither the multiplier nor the message of a round, so the new view copies
 * both from the previous view.
 */
export function viewOfRecord(record: RoundRecord, before?: RoundView): RoundView {
  const { round, plannedWin, free, currency, openedAt } = record;
  const stake = round.bets.reduce((sum, { request }) => sum.plus(Money.of(request.amount)), Money.zero);
  const state = stateOf(record);
  const prize = state === 'settled' || state === 'paying' ? (plannedWin ?? wonIn(record)) : null;
  const withdrawal = round.wins.find(({ request }) => request.type === 'regular' && request.frID !== undefined);
  return {
    roundID: round.roundID,
    at: openedAt,
    stake: formatAmount(stake, currency),
    state,
    prize: prize === null ? null : formatAmount(Money.of(prize), currency),
    isWin: prize !== null && !Money.of(prize).isZero(),
    multiplier: before?.multiplier ?? null,
    free: free !== null,
    payout: withdrawal
      ? { amount: formatAmount(Money.of(withdrawal.request.amount), currency), paid: withdrawal.status === 'settled' }
      : null,
    // When the round is settled, the player no longer needs the message of an earlier failure.
    message: state === 'settled' ? null : (before?.message ?? null),
    code: state === 'settled' ? null : (before?.code ?? null),
  };
}

/**
 * Returns the view of a round that has just been played.
 *
 * @param record the stored round; undefined for a demo round
 */
export function viewOfPlayed(played: PlayedRound, record: RoundRecord | undefined, terms: PlayedTerms): RoundView {
  const { roundID, multiplier, bet, win } = played;
  const failure = bet.kind === 'declined' ? bet : win?.kind === 'pending' ? win : undefined;
  const words = {
    multiplier: bet.kind === 'accepted' ? multiplier : null,
    message: failure ? failure.message.slice(0, MAX_MESSAGE) : null,
    code: failure?.code ?? null,
  };
  const { at, currency, free } = terms;
  const prize = bet.kind === 'accepted' ? played.prize : null;
  const shown: RoundView = {
    roundID,
    at,
    stake: formatAmount(Money.of(played.stake), currency),
    state: bet.kind === 'accepted' ? 'settled' : 'declined',
    prize: prize === null ? null : formatAmount(Money.of(prize), currency),
    isWin: prize !== null && !Money.of(prize).isZero(),
    free,
    payout: null,
    ...words,
  };
  return record ? viewOfRecord(record, shown) : shown;
}

/** The properties of a played round that its result does not contain. */
interface PlayedTerms {
  /** The time when the round was played, in milliseconds since 1970. */
  readonly at: number;
  readonly currency: string;
  readonly free: boolean;
}

/** Returns the state of a round, which depends on its last bet and its wins. */
function stateOf({ round }: RoundRecord): RoundState {
  const status = round.bets.at(-1)?.status;
  switch (status) {
    case undefined:
    case 'sent':
      return 'playing';
    case 'declined':
      return 'declined';
    case 'refund-owed':
    case 'refund-pending':
      return 'returning';
    case 'refunded':
      return 'returned';
    case 'accepted':
      if (round.wins.some((win) => win.status === 'pending')) return 'paying';
      return round.wins.length > 0 && round.wins.every((win) => win.status === 'settled') ? 'settled' : 'playing';
  }
}

function wonIn({ round }: RoundRecord): string {
  return round.wins
    .filter(({ request }) => request.type === 'free' || request.frID === undefined)
    .reduce((sum, { request }) => sum.plus(Money.of(request.amount)), Money.zero)
    .format();
}
