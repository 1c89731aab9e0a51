/** Something unusual in the order of calls, which is not a fault of the operator. */
export interface Oddity {
  readonly kind:
    | 'duplicate'
    | 'resent'
    | 'out-of-order'
    | 'late'
    | 'retried-bet'
    | 'needless-refund'
    | 'sides-differ'
    | 'service-fault'
    | 'corrected';
  /** The numbers of the calls that are concerned. */
  readonly calls: readonly number[];
  readonly text: string;
}
