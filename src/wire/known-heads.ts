import type { HeaderList, Reply } from '../journal/exchange.ts';

/** Maximum number of heads that are kept, and the maximum length of such a head in characters. */
const MAX_HEADS = 256;
const MAX_KEPT_HEAD = 2048;
const HEAD_END = '\r\n\r\n';
/** Number of places for the heads of the latest replies. It is a power of two. */
const PLACES = 64;

/** A complete reply, and whether the server allows another call on the same connection. */
export interface ReceivedReply {
  readonly reply: Reply;
  readonly isReusable: boolean;
}

/** The head of a reply whose body has a known length and no compression. */
export interface PlainHead {
  /** The text of the head without the empty line at its end. */
  readonly text: string;
  readonly status: number;
  readonly headers: HeaderList;
  /** The length of the body in bytes. */
  readonly length: number;
  readonly isReusable: boolean;
}

/**
 * The heads of earlier replies by their text. Most replies of a server have the same few heads, so each head is read only once. All
 * connections to an operator share these heads.
 */
export class KnownHeads {
  readonly #heads = new Map<string, PlainHead>();
  /**
   * The heads of the latest replies. A head has one place here, which depends on the length of its whole reply. To compare a reply
   * with the head at its place takes less time than to find the head in the map.
   */
  readonly #latest: (PlainHead | undefined)[] = Array.from({ length: PLACES }, () => undefined);

  /**
   * Returns the reply if the bytes are exactly one whole reply with a known head and a body in ASCII.
   *
   * @param length the number of bytes at the beginning of `bytes` that have arrived
   */
  replyIn(bytes: Buffer, length = bytes.length): ReceivedReply | undefined {
    const head = this.#headOf(bytes, length);
    if (!head) return undefined;
    const { status, headers, isReusable } = head;
    // The text of the body has its own memory. As a part of the text of the reply, it would take longer to read, and would keep the
    // head in memory.
    const data = bytes.toString('latin1', length - head.length, length);
    if (!isAscii(data)) return undefined;
    return {
      reply: { status, headers, body: { encoding: 'utf8', data, length: head.length, truncated: false } },
      isReusable,
    };
  }

  add(head: PlainHead): void {
    if (head.text.length > MAX_KEPT_HEAD) return;
    if (this.#heads.size >= MAX_HEADS) this.#heads.clear();
    const text = head.text + HEAD_END;
    this.#heads.set(text, { ...head, text });
  }

  /**
   * Returns the head of a reply that is exactly as long as the received bytes. The text of this head ends with the empty line. Returns
   * undefined if the head is not known.
   */
  #headOf(bytes: Buffer, length: number): PlainHead | undefined {
    const place = length & (PLACES - 1);
    const latest = this.#latest[place];
    if (latest !== undefined) {
      const end = latest.text.length;
      if (length === end + latest.length && bytes.toString('latin1', 0, end) === latest.text) return latest;
    }
    const at = bytes.subarray(0, length).indexOf(HEAD_END, 0, 'latin1');
    if (at < 0) return undefined;
    const known = this.#heads.get(bytes.toString('latin1', 0, at + HEAD_END.length));
    if (known === undefined || length !== known.text.length + known.length) return undefined;
    this.#latest[place] = known;
    return known;
  }
}

function isAscii(text: string): boolean {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) bits |= text.charCodeAt(at);
  return bits < 0x80;
}
