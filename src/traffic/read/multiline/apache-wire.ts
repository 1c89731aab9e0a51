import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import { header } from '../../../journal/exchange.ts';
import type { Fields } from '../../json-fields.ts';
import { timeIn } from '../logs/wrapped.ts';
import { MessageReader } from './raw-http.ts';

/** Matches a line of the wire log of Apache HttpClient: the connection, the direction, and a part of the message. */
const LINE = /^(.{0,300}?\b(http-outgoing-\d{1,9}) (>>|<<) )"(.*)"\s*$/s;
const FIRST =
  /^(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD) \S+ HTTP\/\d(?:\.\d)?|HTTP\/\d(?:\.\d)? [1-5]\d\d.*)\[\\r\]\[\\n\]$/;
const HEAD_END = '\r\n\r\n';

/** Returns the connection of a line of the wire log. Undefined for any other line. */
export function connectionOf(line: string): string | undefined {
  return line.includes('http-outgoing-') ? LINE.exec(line)?.[2] : undefined;
}

/**
 * True for a line in which HttpClient repeats the head of a message, or says something about a connection. The wire log has the whole
 * message.
 */
export function isOfConnection(line: string): boolean {
  return /\bhttp-outgoing-\d{1,9}(?: (?:>>|<<) [A-Z][\w-]{0,100}[:/ ]|: )/.test(line);
}

/** A request or a reply in the wire log of Apache HttpClient. A connection has one call at a time. */
export class ApacheWireMessage {
  readonly #time: string | undefined;
  readonly #connection: string;
  readonly #direction: string;
  #bytes = '';

  private constructor(head: string, connection: string, direction: string) {
    this.#time = timeIn(head);
    this.#connection = connection;
    this.#direction = direction;
  }

  /** Returns undefined if the line is not the first line of a message. */
  static begin(line: string): ApacheWireMessage | undefined {
    const [, head, connection = '', direction = '', text = ''] =
      (line.includes('http-outgoing-') && LINE.exec(line)) || [];
    if (head === undefined || !FIRST.test(text)) return undefined;
    const message = new ApacheWireMessage(head, connection, direction);
    message.#bytes = decoded(text);
    return message;
  }

  /** Adds a line. Returns false if the line does not belong to the message. */
  take(line: string): boolean {
    const [, , connection, direction, text = ''] = LINE.exec(line) ?? [];
    if (connection !== this.#connection || direction !== this.#direction || this.isEnded) return false;
    this.#bytes += decoded(text);
    return true;
  }

  get isEnded(): boolean {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return false;
    const length = /\r\ncontent-length: *(\d{1,9})\r\n/i.exec(this.#bytes.slice(0, end + 2))?.[1];
    if (length !== undefined) return this.#bytes.length - end - HEAD_END.length >= Number(length);
    if (/\r\ntransfer-encoding: *chunked\r\n/i.test(this.#bytes.slice(0, end + 2)))
      return this.#bytes.endsWith(`0${HEAD_END}`);
    return this.#direction === '>>';
  }

  fields(): Fields {
    const [first = '', ...lines] = Buffer.from(this.#bytes, 'latin1').toString('utf8').split('\r\n');
    const reading = new MessageReader(first);
    for (const line of lines) if (!reading.take(line)) break;
    const message = reading.end();
    // A connection has many calls, as a thread has.
    const own = { timestamp: this.#time, trace_id: `thread ${this.#connection}` };
    if (message.kind === 'request') {
      const { method, url, headers, body } = message.request;
      const sent = body === null || body === 'unknown' ? undefined : body.data;
      const signature = headers === null ? undefined : header(headers, SIGNATURE_HEADER);
      return { ...own, method, url, requestBody: sent, signature };
    }
    const { answer } = message;
    return answer.kind === 'reply' ? { ...own, status: answer.status, responseBody: answer.body?.data } : own;
  }
}

/** Returns the bytes of a part, one character for each. HttpClient writes bytes that are no ASCII characters as `[0xNN]`. */
function decoded(text: string): string {
  return text.replaceAll(/\[(?:\\(r|n)|0x([\da-f]{1,2}))\]/g, (_, sign: string | undefined, hex = '') =>
    sign === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : sign === 'r' ? '\r' : '\n',
  );
}
