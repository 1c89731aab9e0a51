import type { Fields } from '../../json-fields.ts';
import type { LogEntry, LoggedExchange, LogTime } from '../../logged-exchange.ts';
import { fieldOf, layersOf } from './json-line.ts';
import { type LogField, type LogForm, loggedOf } from './log-form.ts';
import { answerOf, tookMs } from './log-line.ts';
import { readTime } from './time.ts';

/** Maximum number of requests that wait for the line with their reply. */
const MAX_WAITING = 10_000;
const ONE_REQUEST_MS = 60_000;

/** Joins a request and its reply that were logged on two lines with the same request id. */
export class ReplyCorrelation {
  readonly #form: LogForm;
  readonly #waiting = new Map<string, LoggedExchange>();

  constructor(form: LogForm) {
    this.#form = form;
  }

  /**
   * Adds a request whose reply may follow, or which may be logged again together with its reply. Yields the exchanges
   * that are complete now.
   */
  *request(exchange: LoggedExchange, object: Fields): Generator<LogEntry> {
    const isWhole = exchange.answer.kind !== 'unknown' && this.#waiting.size === 0;
    const id = isWhole ? undefined : this.#idOf(object);
    if (id === undefined) {
      yield { kind: 'exchange', exchange };
      return;
    }
    const before = this.#waiting.get(id);
    const same = before && isSame(before, exchange) ? joined(before, exchange) : undefined;
    if (before && !same) yield { kind: 'exchange', exchange: before };
    this.#waiting.delete(id);
    const now = same ?? exchange;
    if (now.answer.kind !== 'unknown') yield { kind: 'exchange', exchange: now };
    else yield* this.#wait(id, now);
  }

  *#wait(id: string, exchange: LoggedExchange): Generator<LogEntry> {
    this.#waiting.set(id, exchange);
    const [oldest] = this.#waiting;
    if (!oldest || this.#waiting.size <= MAX_WAITING) return;
    this.#waiting.delete(oldest[0]);
    yield { kind: 'exchange', exchange: oldest[1] };
  }

  /**
   * Adds a line that is not a request. Returns the exchange with its reply, or undefined if the line is not the reply
   * of a waiting request.
   */
  reply(object: Fields): LoggedExchange | undefined {
    for (const layer of layersOf(object)) {
      const id = this.#idOf(layer);
      const exchange = id === undefined ? undefined : this.#waiting.get(id);
      const read = (field: LogField): string | undefined =>
        fieldOf(layer, field, this.#form) ??
        (field === 'responseBody' ? fieldOf(layer, 'requestBody', this.#form) : undefined);
      const answer = exchange && answerOf(read);
      if (id === undefined || !exchange || !answer || answer.kind === 'unknown') continue;
      this.#waiting.delete(id);
      const came = readTime(read('time') ?? '', this.#form.zone);
      return {
        ...exchange,
        answer,
        tookMs: tookMs(read) ?? between(exchange, came),
        logged: { ...loggedOf(read), ...exchange.logged },
      };
    }
    return undefined;
  }

  /** Yields the waiting requests, for which no reply was logged. Called at the end of the file. */
  *end(): Generator<LogEntry> {
    for (const exchange of this.#waiting.values()) yield { kind: 'exchange', exchange };
    this.#waiting.clear();
  }

  #idOf(object: Fields): string | undefined {
    for (const layer of layersOf(object)) {
      const id = fieldOf(layer, 'correlation', this.#form);
      if (id !== undefined && id !== '') return id;
    }
    return undefined;
  }
}

/**
 * True if two lines are about the same request. A program may use the same ids again after a restart, so the lines must
 * also be close in time and have the same body.
 */
function isSame(a: LoggedExchange, b: LoggedExchange): boolean {
  const isSoon = a.time === null || b.time === null || Math.abs(a.time.ms - b.time.ms) < ONE_REQUEST_MS;
  const bodies = [a, b].map(({ request: { body } }) => (body === null || body === 'unknown' ? undefined : body.data));
  return isSoon && (bodies.includes(undefined) || bodies[0] === bodies[1]);
}

function joined(first: LoggedExchange, again: LoggedExchange): LoggedExchange {
  const isLogged = first.request.body !== null && first.request.body !== 'unknown';
  return {
    ...first,
    request: {
      ...first.request,
      url: first.request.url ?? again.request.url,
      body: isLogged ? first.request.body : again.request.body,
    },
    answer: again.answer,
    tookMs: again.tookMs ?? (again.answer.kind === 'unknown' ? null : between(first, again.time)),
    logged: { ...again.logged, ...first.logged },
  };
}

function between({ time }: LoggedExchange, came: LogTime | null | undefined): number | null {
  return came && time ? Math.max(0, came.ms - time.ms) : null;
}
