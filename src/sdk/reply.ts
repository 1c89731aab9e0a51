import type { PUBLISHED_ERROR_CODES } from '../contract/error-codes.ts';

/** An HTTP reply to a reverse call. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** The fields of a reply with status 200, the only success (contract, Integration Adapter, rule 1). */
export interface Success {
  /** The player's balance, a plain decimal in whole currency units, such as euros and not cents. */
  readonly balance: string;
  /** The operator's own id of the transaction. Left out in replies to a balance call. */
  readonly txID?: string;
}

export interface Failure {
  /**
   * The HTTP status, from 400 to 599. The service refunds a bet that is answered 500. It does not refund a bet that is answered
   * with any other error.
   */
  readonly status: number;
  /** A message that may be shown to the player. */
  readonly message: string;
  /** One of the contract's error codes, if one fits. */
  readonly code?: string;
  /** Details for developers. They are never shown to a player. */
  readonly details?: unknown;
  /** `refresh` makes the game reload itself. */
  readonly action?: 'refresh';
  /** Data for the action. */
  readonly actionData?: unknown;
}

const JSON_HEADERS: Reply['headers'] = [['Content-Type', 'application/json; charset=utf-8']];

/** A plain decimal. A balance may be negative if the operator lets players overdraw their accounts. */
const BALANCE = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Returns the reply to a call that was carried out. If the service repeats a `txID`, send the same reply again.
 *
 * @throws TypeError if the balance is not a plain decimal in text, because the service could not read the reply
 */
export function success({ balance, txID }: Success): Reply {
  if (typeof balance !== 'string' || !BALANCE.test(balance)) {
    const given = typeof balance === 'string' ? JSON.stringify(balance) : `the ${typeof balance} ${String(balance)}`;
    throw new TypeError(`the balance must be a plain decimal in text, such as "1.50", but it is ${given}`);
  }
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ balance, txID }) };
}

/**
 * Returns the reply to a call that was not carried out.
 *
 * @throws RangeError for a status that is not an error, because the service treats every 200 as a success
 */
export function failure({ status, message, code, details, action, actionData }: Failure): Reply {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`the status of an error must be from 400 to 599, but it is ${status}`);
  }
  return {
    status,
    headers: JSON_HEADERS,
    body: JSON.stringify({ code, message, details, action, actionData }),
  };
}

type PublishedCode = (typeof PUBLISHED_ERROR_CODES)[number];

/** Fields that replace the default fields of a reply. */
type Wording = Partial<Omit<Failure, 'code'>>;

/** For each error code, a message that a player understands, and a status after which the service sends no refund. */
const WORDS: Readonly<Record<PublishedCode, { readonly status: number; readonly message: string }>> = {
  insufficient_funds: { status: 402, message: 'Your balance is too low for this bet.' },
  bet_limit: { status: 403, message: 'This bet is above your limit.' },
  loss_limit: { status: 403, message: 'You have reached your loss limit.' },
  time_limit: { status: 403, message: 'You have reached your playing time limit.' },
  account_blocked: { status: 403, message: 'Your account is blocked. Please contact customer support.' },
  session_expired: { status: 403, message: 'Your game session has ended. Please open the game again.' },
  session_not_found: { status: 404, message: 'Your game session was not found. Please open the game again.' },
  game_not_found: { status: 404, message: 'This game is not available.' },
  currency_not_supported: { status: 400, message: 'This game cannot be played in your currency.' },
  locale_not_supported: { status: 400, message: 'This game is not available in your language.' },
  client_connection_error: { status: 400, message: 'The connection failed. Please try again.' },
};

/** Returns the reply for one of the contract's error codes, with a suitable status and message. */
export function declined(code: PublishedCode, wording: Wording = {}): Reply {
  return failure({ ...WORDS[code], ...wording, code });
}

/** Returns the reply to a bet that is larger than the player's balance (contract, Integration Adapter, rule 4). */
export function insufficientFunds(wording?: Wording): Reply {
  return declined('insufficient_funds', wording);
}

/** Returns the reply to a call whose signature is missing or wrong: 401 with a `message` (contract, Authentication 4). */
export function unauthorized(wording: Wording = {}): Reply {
  return failure({ message: 'This request could not be verified.', ...wording, status: 401 });
}

/** Returns the reply to a call that has a valid signature, but whose content can't be read. */
export function badRequest(wording: Wording = {}): Reply {
  return failure({ status: 400, message: 'This request could not be understood.', ...wording });
}

/**
 * Returns the reply to a `txID` that belongs to another transaction, or that is still being processed. The service
 * sends a win or refund again after this reply.
 */
export function conflict(wording: Wording = {}): Reply {
  return failure({ status: 409, message: 'This transaction was already received.', ...wording });
}

/**
 * Returns the reply for a failure after which it is unknown whether the call was carried out. The service refunds a bet
 * that gets this reply.
 */
export function internalError(wording: Wording = {}): Reply {
  return failure({ message: 'Something went wrong. Please try again later.', ...wording, status: 500 });
}
