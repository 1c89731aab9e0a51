import type { HeaderList } from '../journal/exchange.ts';
import { bodyOf, decodeBody } from '../wire/body.ts';
import { WireFailure } from '../wire/failure.ts';
import { KnownHeads, type ReceivedReply } from '../wire/known-heads.ts';

/** The head of a reply: everything before its body. */
interface Head {
  readonly status: number;
  readonly headers: HeaderList;
  /** The position in the received bytes at which the body begins. */
  readonly bodyAt: number;
  readonly framing: { readonly kind: 'length'; readonly length: number } | { readonly kind: 'chunked' | 'until-close' };
  readonly isReusable: boolean;
}

/** Maximum number of bytes of one reply. A normal reply has some hundred bytes. */
const MAX_REPLY_BYTES = 1024 * 1024;
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const LENGTH = /^\d{1,15}$/;
const NO_BYTES = Buffer.alloc(0);
/**
 * Reads the replies of one HTTP/1.1 connection (RFC 9112), one after the other.
 *
 * `load` sends thousands of calls a second, and a general HTTP client would need more time than the judgement of the reply. All
 * calls of `load` have the same simple form, so this small reader is enough.
 */
export class ReplyParser {
  readonly #known: KnownHeads;
  #bytes: Buffer = NO_BYTES;
  #head: Head | undefined;

  constructor(known: KnownHeads = new KnownHeads()) {
    this.#known = known;
  }

  /** True if bytes of the next reply have arrived. */
  get hasBytes(): boolean {
    return this.#bytes.length > 0;
  }

  /**
   * Takes bytes from the connection.
   *
   * @param chunk its memory may be used again as soon as this function returns
   * @param length the number of bytes at the beginning of `chunk` that have arrived
   * @returns the reply, as soon as it is complete
   * @throws WireFailure if the bytes are not HTTP, or if the reply is too large or badly encoded
   */
  add(chunk: Buffer, length = chunk.length): ReceivedReply | undefined {
    const usual = this.#bytes.length === 0 && this.#head === undefined ? this.#known.replyIn(chunk, length) : undefined;
    if (usual) return usual;
    // The caller may use the memory of the chunk again, so the bytes are copied.
    this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, length)]);
    if (this.#bytes.length > MAX_REPLY_BYTES)
      throw new WireFailure('too-large', `The reply is larger than the maximum of ${MAX_REPLY_BYTES} bytes.`);
    return this.#read(false);
  }

  /**
   * Handles the end of the connection.
   *
   * @returns the reply, if its body lasts until the end of the connection
   */
  end(): ReceivedReply | undefined {
    return this.#head ? this.#read(true) : undefined;
  }

  #read(isEnd: boolean): ReceivedReply | undefined {
    this.#head ??= this.#readHead();
    const head = this.#head;
    if (!head) return undefined;
    const { bodyAt, framing } = head;
    switch (framing.kind) {
      case 'length': {
        const end = bodyAt + framing.length;
        return this.#bytes.length < end ? undefined : this.#whole(head, this.#bytes.subarray(bodyAt, end), end);
      }
      case 'chunked': {
        const decoded = dechunked(this.#bytes, bodyAt);
        return decoded && this.#whole(head, decoded.body, decoded.end);
      }
      case 'until-close':
        return isEnd ? this.#whole(head, this.#bytes.subarray(bodyAt), this.#bytes.length) : undefined;
    }
  }

  #whole({ status, headers, isReusable }: Head, raw: Buffer, end: number): ReceivedReply {
    // Bytes after the reply belong to no call, so the connection cannot be used for another call.
    const excessBytes = this.#bytes.length - end;
    this.#bytes = NO_BYTES;
    this.#head = undefined;
    const coding = headerOf(headers, 'content-encoding');
    const body = coding === undefined ? raw : decodeBody(raw, coding, MAX_REPLY_BYTES);
    const reply = { status, headers, body: bodyOf(body), ...(excessBytes > 0 && { excessBytes }) };
    return { reply, isReusable: isReusable && excessBytes === 0 };
  }

  #readHead(): Head | undefined {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n\r\n', 0, 'latin1');
      const first = this.#bytes.subarray(0, 5).toString('latin1');
      if (first !== 'HTTP/'.slice(0, first.length))
        throw new WireFailure('not-http', `The reply was not HTTP. It began with ${JSON.stringify(first)}.`);
      if (end < 0) return undefined;
      const text = this.#bytes.toString('latin1', 0, end);
      const [line = '', ...rest] = text.split('\r\n');
      const match = STATUS_LINE.exec(line);
      if (!match) throw new WireFailure('not-http', 'The first line of the reply is not a status line of HTTP/1.');
      const status = Number(match[2]);
      if (status < 200) {
        // Interim replies come before the final one (RFC 9110, 15.2).
        this.#bytes = this.#bytes.subarray(end + 4);
        if (this.#bytes.length === 0) return undefined;
        continue;
      }
      const headers = rest.map((text): readonly [string, string] => {
        const colon = text.indexOf(':');
        if (colon < 1) throw new WireFailure('not-http', 'A header of the reply has no colon.');
        return [text.slice(0, colon), text.slice(colon + 1).trim()];
      });
      const connection = headerOf(headers, 'connection')?.toLowerCase();
      const framing = framingOf(status, headers);
      const isKept = match[1] === '1' ? connection?.includes('close') !== true : connection?.includes('keep-alive');
      const isReusable = isKept === true && framing.kind !== 'until-close';
      const head = { status, headers, bodyAt: end + 4, framing, isReusable };
      if (framing.kind === 'length' && headerOf(headers, 'content-encoding') === undefined)
        this.#known.add({ text, status, headers, length: framing.length, isReusable });
      return head;
    }
  }
}

function framingOf(status: number, headers: HeaderList): Head['framing'] {
  if (status === 204 || status === 304) return { kind: 'length', length: 0 };
  const transfer = headerOf(headers, 'transfer-encoding')?.toLowerCase();
  if (transfer === 'chunked') return { kind: 'chunked' };
  if (transfer !== undefined && transfer !== 'identity')
    throw new WireFailure('bad-encoding', `The reply's Transfer-Encoding is ${JSON.stringify(transfer.slice(0, 40))}.`);
  const length = headerOf(headers, 'content-length');
  if (length === undefined) return { kind: 'until-close' };
  if (!LENGTH.test(length)) throw new WireFailure('not-http', 'The Content-Length of the reply is not a number.');
  return { kind: 'length', length: Number(length) };
}

/** Decodes a chunked body (RFC 9112, 7.1). Returns undefined if it is not complete. */
function dechunked(bytes: Buffer, from: number): { readonly body: Buffer; readonly end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return undefined;
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(bytes.toString('latin1', at, lineEnd))?.[1];
    if (size === undefined) throw new WireFailure('not-http', 'A chunk of the reply has no valid size.');
    const length = Number.parseInt(size, 16);
    const start = lineEnd + 2;
    if (length === 0) {
      // The trailers end with an empty line.
      const end =
        bytes.subarray(start, start + 2).toString('latin1') === '\r\n' ? start : bytes.indexOf('\r\n\r\n', start);
      if (end < 0 || bytes.length < start + 2) return undefined;
      return { body: Buffer.concat(parts), end: end === start ? start + 2 : end + 4 };
    }
    if (bytes.length < start + length + 2) return undefined;
    parts.push(bytes.subarray(start, start + length));
    at = start + length + 2;
  }
}

/** Returns the first value of a header. @param wanted its name in lower case */
function headerOf(headers: HeaderList, wanted: string): string | undefined {
  for (const [name, value] of headers) if (name.length === wanted.length && name.toLowerCase() === wanted) return value;
  return undefined;
}
