import type { Socket } from 'node:net';
import { WireFailure } from '../wire/failure.ts';
import { type Crossing, type CrossingEnd, KeptBody } from './crossing.ts';
import { Framer } from './framer.ts';
import { replyFraming } from './head.ts';
import type { Surroundings } from './surroundings.ts';

/** A repetition is given up after this; nobody waits for it. */
const PATIENCE_MS = 30_000;

/** Sends the bytes of a call again, over connections of its own, one after another. Nobody but the observer hears the replies. */
export class Repetition {
  readonly #first: Crossing;
  readonly #bytes: Buffer;
  readonly #around: Surroundings;
  #left: number;

  constructor(first: Crossing, bytes: Buffer, times: number, around: Surroundings) {
    this.#first = first;
    this.#bytes = bytes;
    this.#left = times;
    this.#around = around;
  }

  start(): void {
    if (this.#left === 0) return;
    this.#left -= 1;
    const { now, newId, observer, open } = this.#around;
    const crossing: Crossing = {
      ...this.#first,
      id: newId(),
      deed: null,
      source: 'proxy',
      reused: false,
      start: now(),
      replyBody: new KeptBody(),
      connected: null,
      sent: null,
      firstByte: null,
      end: null,
      hungUpAt: null,
      isWhole: true,
      reply: null,
    };
    observer.requested(crossing);
    let isOver = false;
    const finish = (end: CrossingEnd): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(patience);
      crossing.end = now();
      observer.ended(crossing, end);
      this.start();
    };
    const giveUp = open((error, socket) => {
      if (socket) {
        crossing.connected = now();
        this.#exchange(crossing, socket, finish);
        return;
      }
      const reason = error instanceof WireFailure ? error.reason : 'unreachable';
      finish({ kind: 'none', reason, detail: error?.message ?? 'no connection could be made' });
    });
    const patience = setTimeout(() => {
      giveUp();
      finish({ kind: 'none', reason: 'too-late', detail: `no reply within ${PATIENCE_MS / 1000} s` });
    }, PATIENCE_MS);
    patience.unref();
  }

  #exchange(crossing: Crossing, socket: Socket, finish: (end: CrossingEnd) => void): void {
    const { now } = this.#around;
    const over = (end: CrossingEnd): void => {
      finish(end);
      socket.destroy();
    };
    const replies = new Framer({
      onHead: ({ firstLine, headers }) => {
        const status = Number(firstLine.slice(9, 12));
        crossing.firstByte ??= now();
        if (status >= 200) crossing.reply = { status, headers };
        return replyFraming({ firstLine, headers, lines: [] }, status, crossing.method);
      },
      onBody: (_, payload) => crossing.replyBody.add(payload),
      onEnd: () => {
        if (crossing.reply) over({ kind: 'reply' });
      },
      onOpaque: () => over({ kind: 'opaque' }),
    });
    socket.on('data', (bytes: Buffer) => replies.feed(bytes));
    socket.on('end', () => replies.end());
    socket.on('error', () => {});
    socket.on('close', () =>
      over({ kind: 'none', reason: 'reset', detail: 'the operator closed the connection without a whole reply' }),
    );
    socket.write(this.#bytes);
    crossing.sent = now();
  }
}
