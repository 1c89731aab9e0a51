import type { Socket } from 'node:net';
import { WireFailure } from '../../wire/failure.ts';
import { Framer } from './framer.ts';
import { replyFraming } from './head.ts';
import { BodyCopy, type ProxiedCall, type ProxiedCallEnd } from './proxied-call.ts';
import type { ProxyContext } from './proxy-context.ts';

/** Timeout of one repeated call in ms. It can be long, because the service does not wait for repeated calls. */
const TIMEOUT_MS = 30_000;

/**
 * Sends the bytes of a call again, several times in turn and each time over a new connection. Only the observer
 * receives the replies, not the service.
 */
export class Repetition {
  readonly #first: ProxiedCall;
  readonly #bytes: Buffer;
  readonly #context: ProxyContext;
  #left: number;

  constructor(first: ProxiedCall, bytes: Buffer, times: number, context: ProxyContext) {
    this.#first = first;
    this.#bytes = bytes;
    this.#left = times;
    this.#context = context;
  }

  start(): void {
    if (this.#left === 0) return;
    this.#left -= 1;
    const { now, newId, observer, open } = this.#context;
    const proxiedCall: ProxiedCall = {
      ...this.#first,
      id: newId(),
      action: null,
      source: 'proxy',
      reused: false,
      start: now(),
      replyBody: new BodyCopy(),
      connected: null,
      sent: null,
      firstByte: null,
      end: null,
      hungUpAt: null,
      isWhole: true,
      reply: null,
    };
    observer.requested(proxiedCall);
    let isOver = false;
    const finish = (end: ProxiedCallEnd): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timeout);
      proxiedCall.end = now();
      observer.ended(proxiedCall, end);
      this.start();
    };
    const giveUp = open((error, socket) => {
      if (socket) {
        proxiedCall.connected = now();
        this.#exchange(proxiedCall, socket, finish);
        return;
      }
      const reason = error instanceof WireFailure ? error.reason : 'unreachable';
      finish({ kind: 'none', reason, detail: error?.message ?? 'no connection could be made' });
    });
    const timeout = setTimeout(() => {
      giveUp();
      finish({ kind: 'none', reason: 'too-late', detail: `no reply within ${TIMEOUT_MS / 1000} s` });
    }, TIMEOUT_MS);
    timeout.unref();
  }

  #exchange(proxiedCall: ProxiedCall, socket: Socket, finish: (end: ProxiedCallEnd) => void): void {
    const { now } = this.#context;
    const over = (end: ProxiedCallEnd): void => {
      finish(end);
      socket.destroy();
    };
    const replies = new Framer({
      onHead: ({ firstLine, headers }) => {
        const status = Number(firstLine.slice(9, 12));
        proxiedCall.firstByte ??= now();
        if (status >= 200) proxiedCall.reply = { status, headers };
        return replyFraming({ firstLine, headers, lines: [] }, status, proxiedCall.method);
      },
      onBody: (_, payload) => proxiedCall.replyBody.add(payload),
      onEnd: () => {
        if (proxiedCall.reply) over({ kind: 'reply' });
      },
      onEmptyLines: () => {},
      onOpaque: () => over({ kind: 'opaque' }),
    });
    socket.on('data', (bytes: Buffer) => replies.feed(bytes));
    socket.on('end', () => replies.end());
    socket.on('error', () => {});
    socket.on('close', () =>
      over({ kind: 'none', reason: 'reset', detail: 'the operator closed the connection before the end of its reply' }),
    );
    socket.write(this.#bytes);
    proxiedCall.sent = now();
  }
}
