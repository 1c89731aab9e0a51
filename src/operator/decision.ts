/** The reason why a call was declined. A declined call moves no money. */
export type DeclineReason =
  | 'insufficient-funds'
  | 'session-unknown'
  | 'session-expired'
  | 'campaign-unknown'
  | 'amount-invalid'
  | 'bet-reversed' // its refund arrived first
  | 'round-cancelled' // every bet of the round was declined or refunded
  | 'transaction-conflict' // the txID belongs to another transaction
  // The correct operator never declines for the following reasons, but some variants and defects do.
  | 'bet-limit'
  | 'own-limit'
  | 'stake-missing'
  | 'round-ended'
  | 'round-unknown'
  | 'win-held'
  | 'bet-of-another'
  | 'refund-mistaken'
  | 'bet-unknown'
  | 'round-missing'
  | 'win-empty'
  | 'win-repeated'
  | 'wallet-busy';

/** The decision about one call, from which the reply is made. */
export type Decision =
  | { readonly kind: 'balance'; readonly balance: string }
  | { readonly kind: 'done'; readonly txID: string; readonly balance: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason };

/**
 * The content of the reply to a declined call: a status, a code of the contract if the contract has one for the reason, and a
 * sentence for the player.
 */
interface Wording {
  readonly status: number;
  readonly code?: string;
  readonly message: string;
}

/** The content of the reply for each reason. */
export const WORDINGS: Readonly<Record<DeclineReason, Wording>> = {
  'insufficient-funds': {
    status: 402,
    code: 'insufficient_funds',
    message: 'Your balance is too low for this bet. Please lower the bet or make a deposit.',
  },
  'session-unknown': {
    status: 404,
    code: 'session_not_found',
    message: 'Your game session was not found. Please open the game again.',
  },
  'session-expired': {
    status: 403,
    code: 'session_expired',
    message: 'Your game session has ended. Please open the game again.',
  },
  'campaign-unknown': { status: 404, message: 'These free rounds are not available.' },
  'amount-invalid': { status: 400, message: 'This amount is not possible in the currency of your account.' },
  'bet-reversed': { status: 409, message: 'This bet was cancelled. Nothing was taken from your balance.' },
  'round-cancelled': {
    status: 409,
    message: 'This round was cancelled. Your bet was not taken or has been given back.',
  },
  'transaction-conflict': {
    status: 409,
    message: 'This transaction was already processed with other data. Nothing was changed.',
  },
  'bet-limit': { status: 403, code: 'bet_limit', message: 'This stake is above your limit.' },
  'own-limit': { status: 403, message: 'This bet is not possible now.' },
  'stake-missing': { status: 400, message: 'A bet needs a stake.' },
  'round-ended': { status: 409, message: 'This round has ended already.' },
  'round-unknown': { status: 404, message: 'There is no such round.' },
  'win-held': { status: 422, message: 'Our staff must check this win first.' },
  'refund-mistaken': { status: 409, message: 'There is no bet that this refund can give back.' },
  'bet-unknown': { status: 404, message: 'There is no such bet.' },
  'round-missing': { status: 400, message: 'A refund needs a round.' },
  'win-empty': { status: 400, message: 'A win needs an amount above 0.' },
  'win-repeated': { status: 400, message: 'This win was processed before.' },
  'wallet-busy': { status: 409, message: 'Another call of this player is being processed. Please try again.' },
  'bet-of-another': { status: 403, message: 'This is not your bet.' },
};
