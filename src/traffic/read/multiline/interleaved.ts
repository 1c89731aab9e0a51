import type { Fields } from '../../json-fields.ts';
import { ADJACENT, idOf } from '../logs/printed.ts';
import { ApacheWireMessage, connectionOf, isOfConnection } from './apache-wire.ts';
import { SpringMessage } from './spring-interceptor.ts';

/** Maximum number of messages that are open at once. */
const MAX_OPEN = 1000;
/** Maximum number of characters of a line in which the id of its thread is searched. */
const MAX_PREFIX = 300;

/** A message whose last line was read, with the number of its first line. */
export interface WholeMessage {
  readonly number: number;
  readonly fields: Fields;
}

interface OpenMessage {
  readonly number: number;
  readonly message: ApacheWireMessage | SpringMessage;
}

/**
 * Joins the lines of messages that several threads or connections write at the same time. Each line names its thread or connection,
 * so lines of other messages may be between the lines of one message.
 */
export class InterleavedMessages {
  readonly #open = new Map<string, OpenMessage>();

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Reads a line. Returns the messages that end with it, or before it: an empty list if the line belongs to an open message. Returns
   * undefined if the line belongs to no such message.
   */
  take(line: string, number: number): readonly WholeMessage[] | undefined {
    const wire = ApacheWireMessage.begin(line);
    const spring = wire ? undefined : SpringMessage.begin(line);
    const own = connectionOf(line) ?? (this.isEmpty && !spring ? ADJACENT : idOf(line.slice(0, MAX_PREFIX)));
    if (own === ADJACENT) return line.includes('http-outgoing-') && isOfConnection(line) ? [] : undefined;
    const before = this.#open.get(own);
    const message = wire ?? spring;
    if (!message) {
      if (!before?.message.take(line)) return line.includes('http-outgoing-') && isOfConnection(line) ? [] : undefined;
      return before.message.isEnded ? [this.#ended(own, before)] : [];
    }
    // Without its end, the message before is incomplete.
    const ended = before ? [this.#ended(own, before)] : [];
    this.#open.set(own, { number, message });
    const [oldest] = this.#open;
    if (this.#open.size > MAX_OPEN && oldest) ended.push(this.#ended(...oldest));
    if (message.isEnded) ended.push(this.#ended(own, { number, message }));
    return ended;
  }

  /** Ends all messages, because the file ends. */
  end(): readonly WholeMessage[] {
    return [...this.#open].map(([id, open]) => this.#ended(id, open));
  }

  /** Forgets the open messages, because lines were left out. */
  forget(): void {
    this.#open.clear();
  }

  #ended(id: string, { number, message }: OpenMessage): WholeMessage {
    this.#open.delete(id);
    return { number, fields: message.fields() };
  }
}
