import { LRUCache } from 'lru-cache';
import { CALL_NAMES, type CallName, type TransactionCall } from '../../contract/call-name.ts';
import { canonicalJson } from '../../contract/canonical.ts';
import type { JournalEvent, Received, RunStarted, Sending } from '../event.ts';
import { type Body, NO_REPLY_REASONS, type NoReplyReason } from '../exchange.ts';
import { loadCallSpan, type Trace, withTraceparent } from '../network/trace.ts';

/**
 * The lines of the journal of `croupier load` after its first event. A load test sends thousands of calls a second. So each line is
 * a short JSON array instead of an event. `LineWriter` writes these lines, and {@link LoadLines} turns every line into the event that
 * it stands for.
 *
 * Every call has a number. A reply has the number of its call.
 *
 * - `s`, a bet, win or refund: number, time, index of the session, call, txID, roundID, amount, txID of the bet or null, frID or
 *   null
 * - `c`, the same call sent again: number, time, number of the first sending
 * - `r`, a balance call: number, time, index of the session
 * - `a`, a reply: number, time, status, balance or null, the operator's txID or null
 * - `x`, no reply: number, time, reason
 *
 * Times are milliseconds from the start of the test. The line of a call is written before its first byte is sent.
 */
export type LoadLine =
  | readonly [
      's',
      number: number,
      at: number,
      session: number,
      call: TransactionCall,
      txID: string,
      roundID: string,
      amount: string,
      origTxID: string | null,
      frID: string | null,
    ]
  | readonly ['c', number: number, at: number, of: number]
  | readonly ['r', number: number, at: number, session: number]
  | readonly ['a', number: number, at: number, status: number, balance: string | null, txID: string | null]
  | readonly ['x', number: number, at: number, reason: NoReplyReason];

/** The types of the values of each line, in their order. `?` marks a value that may be null. */
const FORMS: Readonly<Record<LoadLine[0], readonly ('number' | 'string' | 'string?')[]>> = {
  s: ['number', 'number', 'number', 'string', 'string', 'string', 'string', 'string?', 'string?'],
  c: ['number', 'number', 'number'],
  r: ['number', 'number', 'number'],
  a: ['number', 'number', 'number', 'string?', 'string?'],
  x: ['number', 'number', 'string'],
};

/** True if a value is a line of the journal of a load test. */
export function isLoadLine(value: unknown): value is LoadLine {
  if (!Array.isArray(value)) return false;
  const [kind, ...rest] = value as readonly unknown[];
  const form = typeof kind === 'string' && kind in FORMS ? FORMS[kind as LoadLine[0]] : undefined;
  if (form?.length !== rest.length) return false;
  const fits = rest.every((item, at) =>
    form[at] === 'string?' ? item === null || typeof item === 'string' : typeof item === form[at],
  );
  if (!fits) return false;
  if (kind === 's') return CALL_NAMES.includes(rest[3] as CallName) && rest[3] !== 'balance';
  return kind !== 'x' || NO_REPLY_REASONS.includes(rest[2] as NoReplyReason);
}

/**
 * Maximum number of answered transactions whose line is kept. A repetition of an older transaction is left out. This changes
 * nothing, because the transaction was answered.
 */
export const MAX_REPEATABLE = 50_000;

/** The line of the first sending of a transaction. */
type FirstLine = Extract<LoadLine, readonly ['s', ...unknown[]]>;

interface OpenSending {
  readonly sending: Sending;
  readonly at: number;
  /** The number of the first sending of the same call. */
  readonly first: number;
}

/** Turns the lines of a load test into the events of a journal. */
export class LoadLines {
  readonly #run: RunStarted;
  readonly #sendings = new Map<number, OpenSending>();
  /**
   * The lines of the wins and refunds that were not answered with a success yet. Such a call is sent again until it is answered
   * with a success.
   */
  readonly #unanswered = new Map<number, FirstLine>();
  /** The lines of the other transactions. Only recent lines are kept, because such a call is repeated soon or not at all. */
  readonly #recent: LRUCache<number, FirstLine>;

  constructor(run: RunStarted, maxRecent = MAX_REPEATABLE) {
    this.#run = run;
    this.#recent = new LRUCache({ max: maxRecent });
  }

  /** Returns the event that a line stands for. Returns undefined for the reply to a call that the journal does not have. */
  eventOf(line: LoadLine): JournalEvent | undefined {
    switch (line[0]) {
      case 's': {
        const [, number, at, , call] = line;
        if (call === 'bet') this.#recent.set(number, line);
        else this.#unanswered.set(number, line);
        return this.#sent(number, at, this.#transaction(line), number);
      }
      case 'c': {
        const [, number, at, of] = line;
        const first = this.#recent.get(of) ?? this.#unanswered.get(of);
        return first && this.#sent(number, at, { ...this.#transaction(first), id: idOf(number) }, of);
      }
      case 'r': {
        const query = `?sessionID=${encodeURIComponent(this.#sessionOf(line[3]))}`;
        return this.#sent(line[1], line[2], this.#sending(line[1], 'balance', query, null, undefined), line[1]);
      }
      case 'a': {
        const [, number, at, status, balance, txID] = line;
        const fields = { ...(balance !== null && { balance }), ...(txID !== null && { txID }) };
        const headers = [['Content-Type', 'application/json']] as const;
        if (status === 200) this.#answered(number);
        return this.#received(number, at, {
          kind: 'reply',
          reply: { status, headers, body: utf8(canonicalJson(fields)) },
        });
      }
      case 'x':
        return this.#received(line[1], line[2], { kind: 'none', reason: line[3], detail: 'no reply in the load test' });
    }
  }

  #sessionOf(index: number): string {
    return this.#run.settings.sessions[index]?.sessionID ?? '';
  }

  #transaction([, number, , session, call, txID, roundID, amount, origTxID, frID]: FirstLine): Sending {
    const sessionID = this.#sessionOf(session);
    const fields =
      call === 'refund'
        ? { amount, origTxID: origTxID ?? '', roundID, sessionID, txID }
        : {
            amount,
            ...(frID !== null && { frID }),
            roundID,
            sessionID,
            txID,
            type: frID === null ? 'regular' : 'free',
          };
    return this.#sending(number, call, '', utf8(canonicalJson(fields)), amount);
  }

  #sending(number: number, call: CallName, query: string, body: Body | null, amount: string | undefined): Sending {
    const url = `${this.#run.client.integratorBaseUrl.replace(/(?<!\/)\/+$/, '')}/${call}${query}`;
    // The journal does not contain the signature, because it is always right.
    const headers = [...(body ? [['Content-Type', 'application/json'] as const] : []), MASKED_SIGNATURE];
    return {
      event: 'sending',
      id: idOf(number),
      scenario: null,
      step: null,
      purpose: 'step',
      call,
      request: { method: body ? 'POST' : 'GET', url, headers, body },
      ...(amount !== undefined && { amount }),
    };
  }

  #sent(number: number, at: number, given: Sending, first: number): Sending {
    const sending = this.#run.settings.trace ? traced(given, loadCallSpan(this.#run.runID, number)) : given;
    this.#sendings.set(number, { sending, at, first });
    return sending;
  }

  /** Notes that a call was answered with a success. After that, it is repeated soon or not at all. */
  #answered(number: number): void {
    const first = this.#sendings.get(number)?.first;
    const line = first === undefined ? undefined : this.#unanswered.get(first);
    if (!line) return;
    this.#unanswered.delete(line[1]);
    this.#recent.set(line[1], line);
  }

  #received(number: number, at: number, outcome: Received['outcome']): Received | undefined {
    const sent = this.#sendings.get(number);
    if (!sent) return undefined;
    this.#sendings.delete(number);
    const { sending, at: start } = sent;
    const stamps = { start, resolved: null, connected: null, secured: null, sent: start, firstByte: null, end: at };
    // The journal does not contain the number of the connection. 0 takes its place, because `connection` must not be null: the call
    // may have reached the operator.
    const connection = { id: 0, reused: false };
    return { event: 'received', id: sending.id, scenario: null, outcome, stamps, connection, model: null };
  }
}

/** Returns a sending with its trace. The journal does not contain the trace, because it follows from the number of the call. */
function traced(sending: Sending, trace: Trace): Sending {
  const { request } = sending;
  return { ...sending, request: { ...request, headers: withTraceparent(request.headers, trace) }, trace };
}

const MASKED_SIGNATURE = ['X-REQUEST-SIGN', '***'] as const;

function idOf(number: number): string {
  return `l${number}`;
}

function utf8(data: string): Body {
  return { encoding: 'utf8', data, length: Buffer.byteLength(data), truncated: false };
}
