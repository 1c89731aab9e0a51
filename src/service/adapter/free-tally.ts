/** What one player has had of one campaign. */
export interface FreeTally {
  readonly frID: string;
  readonly extCID: string;
  readonly player: string;
  /** The one game in which the player uses the campaign: the first that a free round was begun in. */
  readonly gameID: string;
  /** How many free rounds the player may have. */
  readonly quantity: number;
  /** Free rounds whose bet is accepted, or still in doubt. */
  readonly used: number;
  /** The sum of the free wins so far, in the main unit. */
  readonly won: string;
  /** The round that was accepted last. It stays open, because the withdrawal is made in it. */
  readonly lastRoundID: string | null;
  /** The withdrawal was placed. */
  readonly withdrawn: boolean;
}

/** Identifies a tally. */
export function tallyKey({ frID, extCID, player }: Pick<FreeTally, 'frID' | 'extCID' | 'player'>): string {
  return JSON.stringify([frID, extCID, player]);
}
