import type { PUBLISHED_ERROR_CODES } from '../contract/error-codes.ts';

/** An HTTP reply to a reverse call. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** The content of a reply of 200, the only success (contract, Integration Adapter, rule 1). */
export interface Success {
  /** A plain decimal in the currency's main unit. */
  readonly balance: string;
  /** The operator's own id of the transaction; left out in replies to a balance call. */
  readonly txID?: string;
}

export interface Failure {
  /** From 400 to 599. The service refunds a bet answered 500, and never refunds one answered with another error. */
  readonly status: number;
  /** May be shown to the player. */
  readonly message: string;
  /** One of the published codes, if one fits. */
  readonly code?: string;
  /** For developers; never shown to a player. */
  readonly details?: unknown;
  /** `refresh`: the game loads itself again (position). */
  readonly action?: 'refresh';
  /** Data of the action. */
  readonly actionData?: unknown;
}

const JSON_HEADERS: Reply['headers'] = [['Content-Type', 'application/json; charset=utf-8']];

/** The reply to a call that was carried out, now or earlier: a repeated `txID` gets the same reply again. */
export function success({ balance, txID }: Success): Reply {
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ balance, txID }) };
}

/**
 * The reply to a call that was not carried out.
 *
 * @throws RangeError for a status that is not an error: the service treats every 200 as a success
 */
export function failure({ status, message, code, details, action, actionData }: Failure): Reply {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`an error needs a status from 400 to 599, not ${status}`);
  }
  return {
    status,
    headers: JSON_HEADERS,
    body: JSON.stringify({ code, message, details, action, actionData }),
  };
}

type PublishedCode = (typeof PUBLISHED_ERROR_CODES)[number];

/** Fields that replace the defaults of a reply. */
type Wording = Partial<Omit<Failure, 'code'>>;

/** For each code, a status that leads to no refund and a message that a player understands. */
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

/** The reply for a published error code (positions, Reverse calls), with a fitting status and message. */
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

/** The reply to a call with a right signature and content that cannot be read. */
export function badRequest(wording: Wording = {}): Reply {
  return failure({ status: 400, message: 'This request could not be understood.', ...wording });
}

/**
 * The reply to a `txID` that belongs to another transaction, or that is being processed. The service sends a win or refund with
 * this reply again.
 */
export function conflict(wording: Wording = {}): Reply {
  return failure({ status: 409, message: 'This transaction is known already.', ...wording });
}

/** The reply if it is unknown whether the call was carried out. The service refunds a bet that gets it. */
export function internalError(wording: Wording = {}): Reply {
  return failure({ message: 'Something went wrong. Please try again later.', ...wording, status: 500 });
}
