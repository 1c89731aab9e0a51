import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import type { Fields } from '../../json-fields.ts';
import { hasPrefix, placed } from './request-part.ts';

/** Matches the first line of a request or a reply. The lines of the entry may have a prefix, or only the first one. */
const BEGIN = /^(.{0,300}?)={6,60} ?(request|response) begin ?={6,80}\s*$/i;
const END = /={6,60} ?(?:request|response) end ?={6,80}\s*$/i;
const FIELD = /^(URI|Method|Headers|Request body|Status code|Status text|Response body) *: ?(.*)$/is;
const SIGNATURE = new RegExp(String.raw`\b${SIGNATURE_HEADER} ?[:=] ?"?\[?([\da-f]{64})`, 'i');
const STATUS = /^([1-5]\d\d)\b/;

/**
 * A request or a reply that a common interceptor for RestTemplate of Spring has logged: one field on each line, between two lines of
 * equals signs. Many programs have a copy of this interceptor.
 */
export class SpringMessage {
  readonly #prefix: string;
  readonly #kind: string;
  readonly #fields: Record<string, unknown>;
  #ended = false;

  private constructor(prefix: string, kind: string) {
    this.#prefix = prefix;
    this.#kind = kind;
    this.#fields = { ...placed(prefix) };
  }

  /** Returns undefined if the line is not the first line of such a message. */
  static begin(head: string): SpringMessage | undefined {
    const [, prefix, kind] = (head.includes('======') && BEGIN.exec(head)) || [];
    return prefix === undefined || kind === undefined ? undefined : new SpringMessage(prefix, kind.toLowerCase());
  }

  /** Adds a line. Returns false if the line does not belong to the message. */
  take(line: string): boolean {
    if (this.#ended || BEGIN.test(line)) return false;
    const isPrefixed = this.#prefix !== '' && hasPrefix(line, this.#prefix);
    const text = isPrefixed ? line.slice(this.#prefix.length) : line;
    if (END.test(text)) {
      this.#ended = true;
      return true;
    }
    const [, name = '', value = ''] = FIELD.exec(text) ?? [];
    if (name === '') return text.trim() === '';
    this.#note(name.toLowerCase(), value.trim());
    return true;
  }

  #note(name: string, value: string): void {
    const isRequest = this.#kind === 'request';
    if (value === '') return;
    if (name === 'uri') this.#fields.url = value;
    else if (name === 'method') this.#fields.method = value;
    else if (name === 'request body') this.#fields.requestBody = value;
    else if (name === 'response body') this.#fields.responseBody = value;
    else if (name === 'status code') this.#fields.status = STATUS.exec(value)?.[1];
    else if (name === 'headers' && isRequest) this.#fields.signature = SIGNATURE.exec(value)?.[1];
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  fields(): Fields {
    return this.#fields;
  }
}
