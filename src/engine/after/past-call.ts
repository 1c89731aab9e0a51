import type { Money } from '../../contract/money.ts';
import { queryOf } from '../../contract/query.ts';
import { isSigned, SIGNATURE_HEADER } from '../../contract/signature.ts';
import { amountOf, amountTextOf, bodyFields } from '../../journal/call-amount.ts';
import type { Sending } from '../../journal/event.ts';
import { bodyText, header } from '../../journal/exchange.ts';

/** A bet, a win or a refund that was read from a journal. */
export interface PastCall {
  readonly call: 'bet' | 'win' | 'refund';
  readonly sessionID: string;
  readonly txID: string;
  /** null: a refund without a round. */
  readonly roundID: string | null;
  /** Of a refund: the txID of its bet. */
  readonly origTxID: string | null;
  readonly amount: Money;
  /** The amount as it was written in the call. */
  readonly amountText: string;
  /** Part of a free round: the operator decides whether it moves money. */
  readonly free: boolean;
  /** The call has a frID. */
  readonly campaign: boolean;
  /** The body as it was sent. */
  readonly body: string;
}

/** Reads a call from its `sending` event. @returns undefined if the service would not send such a call */
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
  // The service never sends an amount as a JSON number.
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

/** The session of a call; undefined if it names none. */
export function sessionOfSending({ call, request }: Sending): string | undefined {
  if (call === 'balance') return URL.parse(request.url)?.searchParams.get('sessionID') ?? undefined;
  const sessionID = request.body ? bodyFields(request.body)?.sessionID : undefined;
  return typeof sessionID === 'string' ? sessionID : undefined;
}

/** Creates a function that checks whether a call of a journal had a right signature of this key, in either letter case. */
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
