import type { Socket } from 'node:net';
import type { NoReplyReason, Outcome } from '../journal/exchange.ts';
import { openConnection, type Route } from '../wire/connect.ts';
import { exchangeFailure, WireFailure } from '../wire/failure.ts';
import { KnownHeads } from '../wire/known-heads.ts';
import type { Origin } from '../wire/origin.ts';
import { ReplyParser } from './reply-parser.ts';

/** The result of one call on the network. Times are milliseconds of `performance.now`. */
export interface Delivery {
  readonly outcome: Outcome;
  /** The time at which the operating system had the last byte of the request. Null if the request was not sent. */
  readonly sent: number | null;
  /** The time at which the last byte of the reply arrived, or at which croupier stopped waiting. */
  readonly end: number;
  /** False if no connection could be made, so the call certainly did not arrive. */
  readonly isConnected: boolean;
}

/** One call to send. */
export interface NetworkCall {
  /** The bytes of the request, as text whose characters are bytes (Latin-1). */
  readonly bytes: string;
  /**
   * Time after the last byte at which croupier closes the connection on purpose, in milliseconds. Null to wait for the reply.
   */
  readonly breakAfterMs: number | null;
  readonly done: (delivery: Delivery) => void;
  /** Is called if bytes that belong to no reply come after the reply to this call. */
  readonly onLateBytes: () => void;
}

export interface ConnectionSettings {
  readonly origin: Origin;
  readonly route: Route;
  /** Maximum time in milliseconds from the last byte of a request to the last byte of its reply. */
  readonly deadlineMs: number;
  /** Returns false as soon as no more calls may be sent. Absent: calls may always be sent. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/**
 * After this time in milliseconds, an idle connection is not used any more. Most servers close idle connections later than this.
 */
const KEEP_ALIVE_MS = 1000;

/** Maximum number of bytes that are received at once. */
const RECEIVED_BYTES = 65_536;

/** A pool of connections to the operator. Each connection serves one call at a time. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  /** The buffer for received bytes. All connections share it, because the bytes are read before the next bytes arrive. */
  readonly #received = Buffer.allocUnsafeSlow(RECEIVED_BYTES);
  readonly #heads = new KnownHeads();
  /**
   * False after the operator has sent bytes that belong to no reply. On the same connection, a later call could get these bytes as
   * its reply.
   */
  #mayReuse = true;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Sends the bytes of one call. */
  send(call: NetworkCall): void {
    const now = performance.now();
    this.#idleConnection(now).start(call, now);
  }

  /** Closes all connections. Calls in flight end without a reply. */
  close(): void {
    for (const connection of this.#all) connection.fail('aborted', 'The load test has ended.');
  }

  #idleConnection(now: number): Connection {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      if (one.isOpen && now - one.idleSince < KEEP_ALIVE_MS) return one;
      one.discard();
    }
    const created = new Connection(this.#settings, this.#heads, this.#received, {
      onFree: (free) => {
        if (this.#mayReuse) this.#idle.push(free);
        else free.discard();
      },
      onExcess: () => {
        this.#mayReuse = false;
      },
      onClosed: (closed) => this.#closed(closed),
    });
    this.#all.add(created);
    return created;
  }

  #closed(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

interface ConnectionListener {
  onFree(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** Is called when bytes that belong to no reply have arrived. */
  onExcess(): void;
}

class Connection {
  idleSince = 0;
  readonly #settings: ConnectionSettings;
  readonly #listener: ConnectionListener;
  readonly #parser: ReplyParser;
  readonly #received: Buffer;
  #socket: Socket | undefined;
  #cancel: (() => void) | undefined;
  #call: NetworkCall | undefined;
  /** The time at which the current call was given to this connection. */
  #started = 0;
  /** The time at which the operating system had the last byte of the current call. Null if it was not sent yet. */
  #sent: number | null = null;
  /** The call before the current one. */
  #previous: NetworkCall | undefined;
  #timer: NodeJS.Timeout | undefined;
  #uses = 0;
  #isClosed = false;

  constructor(settings: ConnectionSettings, heads: KnownHeads, received: Buffer, listener: ConnectionListener) {
    this.#settings = settings;
    this.#parser = new ReplyParser(heads);
    this.#received = received;
    this.#listener = listener;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#socket?.destroyed === false;
  }

  start(call: NetworkCall, now: number): void {
    this.#call = call;
    this.#started = now;
    this.#sent = null;
    // The timer of an earlier call may still be running. It then looks at the current call. To start the timer again for each call
    // would take longer.
    this.#timer ??= setTimeout(() => this.#onDeadline(), this.#settings.deadlineMs);
    if (this.#socket) this.#write(this.#socket);
    else this.#connect();
  }

  /** Ends the call without a reply, and closes the connection. */
  fail(reason: NoReplyReason, detail: string): void {
    const call = this.#call;
    this.#call = undefined;
    const isConnected = this.#socket !== undefined;
    this.discard();
    call?.done({ outcome: { kind: 'none', reason, detail }, sent: this.#sent, end: performance.now(), isConnected });
  }

  discard(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#cancel?.();
    this.#socket?.destroy();
    this.#listener.onClosed(this);
  }

  #onDeadline(): void {
    this.#timer = undefined;
    const call = this.#call;
    if (!call) return;
    const { deadlineMs } = this.#settings;
    // The contract counts from the last byte of the request, so the time to connect is added to the deadline.
    const waited = performance.now() - (this.#sent ?? this.#started);
    if (waited < deadlineMs - 1) {
      this.#timer = setTimeout(() => this.#onDeadline(), deadlineMs - waited);
      return;
    }
    // If this process stood still, the timer fires late. A reply that has arrived in the meantime is received before the call fails.
    setImmediate(() => {
      if (this.#call === call) this.#failLate();
    });
  }

  #failLate(): void {
    const { deadlineMs } = this.#settings;
    if (this.#sent !== null) this.fail('too-late', `No complete reply within ${deadlineMs} ms.`);
    else if (this.#socket) this.fail('send-timeout', `The request could not be sent within ${deadlineMs} ms.`);
    else this.fail('connect-timeout', `No connection was made within ${deadlineMs} ms.`);
  }

  #connect(): void {
    const { origin, route } = this.#settings;
    const ignore = () => {};
    const onReceived = (length: number): boolean => {
      this.#onData(this.#received, length);
      return true;
    };
    const received = { buffer: this.#received, onReceived };
    const listener = { onResolved: ignore, onConnected: ignore, onSecured: ignore, received };
    this.#cancel = openConnection(origin, route, listener, (error, socket) => {
      this.#cancel = undefined;
      if (!socket) {
        const { reason, message } = error instanceof WireFailure ? error : exchangeFailure(error, NO_PROGRESS);
        this.fail(reason, message);
        return;
      }
      this.#socket = socket;
      socket.on('data', (chunk: Buffer) => this.#onData(chunk, chunk.length));
      socket.on('error', (problem) => this.#onEnd(problem));
      socket.on('close', () => this.#onEnd(undefined));
      if (this.#isClosed) socket.destroy();
      else this.#write(socket);
    });
  }

  #write(socket: Socket): void {
    const call = this.#call;
    if (!call) return;
    // Connecting may have taken a long time, for example because the process was stopped. So calls may no longer be allowed to
    // leave.
    if (this.#settings.mayLeave?.() === false) {
      this.fail('aborted', 'The worker has lost its part of the load.');
      return;
    }
    this.#uses += 1;
    const { bytes, breakAfterMs } = call;
    if (breakAfterMs === null) socket.write(bytes, 'latin1');
    else {
      socket.write(bytes, 'latin1', () => {
        // If the wait is 0, croupier closes the connection as soon as the operating system has the last byte.
        if (this.#call === call) this.#breakAfter(call, breakAfterMs);
      });
    }
    this.#sent = performance.now();
  }

  #breakAfter(call: NetworkCall, ms: number): void {
    const close = (): void => {
      if (this.#call === call) this.fail('broken', 'croupier closed the connection on purpose.');
    };
    // A timer of 0 ms needs at least 1 ms. A fast operator has answered by then. The next tick comes before any reply is received. By
    // then, the socket has completed the write. Otherwise closing it would create an error with a stack, which takes a long time.
    if (ms === 0) process.nextTick(close);
    else setTimeout(close, ms);
  }

  #onData(chunk: Buffer, length: number): void {
    const call = this.#call;
    if (!call) {
      // These bytes belong to no call. So the connection must not be used for further calls.
      this.#onExcess();
      this.discard();
      return;
    }
    try {
      const received = this.#parser.add(chunk, length);
      if (received) this.#onReply(call, received);
    } catch (error) {
      this.#onEnd(error);
    }
  }

  #onReply(call: NetworkCall, { reply, isReusable }: NonNullable<ReturnType<ReplyParser['add']>>): void {
    const end = performance.now();
    this.#call = undefined;
    this.#previous = call;
    if (reply.excessBytes !== undefined) this.#listener.onExcess();
    if (isReusable) {
      this.idleSince = end;
      this.#listener.onFree(this);
    } else this.discard();
    call.done({ outcome: { kind: 'reply', reply }, sent: this.#sent, end, isConnected: true });
  }

  #onEnd(error: unknown): void {
    const call = this.#call;
    if (!call) {
      this.discard();
      return;
    }
    try {
      const received = error === undefined ? this.#parser.end() : undefined;
      if (received) {
        this.#onReply(call, received);
        return;
      }
    } catch (problem) {
      this.#failBy(problem);
      return;
    }
    this.#failBy(error);
  }

  #failBy(error: unknown): void {
    const hasBytes = this.#parser.hasBytes;
    const progress = { reused: this.#uses > 1, hasBytes, hasHead: false, beginning: null };
    const { reason, message } = exchangeFailure(error ?? new Error('closed'), progress);
    // The bytes belong to the previous call on this connection. So they are not the fault of this call.
    if (reason === 'not-http' && this.#previous) {
      this.#onExcess();
      this.fail('stale-connection', `Bytes that belong to no reply came over the kept-alive connection. ${message}`);
    } else this.fail(reason, message);
  }

  #onExcess(): void {
    this.#listener.onExcess();
    this.#previous?.onLateBytes();
  }
}

const NO_PROGRESS = { reused: false, hasBytes: false, hasHead: false, beginning: null } as const;
