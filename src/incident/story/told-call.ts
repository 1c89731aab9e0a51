import { Money } from '../../contract/money.ts';
import type { SignatureState } from '../../journal/event.ts';
import type { NoReplyReason, Reply } from '../../journal/exchange.ts';
import { tellsOfError } from '../../judge/answer.ts';
import { type ReplyReading, readReply } from '../../judge/reading.ts';
import type { SeenAnswer } from '../seen.ts';
import type { SeenCall } from '../seen-call.ts';
import { isSignedByOther, type KeysOf, signatureOf } from './signature.ts';

/** The contract's five seconds. */
export const DEADLINE_MS = 5000;

/**
 * How a call ended for the service: `late` is no reply, or one after five seconds; `failed` a 500 or a redirect; `refused` a 401;
 * `lost` a connection that broke; `not-sent` one that never was; `unknown`: nobody wrote it down.
 */
type Ending = 'accepted' | 'error-200' | 'declined' | 'refused' | 'failed' | 'late' | 'lost' | 'not-sent' | 'unknown';

/** One call of the story, as one side saw it or both did. */
export interface ToldCall {
  /** Its place in the story, from 1. */
  readonly number: number;
  readonly seen: SeenCall;
  /** What the operator wrote down of the same call, where both sides did. */
  readonly alsoSeen: SeenCall | null;
  /** By the service's clock where both are known, in ms since 1970. */
  readonly atMs: number | null;
  /** Whose money it is about: the player, or the session where nobody says who plays. null: not known. */
  readonly wallet: string | null;
  readonly ending: Ending;
  /** Whether the operator carried it out, by its own words. */
  readonly done: 'yes' | 'no' | 'maybe';
  /** The status that was answered; null: none, or not known. */
  readonly status: number | null;
  /** What the reply says, where its body is known. */
  readonly reading: ReplyReading | null;
  /** The balance that was answered; null: none, or not known. */
  readonly balance: Money | null;
  readonly replyTxID: string | null;
  readonly code: string | null;
  readonly amount: Money | null;
  /** How the request was signed. */
  readonly signature: SignatureState;
  /** It is signed with a key that belongs to another client. */
  readonly isSignedByOther: boolean;
}

/** @param also the operator's view of the same call, where `seen` is the service's */
export function tellCall(
  seen: SeenCall,
  also: SeenCall | null,
  place: Pick<ToldCall, 'number' | 'atMs' | 'wallet'>,
  keysOf: KeysOf,
): ToldCall {
  const views = also ? [seen, also] : [seen];
  const primary = seen.exchange.answer.kind === 'untold' && also ? also : seen;
  const answers = views.map(({ exchange }) => exchange.answer);
  const reply = bestReply(answers);
  const reading = reply?.body
    ? readReply({ status: reply.status, headers: reply.headers ?? [], body: reply.body })
    : null;
  const ending = endingOf(primary, reading);
  const told = (field: 'balance' | 'replyTx' | 'code'): string | null =>
    views.map(({ exchange }) => exchange.told[field]).find((text) => text !== undefined) ?? null;
  const isAnswered = reply !== null;
  return {
    ...place,
    seen,
    alsoSeen: also,
    ending,
    done: doneBy(ending, answers),
    status: reply?.status ?? null,
    reading,
    balance: reading?.balance.money ?? (reading || !isAnswered ? null : moneyOf(told('balance'))),
    replyTxID: reading ? (reading.txID ?? null) : told('replyTx'),
    code: reading ? (reading.code ?? null) : told('code'),
    amount: moneyOf(seen.amount ?? also?.amount ?? null),
    signature:
      views.map(({ exchange }) => signatureOf(exchange, keysOf)).find((state) => state !== 'unknown') ?? 'unknown',
    isSignedByOther: views.some(({ exchange }) => isSignedByOther(exchange, keysOf)),
  };
}

interface KnownReply extends Omit<Reply, 'headers' | 'body'> {
  readonly headers: Reply['headers'] | null;
  readonly body: Reply['body'] | null;
}

/** The reply whose body is known, else any. */
function bestReply(answers: readonly SeenAnswer[]): KnownReply | null {
  const replies = answers.filter((answer) => answer.kind === 'reply');
  return replies.find(({ body }) => body !== null) ?? replies[0] ?? null;
}

function moneyOf(text: string | null): Money | null {
  return text === null || text.length > 100 ? null : (Money.read(text) ?? null);
}

function endingOf({ call, exchange }: SeenCall, reading: ReplyReading | null): Ending {
  const { answer, tookMs } = exchange;
  if (answer.kind === 'untold') return 'unknown';
  if (answer.kind === 'none') return endingWithout(answer.reason);
  if (tookMs !== null && tookMs > DEADLINE_MS) return 'late';
  const { status } = answer;
  if (status >= 200 && status < 300) return reading && tellsOfError(call, reading) ? 'error-200' : 'accepted';
  if (status === 401) return 'refused';
  return status === 500 || (status >= 300 && status < 400) ? 'failed' : 'declined';
}

function endingWithout(reason: NoReplyReason): Ending {
  switch (reason) {
    case 'too-late':
      return 'late';
    case 'unresolved':
    case 'refused':
    case 'unreachable':
    case 'connect-timeout':
    case 'send-timeout':
    case 'tls':
    case 'proxy':
      return 'not-sent';
    case 'broken':
    case 'reset':
    case 'stale-connection':
    case 'closed-early':
    case 'too-large':
    case 'not-http':
    case 'bad-encoding':
    case 'aborted':
      return 'lost';
  }
}

/** What was carried out is what the operator answered, whether or not the service got it in time. */
function doneBy(ending: Ending, answers: readonly SeenAnswer[]): ToldCall['done'] {
  const statuses = answers.flatMap((answer) => (answer.kind === 'reply' ? [answer.status] : []));
  switch (ending) {
    case 'accepted':
      return 'yes';
    case 'declined':
    case 'refused':
    case 'error-200':
    case 'not-sent':
      return statuses.some((status) => status === 200) && ending !== 'error-200' ? 'yes' : 'no';
    case 'failed':
    case 'late':
    case 'lost':
    case 'unknown':
      if (statuses.some((status) => status >= 200 && status < 300)) return 'yes';
      return ending !== 'failed' && statuses.some((status) => status >= 400 && status < 500) ? 'no' : 'maybe';
  }
}

/** Times that are coarser than this don't tell which of two calls came first. */
const FINE_MS = 100;

/**
 * Whether two calls were in flight at the same moment. `maybe`: their times were written too coarsely to tell. Where a time is not known,
 * calls are taken to have come one after another, as they stand in their file.
 */
export function met(a: ToldCall, b: ToldCall): 'yes' | 'no' | 'maybe' {
  if (a.atMs === null || b.atMs === null) return 'no';
  const coarseMs = Math.max(precisionOf(a), precisionOf(b));
  const isCoarse = coarseMs > FINE_MS;
  // A beginning that was cut off to a millisecond may seem to lie before the end of the call before it.
  const slackMs = isCoarse ? coarseMs : -CUT_MS;
  const isOverlap =
    a.atMs < b.atMs + (b.seen.exchange.tookMs ?? 0) + slackMs &&
    b.atMs < a.atMs + (a.seen.exchange.tookMs ?? 0) + slackMs;
  if (!isOverlap) return 'no';
  return isCoarse ? 'maybe' : 'yes';
}

/** By so much can a time in whole milliseconds be early. */
const CUT_MS = 1;

function precisionOf({ seen }: ToldCall): number {
  return seen.exchange.time?.precisionMs ?? 1;
}
