import { SIGNATURE_HEADER } from '../contract/signature.ts';
import {
  type Body,
  type Exchange,
  type ExchangeRequest,
  header,
  type Outcome,
  type Stamps,
} from '../journal/exchange.ts';
import { cleanOutcome, cleanRequest } from '../journal/secrets/clean-event.ts';
import { createScrubber } from '../journal/secrets/scrubber.ts';
import type { CallBalance, CallFinding } from './call-judge.ts';

/** The faults that croupier's own operator can have in a reply, because the user of the console asked for one. */
export const REPLY_FAULTS = ['error-500', 'late', 'declined'] as const;

export type ReplyFaultKind = (typeof REPLY_FAULTS)[number];

/** One exchange of the service, finished or still in progress. The secrets in its texts are masked. */
export interface LoggedExchange extends ExchangeLabel {
  /** The number of the exchange, counted from 1 over both directions. */
  readonly id: number;
  /** The time when the exchange began, in milliseconds since 1970. */
  readonly at: number;
  readonly request: ExchangeRequest;
  /** The outcome; null until the exchange has ended. */
  readonly outcome: Outcome | null;
  /**
   * The time stamps; null until the exchange has ended. For a request to the service, the time stamps that only the sender of
   * the request can take are null.
   */
  readonly stamps: Stamps | null;
  readonly connection: Exchange['connection'];
  /** The findings about a reverse call. Empty until the call is judged, and for a request to the Core API. */
  readonly findings: readonly CallFinding[];
  /**
   * The balance in the reply, and the expected balance. Null until the call is judged; stays null for an exchange that is never
   * judged.
   */
  readonly balance: CallBalance | null;
  /** The fault that the user of the console injected into the reply; null for every other exchange. */
  readonly replyFault: ReplyFaultKind | null;
}

/** The call or operation of an exchange, with its client, session and round. */
export interface ExchangeLabel {
  /** `core` for an operator's request to the Core API, `reverse` for a call that the service makes to an operator. */
  readonly direction: 'core' | 'reverse';
  /** The name of the call or operation, such as `bet` or `POST /create-new-game`. */
  readonly name: string;
  /** The client; null if it is not known. */
  readonly extCID: string | null;
  readonly gsID: string | null;
  readonly roundID: string | null;
  /** The unusual facts about the exchange, for example that the call was delayed on purpose. Empty for an ordinary exchange. */
  readonly notes: readonly string[];
}

/** The data of an exchange that are known only when it ends. */
export interface ExchangeEnd {
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  readonly connection: Exchange['connection'];
  /** The fields of the label that were not known when the exchange began. */
  readonly label?: Partial<ExchangeLabel>;
}

export interface ExchangeLogOptions {
  /** Keys and other secrets. They are masked wherever they occur. */
  readonly secrets: readonly string[];
  /** Returns the milliseconds since 1970. */
  readonly clock: () => number;
  /** The maximum number of exchanges that are kept. The default is 1000. */
  readonly maxExchanges?: number;
  /** The maximum number of characters that are kept of each body. The default is 65 536. */
  readonly maxBody?: number;
}

/** The default number of exchanges that are kept. */
export const MAX_EXCHANGES = 1000;
const MAX_BODY = 65_536;

type Listener = (exchange: LoggedExchange) => void;

/**
 * The latest exchanges of the service: the operators' requests to the Core API, and the service's reverse calls.
 *
 * Signatures are not masked. A signature does not reveal its key, and is needed to find mistakes.
 */
export class ExchangeLog {
  readonly #options: ExchangeLogOptions;
  readonly #scrub: (text: string) => string;
  readonly #exchanges = new Map<number, LoggedExchange>();
  readonly #listeners = new Set<Listener>();
  #count = 0;

  constructor(options: ExchangeLogOptions) {
    this.#options = options;
    this.#scrub = createScrubber(options.secrets);
  }

  /**
   * Adds an exchange that begins now.
   *
   * @returns the id of the exchange, and the function to call once when the exchange ends
   */
  begin(
    label: ExchangeLabel,
    request: ExchangeRequest,
  ): { readonly id: number; readonly end: (end: ExchangeEnd) => void } {
    this.#count += 1;
    const id = this.#count;
    const begun: LoggedExchange = {
      ...label,
      id,
      at: this.#options.clock(),
      request: this.#cleanRequest(request),
      outcome: null,
      stamps: null,
      connection: null,
      findings: [],
      balance: null,
      replyFault: null,
    };
    this.#put(begun);
    return {
      id,
      end: ({ outcome, stamps, connection, label: known }) => {
        const { replyFault } = this.#exchanges.get(id) ?? begun;
        this.#put({ ...begun, ...known, replyFault, outcome: this.#cleanOutcome(outcome), stamps, connection });
      },
    };
  }

  /**
   * Remembers that the user injected a fault into the reply to a call that is still under way.
   *
   * @param signature the signature of the call. An earlier call with the same bytes, and so the same signature, has ended
   */
  setReplyFault(signature: string, replyFault: ReplyFaultKind): void {
    const call = [...this.#exchanges.values()].findLast(
      ({ outcome, request }) => outcome === null && header(request.headers, SIGNATURE_HEADER) === signature,
    );
    if (call) this.#put({ ...call, replyFault });
  }

  /** Adds a finding to an exchange that has ended, if the exchange is still kept. */
  addFinding(id: number, finding: CallFinding): void {
    const exchange = this.#exchanges.get(id);
    if (exchange) {
      const text = this.#scrub(finding.text);
      this.#put({ ...exchange, findings: [...exchange.findings, { ...finding, text }] });
    }
  }

  /** Adds the result of comparing the balance to an exchange that has ended, if the exchange is still kept. */
  setBalance(id: number, balance: CallBalance): void {
    const exchange = this.#exchanges.get(id);
    if (exchange) this.#put({ ...exchange, balance });
  }

  /**
   * Calls the listener with every later exchange: when it begins, when it ends, and when it is judged.
   *
   * @returns a function that removes the listener
   */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the exchanges that are kept, oldest first. */
  recent(): readonly LoggedExchange[] {
    return [...this.#exchanges.values()];
  }

  /** Returns an exchange by its id; undefined if no exchange has this id, or if the exchange is no longer kept. */
  find(id: number): LoggedExchange | undefined {
    return this.#exchanges.get(id);
  }

  #put(exchange: LoggedExchange): void {
    const isNew = exchange.outcome === null;
    if (isNew || this.#exchanges.has(exchange.id)) this.#exchanges.set(exchange.id, exchange);
    if (this.#exchanges.size > (this.#options.maxExchanges ?? MAX_EXCHANGES)) {
      const [oldest] = this.#exchanges.keys();
      if (oldest !== undefined) this.#exchanges.delete(oldest);
    }
    for (const listener of this.#listeners) listener(exchange);
  }

  #cut<T extends Body | null>(body: T): T {
    const max = this.#options.maxBody ?? MAX_BODY;
    return body === null || body.data.length <= max
      ? body
      : { ...body, data: body.data.slice(0, max), truncated: true };
  }

  #cleanRequest(request: ExchangeRequest): ExchangeRequest {
    const clean = cleanRequest(request, this.#scrub);
    return { ...clean, body: this.#cut(clean.body) };
  }

  #cleanOutcome(outcome: Outcome): Outcome {
    const clean = cleanOutcome(outcome, this.#scrub);
    if (clean.kind === 'none') return clean;
    return { kind: 'reply', reply: { ...clean.reply, body: this.#cut(clean.reply.body) } };
  }
}
