/** An HTTP reply to a reverse call. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** The one success that there is: 200 (contract, Integration Adapter, rule 1). */
export interface Success {
  /** A plain decimal in the currency's main unit. */
  readonly balance: string;
  /** The operator's own id of the transaction; left out in replies to a balance call. */
  readonly txID?: string;
}

export interface Failure {
  /** Any but 200. A bet answered 500 is refunded by the service, one answered with another status never is. */
  readonly status: number;
  /** May be shown to the player. */
  readonly message: string;
  /** One of the published codes, where one fits. */
  readonly code?: string;
  /** For developers; never shown to a player. */
  readonly details?: unknown;
  /** What the game shall do: load itself anew (position). */
  readonly action?: 'refresh';
  /** What belongs to the action. */
  readonly actionData?: unknown;
}

const JSON_HEADERS: Reply['headers'] = [['Content-Type', 'application/json; charset=utf-8']];

/** The reply to a call that was carried out, or carried out before: a repeated `txID` gets the same reply again. */
export function success({ balance, txID }: Success): Reply {
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ balance, txID }) };
}

/**
 * The reply to a call that was not carried out.
 *
 * @throws RangeError for a status that is no error: the service would take 200 for a success
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
