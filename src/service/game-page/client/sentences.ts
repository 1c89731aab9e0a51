import type { RoundView } from '../view.ts';
import type { Texts } from './texts/texts.ts';

/** A message about a round. */
export interface Sentence {
  readonly title: string;
  readonly text: string;
  readonly tone: 'calm' | 'good' | 'bad' | 'waiting';
}

/**
 * Returns the message about the latest round.
 *
 * @param before the state of the round in the previous message
 */
export function outcomeOf(round: RoundView, currency: string, texts: Texts, before?: RoundView['state']): Sentence {
  const { title, text, tone } = withoutPayout(round, currency, texts, before);
  const { payout } = round;
  if (payout === null) return { title, text, tone };
  const sum = `${payout.amount} ${currency}`;
  return { title, text: `${text} ${payout.paid ? texts.freePaid(sum) : texts.freePaying(sum)}`.trim(), tone };
}

function withoutPayout(
  round: RoundView,
  currency: string,
  texts: Texts,
  before: RoundView['state'] | undefined,
): Sentence {
  const { prize, isWin } = round;
  const won = `${prize ?? ''} ${currency}`;
  const stake = `${round.stake} ${currency}`;
  switch (round.state) {
    case 'playing':
      return { title: texts.playing, text: '', tone: 'calm' };
    case 'settled':
      if (!isWin) return { title: texts.nothingWon, text: '', tone: 'calm' };
      return {
        title: before === 'paying' ? texts.winPaid(won) : texts.won(won),
        text: originOfWin(round, texts),
        tone: 'good',
      };
    case 'paying':
      if (!isWin) return { title: texts.nothingWon, text: texts.confirming, tone: 'waiting' };
      return { ...texts.paying(won), tone: 'waiting' };
    case 'declined':
      return { title: texts.declined, text: texts.nothingStaked, tone: 'bad' };
    case 'returning':
      return { title: texts.unconfirmed, text: texts.stakeReturning(stake), tone: 'waiting' };
    case 'returned':
      return { title: texts.unconfirmed, text: texts.stakeReturned(stake), tone: 'bad' };
  }
}

function originOfWin({ multiplier, stake, free }: RoundView, texts: Texts): string {
  if (multiplier === null) return '';
  return free ? texts.winOfFreeRound(multiplier, stake) : texts.winOfStake(multiplier, stake);
}

/** Returns the state of a round in a few words, for the list of rounds. */
export function resultOf({ state, prize, isWin }: RoundView, { line }: Texts): string {
  switch (state) {
    case 'playing':
      return line.playing;
    case 'settled':
      return isWin ? line.won(prize ?? '') : line.nothingWon;
    case 'paying':
      return isWin ? line.paying(prize ?? '') : line.confirming;
    case 'declined':
      return line.declined;
    case 'returning':
      return line.returning;
    case 'returned':
      return line.returned;
  }
}
