import { type Body, bodyText, type ExchangeRequest, type Outcome } from '../journal/exchange.ts';

/** What a call was answered, short enough for a column. */
export interface Answer {
  /** `replied`: a whole reply came. `broken`: croupier broke the connection. `lost`: no reply came for another reason. */
  readonly fate: 'replied' | 'broken' | 'lost';
  /** Status, balance and the operator's `txID`, or the code of an error; not yet escaped. */
  readonly text: string;
}

/** Of an identifier the end tells more than the beginning. */
const ID = 8;
const WORD = 20;

/** Reads a reply as far as it can be read: what it breaks is told elsewhere. */
export function answerOf(outcome: Outcome): Answer {
  if (outcome.kind === 'none') {
    return outcome.reason === 'broken' ? { fate: 'broken', text: 'broken' } : { fate: 'lost', text: outcome.reason };
  }
  const { status, body } = outcome.reply;
  const said = fieldsOf(body);
  const words = said.balance === undefined && said.txID === undefined ? [said.code] : [said.balance, ending(said.txID)];
  return { fate: 'replied', text: [String(status), ...words.filter((word) => word !== undefined)].join(' ') };
}

/** The amount in the body of a request; empty when there is none. */
export function requestedAmount({ body }: ExchangeRequest): string {
  return body === null ? '' : (fieldsOf(body).amount ?? '');
}

function fieldsOf(body: Body): Partial<Record<'balance' | 'txID' | 'code' | 'amount', string>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bodyText(body));
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null) return {};
  const words = Object.entries(parsed).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value).slice(0, WORD * 4)] as const] : [],
  );
  return Object.fromEntries(words);
}

function ending(id: string | undefined): string | undefined {
  return id === undefined || id.length <= ID ? id : `…${id.slice(-ID + 1)}`;
}
