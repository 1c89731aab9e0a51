import type { Exchange, ExchangeRequest, HeaderList, Outcome, Stamps } from '../journal/exchange.ts';
import { createScrubber } from '../journal/scrubber.ts';

/** One exchange of the service, finished or not. Secrets are masked. */
export interface LoggedExchange extends ExchangeLabel {
  /** Counts all exchanges, of both directions. */
  readonly id: number;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly request: ExchangeRequest;
  /** null while it is under way. */
  readonly outcome: Outcome | null;
  /** null while it is under way. For a request to the service, the phases that only its sender can measure are null. */
  readonly stamps: Stamps | null;
  readonly connection: Exchange['connection'];
}

/** The call that an exchange makes, and its round and session. */
export interface ExchangeLabel {
  /** `core`: a request of an operator to the Core API. `reverse`: a call of the service to an operator. */
  readonly direction: 'core' | 'reverse';
  /** `bet`; `POST /create-new-game`. */
  readonly name: string;
  /** null where it is not known. */
  readonly extCID: string | null;
  readonly gsID: string | null;
  readonly roundID: string | null;
  /** The way in which the call was disturbed on purpose, or that it was sent again by hand. */
  readonly notes: readonly string[];
}

/** The end of an exchange. */
export interface ExchangeEnd {
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  readonly connection: Exchange['connection'];
  /** The parts of the label that were not known at the beginning. */
  readonly label?: Partial<ExchangeLabel>;
}

export interface ExchangeLogOptions {
  /** Keys and other secrets, which are masked wherever they appear. */
  readonly secrets: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The maximum number of exchanges that are kept. 1000. */
  readonly maxExchanges?: number;
  /** The maximum number of characters of each body that are kept. 65536. */
  readonly maxBody?: number;
}

const MAX_EXCHANGES = 1000;
const MAX_BODY = 65_536;

type Listener = (exchange: LoggedExchange) => void;

/**
 * The latest exchanges of the service: the operators' requests and its own calls.
 *
 * Signatures are not masked: a signature does not reveal its key, and is needed to find mistakes.
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

  /** Adds an exchange that begins. @returns its id, and the function to call once when it ends */
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
    };
    this.#put(begun);
    return {
      id,
      end: ({ outcome, stamps, connection, label: known }) => {
        this.#put({ ...begun, ...known, outcome: this.#cleanOutcome(outcome), stamps, connection });
      },
    };
  }

  /**
   * Calls the listener with every exchange from now on, when it begins and again when it ends.
   *
   * @returns removes the listener
   */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The exchanges that are kept, oldest first. */
  recent(): readonly LoggedExchange[] {
    return [...this.#exchanges.values()];
  }

  /** @returns undefined when there was no such exchange, or it is not kept any more */
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

  #cleanRequest({ method, url, headers, body }: ExchangeRequest): ExchangeRequest {
    return {
      method,
      url: this.#scrub(url),
      headers: this.#cleanHeaders(headers),
      body: body === null ? null : this.#cleanBody(body),
    };
  }

  #cleanOutcome(outcome: Outcome): Outcome {
    switch (outcome.kind) {
      case 'reply': {
        const { status, headers, body } = outcome.reply;
        return { kind: 'reply', reply: { status, headers: this.#cleanHeaders(headers), body: this.#cleanBody(body) } };
      }
      case 'none': {
        const { head } = outcome;
        const clean = head && { head: { status: head.status, headers: this.#cleanHeaders(head.headers) } };
        return { ...outcome, detail: this.#scrub(outcome.detail), ...clean };
      }
    }
  }

  #cleanHeaders(headers: HeaderList): HeaderList {
    return headers.map(([name, value]) => [name, this.#scrub(value)] as const);
  }

  #cleanBody(body: NonNullable<ExchangeRequest['body']>): NonNullable<ExchangeRequest['body']> {
    const max = this.#options.maxBody ?? MAX_BODY;
    // Cut after the masking: a half of a secret would not be masked.
    const data = this.#scrub(body.data);
    return data.length <= max ? { ...body, data } : { ...body, data: data.slice(0, max), truncated: true };
  }
}
