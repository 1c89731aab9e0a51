import type { Dispatcher } from 'undici';
import type { HeaderList, Outcome } from '../journal/exchange.ts';
import { bodyOf, decodeBody } from './body.ts';
import { WireFailure } from './failure.ts';
import type { PlainHead } from './known-heads.ts';

/** A reply that undici parses. */
export class IncomingReply {
  /** The first bytes of the reply. null before they arrive. */
  beginning: Buffer | null = null;
  #status = 0;
  #headers: HeaderList | null = null;
  readonly #heads = new ReplyHeads();
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Number of bytes that have arrived, heads included. */
  #received = 0;

  /** Receives bytes from the connection before undici parses them. @returns true for the first chunk */
  receive(chunk: Buffer): boolean {
    const isFirst = this.beginning === null;
    this.beginning ??= chunk;
    this.#received += chunk.length;
    if (this.#headers === null) this.#heads.pass(chunk);
    return isFirst;
  }

  begin(status: number, rawHeaders: Dispatcher.DispatchController['rawHeaders']): void {
    this.#status = status;
    this.#headers = headerList(rawHeaders);
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
  }

  /** Number of bytes of the body that have arrived so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The status and headers. null before they arrive. */
  get head(): { readonly status: number; readonly headers: HeaderList } | null {
    return this.#headers === null ? null : { status: this.#status, headers: this.#headers };
  }

  /**
   * Returns the number of bytes that came together with the reply, but do not belong to it. Always 0 if no header
   * announces the length of the body.
   */
  #excessBytes(headers: HeaderList): number {
    const { bodyAt } = this.#heads;
    const hasBody = this.#status !== 204 && this.#status !== 304;
    if (bodyAt === null || (hasBody && joined(headers, 'content-length') === '')) return 0;
    return this.#received - bodyAt - this.#bytes;
  }

  /**
   * The head of the complete reply, if all bytes of the reply came at once and its body is not encoded. Undefined for a reply with
   * an interim reply before it, or with bytes that do not belong to it.
   */
  get plainHead(): PlainHead | undefined {
    const { beginning } = this;
    const { bodyAt } = this.#heads;
    const headers = this.#headers;
    if (beginning === null || bodyAt === null || headers === null || beginning.length !== this.#received)
      return undefined;
    if (this.#received !== bodyAt + this.#bytes || joined(headers, 'content-length') !== String(this.#bytes))
      return undefined;
    if (joined(headers, 'content-encoding') !== '' || joined(headers, 'transfer-encoding') !== '') return undefined;
    const textEnd = bodyAt - HEAD_END.length;
    if (beginning.indexOf(HEAD_END) !== textEnd) return undefined;
    const text = beginning.toString('latin1', 0, textEnd);
    return { text, status: this.#status, headers, length: this.#bytes, isReusable: true };
  }

  /** Returns the complete reply, decompressed, or the reason why it cannot be read. */
  whole(headers: HeaderList, maxBytes: number): Outcome {
    const head = { status: this.#status, headers };
    try {
      const raw = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
      refuseTransferCodings(joined(headers, 'transfer-encoding'));
      const coding = joined(headers, 'content-encoding');
      const body = coding === '' ? raw : decodeBody(raw, coding, maxBytes);
      const excess = this.#excessBytes(headers);
      return { kind: 'reply', reply: { ...head, body: bodyOf(body), ...(excess > 0 && { excessBytes: excess }) } };
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      return { kind: 'none', reason: error.reason, detail: error.message, head };
    }
  }
}

/**
 * Refuses a reply whose body has another transfer coding than `chunked`. By RFC 9112 §7, a server may use another
 * coding only if the request offers it in `TE`, and croupier offers no coding.
 *
 * @throws WireFailure `bad-encoding`
 */
function refuseTransferCodings(value: string): void {
  const other = value
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .find((coding) => coding !== '' && coding !== 'chunked' && coding !== 'identity');
  if (other === undefined) return;
  throw new WireFailure(
    'bad-encoding',
    `The reply's Transfer-Encoding is ${JSON.stringify(other.slice(0, 40))}, which the request did not offer.`,
  );
}

function headerList(raw: Dispatcher.DispatchController['rawHeaders']): HeaderList {
  const list: [string, string][] = [];
  if (!Array.isArray(raw)) return list;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i], raw[i + 1]];
    if (name === undefined || value === undefined) continue;
    list.push([
      typeof name === 'string' ? name : name.toString('latin1'),
      typeof value === 'string' ? value : value.toString('latin1'),
    ]);
  }
  return list;
}

/**
 * Returns all values of a header, joined by commas.
 *
 * @param wanted the name of the header in lower case
 */
export function joined(headers: HeaderList, wanted: string): string {
  let value = '';
  for (const [name, text] of headers) {
    if (name.length === wanted.length && name.toLowerCase() === wanted)
      value = value === '' ? text : `${value},${text}`;
  }
  return value;
}

/** The beginning of a reply. An `x` stands for any byte, and the three digits of the status follow. */
const BEGINNING = Buffer.from('HTTP/1.x ', 'latin1');
const VERSION_AT = BEGINNING.indexOf('x');
/** The position of the last digit of the status. */
const LAST_DIGIT = BEGINNING.length + 2;
const ZERO = 0x30;
const ONE = 0x31;
const TWO = 0x32;
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');

/**
 * Finds the end of the head of a reply, and changes the status of each interim reply 100 before it into 102. undici refuses a 100
 * that no request has asked for. But a server may send such a 100 (RFC 9110, 15.2.1). The bytes may arrive in any pieces.
 */
class ReplyHeads {
  /** The position at which the body of the final reply begins. null before its head is complete, or if the bytes are not HTTP. */
  bodyAt: number | null = null;
  /** Number of bytes that have passed. */
  #passed = 0;
  /** Number of bytes of the current status line that have arrived. Counts up to the last digit of the status. */
  #status = 0;
  #isInterim = false;
  #isContinue = false;
  /** The current head ends with two line breaks. This is the number of their bytes that have arrived. */
  #end = 0;
  #isOver = false;

  pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isOver; at += 1) {
      const byte = chunk[at] as number;
      this.#passed += 1;
      if (this.#status > LAST_DIGIT) this.#passHead(byte);
      // A parser of HTTP ignores empty lines before a status line.
      else if (this.#status > 0 || (byte !== HEAD_END[0] && byte !== HEAD_END[1])) this.#passStatus(byte, chunk, at);
    }
  }

  #passStatus(byte: number, chunk: Buffer, at: number): void {
    if (this.#status < BEGINNING.length) this.#isOver = this.#status !== VERSION_AT && byte !== BEGINNING[this.#status];
    else if (this.#status === BEGINNING.length) this.#isInterim = byte === ONE;
    else if (this.#status < LAST_DIGIT) this.#isContinue = this.#isInterim && byte === ZERO;
    else if (this.#isContinue && byte === ZERO) chunk[at] = TWO;
    this.#status += 1;
  }

  #passHead(byte: number): void {
    this.#end = byte === HEAD_END[this.#end] ? this.#end + 1 : byte === HEAD_END[0] ? 1 : 0;
    if (this.#end < HEAD_END.length) return;
    if (!this.#isInterim) {
      this.bodyAt = this.#passed;
      this.#isOver = true;
    }
    this.#status = 0;
    this.#end = 0;
  }
}
