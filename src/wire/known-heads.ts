import { isAscii } from 'node:buffer';
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
   * The heads of the latest replies. A head has one place here, which depends on its length and its end: the end is often the
   * `Content-Length`. To compare a text with the head at its place takes less time than to find the text in the map.
   */
  readonly #latest: (PlainHead | undefined)[] = Array.from({ length: PLACES }, () => undefined);

  /**
   * Returns the reply if the bytes are exactly one whole reply with a known head and a body in ASCII.
   *
   * @param length the number of bytes at the beginning of `bytes` that have arrived
   */
  replyIn(bytes: Buffer, length = bytes.length): ReceivedReply | undefined {
    const text = bytes.toString('latin1', 0, length);
    const head = this.#headOf(text);
    if (!head) return undefined;
    const bodyAt = head.text.length + HEAD_END.length;
    if (length !== bodyAt + head.length || !isAscii(bytes.subarray(bodyAt, length))) return undefined;
    const { status, headers, isReusable } = head;
    const body = { encoding: 'utf8', data: text.slice(bodyAt), length: head.length, truncated: false } as const;
    return { reply: { status, headers, body }, isReusable };
  }

  add(head: PlainHead): void {
    if (head.text.length > MAX_KEPT_HEAD) return;
    if (this.#heads.size >= MAX_HEADS) this.#heads.clear();
    this.#heads.set(head.text, head);
  }

  /** Returns the head with which the text of a reply begins. Returns undefined if the head is not known. */
  #headOf(text: string): PlainHead | undefined {
    const end = text.indexOf(HEAD_END);
    if (end < 2) return undefined;
    const given = text.slice(0, end);
    const place = (end + text.charCodeAt(end - 1) + 8 * text.charCodeAt(end - 2)) & (PLACES - 1);
    const latest = this.#latest[place];
    if (latest?.text === given) return latest;
    const known = this.#heads.get(given);
    if (known) this.#latest[place] = known;
    return known;
  }
}
