/** A game that was launched: one player, in one game and currency, until it expires. */
export interface GameSession {
  /** The service's own id, a UUID. Never sent in reverse calls (contract, Identifiers). */
  readonly gsID: string;
  readonly cID: string;
  readonly extCID: string;
  /** The operator's reference, which each reverse call carries. In demo mode it may be empty, as nothing is called there. */
  readonly sessionID: string;
  /** The operator's `user.id`; in demo mode without one the `gsID`, so that nobody else plays with the balance. */
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly gameID: string;
  /** Played with the service's own demo balance: nothing reaches the operator. */
  readonly demo: boolean;
  /**
   * Where the player goes back to, when the game was not launched in an iframe. As the operator sent it, so that it may be no
   * address at all: a page must link to http and https only.
   */
  readonly returnUrl?: string;
  /** Where the player can deposit; as unsafe as `returnUrl`. */
  readonly depositUrl?: string;
  readonly platform?: 'desktop' | 'mobile';
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** Milliseconds since 1970. From then on no round begins; those that began are still settled. */
  readonly expiresAt: number;
}
