import { type SeenAnswer, type SeenExchange, type Side, textBody } from '../../../src/incident/seen.ts';
import { type SeenCall, seenCall } from '../../../src/incident/seen-call.ts';
import { type Selection, type Story, tellStory } from '../../../src/incident/story/story.ts';

/** When the stories of the tests begin. */
export const START = Date.parse('2026-11-21T13:00:00Z');

interface Answered {
  readonly status?: number;
  readonly balance?: string;
  readonly txID?: string;
  readonly code?: string;
  /** Instead of a reply. */
  readonly none?: 'too-late' | 'reset' | 'refused' | 'untold';
  readonly tookMs?: number;
  /** Seconds after the beginning; else one more than the call before. */
  readonly at?: number;
  readonly side?: Side;
  readonly precisionMs?: number;
  readonly mayBeEnd?: true;
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

/** Writes a story down, call by call, as a log would have it. */
export class Log {
  readonly calls: SeenCall[] = [];
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

  story(selection: Selection = {}): Story {
    const known = new Map([['s-1', { player: 'anna', currency: 'EUR' }]]);
    return tellStory(this.calls, selection, known);
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
    const { at, side = 'service', tookMs = 20, precisionMs = 1, mayBeEnd } = answered;
    this.#clock = at ?? this.#clock + 1;
    const exchange: SeenExchange = {
      place: { file: `${side}.log`, line: this.calls.length + 1 },
      side,
      time: { ms: START + this.#clock * 1000, precisionMs, ...(mayBeEnd && { mayBeEnd }) },
      tookMs,
      request: { method, url: `/eu/${call}${query}`, headers: null, body: body === null ? null : textBody(body) },
      answer: answerOf(answered),
      told: {},
    };
    const seen = seenCall(exchange);
    if (!seen) throw new Error(`${call} is no call`);
    this.calls.push(seen);
    return this;
  }
}

function answerOf({ status = 200, balance, txID, code, none }: Answered): SeenAnswer {
  if (none === 'untold') return { kind: 'untold' };
  if (none !== undefined) return { kind: 'none', reason: none, detail: '' };
  const body = status === 200 ? { balance, txID } : { code, message: 'no' };
  return { kind: 'reply', status, headers: null, body: textBody(JSON.stringify(body)) };
}
