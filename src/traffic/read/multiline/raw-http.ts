import { type Body, type HeaderList, header } from '../../../journal/exchange.ts';
import { loggedBody } from '../../cut-body.ts';
import { isFields, parsed } from '../../json-fields.ts';
import { type LoggedReply, type LoggedRequest, textBody } from '../../logged-exchange.ts';
import { readTime } from '../logs/time.ts';

const REQUEST_LINE = /^(?:> )?(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (\S+) HTTP\/\d(?:\.\d)?\s*$/;
const STATUS_LINE = /^(?:< )?HTTP\/\d(?:\.\d)? (\d{3})(?: .*)?$/;
const HEADER = /^(?:[<>] )?([!#$%&'*+\-.^_`|~\w]+):(.*)$/;

/**
 * A request or a reply in the format of HTTP/1.1. The user may have copied only a part of it. `dateMs` is the Date header in
 * milliseconds since 1970, or null.
 */
export type HttpMessage =
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  | { readonly kind: 'reply'; readonly answer: LoggedReply; readonly dateMs: number | null };

/** Matches a line in which `curl -v` says what it does. */
const NOTE_OF_CURL = /^(?:\* |[{}] \[\d+ bytes data\])/;

/** Maximum number of lines of a body that a program has indented. The bodies of the contract have fewer. */
const MAX_INDENTED = 100;

/** True if a line is the first line of a request or of a reply. */
export function beginsMessage(line: string): boolean {
  return REQUEST_LINE.test(line) || STATUS_LINE.test(line.trimEnd());
}

/**
 * Reads a request or a reply line by line. The Content-Length header gives the length of the body. If this header is missing, the
 * body ends at an empty line, or at the first line of the next message.
 */
export class MessageReader {
  readonly #first: string;
  readonly #headers: [string, string][] = [];
  readonly #body: string[] = [];
  readonly #isTraced: boolean;
  #inBody = false;
  #length: number | null = null;

  /** True for a request that `curl -v` printed. This request is the same as the request of the command line before it. */
  readonly isTrace: boolean;

  constructor(first: string) {
    this.isTrace = first.startsWith('>');
    this.#isTraced = /^[<>] /.test(first);
    this.#first = first.trimEnd();
  }

  /** Adds a line. Returns false if the line does not belong to the message. */
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
    this.#headers.push([found[1] ?? '', (found[2] ?? '').replace(/^[ \t]+/, '')]);
    return true;
  }

  #takeBody(line: string): boolean {
    // curl writes its notes and the body to two outputs, so the last note may come before the body.
    if (this.#isTraced && NOTE_OF_CURL.test(line)) return this.#first.startsWith('<') && this.#body.length === 0;
    if (this.#isChunked(line)) {
      this.#body.push(line);
      // The last chunk of a body is empty, and an empty line follows it. So the message ends with this empty line.
      return !(line.trim() === '' && this.#body.at(-2)?.trim() === '0');
    }
    if (this.#length === null) {
      if (line.trim() === '' && this.#body.length > 0) return false;
      if (line.trim() !== '') this.#body.push(line.trimEnd());
      return true;
    }
    if (Buffer.byteLength(this.#body.join('\n')) >= this.#length && !this.#isInIndented(line)) return false;
    this.#body.push(line);
    return true;
  }

  /** True if the body is JSON that the program has indented before it printed it, and a line is a part of this JSON. */
  #isInIndented(line: string): boolean {
    return (
      this.#body[0]?.trim() === '{' &&
      this.#body.length < MAX_INDENTED &&
      /^[\s}]/.test(line) &&
      parsed(this.#body.join('\n')) === undefined
    );
  }

  /** True if the program has indented the JSON of the body. Then the body is longer than its header says. */
  get isIndented(): boolean {
    const whole = this.#body.join('\n');
    return (
      this.#length !== null &&
      this.#body[0]?.trim() === '{' &&
      Buffer.byteLength(whole.trimEnd()) > this.#length &&
      isFields(parsed(whole))
    );
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
      const sent = body === '' ? (this.#length === null && method !== 'GET' ? 'unknown' : null) : this.#bodyOf(body);
      return { kind: 'request', request: { method, url, headers, body: sent } };
    }
    const status = Number(STATUS_LINE.exec(this.#first)?.[1] ?? 0);
    const date = header(headers, 'date');
    return {
      kind: 'reply',
      answer: { kind: 'reply', status, headers, body: body === '' && !this.#inBody ? null : this.#bodyOf(body) },
      dateMs: date === undefined ? null : (readTime(date, 0)?.ms ?? null),
    };
  }

  /** A body is complete if it has the length that its header gives. If it is shorter, the user did not copy its end. */
  #bodyOf(text: string): Body {
    return this.#length !== null && Buffer.byteLength(text) >= this.#length ? textBody(text) : loggedBody(text);
  }

  #bodyText(): string {
    const whole = this.#body.join('\n');
    if (this.#isChunked('')) return joinChunks(Buffer.from(whole))?.toString('utf8') ?? whole.trimEnd();
    if (this.#length === null) return withoutPrompt(whole.trimEnd());
    if (Buffer.byteLength(whole) <= this.#length || this.isIndented || isWholeJson(whole)) return whole.trimEnd();
    return Buffer.from(whole).subarray(0, this.#length).toString('utf8');
  }
}

/**
 * True if the text is a complete JSON document. A capsule replaces names in a body, so the body can be longer than its header says.
 */
function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Removes the shell prompt after a JSON body. If the body has no line end, a terminal shows the prompt on the same
 * line.
 */
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

const CHUNK_SIZE = /^([0-9a-f]{1,8})\s*(?:;.*)?\r?$/i;
const [CARRIAGE_RETURN, LINE_FEED] = [0x0d, 0x0a] as const;

/**
 * True if the user copied a body together with its chunk sizes. The header `Transfer-Encoding` alone does not show this: browsers
 * and curl print the same header, but join the chunks of the body. So the first line of the body must be a chunk size too.
 */
export function isInChunks(headers: HeaderList, firstLine: string): boolean {
  return CHUNK_SIZE.test(firstLine) && /\bchunked\b/i.test(header(headers, 'transfer-encoding') ?? '');
}

/**
 * Joins the chunks of a body (RFC 9112 §7.1). Returns undefined if a chunk size is not valid. Lines may end with a line
 * feed alone, because editors change line ends.
 */
export function joinChunks(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, at);
    const [, size] = CHUNK_SIZE.exec(bytes.toString('latin1', at, end < 0 ? bytes.length : end)) ?? [];
    if (size === undefined) return undefined;
    const length = Number.parseInt(size, 16);
    if (length === 0 || end < 0) break;
    pieces.push(bytes.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
    if (bytes[at] === CARRIAGE_RETURN) at += 1;
    if (bytes[at] === LINE_FEED) at += 1;
  }
  return Buffer.concat(pieces);
}
