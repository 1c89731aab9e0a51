/**
 * Something unusual that changes nobody's money: most are not faults of the operator. An `overdraft` is one, unless the player has a
 * credit.
 */
export interface Oddity {
  readonly kind:
    | 'duplicate'
    | 'resent'
    | 'out-of-order'
    | 'late'
    | 'retried-bet'
    | 'needless-refund'
    | 'overdraft'
    | 'sides-differ'
    | 'service-fault'
    | 'corrected';
  /** The numbers of the calls that are concerned. */
  readonly calls: readonly number[];
  readonly text: string;
}
