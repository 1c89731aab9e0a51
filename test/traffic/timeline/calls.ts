import type { CallSelection } from '../../../src/traffic/call-selection.ts';
import { type LoggedExchange, type LoggedReply, type Side, textBody } from '../../../src/traffic/logged-exchange.ts';
import { type RecordedCall, recordedCall } from '../../../src/traffic/recorded-call.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';

/** The time at which the timelines of the tests begin. */
export const START = Date.parse('2026-11-21T13:00:00Z');

interface Answered {
  readonly status?: number;
  readonly balance?: string;
  readonly txID?: string;
  readonly code?: string;
  /** Instead of a reply. */
  readonly none?: 'too-late' | 'reset' | 'broken' | 'refused' | 'unknown';
  readonly tookMs?: number | null;
  /** Seconds after the beginning; else one more than the call before. */
  readonly at?: number;
  readonly side?: Side;
  readonly precisionMs?: number;
  readonly mayBeEnd?: true;
  /** The call is of a log that has every call of a run of croupier. */
  readonly isOfWholeRun?: true;
  readonly isOfRun?: true;
}

interface Fields {
  readonly tx?: string;
  readonly round?: string;
  readonly amount?: string;
  readonly orig?: string;
  readonly session?: string;
  readonly type?: string;
  readonly frID?: string;
}

/** Writes a timeline, call by call, in the form of a log. */
export class Log {
  readonly calls: RecordedCall[] = [];
  #clock = 0;

  balance(balance: string, more: Answered = {}): this {
    return this.#add('balance', 'GET', '?sessionID=s-1', null, { balance, ...more });
  }

  bet(tx: string, amount: string, answered: Answered, fields: Fields = {}): this {
    return this.#post('bet', { tx, amount, round: 'r-1', ...fields }, answered);
  }

  win(tx: string, amount: string, answered: Answered, fields: Fields = {}): this {
    return this.#post('win', { tx, amount, round: 'r-1', ...fields }, answered);
  }

  refund(tx: string, orig: string, amount: string, answered: Answered, fields: Fields = {}): this {
    return this.#post('refund', { tx, orig, amount, round: 'r-1', ...fields }, answered);
  }

  /** A line of an access log: neither session nor transaction. */
  access(call: 'bet' | 'win' | 'refund', status: number, at: number): this {
    return this.#add(call, 'POST', '', null, { status, at, side: 'operator', precisionMs: 1000, tookMs: 0 });
  }

  timeline(selection: CallSelection = {}, currency = 'EUR'): IncidentTimeline {
    const known = new Map([['s-1', { player: 'anna', currency }]]);
    return buildTimeline(this.calls, selection, known);
  }

  #post(call: string, { tx, amount, round, orig, session = 's-1', type, frID }: Fields, answered: Answered): this {
    const body = {
      amount,
      sessionID: session,
      txID: tx,
      roundID: round,
      origTxID: orig,
      type: type ?? 'regular',
      frID,
    };
    return this.#add(call, 'POST', '', JSON.stringify(body), { txID: `w-${tx ?? ''}`, ...answered });
  }

  #add(call: string, method: string, query: string, body: string | null, answered: Answered): this {
    const { at, side = 'service', tookMs = 20, precisionMs = 1, mayBeEnd, isOfWholeRun, isOfRun } = answered;
    this.#clock = at ?? this.#clock + 1;
    const exchange: LoggedExchange = {
      place: { file: `${side}.log`, line: this.calls.length + 1 },
      side,
      time: { ms: START + this.#clock * 1000, precisionMs, ...(mayBeEnd && { mayBeEnd }) },
      tookMs,
      request: { method, url: `/eu/${call}${query}`, headers: null, body: body === null ? null : textBody(body) },
      answer: answerOf(answered),
      logged: {},
      ...(isOfWholeRun && { isOfWholeRun }),
      ...(isOfRun && { isOfRun }),
    };
    const seen = recordedCall(exchange);
    if (!seen) throw new Error(`${call} is no call`);
    this.calls.push(seen);
    return this;
  }
}

function answerOf({ status = 200, balance, txID, code, none }: Answered): LoggedReply {
  if (none === 'unknown') return { kind: 'unknown' };
  if (none !== undefined) return { kind: 'none', reason: none, detail: '' };
  const body = status < 300 ? { balance, txID } : { code, message: 'no' };
  return { kind: 'reply', status, headers: null, body: textBody(JSON.stringify(body)) };
}
