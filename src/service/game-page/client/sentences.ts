import type { RoundView } from '../view.ts';

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
export function outcomeOf(round: RoundView, currency: string, before?: RoundView['state']): Sentence {
  const { title, text, tone } = plainly(round, currency, before);
  const { payout } = round;
  if (payout === null) return { title, text, tone };
  const paid = payout.paid ? 'was paid to you' : 'is being paid to you';
  const whole = `Your free rounds are over. The sum of their wins, ${payout.amount} ${currency}, ${paid}.`;
  return { title, text: `${text} ${whole}`.trim(), tone };
}

function plainly(round: RoundView, currency: string, before: RoundView['state'] | undefined): Sentence {
  const { stake, prize, isWin, multiplier } = round;
  const won = `${prize ?? ''} ${currency}`;
  const staked = round.free ? `a free round of ${stake}` : `a stake of ${stake}`;
  const how = multiplier === null ? '' : `${multiplier} times ${staked}.`;
  switch (round.state) {
    case 'playing':
      return { title: 'Playing…', text: '', tone: 'calm' };
    case 'settled':
      if (!isWin) return { title: 'Nothing won this time.', text: '', tone: 'calm' };
      return {
        title: before === 'paying' ? `Your win of ${won} is paid.` : `You won ${won}.`,
        text: how,
        tone: 'good',
      };
    case 'paying':
      if (!isWin) {
        return {
          title: 'Nothing won this time.',
          text: 'The operator has not confirmed the end of the round yet.',
          tone: 'waiting',
        };
      }
      return {
        title: `Your win of ${won} is being paid.`,
        text: 'The operator has not confirmed the win yet. It is sent again until the operator confirms it. You do not need to do anything.',
        tone: 'waiting',
      };
    case 'declined':
      return { title: 'The bet was declined.', text: 'Nothing was staked.', tone: 'bad' };
    case 'returning':
      return {
        title: 'The bet was declined.',
        text: `Your stake of ${stake} ${currency} is being returned.`,
        tone: 'waiting',
      };
    case 'returned':
      return { title: 'The bet was declined.', text: `Your stake of ${stake} ${currency} was returned.`, tone: 'bad' };
  }
}

/** Returns the state of a round in a few words, for the list of rounds. */
export function resultOf({ state, prize, isWin }: RoundView): string {
  switch (state) {
    case 'playing':
      return 'Playing';
    case 'settled':
      return isWin ? `Won ${prize}` : 'Nothing won';
    case 'paying':
      return isWin ? `${prize} is being paid` : 'Being confirmed';
    case 'declined':
      return 'Declined';
    case 'returning':
      return 'Declined, being returned';
    case 'returned':
      return 'Declined, returned';
  }
}
