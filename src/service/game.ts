/** A game of the catalogue. All are played in all currencies and locales, and with free rounds. */
export interface Game {
  readonly id: string;
  /** In English. */
  readonly title: string;
  /** How much of all bets is won back in the long run, in whole per cent. */
  readonly rtp: number;
}
