/** The shares of what players do in a load test, in percent. */
export interface Mix {
  /** Rounds with two or three bets instead of one. */
  readonly severalBets: number;
  /** Rounds whose win is 0. */
  readonly zeroWins: number;
  /** Rounds that are played together with another round of the same player: their calls are sent at the same moment. */
  readonly simultaneousRounds: number;
  /** Pairs of bets that are sent at the same moment. Their sum is higher than the balance. */
  readonly wholeBalance: number;
  /** Free rounds of the configured campaign. If no campaign is configured, players play no free rounds. */
  readonly freeRounds: number;
  /** Calls that are sent twice at the same moment. Of the refunds, ten times as many. */
  readonly repeatsAtOnce: number;
  /** Accepted calls that are sent again some calls later. */
  readonly repeatsLater: number;
  /** Bets whose connection croupier closes before the reply comes. They are refunded. */
  readonly brokenBets: number;
  /** Wins whose connection croupier closes before the reply comes. They are sent again. Of the refunds, ten times as many. */
  readonly brokenWins: number;
  /** Refunds of broken bets that are sent at once, so that the refund may arrive before the bet. */
  readonly overtakingRefunds: number;
  /** Rounds with a balance call between bet and win. */
  readonly reads: number;
}

/** A mix as on a real day, but with more simultaneous calls, because simultaneous calls find most faults. */
export const DEFAULT_MIX: Mix = {
  severalBets: 20,
  zeroWins: 60,
  simultaneousRounds: 50,
  wholeBalance: 1,
  freeRounds: 3,
  repeatsAtOnce: 2,
  repeatsLater: 2,
  brokenBets: 2,
  brokenWins: 1,
  overtakingRefunds: 50,
  reads: 10,
};
