import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import { idOf } from '../logs/printed.ts';
import { timeIn } from '../logs/wrapped.ts';
import { hasPrefix } from './request-part.ts';

/** Matches the first line that OkHttp (`--> POST http://…`) and Feign (`---> POST http://… HTTP/1.1`) write of a request. */
const REQUEST =
  /^(.{0,300}?)-{2,3}> (GET|POST|PUT|PATCH|DELETE|HEAD) (https?:\/\/\S{1,4000})(?: (?:HTTP\/\d(?:\.\d)?|h2|http\/1\.1))?(?: \((\d+)-byte body(?: omitted)?\))?\s*$/;
/** Matches the first line of a reply: `<-- 200 OK http://… (42ms)` or `<--- HTTP/1.1 200 OK (42ms)`. */
const REPLY =
  /^(.{0,300}?)<-{2,3} (?:HTTP\/\d(?:\.\d)? )?([1-5]\d\d)(?: [^(){}<]{0,4000})? \((\d{1,9}) ?ms(, (?:\d+|unknown-length)[- ]\S{0,20}(?: body)?)?\)\s*$/;
/** Matches the line for a call without a reply. */
const FAILURE = /^(.{0,300}?)<-{2,3} (?:HTTP FAILED: |ERROR )(.{1,500})$/;
const FAILURE_TOOK = /\((\d{1,9}) ?ms\)\s*$/;
const END = /(?:-{2,3}>|<-{2,3}) END (?:HTTP|[A-Z]+)\b/;
const HEADER = /^([!#$%&'*+\-.^_`|~\w]+): ?(.*)$/;

/**
 * A request or a reply that an HTTP client of Java has logged, line by line: OkHttp's HttpLoggingInterceptor, or Feign. The first
 * line and all others have the same prefix, apart from the digits of their times.
 */
export class WireMessage {
  readonly #prefix: string;
  readonly #fields: Record<string, unknown>;
  readonly #isRequest: boolean;
  #ended: boolean;
  /** The lines of a body that is written on several lines. Null if there is no such body, or if it has ended. */
  #body: string[] | null = null;

  private constructor(prefix: string, fields: Fields, { isRequest, ended }: { isRequest: boolean; ended: boolean }) {
    this.#prefix = prefix;
    this.#fields = { timestamp: timeIn(prefix), trace_id: idOf(prefix), ...fields };
    this.#isRequest = isRequest;
    this.#ended = ended;
  }

  /** Returns undefined if the line is not the first line of such a message. */
  static begin(head: string): WireMessage | undefined {
    if (!head.includes('--')) return undefined;
    const request = REQUEST.exec(head);
    if (request) {
      const [, prefix = '', method, url, bytes] = request;
      // The only other line that is logged of this request is a line with the size of its body.
      return new WireMessage(prefix, { method, url }, { isRequest: true, ended: bytes !== undefined });
    }
    const reply = REPLY.exec(head);
    if (reply) {
      const [, prefix = '', status, took, size] = reply;
      return new WireMessage(prefix, { status, durationMs: took }, { isRequest: false, ended: size !== undefined });
    }
    const [, prefix = '', error] = FAILURE.exec(head) ?? [];
    if (error === undefined) return undefined;
    const took = FAILURE_TOOK.exec(error)?.[1];
    return new WireMessage(prefix, { error, durationMs: took }, { isRequest: false, ended: true });
  }

  /** Adds a line. Returns false if the line does not belong to the message. */
  take(line: string): boolean {
    if (this.#ended) return false;
    const isPrefixed = hasPrefix(line, this.#prefix);
    // Some loggers write the prefix only before the first line of a body.
    if (!isPrefixed && !(this.#body && /^\s*(?:["}\]]|$)/.test(line))) return false;
    const text = isPrefixed ? line.slice(this.#prefix.length) : line;
    if (this.#body && this.#takeBody(text, this.#body)) return true;
    if (END.test(text)) {
      this.#ended = true;
      return true;
    }
    if (REQUEST.test(text) || REPLY.test(text) || FAILURE.test(text)) return false;
    if (text.startsWith('{')) {
      this.#takeBody(text, []);
      return true;
    }
    const [, name, value] = HEADER.exec(text) ?? [];
    if (name?.toLowerCase() === SIGNATURE_HEADER.toLowerCase()) this.#fields.signature = value;
    return name !== undefined || text.trim() === '';
  }

  /** Adds a line to the body. Returns false if the line is the end of the message. */
  #takeBody(text: string, body: string[]): boolean {
    if (END.test(text)) return false;
    body.push(text);
    const whole = body.map((each) => each.trim()).join('');
    const isWhole = isFields(parsed(whole));
    this.#body = isWhole ? null : body;
    // A body that is cut off is read as far as the log has it.
    this.#fields[this.#isRequest ? 'requestBody' : 'responseBody'] = whole;
    return true;
  }

  fields(): Fields {
    return this.#fields;
  }
}
