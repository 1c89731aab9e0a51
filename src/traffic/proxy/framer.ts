import { type Framing, type Head, readHead } from './head.ts';

/** The events of a {@link Framer}. The raw bytes of all events, put together in order, are exactly the bytes of the stream. */
export interface FramerEvents {
  /**
   * Reports a complete head. Returns how the end of its body is found (the framing), or null if this is unknown. After null, the
   * rest of the stream is not parsed.
   */
  onHead(head: Head, raw: Buffer): Framing | null;
  /** Reports bytes of a body as received, and their payload without chunk headers. */
  onBody(raw: Buffer, payload: readonly Buffer[]): void;
  /** Reports that the message is complete. */
  onEnd(): void;
  /** Reports empty lines before a head. A receiver ignores them (RFC 9112, 2.2). */
  onEmptyLines(raw: Buffer): void;
  /**
   * Reports bytes that are not HTTP, or whose message boundaries are unknown. All later bytes are reported here too.
   */
  onOpaque(raw: Buffer): void;
}

/** Maximum length of a head in bytes. A longer head is passed on without parsing. */
const MAX_HEAD = 64 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;

type State =
  | { readonly kind: 'head' }
  | { readonly kind: 'length'; left: number }
  | { readonly kind: 'until-close' }
  | { readonly kind: 'chunked'; at: 'size' | 'data' | 'data-end' | 'trailer'; left: number; line: string }
  | { readonly kind: 'opaque' };

/**
 * Finds the boundaries of HTTP/1.1 messages in a stream of bytes. Every byte is passed on at once, except that a head
 * is buffered until it is complete.
 */
export class Framer {
  readonly #events: FramerEvents;
  readonly #prefix: Buffer;
  #state: State = { kind: 'head' };
  #kept: Buffer[] = [];
  #keptBytes = 0;

  /**
   * Creates a framer at the beginning of a stream.
   *
   * @param prefix the first bytes of every head. A message with other first bytes is passed on at once without parsing
   */
  constructor(events: FramerEvents, prefix = '') {
    this.#events = events;
    this.#prefix = Buffer.from(prefix, 'latin1');
  }

  feed(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) rest = rest.subarray(this.#take(rest));
  }

  /** Handles the end of the stream. */
  end(): void {
    if (this.#state.kind === 'until-close') this.#endMessage();
    else if (this.#keptBytes > 0) this.#goOpaque(this.#keptHead());
  }

  /** Stops parsing. Buffered bytes and all later bytes are reported as opaque. */
  giveUp(): void {
    this.#goOpaque(this.#keptHead());
  }

  /** Processes bytes, and returns the number of bytes that were used. */
  #take(bytes: Buffer): number {
    const state = this.#state;
    switch (state.kind) {
      case 'head':
        return this.#takeHead(bytes);
      case 'length': {
        const piece = bytes.subarray(0, state.left);
        state.left -= piece.length;
        this.#events.onBody(piece, [piece]);
        if (state.left === 0) this.#endMessage();
        return piece.length;
      }
      case 'until-close':
        this.#events.onBody(bytes, [bytes]);
        return bytes.length;
      case 'chunked':
        return this.#takeChunked(bytes, state);
      case 'opaque':
        this.#events.onOpaque(bytes);
        return bytes.length;
    }
  }

  #takeHead(bytes: Buffer): number {
    const empty = this.#takeEmptyLines(bytes);
    if (empty > 0) return empty;
    // The end of a head may be divided between two pieces. So the search begins a few bytes before the new piece.
    const joined = this.#keptBytes === 0 ? bytes : Buffer.concat([...this.#kept, bytes]);
    const end = joined.indexOf(END_OF_HEAD, Math.max(0, this.#keptBytes - END_OF_HEAD.length));
    if (end < 0) {
      this.#kept = [joined];
      const before = this.#keptBytes;
      this.#keptBytes = joined.length;
      // If lines of a head end with a line feed alone, croupier can't find the end of the head. So croupier passes the bytes on,
      // and does not wait for the end of the head.
      if (this.#keptBytes > MAX_HEAD || !this.#mayBeHead(joined) || hasBareLineFeed(joined, before))
        this.#goOpaque(this.#keptHead());
      return joined.length - before;
    }
    const used = end + END_OF_HEAD.length - this.#keptBytes;
    const raw = joined.subarray(0, end + END_OF_HEAD.length);
    this.#kept = [];
    this.#keptBytes = 0;
    const head = readHead(joined.subarray(0, end));
    if (head === null) {
      this.#goOpaque(raw);
      return used;
    }
    const framing = this.#events.onHead(head, raw);
    if (framing === null) this.#state = { kind: 'opaque' };
    else if (framing.kind === 'chunked') this.#state = { kind: 'chunked', at: 'size', left: 0, line: '' };
    else if (framing.kind === 'until-close') this.#state = { kind: 'until-close' };
    else if (framing.length > 0) this.#state = { kind: 'length', left: framing.length };
    else this.#endMessage();
    return used;
  }

  /**
   * Processes the empty lines before a head. The end of such a line may be split over two pieces. Returns the number of bytes that
   * were used.
   */
  #takeEmptyLines(bytes: Buffer): number {
    if (this.#keptBytes === 0) {
      const empty = emptyLinesAt(bytes);
      if (empty > 0) this.#events.onEmptyLines(bytes.subarray(0, empty));
      return empty;
    }
    if (this.#keptBytes > 1 || this.#kept[0]?.[0] !== CR || bytes[0] !== LF) return 0;
    this.#events.onEmptyLines(Buffer.concat([this.#keptHead(), bytes.subarray(0, 1)]));
    return 1;
  }

  #mayBeHead(bytes: Buffer): boolean {
    if (bytes.length === 1 && bytes[0] === CR) return true;
    const length = Math.min(bytes.length, this.#prefix.length);
    return bytes.subarray(0, length).equals(this.#prefix.subarray(0, length));
  }

  #takeChunked(bytes: Buffer, state: Extract<State, { kind: 'chunked' }>): number {
    const payload: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (state.at === 'data') {
        const piece = bytes.subarray(at, at + state.left);
        payload.push(piece);
        at += piece.length;
        state.left -= piece.length;
        if (state.left === 0) state.at = 'data-end';
        continue;
      }
      const newline = bytes.indexOf(LF, at);
      const end = newline < 0 ? bytes.length : newline + 1;
      state.line += bytes.toString('latin1', at, end);
      at = end;
      if (state.line.length > MAX_HEAD) return this.#invalidChunk(bytes, payload);
      if (newline < 0) break;
      const line = state.line.trim();
      state.line = '';
      if (state.at === 'data-end') state.at = 'size';
      else if (state.at === 'size') {
        const size = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line)?.[1];
        if (size === undefined) return this.#invalidChunk(bytes, payload);
        state.left = Number.parseInt(size, 16);
        state.at = state.left === 0 ? 'trailer' : 'data';
      } else if (line === '') {
        this.#events.onBody(bytes.subarray(0, at), payload);
        this.#endMessage();
        return at;
      }
    }
    this.#events.onBody(bytes, payload);
    return bytes.length;
  }

  #invalidChunk(bytes: Buffer, payload: readonly Buffer[]): number {
    this.#events.onBody(bytes, payload);
    this.#state = { kind: 'opaque' };
    return bytes.length;
  }

  #endMessage(): void {
    this.#state = { kind: 'head' };
    this.#events.onEnd();
  }

  #keptHead(): Buffer {
    const kept = Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keptBytes = 0;
    return kept;
  }

  #goOpaque(bytes: Buffer): void {
    this.#state = { kind: 'opaque' };
    if (bytes.length > 0) this.#events.onOpaque(bytes);
  }
}

/** If the bytes begin with empty lines, returns the number of bytes of these lines. Otherwise returns 0. */
function emptyLinesAt(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  return at;
}

/** True if a line after this position ends with a line feed alone. */
function hasBareLineFeed(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return true;
  }
  return false;
}
