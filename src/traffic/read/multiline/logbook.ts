import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import { header } from '../../../journal/exchange.ts';
import type { Fields } from '../../json-fields.ts';
import type { Side } from '../../logged-exchange.ts';
import { timeIn } from '../logs/wrapped.ts';
import { beginsMessage, type HttpMessage, MessageReader } from './raw-http.ts';

/**
 * Matches the end of the first line that Logbook writes for a message. The id on this line is the same for a request and its reply.
 */
const HEAD = /\b(Incoming|Outgoing) (Request|Response): ([\w-]{4,64})\s{0,4}$/;
const DURATION = /^Duration: (\d{1,9}) ms\s{0,4}$/;
/** Matches the first line of the next entry. */
const NEXT = /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d|\{"|<\d{1,3}>)/;

/** A request or a reply that Logbook has written as HTTP. A line with the time and the id comes before it. */
export class LogbookMessage {
  readonly #head: string;
  readonly #direction: string;
  readonly #id: string;
  #took: string | undefined;
  #message: MessageReader | null = null;

  private constructor(head: string, direction: string, id: string) {
    this.#head = head;
    this.#direction = direction;
    this.#id = id;
  }

  /** Returns undefined if the line is not the first line of such a message. */
  static begin(head: string): LogbookMessage | undefined {
    const [, way, kind, id] = (head.includes('ing Re') && HEAD.exec(head.slice(-120))) || [];
    return way === undefined || kind === undefined || id === undefined
      ? undefined
      : new LogbookMessage(head, `${way} ${kind}`, id);
  }

  /** Adds a line. Returns false if the line does not belong to the message. */
  take(line: string): boolean {
    if (NEXT.test(line) && !(this.#message && line.startsWith('{"'))) return false;
    if (this.#message) return this.#message.take(line);
    if (beginsMessage(line)) {
      this.#message = new MessageReader(line);
      return true;
    }
    this.#took = DURATION.exec(line)?.[1] ?? this.#took;
    return /^(?:Remote|Duration): /.test(line);
  }

  /** The side that logged the message. The operator logs a request as incoming, and the service logs it as outgoing. */
  get side(): Side {
    return this.#direction === 'Incoming Request' || this.#direction === 'Outgoing Response' ? 'operator' : 'service';
  }

  /** Returns the fields of the message under the names that other loggers use. Returns undefined if there was no message. */
  fields(): Fields | undefined {
    const message = this.#message?.end();
    return message && { timestamp: timeIn(this.#head), trace_id: this.#id, ...this.#fieldsOf(message) };
  }

  #fieldsOf(message: HttpMessage): Fields {
    if (message.kind === 'request') {
      const { method, url, headers, body } = message.request;
      const sent = body === null || body === 'unknown' ? undefined : body.data;
      return {
        method,
        url,
        requestBody: sent,
        signature: headers === null ? undefined : header(headers, SIGNATURE_HEADER),
      };
    }
    const { answer } = message;
    if (answer.kind !== 'reply') return {};
    const { status, headers, body } = answer;
    return {
      status,
      responseBody: body?.data,
      contentType: headers === null ? undefined : header(headers, 'content-type'),
      durationMs: this.#took,
    };
  }
}
