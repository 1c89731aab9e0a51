import { type Framing, type Head, readHead } from './head.ts';

/** What a {@link Framer} tells of the messages in a stream of bytes. The bytes of all calls together are those of the stream. */
export interface FramerEvents {
  /** A head has come whole. @returns how its body is framed; null: that can't be told, and nothing more is read */
  onHead(head: Head, raw: Buffer): Framing | null;
  /** Bytes of a body as they came, and what they carry when the marks of chunks are left out. */
  onBody(raw: Buffer, payload: readonly Buffer[]): void;
  /** The message is whole. */
  onEnd(): void;
  /** What comes is no HTTP, or can't be told apart any more: bytes as they came, from here to the end. */
  onOpaque(raw: Buffer): void;
}

/** Longer heads are passed on unread. */
const LONGEST_HEAD = 64 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

type State =
  | { readonly kind: 'head' }
  | { readonly kind: 'length'; left: number }
  | { readonly kind: 'until-close' }
  | { readonly kind: 'chunked'; at: 'size' | 'data' | 'data-end' | 'trailer'; left: number; line: string }
  | { readonly kind: 'opaque' };

/**
 * Tells where messages of HTTP/1.1 begin and end, and lets every byte through as it comes: only a head is kept until it is whole.
 */
export class Framer {
  readonly #events: FramerEvents;
  readonly #beginning: Buffer;
  #state: State = { kind: 'head' };
  #kept: Buffer[] = [];
  #keptBytes = 0;

  /** @param beginning how every head begins; what begins otherwise is passed on at once */
  constructor(events: FramerEvents, beginning = '') {
    this.#events = events;
    this.#beginning = Buffer.from(beginning, 'latin1');
  }

  feed(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) rest = rest.subarray(this.#take(rest));
  }

  /** The stream has ended. */
  end(): void {
    if (this.#state.kind === 'until-close') this.#whole();
    else if (this.#keptBytes > 0) this.#goOpaque(this.#keptHead());
  }

  /** Nothing more is read: what comes, and what was kept, is passed on as it is. */
  giveUp(): void {
    this.#goOpaque(this.#keptHead());
  }

  /** @returns how many bytes were used */
  #take(bytes: Buffer): number {
    const state = this.#state;
    switch (state.kind) {
      case 'head':
        return this.#takeHead(bytes);
      case 'length': {
        const piece = bytes.subarray(0, state.left);
        state.left -= piece.length;
        this.#events.onBody(piece, [piece]);
        if (state.left === 0) this.#whole();
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
    // The mark may lie across two pieces, so its first bytes may be those kept last.
    const joined = this.#keptBytes === 0 ? bytes : Buffer.concat([...this.#kept, bytes]);
    const end = joined.indexOf(END_OF_HEAD, Math.max(0, this.#keptBytes - END_OF_HEAD.length));
    if (end < 0) {
      this.#kept = [joined];
      const before = this.#keptBytes;
      this.#keptBytes = joined.length;
      if (this.#keptBytes > LONGEST_HEAD || !this.#mayBegin(joined)) this.#goOpaque(this.#keptHead());
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
    else this.#whole();
    return used;
  }

  #mayBegin(bytes: Buffer): boolean {
    const length = Math.min(bytes.length, this.#beginning.length);
    return bytes.subarray(0, length).equals(this.#beginning.subarray(0, length));
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
      const newline = bytes.indexOf(10, at);
      const end = newline < 0 ? bytes.length : newline + 1;
      state.line += bytes.toString('latin1', at, end);
      at = end;
      if (state.line.length > LONGEST_HEAD) return this.#unreadable(bytes, payload);
      if (newline < 0) break;
      const line = state.line.trim();
      state.line = '';
      if (state.at === 'data-end') state.at = 'size';
      else if (state.at === 'size') {
        const size = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line)?.[1];
        if (size === undefined) return this.#unreadable(bytes, payload);
        state.left = Number.parseInt(size, 16);
        state.at = state.left === 0 ? 'trailer' : 'data';
      } else if (line === '') {
        this.#events.onBody(bytes.subarray(0, at), payload);
        this.#whole();
        return at;
      }
    }
    this.#events.onBody(bytes, payload);
    return bytes.length;
  }

  #unreadable(bytes: Buffer, payload: readonly Buffer[]): number {
    this.#events.onBody(bytes, payload);
    this.#state = { kind: 'opaque' };
    return bytes.length;
  }

  #whole(): void {
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
