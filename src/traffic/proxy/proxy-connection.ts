import type { Socket } from 'node:net';
import { WireFailure } from '../../wire/failure.ts';
import type { FaultAction } from './fault.ts';
import { Framer } from './framer.ts';
import { type Framing, forwardedHead, type Head, replyFraming, requestFraming } from './head.ts';
import { PendingCalls } from './pending-calls.ts';
import type { ProxiedCall } from './proxied-call.ts';
import type { ProxyContext } from './proxy-context.ts';
import { Repetition } from './repetition.ts';

/** If the service ends its side of a connection, its pending calls get the result "no reply" after this time in ms. */
const HALF_CLOSED_MS = 1000;
/** If the service ends its side of a connection, late replies are still passed on for this time in ms. */
const MAX_HALF_CLOSED_MS = 60_000;

/**
 * One connection of the service, together with its own connection to the operator. Bytes are passed on at once in both directions.
 * If one of the two connections ends or breaks, the other one ends in the same way.
 */
export class ProxyConnection {
  readonly #client: Socket;
  readonly #context: ProxyContext;
  readonly #calls: PendingCalls;
  readonly #onGone: () => void;
  readonly #requests: Framer;
  readonly #replies: Framer;
  #operator: Socket | null = null;
  #cancelConnect: (() => void) | null = null;
  /** Bytes that wait until the connection to the operator is open, or until an injected delay is over. */
  #requestBuffer: Buffer[] = [];
  #isRequestHeld = false;
  /** Bytes that wait until an injected delay is over; null if there is no delay. */
  #replyBuffer: Buffer[] | null = null;
  #clientEnded = false;
  #afterReply: (() => void) | null = null;
  #isGone = false;
  /** True if croupier does not know any more where the replies begin and end. */
  #isOpaque = false;
  #isLast = false;
  /** The bytes of the request that croupier will send again. Null if croupier does not repeat the request. */
  #raw: Buffer[] | null = null;

  constructor(client: Socket, number: number, context: ProxyContext, onGone: () => void) {
    this.#client = client;
    this.#calls = new PendingCalls(number, context);
    this.#context = context;
    this.#onGone = onGone;
    this.#requests = new Framer({
      onHead: (head) => this.#requestHead(head),
      onBody: (raw, payload) => {
        this.#calls.current?.requestBody.add(payload);
        this.#forward(raw);
      },
      onEnd: () => {
        this.#calls.endRequest(this.#operator !== null && this.#requestBuffer.length === 0);
        if (this.#isOpaque) this.#calls.finishAll({ kind: 'opaque' });
      },
      onEmptyLines: (raw) => this.#forward(raw),
      onOpaque: (raw) => {
        this.#stopParsing('service');
        this.#forward(raw);
      },
    });
    this.#replies = new Framer(
      {
        onHead: (head, raw) => this.#replyHead(head, raw),
        onBody: (raw, payload) => {
          this.#calls.first?.replyBody.add(payload);
          this.#toService(raw);
        },
        onEnd: () => this.#replyEnd(),
        onEmptyLines: (raw) => {
          this.#calls.markExceeded();
          this.#toService(raw);
        },
        onOpaque: (raw) => {
          if (!this.#calls.first?.reply) this.#calls.markExceeded();
          this.#stopParsing('operator');
          this.#toService(raw);
        },
      },
      'HTTP/',
    );
    client.on('data', (bytes: Buffer) => {
      if (!this.#isGone) this.#requests.feed(bytes);
    });
    client.on('end', () => this.#clientEnds());
    client.on('error', () => {});
    client.on('close', (hadError) => this.#clientGone(hadError));
  }

  /** Ends the connection as soon as no call is pending. */
  closeWhenIdle(): void {
    this.#isLast = true;
    if (this.#calls.isEmpty && this.#replyBuffer === null) this.destroy();
  }

  destroy(): void {
    this.#client.destroy();
  }

  /**
   * Handles the end of the service's side. The service may still wait for replies, or it may have closed the connection. The proxy
   * sees the difference only when it sends a reply.
   */
  #clientEnds(): void {
    this.#clientEnded = true;
    this.#requests.end();
    this.#calls.markHungUp();
    if (this.#operator && this.#requestBuffer.length === 0) this.#operator.end();
    else if (!this.#operator && this.#calls.isEmpty) this.#close();
    setTimeout(() => this.#calls.finishAbandoned(), HALF_CLOSED_MS).unref();
    setTimeout(() => this.#close(), MAX_HALF_CLOSED_MS).unref();
  }

  #requestHead(head: Head): Framing | null {
    const { destination } = this.#context;
    const proxiedCall = this.#calls.begin(head);
    const { action } = proxiedCall;
    if (action?.kind === 'drop' && action.what === 'request') {
      this.#calls.finish(proxiedCall, {
        kind: 'none',
        reason: 'broken',
        detail: 'croupier broke the connection (--fault)',
      });
      this.#close();
      return { kind: 'length', length: 0 };
    }
    this.#raw = action?.kind === 'repeat' ? [] : null;
    if (action?.kind === 'delay' && action.what === 'request') this.#holdRequest(action.ms);
    this.#forward(forwardedHead(head, destination));
    const framing = requestFraming(head);
    if (framing === null) this.#stopParsing('service');
    return framing;
  }

  #holdRequest(ms: number): void {
    this.#isRequestHeld = true;
    this.#client.pause();
    setTimeout(() => {
      this.#isRequestHeld = false;
      if (this.#isGone) return;
      this.#client.resume();
      this.#flush();
    }, ms);
  }

  #forward(bytes: Buffer): void {
    if (this.#isGone) return;
    this.#raw?.push(bytes);
    const operator = this.#operator;
    if (!operator || this.#isRequestHeld) {
      this.#requestBuffer.push(bytes);
      if (!operator) this.#connect();
      return;
    }
    if (operator.write(bytes)) return;
    this.#client.pause();
    operator.once('drain', () => this.#client.resume());
  }

  #flush(): void {
    const operator = this.#operator;
    if (!operator || this.#isRequestHeld) return;
    for (const bytes of this.#requestBuffer.splice(0)) operator.write(bytes);
    this.#calls.markSent();
    if (this.#clientEnded) operator.end();
  }

  #connect(): void {
    if (this.#cancelConnect) return;
    const { destination, open } = this.#context;
    // Stops reading. The operating system buffers the service's bytes until the connection to the operator is open.
    this.#client.pause();
    this.#cancelConnect = open((error, socket) => {
      if (this.#isGone) {
        socket?.destroy();
        return;
      }
      this.#client.resume();
      if (!socket) {
        this.#refuse(error, destination.base);
        return;
      }
      this.#operator = socket;
      this.#calls.markConnected();
      this.#listen(socket);
      this.#flush();
    });
  }

  #listen(operator: Socket): void {
    operator.on('data', (bytes: Buffer) => {
      if (!this.#isGone) this.#replies.feed(bytes);
    });
    let isReset = false;
    operator.on('error', () => {
      isReset = true;
    });
    operator.on('end', () => this.#operatorEnded(false));
    operator.on('close', () => this.#operatorEnded(isReset));
  }

  #refuse(error: Error | null, base: string): void {
    const reason = error instanceof WireFailure ? error.reason : 'unreachable';
    const detail = error?.message ?? 'no connection could be made';
    this.#calls.finishAll({ kind: 'none', reason, detail });
    this.#client.end(unreachableReply(base, detail), () => this.#close());
  }

  #replyHead(head: Head, raw: Buffer): Framing | null {
    const proxiedCall = this.#calls.first;
    const status = Number(head.firstLine.slice(9, 12));
    if (!proxiedCall || Number.isNaN(status)) {
      this.#calls.markExceeded();
      this.#stopParsing('operator');
      this.#toService(raw);
      return null;
    }
    const isInterim = status < 200 && status !== 101;
    proxiedCall.firstByte ??= this.#context.now();
    if (!isInterim) {
      proxiedCall.reply = { status, headers: head.headers };
      const { action } = proxiedCall;
      if (action?.kind === 'delay' && action.what === 'reply') this.#holdReply(action.ms);
    }
    this.#toService(raw);
    const framing = status === 101 ? null : replyFraming(head, status, proxiedCall.method);
    if (framing === null) this.#stopParsing('operator');
    // After the status 101, the connection uses another protocol.
    if (status === 101) this.#requests.giveUp();
    return framing;
  }

  #replyEnd(): void {
    const proxiedCall = this.#calls.first;
    // The reply was an interim reply (1xx), so the final reply is still to come.
    if (!proxiedCall?.reply) return;
    this.#calls.finish(proxiedCall, { kind: 'reply' });
    const { action } = proxiedCall;
    if (action?.kind === 'drop') this.#close();
    else if (action?.kind === 'repeat') this.#repeat(proxiedCall, action);
    if (this.#isLast && this.#calls.isEmpty && this.#replyBuffer === null) this.#client.end(() => this.destroy());
  }

  #repeat(proxiedCall: ProxiedCall, action: Extract<FaultAction, { kind: 'repeat' }>): void {
    const bytes = Buffer.concat(this.#raw ?? []);
    this.#raw = null;
    new Repetition(proxiedCall, bytes, action.times, this.#context).start();
  }

  #holdReply(ms: number): void {
    this.#replyBuffer = [];
    setTimeout(() => {
      const held = this.#replyBuffer ?? [];
      this.#replyBuffer = null;
      if (this.#isGone) return;
      for (const bytes of held) this.#client.write(bytes);
      this.#afterReply?.();
    }, ms);
  }

  /** Passes bytes from the operator to the service. */
  #toService(bytes: Buffer): void {
    const action = this.#calls.first?.action;
    if (this.#isGone || (action?.kind === 'drop' && action.what === 'reply')) return;
    if (this.#replyBuffer) {
      this.#replyBuffer.push(bytes);
      return;
    }
    if (this.#client.write(bytes) || !this.#operator) return;
    const operator = this.#operator;
    operator.pause();
    this.#client.once('drain', () => operator.resume());
  }

  #operatorEnded(isReset: boolean): void {
    if (this.#isGone) return;
    this.#replies.end();
    this.#calls.finishOperatorClosed();
    const close = (): void => {
      if (isReset) {
        this.#client.resetAndDestroy();
        this.#close();
      } else this.#client.end(() => this.#close());
    };
    if (this.#replyBuffer) this.#afterReply = close;
    else close();
  }

  #clientGone(hadError: boolean): void {
    if (this.#isGone) return;
    this.#calls.markHungUp();
    this.#calls.finishAbandoned();
    if (hadError) this.#operator?.resetAndDestroy();
    this.#close();
  }

  /** Stops parsing the bytes. All later bytes are passed on, but calls in them are not found. */
  #stopParsing(sender: 'service' | 'operator'): void {
    this.#isOpaque = true;
    this.#calls.markUnparsed(sender);
    this.#replies.giveUp();
    this.#calls.finishAll({ kind: 'opaque' });
  }

  #close(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelConnect?.();
    this.#client.destroy();
    this.#operator?.destroy();
    this.#onGone();
  }
}

/** The header that marks a reply made by croupier and not by the operator. */
const MARK = 'X-Croupier-Proxy';

/** Returns the reply to a call that cannot be passed on. */
function unreachableReply(base: string, detail: string): Buffer {
  const message = `croupier proxy could not reach the operator at ${base}. This reply is not from the operator. ${detail}`;
  const body = Buffer.from(JSON.stringify({ message }));
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 502 Bad Gateway\r\n${MARK}: unreachable\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
      'latin1',
    ),
    body,
  ]);
}
