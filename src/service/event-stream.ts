import type { ListenReply } from '../listen/message.ts';
import type { Sleep } from './sleep.ts';

export interface EventStreamOptions {
  /**
   * Registers a function that must be called whenever there are new events to send.
   *
   * @returns a function that ends the registration
   */
  readonly subscribe: (wake: () => void) => () => void;
  /** Returns the events that have not been sent yet. It is called at the start, and after each call of `wake`. */
  readonly take: () => readonly PageEvent[];
  /** If this signal is aborted, the stream ends. */
  readonly closing: AbortSignal;
  readonly sleep: Sleep;
  /** The milliseconds to wait for further events, which are then sent together. The default is 40. */
  readonly batchMs?: number;
  /**
   * If no event is sent for this time, in milliseconds, a comment is sent, to find out whether the reader is still connected.
   * The default is 15 000.
   */
  readonly heartbeatMs?: number;
}

/** One event that is sent to a page. */
export interface PageEvent {
  readonly name: string;
  /** The content of the event, which is sent as JSON. */
  readonly data: unknown;
}

const BATCH_MS = 40;
const HEARTBEAT_MS = 15_000;

/**
 * Returns a reply that sends events to a page as they happen (HTML standard, server-sent events). It takes new events only
 * after the reader has received the earlier events. So a slow reader needs no additional memory.
 */
export function eventStream(options: EventStreamOptions): ListenReply {
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
      // If the connection stayed open after the stream, it would delay the stop of the server.
      ['Connection', 'close'],
    ],
    body: eventsOf(options),
  };
}

async function* eventsOf(options: EventStreamOptions): AsyncGenerator<string, void, undefined> {
  const { subscribe, take, closing, sleep, batchMs = BATCH_MS, heartbeatMs = HEARTBEAT_MS } = options;
  let hasNews = true;
  let pause = new AbortController();
  const end = (): void => pause.abort();
  const unsubscribe = subscribe(() => {
    hasNews = true;
    pause.abort();
  });
  closing.addEventListener('abort', end);
  try {
    while (!closing.aborted) {
      if (hasNews) {
        hasNews = false;
        const text = take().map(eventText).join('');
        if (text !== '') yield text;
      }
      pause = new AbortController();
      if (!hasNews && !closing.aborted) await sleep(heartbeatMs, pause.signal);
      if (hasNews) await sleep(batchMs, closing);
      else yield ': still here\n\n';
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', end);
  }
}

/** Writes an event in the format of the stream. JSON contains no line breaks, so the data fits on one line. */
function eventText({ name, data }: PageEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
