import type { CallName } from '../../contract/call-name.ts';
import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import type { Money } from '../../contract/money.ts';
import type { SignatureState } from '../../contract/signature.ts';
import { readAmount } from '../../journal/call-amount.ts';
import type { Reply } from '../../journal/exchange.ts';
import { answerOfReply, isPublishedCode } from '../../reply/classify.ts';
import { type ReplyReading, readOnce } from '../../reply/read.ts';
import { isClientError, isSuccess } from '../../reply/status.ts';
import { completePart } from '../cut-body.ts';
import { type LoggedReply, textBody } from '../logged-exchange.ts';
import { isMasked } from '../masked.ts';
import { type RecordedCall, unmasked } from '../recorded-call.ts';
import type { Excuse } from './excuse.ts';
import { ENDINGS, isClientClosed, mayBeBooked, type NoReplyEnding } from './outcome.ts';
import { isSignedByOther, type KeysOf, signatureOf } from './signature.ts';

/**
 * The end of a call as the service sees it. `late`: no reply, or a reply after the deadline. `failed`: a 500 or a
 * redirect. `refused`: a 401.
 * `lost`: the connection broke. `not-sent`: there was no connection. `unknown`: the end was not logged.
 */
type Ending = 'accepted' | 'error-200' | 'declined' | 'refused' | 'failed' | NoReplyEnding | 'unknown';

/** One call, as one side or both sides logged it. */
export interface LoggedCall {
  /** The position of the call in the timeline, from 1. */
  readonly number: number;
  readonly seen: RecordedCall;
  /** The operator's log entry of this call, if both sides logged it; otherwise null. */
  readonly alsoSeen: RecordedCall | null;
  /**
   * The time of the call in ms since 1970; null if it is unknown. If both clocks are known, it is the time of the service's
   * clock.
   */
  readonly atMs: number | null;
  /** The number of ms by which the operator got the call later than the service sent it. Left out if it is not known. */
  readonly lagMs?: number;
  /** The name of the wallet: the player, or the session if the player is unknown. Null if both are unknown. */
  readonly wallet: string | null;
  readonly ending: Ending;
  /**
   * `yes` or `no` if the operator's own reply shows whether the call was carried out. `maybe` means that the reply does not show
   * it.
   */
  readonly done: 'yes' | 'no' | 'maybe';
  /** The status of the reply; null if there was no reply, or if the status is unknown. */
  readonly status: number | null;
  /**
   * The content of the reply. Null if its body is not known. If the log has only the beginning of the body, the problem of the
   * reading is `truncated`.
   */
  readonly reading: ReplyReading | null;
  /** The balance in the reply; null if there was none, or if it is unknown. */
  readonly balance: Money | null;
  readonly replyTxID: string | null;
  readonly code: string | null;
  readonly amount: Money | null;
  /** The state of the request's signature. */
  readonly signature: SignatureState;
  /** True if the call is signed with a key that belongs to another client. */
  readonly isSignedByOther: boolean;
  /** The reason why the operator may decline the call; null if there is none, or if it was not looked for. */
  readonly excuse: Excuse | null;
}

/**
 * Builds a call of the timeline from its log entries.
 *
 * @param also the operator's log entry of the same call, if `seen` is the service's
 */
export function loggedCall(
  seen: RecordedCall,
  also: RecordedCall | null,
  place: Pick<LoggedCall, 'number' | 'atMs' | 'lagMs' | 'wallet'>,
  keysOf: KeysOf,
): LoggedCall {
  const views = also ? [seen, also] : [seen];
  const primary = seen.exchange.answer.kind === 'unknown' && also ? also : seen;
  const answers = views.map(({ exchange }) => exchange.answer);
  const reply = bestReply(answers);
  const reading = readingOf(reply);
  const ending = endingOf(primary, reading);
  const logged = (field: 'balance' | 'replyTx' | 'code'): string | null =>
    views.map(({ exchange }) => exchange.logged[field]).find((text) => text !== undefined) ?? null;
  // A server between the two sides may have replaced the operator's reply. Then the balance is in the reply that the operator
  // logged.
  const isOther = also !== null && isReplaced({ seen, alsoSeen: also });
  const own = isOther ? readingOf(bestReply([also.exchange.answer])) : reading;
  const isAnswered = reply !== null;
  const isWhole = own !== null && !isCut(own);
  return {
    ...place,
    seen: also === null ? seen : withIDsOf(seen, also),
    alsoSeen: also,
    ending,
    done: ending === 'unknown' && isCut(reading) ? 'maybe' : doneBy(seen.call, ending, answers),
    status: (isOther ? bestReply([seen.exchange.answer]) : reply)?.status ?? null,
    reading,
    balance:
      saidBalance(own) ??
      (isAnswered && also ? balanceIn(also) : null) ??
      (isWhole || !isAnswered ? null : saidMoney(logged('balance'))),
    replyTxID: unmasked(own?.txID ?? (isWhole ? null : logged('replyTx'))),
    code: reading?.code ?? (isWhole ? null : logged('code')),
    amount: (seen.amount === null ? also?.money : seen.money) ?? null,
    signature:
      views.map(({ exchange }) => signatureOf(exchange, keysOf)).find((state) => state !== 'unknown') ?? 'unknown',
    isSignedByOther: views.some(({ exchange }) => isSignedByOther(exchange, keysOf)),
    excuse: null,
  };
}

/** Returns the call with the ids that its log does not show, from the log of the other side. */
function withIDsOf(seen: RecordedCall, also: RecordedCall): RecordedCall {
  const { roundID, origTxID } = seen;
  if (roundID !== null && (origTxID !== null || seen.call !== 'refund')) return seen;
  return { ...seen, roundID: roundID ?? also.roundID, origTxID: origTxID ?? also.origTxID };
}

/** True if the operator logged a success, and the service received a reply with an error instead. */
export function isReplaced({ seen, alsoSeen }: Pick<LoggedCall, 'seen' | 'alsoSeen'>): boolean {
  const [received, sent] = [seen.exchange.answer, alsoSeen?.exchange.answer];
  return received.kind === 'reply' && sent?.kind === 'reply' && isSuccess(sent.status) && !isSuccess(received.status);
}

interface KnownReply extends Omit<Reply, 'headers' | 'body'> {
  readonly headers: Reply['headers'] | null;
  readonly body: Reply['body'] | null;
}

/**
 * Returns the reply whose body is known best: a reply with a known body or a part of it, or else any reply. Null if there is no
 * reply.
 */
function bestReply(answers: readonly LoggedReply[]): KnownReply | null {
  const replies = answers.filter((answer) => answer.kind === 'reply');
  return (
    replies.find(({ body }) => body !== null && !body.truncated) ??
    replies.find(({ body }) => body !== null) ??
    replies[0] ??
    null
  );
}

/**
 * Reads the body of a reply. If the log has only the beginning of the body, the reading has the fields that are complete, and
 * the problem `truncated`. A field that is missing in such a reading is unknown. Returns null if nothing of the body is known.
 */
function readingOf(reply: KnownReply | null): ReplyReading | null {
  if (!reply?.body) return null;
  const { status, headers, body } = reply;
  const known = body.truncated ? (completePart(body) ?? textBody('{}')) : body;
  const reading = readOnce({ status, headers: headers ?? [], body: known });
  return body.truncated ? { ...reading, problem: { kind: 'truncated' } } : reading;
}

/** True if the log has only the beginning of the reply. */
export function isCut(reading: ReplyReading | null): boolean {
  return reading?.problem?.kind === 'truncated';
}

/** Returns the balance in a reply. Null if the reply has no balance, or if the logger has cut the balance. */
function saidBalance(reading: ReplyReading | null): Money | null {
  const { written, money } = reading?.balance ?? {};
  return written === undefined || isMasked(written) ? null : (money ?? null);
}

function saidMoney(text: string | null): Money | null {
  return (text === null ? undefined : readAmount(text)) ?? null;
}

function endingOf({ call, exchange }: RecordedCall, reading: ReplyReading | null): Ending {
  const { answer, tookMs } = exchange;
  // The proxy changed the reply for the service. So the operator's reply does not show how the call ended for the service.
  if (answer.kind === 'unknown' || (answer.kind === 'reply' && exchange.isDisturbed)) return 'unknown';
  if (answer.kind === 'none') return ENDINGS[answer.reason];
  if (isClientClosed(answer.status) || (tookMs !== null && tookMs > REPLY_DEADLINE_MS)) return 'late';
  const end = answerOfReply(call, answer.status, reading);
  // The log has only the beginning of the body. The missing part may contain a balance, so only a published code proves that this
  // reply is an error.
  return end === 'error-200' && isCut(reading) && !isPublishedCode(reading?.code) ? 'unknown' : end;
}

/**
 * Decides whether a call was carried out. The operator's reply decides, even if the service did not receive it in time.
 */
function doneBy(call: CallName, ending: Ending, answers: readonly LoggedReply[]): LoggedCall['done'] {
  const statuses = answers.flatMap((answer) =>
    answer.kind === 'reply' && !isClientClosed(answer.status) ? [answer.status] : [],
  );
  switch (ending) {
    case 'accepted':
      return 'yes';
    case 'error-200':
      return 'no';
    case 'declined':
    case 'refused':
    case 'not-sent':
      if (statuses.some(isSuccess)) return 'yes';
      // For the service, a bet that was answered 502 is declined. If the operator has booked such a bet, the operator broke a rule.
      return call !== 'bet' && statuses.length > 0 && statuses.every(mayBeBooked) ? 'maybe' : 'no';
    case 'failed':
    case 'late':
    case 'lost':
    case 'unknown':
      if (statuses.some(isSuccess)) return 'yes';
      return ending !== 'failed' && statuses.some(isClientError) ? 'no' : 'maybe';
  }
}

/** Returns the balance in the reply of one log entry; null if the entry has none. */
export function balanceIn({ exchange: { answer, logged } }: RecordedCall): Money | null {
  if (answer.kind !== 'reply') return null;
  return answer.body === null ? saidMoney(logged.balance ?? null) : saidBalance(readingOf(answer));
}

/**
 * If the log does not show how long a call took, another call that began within this number of ms after it may have been in flight
 * at the same time.
 */
export const UNKNOWN_DURATION_MS = 1000;

/** Times with a precision of more ms than this do not show which of two calls came first. */
const FINE_MS = 100;

/**
 * Returns the longest time in ms for which a side logged that a call was in flight. Null if no log shows it. Without a
 * duration, a call whose reply came too late was in flight until the deadline.
 */
export function durationOf({ seen, alsoSeen, ending, lagMs = 0 }: LoggedCall): number | null {
  // If the service got a reply, the call ended before this reply. Otherwise, the operator may have got the call much later.
  const lag = ending === 'lost' || ending === 'late' ? lagMs : 0;
  const ofOperator = alsoSeen?.exchange.tookMs;
  const logged = [seen.exchange.tookMs ?? [], ofOperator == null ? [] : ofOperator + lag].flat();
  if (logged.length > 0) return Math.max(...logged);
  return ending === 'late' ? REPLY_DEADLINE_MS : null;
}

/**
 * Decides whether two calls were in flight at the same moment. `maybe` means that their times are not precise enough to
 * decide. If a time is unknown, the calls count as sent one after the other.
 */
export function met(a: LoggedCall, b: LoggedCall): 'yes' | 'no' | 'maybe' {
  if (a.atMs === null || b.atMs === null) return 'no';
  if (mayMeet(a, b)) return 'maybe';
  const precisionMs = Math.max(precisionOf(a), precisionOf(b));
  const overlapMs = Math.min(a.atMs + (durationOf(a) ?? 0), b.atMs + (durationOf(b) ?? 0)) - Math.max(a.atMs, b.atMs);
  if (precisionMs > FINE_MS) return overlapMs > -precisionMs ? 'maybe' : 'no';
  // Logged times may be cut, for example to whole milliseconds. So a call may seem to begin before the previous call ended,
  // although it began later.
  if (overlapMs > precisionMs) return 'yes';
  return overlapMs > 0 ? 'maybe' : 'no';
}

/**
 * True if the log does not show how long the first of two calls took, and the second call began soon after it. The calls of one
 * round are sent one after the other.
 */
function mayMeet(a: LoggedCall, b: LoggedCall): boolean {
  const [first, second] = (a.atMs ?? 0) <= (b.atMs ?? 0) ? [a, b] : [b, a];
  if (durationOf(first) !== null) return false;
  if (first.seen.roundID !== null && first.seen.roundID === second.seen.roundID) return false;
  return (second.atMs ?? 0) - (first.atMs ?? 0) < UNKNOWN_DURATION_MS;
}

function precisionOf({ seen }: LoggedCall): number {
  return seen.exchange.time?.precisionMs ?? 1;
}

/**
 * True for a call that the operator was allowed to decline, and did decline: a test call of croupier, or a call with a certain
 * {@link Excuse}.
 */
export function isRightlyDeclined({ seen, ending, excuse }: LoggedCall): boolean {
  if (seen.exchange.mayBeDeclined === true && (ending === 'declined' || ending === 'refused')) return true;
  return excuse?.isCertain === true && isNotAccepted(ending);
}

/** True for a call that the operator did not accept, although the operator may have had a right to do so. */
export function isPerhapsDeclined({ ending, excuse }: LoggedCall): boolean {
  return excuse !== null && isNotAccepted(ending);
}

function isNotAccepted(ending: Ending): boolean {
  return ending === 'declined' || ending === 'refused' || ending === 'failed' || ending === 'error-200';
}
