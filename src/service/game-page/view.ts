/** What the game page shows. Amounts are decimal texts in the currency's main unit, as they are to be read. */
export interface GameView {
  /** Grows with each view, also over restarts of the service: the page goes by the greatest. */
  readonly version: number;
  readonly gsID: string;
  readonly game: {
    readonly id: string;
    readonly title: string;
    /** Where its colour is on the wheel, in degrees. */
    readonly hue: number;
    /** What a round may multiply the stake by, smallest first. */
    readonly multipliers: readonly string[];
  };
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly demo: boolean;
  /** null: not known, or it could not be read; `trouble` says why. */
  readonly balance: string | null;
  /** What the operator said when the balance could not be read. Not to be used as markup. */
  readonly trouble: string | null;
  /** What can be staked, smallest first. */
  readonly stakes: readonly string[];
  /** The stake to begin with. */
  readonly usualStake: string;
  /** Free rounds that are played before money is; null when there are none. */
  readonly free: FreeView | null;
  /** The latest first. */
  readonly rounds: readonly RoundView[];
  /** A round is being played at this moment. */
  readonly playing: boolean;
  readonly expired: boolean;
  /** Milliseconds from now on. */
  readonly expiresInMs: number;
  /** http or https, or null. */
  readonly returnUrl: string | null;
  /** http or https, or null. */
  readonly depositUrl: string | null;
}

export interface FreeView {
  readonly left: number;
  /** What each bets. */
  readonly amount: string;
  /** What they won so far. */
  readonly won: string;
}

export interface RoundView {
  readonly roundID: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly stake: string;
  readonly state: RoundState;
  /** What was won; null while the bet isn't accepted. */
  readonly prize: string | null;
  /** Something was won. */
  readonly isWin: boolean;
  /** By what the stake was multiplied; null where that isn't known. */
  readonly multiplier: string | null;
  readonly free: boolean;
  /** What a whole campaign of free rounds brought, if this was its last round. */
  readonly payout: { readonly amount: string; readonly paid: boolean } | null;
  /** What the operator said when it did not do what it was asked. Not to be used as markup. */
  readonly message: string | null;
  /** The operator's error code. */
  readonly code: string | null;
}

/**
 * Where a round is: the bet or the first try of the win is under way; the bet was declined; declined, and its stake is being given
 * back, or was; the win is still owed; all is done.
 */
export type RoundState = 'playing' | 'declined' | 'returning' | 'returned' | 'paying' | 'settled';
