/** What came of a read of the balance. */
export type BalanceResult =
  | { readonly kind: 'balance'; readonly balance: string }
  | ({ readonly kind: 'failed' } & Failure)
  | Refused;

/** What came of a bet. */
export type BetResult =
  | { readonly kind: 'accepted'; readonly txID: string; readonly balance: string | null }
  /** The player has to be told. `refunding`: the operator may have taken it, so a refund is sent until it is answered 200. */
  | ({ readonly kind: 'declined'; readonly txID: string; readonly refunding: boolean } & Failure)
  | Refused;

/** What came of the first try of a win. */
export type WinResult =
  | { readonly kind: 'settled'; readonly txID: string; readonly amount: string; readonly balance: string | null }
  /** It failed, and is sent again until it is answered 200. */
  | ({ readonly kind: 'pending'; readonly txID: string; readonly amount: string } & Failure)
  | Refused;

/** What came of a whole round; `win` is null when its bet was not accepted. */
export interface RoundResult {
  readonly roundID: string;
  readonly bet: BetResult;
  readonly win: WinResult | null;
}

/** What the operator said when it did not do what it was asked. */
interface Failure {
  /** null: there was no reply. */
  readonly status: number | null;
  /** For the player. It comes from the operator: never to be used as markup. */
  readonly message: string;
  readonly code: string | null;
}

/** Nothing was sent, because it does not fit the round or campaign, or the service is being stopped. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
}

export type RefusalReason =
  | 'closing' // nothing leaves any more; what is not answered is settled after the next start
  | 'round-over' // the round has its last win, or its bet was declined
  | 'no-accepted-bet' // a win needs one
  | 'tx-id-used'
  | 'tx-id-unknown'
  | 'not-awaited'
  | 'other-game' // the player uses the campaign in another game
  | 'used-up' // all free rounds were had
  | 'campaign-ended';
