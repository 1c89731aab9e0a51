/** The content of the game page. Amounts are decimal texts in the currency's main unit. */
export interface GameView {
  /**
   * A number that grows with each view, even after a restart of the service. If a page receives a lower number than the number
   * of the view that it shows, it ignores the received view.
   */
  readonly version: number;
  readonly gsID: string;
  readonly game: {
    readonly id: string;
    readonly title: string;
    /** The hue of the game's colour, in degrees. */
    readonly hue: number;
    /** The multipliers of the paytable, smallest first. */
    readonly multipliers: readonly string[];
  };
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly demo: boolean;
  /** The player's balance; null if it is not read yet, or if it could not be read (see `trouble`). */
  readonly balance: string | null;
  /** The operator's message if the balance could not be read; null otherwise. A page must show it as text, never as HTML. */
  readonly trouble: string | null;
  /** The stakes that the game offers, smallest first. */
  readonly stakes: readonly string[];
  /** The stake that is chosen when the page is opened. */
  readonly usualStake: string;
  /** The player's free rounds; null if the player has no free rounds. Free rounds are played before rounds with money. */
  readonly free: FreeView | null;
  /** The rounds of the session, newest first. */
  readonly rounds: readonly RoundView[];
  /** True while a round is being played. */
  readonly playing: boolean;
  readonly expired: boolean;
  /** The milliseconds until the session expires, 0 if it has expired. */
  readonly expiresInMs: number;
  /** The address to which the player returns, http or https only; null if there is no such address. */
  readonly returnUrl: string | null;
  /** The address at which the player can deposit money, http or https only; null if there is no such address. */
  readonly depositUrl: string | null;
}

export interface FreeView {
  readonly left: number;
  /** The bet of each free round. */
  readonly amount: string;
  /** The sum of the free wins so far. */
  readonly won: string;
}

export interface RoundView {
  readonly roundID: string;
  /** The time when the round began, in milliseconds since 1970. */
  readonly at: number;
  readonly stake: string;
  readonly state: RoundState;
  /** The win; null if the bet is not accepted. */
  readonly prize: string | null;
  /** True if the win is greater than 0. */
  readonly isWin: boolean;
  /** The multiplier of the stake; null if not known. */
  readonly multiplier: string | null;
  readonly free: boolean;
  /** The sum of a campaign's free wins that is paid in this round; null if this is not the campaign's last round. */
  readonly payout: { readonly amount: string; readonly paid: boolean } | null;
  /** The operator's message if a call failed; null otherwise. A page must show it as text, never as HTML. */
  readonly message: string | null;
  /** The error code in the operator's reply; null if the reply has no code. */
  readonly code: string | null;
}

/**
 * The state of a round:
 *
 * - `playing`: the bet, or the first attempt of the win, has no answer yet
 * - `declined`: the bet was declined
 * - `returning`: the bet failed, and its refund is owed
 * - `returned`: the bet was refunded
 * - `paying`: the win is owed
 * - `settled`: the win is paid
 */
export type RoundState = 'playing' | 'declined' | 'returning' | 'returned' | 'paying' | 'settled';
