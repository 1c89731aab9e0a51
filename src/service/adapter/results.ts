/** The result of a read of the balance. */
export type BalanceResult =
  | { readonly kind: 'balance'; readonly balance: string }
  | ({ readonly kind: 'failed' } & Failure)
  | Refused;

/** The result of a bet. */
export type BetResult =
  | { readonly kind: 'accepted'; readonly txID: string; readonly balance: string | null }
  /** `refunding`: the operator may have taken the bet, so a refund is sent until it is answered 200. */
  | ({ readonly kind: 'declined'; readonly txID: string; readonly refunding: boolean } & Failure)
  | Refused;

/** The result of the first attempt of a win. */
export type WinResult =
  | { readonly kind: 'settled'; readonly txID: string; readonly amount: string; readonly balance: string | null }
  /** It failed, and is sent again until it is answered 200. */
  | ({ readonly kind: 'pending'; readonly txID: string; readonly amount: string } & Failure)
  | Refused;

/** The result of a whole round; `win` is null when its bet was not accepted. */
export interface RoundResult {
  readonly roundID: string;
  readonly bet: BetResult;
  readonly win: WinResult | null;
}

/** The operator's answer to a call that failed. */
interface Failure {
  /** null: there was no reply. */
  readonly status: number | null;
  /** For the player. It comes from the operator, so it must never be used as markup. */
  readonly message: string;
  readonly code: string | null;
}

/** Nothing was sent, because the round or the campaign does not allow it, or the service is being stopped. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
}

export type RefusalReason =
  | 'closing' // nothing is sent any more; unanswered calls are settled after the next start
  | 'round-over' // the round has its last win, or its bet was declined
  | 'no-accepted-bet' // a win needs one
  | 'tx-id-used'
  | 'tx-id-unknown'
  | 'not-awaited'
  | 'other-game' // the player uses the campaign in another game
  | 'used-up' // the player has had all free rounds
  | 'campaign-ended';
