/** The content of the game page. Amounts are decimal texts in the currency's main unit. */
export interface GameView {
  /** Grows with each view, also over restarts of the service. The page ignores views older than the one it shows. */
  readonly version: number;
  readonly gsID: string;
  readonly game: {
    readonly id: string;
    readonly title: string;
    /** The hue of its colour, in degrees. */
    readonly hue: number;
    /** The multipliers of the paytable, smallest first. */
    readonly multipliers: readonly string[];
  };
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly demo: boolean;
  /** null: not read yet, or it could not be read; `trouble` says why. */
  readonly balance: string | null;
  /** The operator's message when the balance could not be read. Not to be used as markup. */
  readonly trouble: string | null;
  /** The stakes that are offered, smallest first. */
  readonly stakes: readonly string[];
  /** The stake to begin with. */
  readonly usualStake: string;
  /** Free rounds, which are played first; null when there are none. */
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
  /** The bet of each. */
  readonly amount: string;
  /** The sum of the wins so far. */
  readonly won: string;
}

export interface RoundView {
  readonly roundID: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly stake: string;
  readonly state: RoundState;
  /** The win; null while the bet isn't accepted. */
  readonly prize: string | null;
  /** Whether the win is more than 0. */
  readonly isWin: boolean;
  /** The multiplier of the stake; null where it isn't known. */
  readonly multiplier: string | null;
  readonly free: boolean;
  /** The sum of a campaign's free wins, if this was its last round. */
  readonly payout: { readonly amount: string; readonly paid: boolean } | null;
  /** The operator's message when a call failed. Not to be used as markup. */
  readonly message: string | null;
  /** The operator's error code. */
  readonly code: string | null;
}

/**
 * The state of a round: `playing`, the bet or the first attempt of the win is under way; `declined`; `returning`, the declined bet
 * is being refunded; `returned`, it was refunded; `paying`, the win is still owed; `settled`.
 */
export type RoundState = 'playing' | 'declined' | 'returning' | 'returned' | 'paying' | 'settled';
