/** The result of a balance call. */
export type BalanceResult =
  | { readonly kind: 'balance'; readonly balance: string }
  | ({ readonly kind: 'failed' } & Failure)
  | Refused;

/** The result of a bet. */
export type BetResult =
  | { readonly kind: 'accepted'; readonly txID: string; readonly balance: string | null }
  /** `refunding` is true if the operator may have taken the bet. Then a refund is sent until it is answered 200. */
  | ({ readonly kind: 'declined'; readonly txID: string; readonly refunding: boolean } & Failure)
  | Refused;

/** The result of the first attempt to send a win. */
export type WinResult =
  | { readonly kind: 'settled'; readonly txID: string; readonly amount: string; readonly balance: string | null }
  /** The first attempt failed. The win is sent again until it is answered 200. */
  | ({ readonly kind: 'pending'; readonly txID: string; readonly amount: string } & Failure)
  | Refused;

/** The result of a whole round. `win` is null if the bet was not accepted. */
export interface RoundResult {
  readonly roundID: string;
  readonly bet: BetResult;
  readonly win: WinResult | null;
}

/** The operator's answer to a call that failed. */
interface Failure {
  /** The HTTP status; null if there was no reply. */
  readonly status: number | null;
  /** The message for the player. It comes from the operator, so a page must show it as text, never as HTML. */
  readonly message: string;
  readonly code: string | null;
}

/** Nothing was sent. Either the round or the campaign does not allow the call, or the service is being stopped. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
}

export type RefusalReason =
  | 'closing' // the service is being stopped; it settles unanswered calls after the next start
  | 'round-over' // the last win of the round was placed, or its bet was declined
  | 'no-accepted-bet' // a win is only possible after an accepted bet
  | 'tx-id-used' // another call of the round has this txID
  | 'tx-id-unknown' // no call of the round has this txID
  | 'not-awaited' // the call is already answered, or the sum of the free wins is not due
  | 'other-game' // the player has used the campaign in another game
  | 'used-up' // the player has played all free rounds
  | 'campaign-ended';
