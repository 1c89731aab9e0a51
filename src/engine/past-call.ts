import { Money } from '../contract/money.ts';
import type { Sending } from '../journal/event.ts';
import { bodyText } from '../journal/exchange.ts';

/** A bet, a win or a refund as a journal holds it. */
export interface PastCall {
  readonly call: 'bet' | 'win' | 'refund';
  readonly sessionID: string;
  readonly txID: string;
  /** null: a refund that carries none. */
  readonly roundID: string | null;
  /** Of a refund: the bet that it gives back. */
  readonly origTxID: string | null;
  readonly amount: Money;
  /** Part of a free round: whether it moves money is the operator's to decide. */
  readonly free: boolean;
  /** It carries a frID. */
  readonly campaign: boolean;
  /** The body as it was sent. */
  readonly body: string;
}

/** Reads a call back from its announcement; undefined when it isn't one that the service would send. */
export function pastCallOf({ call, request }: Sending): PastCall | undefined {
  if (call === 'balance' || !request.body || request.body.truncated) return undefined;
  const body = bodyText(request.body);
  const fields = objectIn(body);
  if (!fields) return undefined;
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' ? value : undefined;
  };
  const sessionID = text('sessionID');
  const txID = text('txID');
  const written = text('amount');
  const amount = written === undefined ? undefined : Money.read(written);
  const roundID = text('roundID') ?? null;
  const origTxID = text('origTxID') ?? null;
  if (sessionID === undefined || !txID || !amount) return undefined;
  if (call === 'refund' ? origTxID === null : roundID === null) return undefined;
  const free = fields.type === 'free';
  return { call, sessionID, txID, roundID, origTxID, amount, free, campaign: 'frID' in fields, body };
}

/** The session that a call was made for; undefined when it names none. */
export function sessionOfPast({ call, request }: Sending): string | undefined {
  if (call === 'balance') return URL.parse(request.url)?.searchParams.get('sessionID') ?? undefined;
  const sessionID = request.body ? objectIn(bodyText(request.body))?.sessionID : undefined;
  return typeof sessionID === 'string' ? sessionID : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
