import { SIGNATURE_HEADER } from '../contract/signature.ts';
import { amountTextOf, bodyFields } from '../journal/call-amount.ts';
import type { Sending } from '../journal/event.ts';
import {
  type Body,
  bodyText,
  type HeaderList,
  type NoReplyReason,
  type Outcome,
  type Stamps,
  sessionNamedIn,
} from '../journal/exchange.ts';
import { TRACE_HEADER } from '../journal/network/trace.ts';

/** The result of a call, short enough for a column. */
export interface Answer {
  /**
   * `replied`: a whole reply came. `broken`: croupier broke the connection on purpose. `lost`: no reply came for another reason.
   */
  readonly fate: 'replied' | 'broken' | 'lost';
  /** The status, followed by the balance and the operator's `txID`, or by the error code. The text is not yet escaped. */
  readonly text: string;
}

/**
 * Maximum number of characters of an identifier. Of a longer identifier, only the end is shown, because two identifiers more often
 * differ at the end than at the beginning.
 */
const MAX_ID = 8;
const MAX_WORD = 20;

/** Summarises the result of a call. The body of a reply is not validated. */
export function answerOf(outcome: Outcome): Answer {
  if (outcome.kind === 'none') {
    return outcome.reason === 'broken' ? { fate: 'broken', text: 'broken' } : { fate: 'lost', text: outcome.reason };
  }
  const { status, body } = outcome.reply;
  const fields = fieldsOf(body);
  const words =
    fields.balance === undefined && fields.txID === undefined ? [fields.code] : [fields.balance, ending(fields.txID)];
  return { fate: 'replied', text: [String(status), ...words.filter((word) => word !== undefined)].join(' ') };
}

/** Maximum number of characters of an amount. Longer text is cut. */
const MAX_AMOUNT = 60;

/** The facts about a session that `callWords` uses. */
export interface KnownSession {
  readonly sessionID: string;
  readonly currency?: string | null | undefined;
}

/**
 * Names a call with its amount and the currency of its session, as in `bet of 3.00 EUR` or `balance call in EUR`. The text is not
 * yet escaped.
 */
export function callWords(sending: Sending, sessions: readonly KnownSession[]): string {
  const sessionID = sessionNamedIn(sending.request);
  const currency = sessions.find((session) => session.sessionID === sessionID)?.currency;
  const amount = amountTextOf(sending)?.slice(0, MAX_AMOUNT);
  const { body } = sending.request;
  const isFree = body !== null && bodyFields(body)?.type === 'free';
  const call = isFree ? `free ${sending.call}` : sending.call;
  if (amount !== undefined) return `${call} of ${amount}${currency ? ` ${currency}` : ''}`;
  const name = sending.call === 'balance' ? 'balance call' : call;
  return currency ? `${name} in ${currency}` : name;
}

function fieldsOf(body: Body): Partial<Record<'balance' | 'txID' | 'code', string>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bodyText(body));
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null) return {};
  const words = Object.entries(parsed).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? [[name, String(value).slice(0, MAX_WORD * 4)] as const]
      : [],
  );
  return Object.fromEntries(words);
}

function ending(id: string | undefined): string | undefined {
  return id === undefined || id.length <= MAX_ID ? id : `…${id.slice(-MAX_ID + 1)}`;
}

/** Explains in words why no reply came. */
export function noReplySentence(reason: NoReplyReason): string {
  switch (reason) {
    case 'broken':
      return 'croupier broke the connection on purpose';
    case 'too-late':
      return 'no complete reply came within the deadline';
    case 'unresolved':
      return 'the host name has no address';
    case 'refused':
      return 'the connection was refused, because no program listens at this address';
    case 'unreachable':
      return 'the network or the host cannot be reached';
    case 'connect-timeout':
      return 'no connection could be made within the deadline';
    case 'send-timeout':
      return 'the connection was made, but the request could not be sent within the deadline';
    case 'tls':
      return 'the TLS handshake failed, or the certificate was not accepted';
    case 'proxy':
      return 'the proxy refused the call';
    case 'reset':
      return 'the operator closed the connection before its reply was complete';
    case 'stale-connection':
      return 'a reused connection was closed before a reply came';
    case 'closed-early':
      return 'the reply is shorter than its headers say';
    case 'too-large':
      return "the reply was larger than croupier's limit";
    case 'not-http':
      return 'the reply was not HTTP';
    case 'bad-encoding':
      return 'the body could not be decoded by its Content-Encoding';
    case 'aborted':
      return 'the run was interrupted';
  }
}

const ORDINARY_IN_A_REQUEST = new Set(['host', 'content-length', 'connection', 'accept-encoding']);
const NOTABLE_IN_A_REPLY = new Set(['content-type', 'content-encoding', 'location', 'retry-after', 'server', 'via']);

/** If nobody may send the call again, only this number of characters of its signature is shown. */
const SHOWN_OF_SIGNATURE = 8;

/**
 * Returns the headers of a request, without the headers that every request has. Reports show the trace of a call in a line of its
 * own, so the header of this trace is left out too.
 *
 * @param isSigned false to show only the beginning of the signature, so that nobody can send the call again
 */
export function notableRequestHeaders(
  { request, trace }: Pick<Sending, 'request' | 'trace'>,
  isSigned: boolean,
): HeaderList {
  const isShown = (name: string): boolean =>
    !ORDINARY_IN_A_REQUEST.has(name) && (trace === undefined || name !== TRACE_HEADER);
  return request.headers
    .filter(([name]) => isShown(name.toLowerCase()))
    .map(([name, value]) => (isSigned || !isSignature(name) ? [name, value] : [name, beginningOf(value)]));
}

function isSignature(name: string): boolean {
  return name.toLowerCase() === SIGNATURE_HEADER.toLowerCase();
}

function beginningOf(signature: string): string {
  return signature.length <= SHOWN_OF_SIGNATURE ? signature : `${signature.slice(0, SHOWN_OF_SIGNATURE)}…`;
}

/** Returns the headers of a reply that describe its content or its sender. */
export function notableReplyHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => NOTABLE_IN_A_REPLY.has(name.toLowerCase()));
}

/** One phase of an exchange, with its duration in milliseconds. */
export interface Phase {
  readonly name: 'look-up' | 'connect' | 'TLS' | 'send' | 'wait' | 'read' | 'until given up';
  readonly ms: number;
}

/** Returns the phases of an exchange in order. Phases that did not happen or are unknown are left out. */
export function phasesOf(stamps: Stamps, reused: boolean): readonly Phase[] {
  const phases: Phase[] = [];
  let last = stamps.start;
  const phase = (name: Phase['name'], end: number | null): void => {
    if (end === null) return;
    phases.push({ name, ms: end - last });
    last = end;
  };
  if (!reused) {
    phase('look-up', stamps.resolved);
    phase('connect', stamps.connected);
    phase('TLS', stamps.secured);
  }
  phase('send', stamps.sent);
  phase('wait', stamps.firstByte);
  phase(stamps.firstByte === null ? 'until given up' : 'read', stamps.end);
  return phases;
}
