import type { SeenExchange, SeenTime, Sighting } from '../seen.ts';
import { type Fields, fieldOf, layersOf } from './json-line.ts';
import { type LogField, type LogForm, toldOf } from './log-form.ts';
import { answerOf, tookMs } from './log-line.ts';
import { readTime } from './time.ts';

/** So many requests may wait for the line with their reply. */
const MOST_WAITING = 10_000;
const ONE_REQUEST_MS = 60_000;

/** Joins what many programs log as two lines: the request, and under the same id its reply. */
export class Correlation {
  readonly #form: LogForm;
  readonly #waiting = new Map<string, SeenExchange>();

  constructor(form: LogForm) {
    this.#form = form;
  }

  /** Takes a request whose reply may follow, or that is told once more with it. @returns what is complete by now */
  *request(exchange: SeenExchange, object: Fields): Generator<Sighting> {
    const isWhole = exchange.answer.kind !== 'untold' && this.#waiting.size === 0;
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
    if (now.answer.kind !== 'untold') yield { kind: 'exchange', exchange: now };
    else yield* this.#wait(id, now);
  }

  *#wait(id: string, exchange: SeenExchange): Generator<Sighting> {
    this.#waiting.set(id, exchange);
    const [oldest] = this.#waiting;
    if (!oldest || this.#waiting.size <= MOST_WAITING) return;
    this.#waiting.delete(oldest[0]);
    yield { kind: 'exchange', exchange: oldest[1] };
  }

  /** Takes a line that is no request; undefined when it is no reply to one either. */
  reply(object: Fields): SeenExchange | undefined {
    for (const layer of layersOf(object)) {
      const id = this.#idOf(layer);
      const exchange = id === undefined ? undefined : this.#waiting.get(id);
      const read = (field: LogField): string | undefined =>
        fieldOf(layer, field, this.#form) ??
        (field === 'responseBody' ? fieldOf(layer, 'requestBody', this.#form) : undefined);
      const answer = exchange && answerOf(read);
      if (id === undefined || !exchange || !answer || answer.kind === 'untold') continue;
      this.#waiting.delete(id);
      const came = readTime(read('time') ?? '', this.#form.zone);
      return {
        ...exchange,
        answer,
        tookMs: tookMs(read) ?? between(exchange, came),
        told: { ...toldOf(read), ...exchange.told },
      };
    }
    return undefined;
  }

  /** What was never answered, as far as the log tells. */
  *end(): Generator<Sighting> {
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

/** Ids come again after a restart: one request is told again soon, and with nothing else in it. */
function isSame(a: SeenExchange, b: SeenExchange): boolean {
  const isSoon = a.time === null || b.time === null || Math.abs(a.time.ms - b.time.ms) < ONE_REQUEST_MS;
  const bodies = [a, b].map(({ request: { body } }) => (body === null || body === 'untold' ? undefined : body.data));
  return isSoon && (bodies.includes(undefined) || bodies[0] === bodies[1]);
}

function joined(first: SeenExchange, again: SeenExchange): SeenExchange {
  const isTold = first.request.body !== null && first.request.body !== 'untold';
  return {
    ...first,
    request: {
      ...first.request,
      url: first.request.url ?? again.request.url,
      body: isTold ? first.request.body : again.request.body,
    },
    answer: again.answer,
    tookMs: again.tookMs ?? (again.answer.kind === 'untold' ? null : between(first, again.time)),
    told: { ...again.told, ...first.told },
  };
}

function between({ time }: SeenExchange, came: SeenTime | null | undefined): number | null {
  return came && time ? Math.max(0, came.ms - time.ms) : null;
}
