import type { ListenReply } from '../listen/message.ts';
import type { Sleep } from './sleep.ts';

export interface EventStreamOptions {
  /** Registers a function that is called whenever there is something new to send. @returns removes it */
  readonly subscribe: (wake: () => void) => () => void;
  /** The events that are not sent yet. Called at the beginning, and after each wake-up. */
  readonly take: () => readonly PageEvent[];
  /** Ends the stream. */
  readonly closing: AbortSignal;
  readonly sleep: Sleep;
  /** Events within this many milliseconds are sent together. 40. */
  readonly batchMs?: number;
  /** After this many milliseconds without an event a comment is sent, which shows whether the reader is still there. 15 000. */
  readonly heartbeatMs?: number;
}

/** One event for a page. */
export interface PageEvent {
  readonly name: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

const BATCH_MS = 40;
const HEARTBEAT_MS = 15_000;

/**
 * A reply that sends events to a page as they happen (HTML standard, server-sent events). The next events are collected when the
 * reader has taken the ones before, so that a slow reader costs no memory.
 */
export function eventStream(options: EventStreamOptions): ListenReply {
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
      // Otherwise the connection would stay open after the end, and delay the stop of the server.
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

/** JSON has no line ends of its own. */
function eventText({ name, data }: PageEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
