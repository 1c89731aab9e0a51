import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import { hasPrefix, placed } from './request-part.ts';

/** Matches the first line that Faraday (Ruby) writes of a request: `… INFO -- request: POST https://…`. */
const REQUEST = /^(.{0,300}?\b)request: (GET|POST|PUT|PATCH|DELETE) (https?:\/\/\S{1,4000})\s*$/;
const REPLY = /^(.{0,300}?\b)response: Status ([1-5]\d\d)\s*$/;
const HEADER = /^([!#$%&'*+\-.^_`|~\w]{1,100}): (?:"(.*)"|\[".*"\])\s*$/;

/**
 * A request or a reply that the logger of Faraday has written. The headers and the body each are an entry with the same prefix. Only
 * the first header has a prefix, because all headers are one text with several lines.
 */
export class FaradayMessage {
  readonly #prefix: string;
  readonly #kind: 'request' | 'response';
  readonly #fields: Record<string, unknown>;
  #ended = false;

  private constructor(prefix: string, kind: 'request' | 'response', fields: Fields) {
    this.#prefix = prefix;
    this.#kind = kind;
    this.#fields = { ...placed(prefix), ...fields };
  }

  /** Returns undefined if the line is not the first line of such a message. */
  static begin(head: string): FaradayMessage | undefined {
    const [, before, method, url] = (head.includes('request: ') && REQUEST.exec(head)) || [];
    if (before !== undefined) return new FaradayMessage(before, 'request', { method, url });
    const [, prefix, status] = (head.includes('response: Status ') && REPLY.exec(head)) || [];
    return prefix === undefined ? undefined : new FaradayMessage(prefix, 'response', { status });
  }

  /** Adds a line. Returns false if the line does not belong to the message. */
  take(line: string): boolean {
    if (REQUEST.test(line) || REPLY.test(line)) return false;
    const prefix = `${this.#prefix}${this.#kind}: `;
    const isPrefixed = hasPrefix(line, prefix);
    const field = this.#kind === 'request' ? 'requestBody' : 'responseBody';
    if (this.#ended) {
      if (!isPrefixed) return false;
      // Another thread writes at the same time, and the lines do not name their thread. So either body may be the right one.
      delete this.#fields[field];
      return true;
    }
    const text = isPrefixed ? line.slice(prefix.length) : line;
    const header = HEADER.exec(text);
    if (header) {
      if (header[1]?.toLowerCase() === SIGNATURE_HEADER.toLowerCase()) this.#fields.signature = header[2];
      return true;
    }
    if (!isPrefixed) return false;
    // The body is the last entry of a message.
    this.#ended = true;
    this.#fields[field] = bodyOf(text.trim());
    return true;
  }

  fields(): Fields {
    return this.#fields;
  }
}

/** If Faraday has parsed the body before it logs it, Ruby prints the body as a hash. Then returns the hash as JSON. */
function bodyOf(text: string): string {
  if (!/^\{"\w{1,100}" ?=>/.test(text)) return text;
  const json = text.replaceAll(/(?<!\\)" ?=> ?/g, '":').replaceAll(/":nil\b/g, '":null');
  return isFields(parsed(json)) ? json : text;
}
