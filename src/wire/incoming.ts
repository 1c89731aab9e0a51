import type { Dispatcher } from 'undici';
import type { HeaderList, Outcome } from '../journal/exchange.ts';
import { bodyOf } from './body.ts';
import { decodeBody } from './decode.ts';
import { WireFailure } from './failure.ts';
import { passInterim } from './interim.ts';

/** A reply while it comes in. */
export class Incoming {
  /** The first bytes of it, as they came; null while there are none. */
  beginning: Uint8Array | null = null;
  #status = 0;
  #headers: HeaderList | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Bytes as they come off the connection, before they are read as HTTP. @returns true for the first */
  came(chunk: Buffer): boolean {
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

  /** Of the body, as it comes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Status line and headers; null until they are there. */
  get head(): { readonly status: number; readonly headers: HeaderList } | null {
    return this.#headers === null ? null : { status: this.#status, headers: this.#headers };
  }

  /** The whole reply, decompressed, or why it can't be read. */
  whole(headers: HeaderList, maxBytes: number): Outcome {
    const head = { status: this.#status, headers };
    try {
      const raw = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
      const coding = joined(headers, 'content-encoding');
      const body = coding === '' ? raw : decodeBody(raw, coding, maxBytes);
      return { kind: 'reply', reply: { ...head, body: bodyOf(body) } };
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      return { kind: 'none', reason: error.reason, detail: error.message, head };
    }
  }
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

/** The name is compared in lower case. */
function joined(headers: HeaderList, wanted: string): string {
  let value = '';
  for (const [name, text] of headers) {
    if (name.length === wanted.length && name.toLowerCase() === wanted)
      value = value === '' ? text : `${value},${text}`;
  }
  return value;
}
