import type { Exchange, ExchangeRequest, HeaderList, Outcome, Stamps } from '../journal/exchange.ts';
import { createScrubber } from '../journal/scrubber.ts';

/** One exchange of the service, as far as it has come. Nothing in it is a secret. */
export interface LoggedExchange extends ExchangeLabel {
  /** Counts up, over both directions. */
  readonly id: number;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly request: ExchangeRequest;
  /** null while it is under way. */
  readonly outcome: Outcome | null;
  /** null while it is under way; and of a request to the service whatever only its sender can know. */
  readonly stamps: Stamps | null;
  readonly connection: Exchange['connection'];
}

/** What an exchange is about. */
export interface ExchangeLabel {
  /** `core`: a request of an operator to the Core API. `reverse`: a call of the service to an operator. */
  readonly direction: 'core' | 'reverse';
  /** `bet`; `POST /create-new-game`. */
  readonly name: string;
  /** null where they are not known. */
  readonly extCID: string | null;
  readonly gsID: string | null;
  readonly roundID: string | null;
  /** What is out of the ordinary: how the call was disturbed on purpose, or that it was sent once more by hand. */
  readonly notes: readonly string[];
}

/** What became of an exchange. */
export interface Landed {
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  readonly connection: Exchange['connection'];
  /** What is only known by now. */
  readonly label?: Partial<ExchangeLabel>;
}

export interface ExchangeLogOptions {
  /** Keys and the like, which are masked wherever they appear. */
  readonly secrets: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** So many exchanges are remembered. 1000. */
  readonly most?: number;
  /** Of each body so many characters are remembered. 65536. */
  readonly mostOfBody?: number;
}

const MOST = 1000;
const MOST_OF_BODY = 65_536;

type Listener = (exchange: LoggedExchange) => void;

/**
 * Every exchange of the service as it happens, both the operators' requests and its own calls. The oldest are forgotten.
 *
 * Signatures stay in it: a signature says nothing about its key, and whoever looks for a mistake needs them.
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

  /** An exchange begins. @returns to be called once, when it is over; and its id */
  begin(
    label: ExchangeLabel,
    request: ExchangeRequest,
  ): { readonly id: number; readonly land: (landed: Landed) => void } {
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
      land: ({ outcome, stamps, connection, label: known }) => {
        this.#put({ ...begun, ...known, outcome: this.#cleanOutcome(outcome), stamps, connection });
      },
    };
  }

  /**
   * Hears of every exchange from now on, when it begins and again when it is over.
   *
   * @returns ends it
   */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is remembered, oldest first. */
  recent(): readonly LoggedExchange[] {
    return [...this.#exchanges.values()];
  }

  /** @returns undefined when it never was, or is forgotten */
  find(id: number): LoggedExchange | undefined {
    return this.#exchanges.get(id);
  }

  #put(exchange: LoggedExchange): void {
    const isNew = exchange.outcome === null;
    if (isNew || this.#exchanges.has(exchange.id)) this.#exchanges.set(exchange.id, exchange);
    if (this.#exchanges.size > (this.#options.most ?? MOST)) {
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
    const most = this.#options.mostOfBody ?? MOST_OF_BODY;
    // Cut after the masking, or a secret across the cut would be left in half.
    const data = this.#scrub(body.data);
    return data.length <= most ? { ...body, data } : { ...body, data: data.slice(0, most), truncated: true };
  }
}
