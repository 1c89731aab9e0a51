import type { ListenReply } from '../listen/message.ts';
import type { Sleep } from './adapter/sleep.ts';

export interface EventStreamOptions {
  /** Wants to be woken whenever there is something to tell. @returns ends it */
  readonly subscribe: (wake: () => void) => () => void;
  /** What there is to tell by now, as events; asked for at the beginning, and after each waking. */
  readonly take: () => readonly PageEvent[];
  /** Ends the stream. */
  readonly closing: AbortSignal;
  readonly sleep: Sleep;
  /** What happens within so many milliseconds is told together. 40. */
  readonly gatherMs?: number;
  /** A sign of life after so many quiet milliseconds, which also shows whether the reader is still there. 15 000. */
  readonly beatMs?: number;
}

/** One event for a page. */
export interface PageEvent {
  readonly name: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

const GATHER_MS = 40;
const BEAT_MS = 15_000;

/**
 * A reply that goes on telling a page what happens (HTML standard, server-sent events). What is to be told is asked for when the
 * reader has taken what came before, so that a slow one costs no memory.
 */
export function eventStream(options: EventStreamOptions): ListenReply {
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
      // Else the connection would stay open after the end, and a server that is being stopped would wait for it.
      ['Connection', 'close'],
    ],
    body: tell(options),
  };
}

async function* tell(options: EventStreamOptions): AsyncGenerator<string, void, undefined> {
  const { subscribe, take, closing, sleep, gatherMs = GATHER_MS, beatMs = BEAT_MS } = options;
  let isNews = true;
  let pause = new AbortController();
  const end = (): void => pause.abort();
  const unsubscribe = subscribe(() => {
    isNews = true;
    pause.abort();
  });
  closing.addEventListener('abort', end);
  try {
    while (!closing.aborted) {
      if (isNews) {
        isNews = false;
        const text = take().map(written).join('');
        if (text !== '') yield text;
      }
      pause = new AbortController();
      if (!isNews && !closing.aborted) await sleep(beatMs, pause.signal);
      if (isNews) await sleep(gatherMs, closing);
      else yield ': still here\n\n';
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', end);
  }
}

/** JSON has no line ends of its own. */
function written({ name, data }: PageEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
