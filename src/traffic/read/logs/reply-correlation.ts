import { cutFields, loggedBody } from '../../cut-body.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import type { LogEntry, LoggedExchange, LoggedReply, LogTime } from '../../logged-exchange.ts';
import { isOtherProviders } from '../../recorded-call.ts';
import { fieldOf, layersOf } from './json-line.ts';
import { type LogField, type LogForm, loggedOf } from './log-form.ts';
import { answerOf, type ReadField, tookMs } from './log-line.ts';
import { ADJACENT, UNKNOWN_REPLY } from './printed.ts';
import { elapsedMs, readTime } from './time.ts';

/** Maximum number of requests that wait for the line with their reply. */
const MAX_WAITING = 10_000;
const ONE_REQUEST_MS = 60_000;
/** Maximum time in ms from a request without an id to its reply. A line that comes later is probably about another request. */
const LONGEST_REPLY_MS = 15_000;

/** A reply whose request has not been read yet. An export whose newest line comes first has each reply before its request. */
interface EarlyReply {
  readonly answer: LoggedReply;
  readonly time: LogTime;
  readonly tookMs: number | null;
  readonly logged: LoggedExchange['logged'];
  /** True if a request with the same id has got its reply before. Then this reply may be the same line again. */
  readonly isAgain: boolean;
}

/**
 * Joins a request and its reply that were logged on two lines. They belong together if they have the same request id. Without ids,
 * they belong together if no other request is between them.
 */
export class ReplyCorrelation {
  readonly #form: LogForm;
  readonly #waiting = new Map<string, LoggedExchange>();
  /** True if a line had the body and the reply of a call, and no line before was about this call. */
  #hasWholeLines = false;
  /** The bodies of replies that were logged before the line with the status. */
  readonly #replies = new Map<string, string>();
  /**
   * The replies whose request was not read before them. Null if several replies have the same id, because then it is unknown which of
   * them belongs to which request.
   */
  readonly #early = new Map<string, EarlyReply | null>();
  /** The ids of the last requests whose reply was found. */
  readonly #answered = new Set<string>();
  #hasJoinedEarly = false;
  /** The bodies of requests that were logged before the line with the URL. */
  readonly #sent = new Map<string, string>();
  /**
   * True while lines without an id are about several requests at once. Then it is unknown which reply belongs to which request, so
   * replies without an id are not used.
   */
  #isMixed = false;
  #hasRepeated = false;
  /** The last call without an id whose reply was found. Null if another request came after it. */
  #done: LoggedExchange | null = null;
  /** The errors in lines of text, which may be the reasons why requests have no reply. */
  readonly #failures = new Map<string, { readonly error: string; readonly time: LogTime | undefined }>();
  /** The time of the last request that had no id. */
  #lastAdjacentMs: number | null = null;

  constructor(form: LogForm) {
    this.#form = form;
  }

  /** True if no line waits for another line. Then a line that contains both a request and its reply is a complete exchange. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#done === null && this.#sent.size === 0;
  }

  /**
   * True if no line waits for another line, and lines without an id are about one request at a time. Then the lines before do not
   * influence how the next lines are read. The last call may still be repeated, see {@link forget}.
   */
  get isSettled(): boolean {
    return this.#waiting.size === 0 && this.#sent.size === 0 && this.#replies.size === 0 && !this.#isMixed;
  }

  /** True if a reply was found before its request. Then the newest line of the log comes first. */
  get hasJoinedEarly(): boolean {
    return this.#hasJoinedEarly;
  }

  /**
   * True if, since the last call of this method, there was a line that only repeats the call on the lines before it. Each call of
   * this method sets the answer to false again.
   */
  hasRepeated(): boolean {
    const hasRepeated = this.#hasRepeated;
    this.#hasRepeated = false;
    return hasRepeated;
  }

  /** Forgets the last call. Is called if lines after this call were left out: the next line then does not repeat this call. */
  forget(): void {
    this.#done = null;
  }

  /** True if a line contains the id of a request that waits for its reply. */
  isWaitingFor(line: string): boolean {
    for (const ids of [this.#waiting, this.#sent])
      for (const id of ids.keys()) if (line.includes(id.replace(/^thread /, ''))) return true;
    return false;
  }

  /**
   * Adds a request. Its reply may follow on a later line, or the request may be logged again together with its reply. Yields the
   * exchanges that are complete now.
   */
  request(found: LoggedExchange, object: Fields): readonly LogEntry[] {
    const exchange = this.#withSent(found, object);
    const isWhole = exchange.answer.kind !== 'unknown' && this.#waiting.size === 0 && this.#done === null;
    if (isWhole && isBodyKnown(exchange)) this.#hasWholeLines = true;
    const id = isWhole ? undefined : this.#idOf(object);
    if (id === undefined) return [{ kind: 'exchange', exchange }];
    if (id === ADJACENT && this.#repeats(exchange)) {
      this.#hasRepeated = true;
      return [{ kind: 'other', line: exchange.place.line }];
    }
    const early = this.#takeEarly(id, exchange);
    if (early) return [{ kind: 'exchange', exchange: early }];
    const before = this.#waiting.get(id);
    // After an error, a line with the same request is a new attempt, and not a second line about the failed attempt.
    const isFailed = this.#failures.has(id);
    if (id === ADJACENT) this.#noteAdjacent(exchange, isFailed ? undefined : before);
    // If this log writes a call on one line, a line without the body is the rest of another call, and not the beginning of this one.
    const isRest = before && id === ADJACENT && this.#hasWholeLines && !isBodyKnown(before) && isBodyKnown(exchange);
    const same = before && !isFailed && !isRest && isSame(before, exchange) ? joined(before, exchange) : undefined;
    const ended: readonly LogEntry[] =
      before && !same ? [{ kind: 'exchange', exchange: this.#unanswered(id, before) }] : [];
    this.#waiting.delete(id);
    const now = same ?? exchange;
    if (now.answer.kind !== 'unknown' || (id === ADJACENT && this.#isMixed))
      return [...ended, { kind: 'exchange', exchange: now }];
    return [...ended, ...this.#wait(id, now)];
  }

  /** Adds the body that was logged before the line with the URL. */
  #withSent(exchange: LoggedExchange, object: Fields): LoggedExchange {
    if (this.#sent.size === 0 || exchange.request.body !== 'unknown') return exchange;
    const id = this.#idOf(object);
    const text = id === undefined ? undefined : this.#sent.get(id);
    if (id === undefined || text === undefined) return exchange;
    this.#sent.delete(id);
    return { ...exchange, request: { ...exchange.request, body: loggedBody(text) } };
  }

  /** Keeps the body of a request whose URL is on a later line. The two lines are joined only if they have the same request id. */
  #keepSent(id: string, read: (field: LogField) => string | undefined): void {
    const text = read('requestBody') ?? '';
    const value = parsed(text);
    if (!isFields(value) || typeof value.sessionID !== 'string') return;
    this.#sent.set(id, text);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > MAX_WAITING && oldest !== undefined) this.#sent.delete(oldest);
  }

  /**
   * True if a line only repeats the URL and the status of the call on the lines before it. Request loggers write such a line at the
   * end of a call.
   */
  #repeats(exchange: LoggedExchange): boolean {
    const done = this.#done;
    this.#done = null;
    return (
      done?.answer.kind === 'reply' &&
      exchange.answer.kind === 'reply' &&
      exchange.answer.status === done.answer.status &&
      exchange.answer.body === null &&
      (exchange.request.body === null || exchange.request.body === 'unknown') &&
      exchange.request.url !== null &&
      (!exchange.request.url.includes('?') || exchange.request.url === done.request.url) &&
      isSameCall(done, exchange) &&
      isSoonAfter(done, exchange)
    );
  }

  /**
   * Notes that a request without an id began before the reply to an earlier request without an id. The note is removed if this does
   * not happen again for a minute.
   */
  #noteAdjacent(exchange: LoggedExchange, before: LoggedExchange | undefined): void {
    const now = exchange.time?.ms ?? null;
    const isLater = now !== null && this.#lastAdjacentMs !== null && now - this.#lastAdjacentMs > ONE_REQUEST_MS;
    if (isLater) this.#isMixed = false;
    else if (before && exchange.answer.kind === 'unknown' && !isSame(before, exchange)) this.#isMixed = true;
    this.#lastAdjacentMs = now ?? this.#lastAdjacentMs;
  }

  #wait(id: string, exchange: LoggedExchange): readonly LogEntry[] {
    this.#waiting.set(id, exchange);
    if (this.#waiting.size <= MAX_WAITING) return [];
    const [oldest] = this.#waiting;
    if (!oldest) return [];
    this.#waiting.delete(oldest[0]);
    this.#replies.delete(oldest[0]);
    return [{ kind: 'exchange', exchange: this.#unanswered(oldest[0], oldest[1]) }];
  }

  /** Keeps a reply whose request may follow. The name of a thread does not show this, because a thread has many requests. */
  #keepEarly(id: string, read: ReadField): void {
    const answer = answerOf(read);
    const time = readTime(read('time') ?? '', this.#form.zone);
    if (answer.kind !== 'reply' || !time || id.startsWith('thread ')) return;
    const reply = { answer, time, tookMs: tookMs(read), logged: loggedOf(read), isAgain: this.#answered.has(id) };
    this.#early.set(id, this.#early.has(id) ? null : reply);
    const [oldest] = this.#early.keys();
    if (this.#early.size > MAX_WAITING && oldest !== undefined) this.#early.delete(oldest);
  }

  /** Returns the request with its reply, if the reply was read before the request and was logged at a later time. */
  #takeEarly(id: string, exchange: LoggedExchange): LoggedExchange | undefined {
    const early = this.#early.get(id);
    if (!early || !exchange.time || exchange.answer.kind !== 'unknown') return undefined;
    const tookMs = elapsedMs(exchange.time, early.time);
    if (tookMs > ONE_REQUEST_MS || tookMs < 0 || (tookMs === 0 && early.isAgain)) return undefined;
    this.#early.delete(id);
    this.#hasJoinedEarly = true;
    this.#noteAnswered(id);
    return {
      ...exchange,
      answer: early.answer,
      tookMs: early.tookMs ?? tookMs,
      logged: { ...early.logged, ...exchange.logged },
    };
  }

  #noteAnswered(id: string): void {
    if (this.#answered.size >= MAX_WAITING) this.#answered.clear();
    this.#answered.add(id);
  }

  /**
   * Keeps the error in a line of text. It is the reason for a missing reply only if the log has no reply to the request, because
   * the error may also be about something else. The line of an exception has no id, also if the other lines have one.
   *
   * @param error `call` is the name of the call whose URL is in the error, if there is such a URL
   * @returns false if no request with this id waits for its reply
   */
  failure(
    id: string,
    { text, time, call }: { readonly text: string; readonly time: LogTime | undefined; readonly call: unknown },
  ): boolean {
    const [only] = this.#waiting.size === 1 ? this.#waiting.keys() : [];
    const of = id === ADJACENT && call !== undefined ? (only ?? id) : id;
    const asked = this.#waiting.get(of);
    if (
      !asked ||
      (call !== undefined && asked.logged.call !== call) ||
      isBefore(time, asked) ||
      (of === ADJACENT && (this.#isMixed || (between(asked, time) ?? 0) > ONE_REQUEST_MS))
    )
      return false;
    this.#failures.set(of, { error: text, time });
    return true;
  }

  /** Adds the error that was logged for a request without a reply. */
  #unanswered(id: string, exchange: LoggedExchange): LoggedExchange {
    const failed = this.#failures.get(id);
    this.#failures.delete(id);
    if (!failed) return exchange;
    const answer = answerOf((field) => (field === 'error' ? failed.error : undefined));
    return { ...exchange, answer, tookMs: exchange.tookMs ?? between(exchange, failed.time) };
  }

  /**
   * Adds a line that is not a request. Returns the exchange with its reply, or undefined if the line is not the reply
   * of a waiting request.
   */
  reply(object: Fields): LoggedExchange | undefined {
    let early: PartOfReply | undefined;
    for (const layer of layersOf(object)) {
      const id = this.#idOf(layer);
      const exchange = id === undefined ? undefined : this.#waiting.get(id);
      if (layer[UNKNOWN_REPLY] === true && !(exchange && isOtherProviders(exchange))) continue;
      const read = (field: LogField): string | undefined =>
        fieldOf(layer, field, this.#form) ??
        (field === 'responseBody' ? fieldOf(layer, 'requestBody', this.#form) : undefined);
      const answer = exchange && answerOf(read);
      if (id !== undefined && id !== ADJACENT && !exchange) {
        this.#keepSent(id, read);
        early = betterOf(early, { id, read });
      }
      if (id === undefined || !exchange || !answer) continue;
      if (answer.kind === 'unknown') {
        this.#keepBody(id, exchange, read);
        continue;
      }
      const came = readTime(read('time') ?? '', this.#form.zone);
      if (isBefore(came, exchange)) {
        if (id !== ADJACENT) early = betterOf(early, { id, read });
        continue;
      }
      if (id === ADJACENT && (between(exchange, came) ?? 0) > LONGEST_REPLY_MS) continue;
      if (id !== ADJACENT) this.#noteAnswered(id);
      this.#waiting.delete(id);
      this.#failures.delete(id);
      const body = this.#replies.get(id);
      this.#replies.delete(id);
      const joinedReply: LoggedExchange = {
        ...exchange,
        answer:
          answer.kind === 'reply' && body !== undefined ? { ...answer, body: answer.body ?? loggedBody(body) } : answer,
        tookMs: tookMs(read) ?? between(exchange, came),
        logged: { ...loggedOf(read), ...exchange.logged },
      };
      this.#done = id === ADJACENT ? joinedReply : null;
      return joinedReply;
    }
    if (early) this.#keepEarly(early.id, early.read);
    return undefined;
  }

  /**
   * Adds the body of a request whose URL was logged before. If several requests were in progress and have no id, the line does not
   * show to which request the body belongs. Then neither the body nor the replies to these requests are used.
   */
  body(object: Fields, line: number): readonly LogEntry[] {
    const id = this.#idOf(object) ?? ADJACENT;
    const asked = this.#waiting.get(id);
    const text = fieldOf(object, 'requestBody', this.#form);
    const isSure = asked !== undefined && text !== undefined && !(id === ADJACENT && this.#isMixed);
    if (isSure && asked.request.method === 'GET') {
      // Phoenix logs the query of a GET only among the parameters.
      const session = fieldOf(object, 'session', this.#form);
      if (session !== undefined && asked.request.url?.includes('?') !== true)
        this.#waiting.set(id, { ...asked, logged: { session, ...asked.logged } });
      return [{ kind: 'other', line }];
    }
    if (isSure && asked.request.body === 'unknown') {
      this.#waiting.set(id, { ...asked, request: { ...asked.request, body: loggedBody(text) } });
      return [{ kind: 'other', line }];
    }
    if (asked) {
      this.#isMixed ||= id === ADJACENT;
      this.#waiting.delete(id);
    }
    return [
      ...(asked ? [{ kind: 'exchange' as const, exchange: asked }] : []),
      { kind: 'unreadable', line, why: 'the log does not show to which request this body belongs' },
    ];
  }

  /** Keeps a body that was logged on a line of its own, without the status. */
  #keepBody(id: string, exchange: LoggedExchange, read: (field: LogField) => string | undefined): void {
    if (id === ADJACENT) return;
    const text = read('responseBody') ?? '';
    const value = parsed(text) ?? cutFields(text);
    if (!isFields(value)) return;
    if (typeof value.sessionID === 'string') {
      if (exchange.request.body === 'unknown')
        this.#waiting.set(id, { ...exchange, request: { ...exchange.request, body: loggedBody(text) } });
    } else if (value.balance !== undefined || value.code !== undefined) this.#replies.set(id, text);
  }

  /** Yields the requests that still wait for a reply, because no reply was logged. Is called at the end of the file. */
  *end(): Generator<LogEntry> {
    for (const [id, exchange] of this.#waiting) yield { kind: 'exchange', exchange: this.#unanswered(id, exchange) };
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
  const isSoon = a.time === null || b.time === null || Math.abs(elapsedMs(a.time, b.time)) < ONE_REQUEST_MS;
  const bodies = [a, b].map(({ request: { body } }) => (body === null || body === 'unknown' ? undefined : body.data));
  const isOfOther = OF_ONE_CALL.some((field) => {
    const [one, other] = [a.logged[field], b.logged[field]];
    return one !== undefined && other !== undefined && one !== other;
  });
  return isSoon && !isOfOther && isSameCall(a, b) && (bodies.includes(undefined) || bodies[0] === bodies[1]);
}

/** The values that all lines of one call have in common. */
const OF_ONE_CALL = ['player', 'currency', 'session', 'tx'] as const;

function isBodyKnown({ request: { body } }: LoggedExchange): boolean {
  return body !== null && body !== 'unknown';
}

/**
 * True if the URLs of two requests have the same end and the same query, or if one of them was not logged. The host may be in only one of the
 * URLs.
 */
function isSameCall(a: LoggedExchange, b: LoggedExchange): boolean {
  const [first, second] = [a, b].map(
    ({ request: { url }, logged }) => url?.replace(/[?#].*$/s, '').replace(/^.*\//s, '') ?? logged.call,
  );
  // The query of a balance call has its session. A log may leave out the query of one of the lines.
  const [query, other] = [a, b].map(({ request: { url } }) =>
    url?.includes('?') ? url.slice(url.indexOf('?')) : null,
  );
  return (first === undefined || second === undefined || first === second) && (!query || !other || query === other);
}

/**
 * True if the line was written at most one second after the end of the call. Also true if the line has no time, because some
 * programs write no time in their second line about a call.
 */
function isSoonAfter(done: LoggedExchange, { time }: LoggedExchange): boolean {
  if (time === null) return true;
  return done.time !== null && elapsedMs(done.time, time) <= (done.tookMs ?? 0) + 1000;
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

/** One layer of a line without a request: its id, and how its fields are read. */
interface PartOfReply {
  readonly id: string;
  readonly read: ReadField;
}

/** Returns the first layer with a status. */
function betterOf(first: PartOfReply | undefined, next: PartOfReply): PartOfReply {
  return first && (first.read('status') ?? '') !== '' ? first : next;
}

/** True if a line was certainly written before a request, so that it can't be about its reply. */
function isBefore(line: LogTime | null | undefined, { time }: LoggedExchange): boolean {
  if (!line || !time) return false;
  return elapsedMs(time, line) <= -Math.max(line.precisionMs, time.precisionMs);
}

function between({ time }: LoggedExchange, came: LogTime | null | undefined): number | null {
  return came && time ? Math.max(0, elapsedMs(time, came)) : null;
}
