import type { Dispatcher } from 'undici';
import type { HeaderList, Outcome } from '../journal/exchange.ts';
import { bodyOf, decodeBody } from './body.ts';
import { WireFailure } from './failure.ts';

/** A reply that is being received. */
export class IncomingReply {
  /** The first bytes of the reply. null before they arrive. */
  beginning: Uint8Array | null = null;
  #status = 0;
  #headers: HeaderList | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Takes bytes from the connection before undici parses them. @returns true for the first chunk */
  receive(chunk: Buffer): boolean {
    const isFirst = this.beginning === null;
    this.beginning ??= chunk;
    if (this.#headers === null) passInterim(chunk);
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

  /** Returns the complete reply, decompressed, or the reason why it cannot be read. */
  whole(headers: HeaderList, maxBytes: number): Outcome {
    const head = { status: this.#status, headers };
    try {
      const raw = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
      refuseTransferCodings(joined(headers, 'transfer-encoding'));
      const coding = joined(headers, 'content-encoding');
      const body = coding === '' ? raw : decodeBody(raw, coding, maxBytes);
      return { kind: 'reply', reply: { ...head, body: bodyOf(body) } };
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      return { kind: 'none', reason: error.reason, detail: error.message, head };
    }
  }
}

/**
 * Refuses a reply whose body has another transfer coding than `chunked`. By RFC 9112 §7 a server may use another one only if the
 * request offers it in `TE`, and croupier offers none.
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
function joined(headers: HeaderList, wanted: string): string {
  let value = '';
  for (const [name, text] of headers) {
    if (name.length === wanted.length && name.toLowerCase() === wanted)
      value = value === '' ? text : `${value},${text}`;
  }
  return value;
}

const CONTINUE = Buffer.from('100', 'latin1');
const LINE_START = Buffer.from('HTTP/1.', 'latin1');
const STATUS_AT = 'HTTP/1.1 '.length;
const DIGIT_TWO = 0x32;

/**
 * Changes an unexpected `100 Continue` at the start of a reply to 102, in place. By RFC 9110 §15.2 a client may ignore any 1xx that
 * it did not expect. undici ignores all of them except 100, for which it closes the connection.
 */
function passInterim(chunk: Buffer): void {
  let start = 0;
  while (
    chunk.length >= start + STATUS_AT + CONTINUE.length &&
    chunk[start] === LINE_START[0] &&
    chunk.compare(LINE_START, 0, LINE_START.length, start, start + LINE_START.length) === 0 &&
    chunk.compare(CONTINUE, 0, CONTINUE.length, start + STATUS_AT, start + STATUS_AT + CONTINUE.length) === 0
  ) {
    chunk[start + STATUS_AT + 2] = DIGIT_TWO;
    const end = chunk.indexOf('\r\n\r\n', start, 'latin1');
    if (end < 0) return;
    start = end + 4;
  }
}
