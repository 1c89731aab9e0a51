import type { PUBLISHED_ERROR_CODES } from '../contract/error-codes.ts';
import { type Failure, failure, type Reply } from './reply.ts';

type PublishedCode = (typeof PUBLISHED_ERROR_CODES)[number];

/** What may be said otherwise than it is said by default. */
type Wording = Partial<Omit<Failure, 'code'>>;

/** A status that leads to no refund, and words that a player understands. */
const WORDS: Readonly<Record<PublishedCode, { readonly status: number; readonly message: string }>> = {
  insufficient_funds: { status: 402, message: 'Your balance is too low for this bet.' },
  bet_limit: { status: 403, message: 'This bet is above your limit.' },
  loss_limit: { status: 403, message: 'You have reached your limit of losses.' },
  time_limit: { status: 403, message: 'You have reached your limit of playing time.' },
  account_blocked: { status: 403, message: 'Your account is blocked. Please contact the support.' },
  session_expired: { status: 403, message: 'Your game session has ended. Please open the game again.' },
  session_not_found: { status: 404, message: 'Your game session was not found. Please open the game again.' },
  game_not_found: { status: 404, message: 'This game is not available.' },
  currency_not_supported: { status: 400, message: 'This game cannot be played in your currency.' },
  locale_not_supported: { status: 400, message: 'This game is not available in your language.' },
  client_connection_error: { status: 400, message: 'The connection failed. Please try again.' },
};

/** The reply for one of the published error codes (positions, Reverse calls), with a status and a message that fit. */
export function declined(code: PublishedCode, wording: Wording = {}): Reply {
  return failure({ ...WORDS[code], ...wording, code });
}

/** The reply to a bet for which the player lacks money (contract, Integration Adapter, rule 4). */
export function insufficientFunds(wording?: Wording): Reply {
  return declined('insufficient_funds', wording);
}

/** The reply to a call whose signature is missing or wrong: 401 and a `message` (contract, Authentication 4). */
export function unauthorized(wording: Wording = {}): Reply {
  return failure({ message: 'This request could not be verified.', ...wording, status: 401 });
}

/** The reply to a call that is rightly signed and yet can't be read. */
export function badRequest(wording: Wording = {}): Reply {
  return failure({ status: 400, message: 'This request could not be understood.', ...wording });
}

/**
 * The reply to a `txID` that stands for something else already, or that is being worked on at this moment. To a win or a
 * refund it says: send it again.
 */
export function conflict(wording: Wording = {}): Reply {
  return failure({ status: 409, message: 'This transaction is known already.', ...wording });
}

/** The reply when it isn't known whether the call was carried out. A bet that gets it is refunded by the service. */
export function internalError(wording: Wording = {}): Reply {
  return failure({ message: 'Something went wrong. Please try again later.', ...wording, status: 500 });
}
