import { type HeaderList, header } from '../../journal/exchange.ts';
import { type SeenAnswer, type SeenRequest, textBody } from '../seen.ts';
import { isInChunks, joinChunks } from './chunks.ts';
import { readTime } from './time.ts';

const REQUEST_LINE = /^(?:> )?(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (\S+) HTTP\/\d(?:\.\d)?\s*$/;
const STATUS_LINE = /^(?:< )?HTTP\/\d(?:\.\d)? (\d{3})(?: .*)?$/;
const HEADER = /^(?:[<>] )?([!#$%&'*+\-.^_`|~\w]+):[ \t]*(.*)$/;

/** A message as it went over the wire, as far as it was copied. */
export type HttpMessage =
  | { readonly kind: 'request'; readonly request: SeenRequest }
  | { readonly kind: 'reply'; readonly answer: SeenAnswer; readonly dateMs: number | null };

/** True for a line with which a request or a reply begins. */
export function beginsMessage(line: string): boolean {
  return REQUEST_LINE.test(line) || STATUS_LINE.test(line.trimEnd());
}

/**
 * Reads a message line by line. A body is as long as its header says; without one it goes on until an empty line, or until another
 * message begins.
 */
export class MessageReading {
  readonly #first: string;
  readonly #headers: [string, string][] = [];
  readonly #body: string[] = [];
  readonly #isTraced: boolean;
  #inBody = false;
  #length: number | null = null;

  /** As `curl -v` prints it under its own line: the same request once more. */
  readonly isTrace: boolean;

  constructor(first: string) {
    this.isTrace = first.startsWith('>');
    this.#isTraced = /^[<>] /.test(first);
    this.#first = first.trimEnd();
  }

  /** @returns false when the line does not belong to the message any more */
  take(line: string): boolean {
    if (this.#inBody) return this.#takeBody(line);
    const plain = line.trimEnd();
    if (plain === '' || plain === '>' || plain === '<') {
      this.#inBody = true;
      const length = header(this.#headers, 'content-length');
      this.#length = length !== undefined && /^\d+$/.test(length) ? Number(length) : null;
      return this.#length !== 0;
    }
    const found = HEADER.exec(plain);
    if (!found) return false;
    this.#headers.push([found[1] ?? '', found[2] ?? '']);
    return true;
  }

  #takeBody(line: string): boolean {
    if (this.#isTraced && line.startsWith('* ')) return false;
    if (this.#isChunked(line)) {
      this.#body.push(line);
      // The last chunk is empty, and behind it stands an empty line.
      return !(line.trim() === '' && this.#body.at(-2)?.trim() === '0');
    }
    if (this.#length === null) {
      if (line.trim() === '' && this.#body.length > 0) return false;
      if (line.trim() !== '') this.#body.push(line.trimEnd());
      return true;
    }
    if (Buffer.byteLength(this.#body.join('\n')) >= this.#length) return false;
    this.#body.push(line);
    return true;
  }

  #isChunked(line: string): boolean {
    return isInChunks(this.#headers, this.#body[0] ?? line);
  }

  end(): HttpMessage {
    const headers: HeaderList = this.#headers;
    const body = this.#bodyText();
    const [, method, target] = REQUEST_LINE.exec(this.#first) ?? [];
    if (method !== undefined && target !== undefined) {
      const host = header(headers, 'host');
      const url = target.startsWith('/') && host !== undefined ? `http://${host}${target}` : target;
      const sent = body === '' ? (this.#length === null && method !== 'GET' ? 'untold' : null) : textBody(body);
      return { kind: 'request', request: { method, url, headers, body: sent } };
    }
    const status = Number(STATUS_LINE.exec(this.#first)?.[1] ?? 0);
    const date = header(headers, 'date');
    return {
      kind: 'reply',
      answer: { kind: 'reply', status, headers, body: body === '' && !this.#inBody ? null : textBody(body) },
      dateMs: date === undefined ? null : (readTime(date, 0)?.ms ?? null),
    };
  }

  #bodyText(): string {
    const whole = this.#body.join('\n');
    if (this.#isChunked('')) return joinChunks(Buffer.from(whole))?.toString('utf8') ?? whole.trimEnd();
    if (this.#length === null) return withoutPrompt(whole.trimEnd());
    if (Buffer.byteLength(whole) <= this.#length) return whole.trimEnd();
    return Buffer.from(whole).subarray(0, this.#length).toString('utf8');
  }
}

/** JSON without what a terminal wrote behind it on the same line: a body need not end with a line end. */
function withoutPrompt(text: string): string {
  const end = text.lastIndexOf('}');
  if (!text.startsWith('{') || end < 0 || end === text.length - 1) return text;
  const body = text.slice(0, end + 1);
  try {
    JSON.parse(body);
    return body;
  } catch {
    return text;
  }
}
