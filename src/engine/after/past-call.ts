import type { Money } from '../../contract/money.ts';
import { queryOf } from '../../contract/query.ts';
import { isSigned, SIGNATURE_HEADER } from '../../contract/signature.ts';
import { amountOf, amountTextOf, bodyFields } from '../../journal/call-amount.ts';
import type { Sending } from '../../journal/event.ts';
import { bodyText, header, sessionInUrl } from '../../journal/exchange.ts';

/** A bet, a win or a refund that was read from a journal. */
export interface PastCall {
  readonly call: 'bet' | 'win' | 'refund';
  readonly sessionID: string;
  readonly txID: string;
  /** The id of the round; null for a refund that names no round. */
  readonly roundID: string | null;
  /** For a refund: the txID of its bet. Null for other calls. */
  readonly origTxID: string | null;
  readonly amount: Money;
  /** The amount as text, exactly as it is written in the call. */
  readonly amountText: string;
  /** True if the call belongs to a free round. The operator decides whether such a call moves money. */
  readonly free: boolean;
  /** True if the call has the field `frID`, the id of a campaign of free rounds. */
  readonly campaign: boolean;
  /** The body as text, exactly as it was sent. */
  readonly body: string;
}

/**
 * Reads a call from its `sending` event.
 *
 * @returns undefined if the real service would never send such a call
 */
export function pastCallOf(sending: Sending): PastCall | undefined {
  const { call, request } = sending;
  if (call === 'balance' || !request.body || request.body.truncated) return undefined;
  const fields = bodyFields(request.body);
  if (!fields) return undefined;
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' ? value : undefined;
  };
  const sessionID = text('sessionID');
  const txID = text('txID');
  const amount = amountOf(sending);
  const amountText = amountTextOf(sending);
  const roundID = text('roundID') ?? null;
  const origTxID = text('origTxID') ?? null;
  // The service always sends an amount as text. So if the amount has another type, the call was sent only to test the operator.
  if (sessionID === undefined || !txID || !amount || amountText === undefined || text('amount') === undefined)
    return undefined;
  if (call === 'refund' ? origTxID === null : roundID === null) return undefined;
  const free = fields.type === 'free';
  return {
    call,
    sessionID,
    txID,
    roundID,
    origTxID,
    amount,
    amountText,
    free,
    campaign: 'frID' in fields,
    body: bodyText(request.body),
  };
}

const SESSIONS = new WeakMap<Sending, string | undefined>();

/**
 * Returns the sessionID of a call; undefined if the call has none. The result is cached as long as the event exists, because several
 * observers of a run ask for it.
 */
export function sessionOfSending(sending: Sending): string | undefined {
  if (SESSIONS.has(sending)) return SESSIONS.get(sending);
  const session = sessionIn(sending);
  SESSIONS.set(sending, session);
  return session;
}

function sessionIn({ call, request }: Sending): string | undefined {
  if (call === 'balance') return sessionInUrl(request.url);
  const sessionID = request.body ? bodyFields(request.body)?.sessionID : undefined;
  return typeof sessionID === 'string' ? sessionID : undefined;
}

/**
 * Creates a function that says whether a call of a journal was correctly signed with this key. The signature may be in upper or
 * lower case.
 */
export function signedBy(key: string): (sending: Sending) => boolean {
  return ({ request: { url, headers, body } }) =>
    isSigned(
      {
        method: body ? 'POST' : 'GET',
        query: queryOf(url),
        body: body && Buffer.from(body.data, body.encoding),
        signature: header(headers, SIGNATURE_HEADER)?.toLowerCase(),
      },
      [key],
    );
}
