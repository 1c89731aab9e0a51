import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Reply } from '../journal/exchange.ts';
import { type ConnectListener, openConnection, type Route } from './connect.ts';
import { joined } from './incoming-reply.ts';
import type { KnownHeads, PlainHead } from './known-heads.ts';
import type { Origin } from './origin.ts';

/** The call that uses a connection slot. It observes the connection attempt, writes its request, and receives its reply. */
export interface SlotCall extends ConnectListener {
  /** Is called when a connection is being opened for the call. */
  onConnecting(): void;
  /** Is called when the connection is ready for the bytes of the request. */
  onWritable(): void;
  /** Is called when bytes of the reply have arrived, before undici parses them. */
  onBytes(chunk: Buffer): void;
  /** Is called when the connection has failed, before undici hears of it. */
  onReset(): void;
  /** Is called when the head of the reply has arrived. */
  onHead(status: number, rawHeaders: Dispatcher.DispatchController['rawHeaders']): void;
  /** Is called when bytes of the body have arrived. */
  onBody(chunk: Buffer): void;
  /** Is called when the reply is complete. */
  onEnd(): void;
  /** Is called instead of all other events of the reply if the whole reply has arrived at once. */
  onReply(reply: Reply): void;
  /** Is called when no reply can come any more. */
  onFailed(error: Error): void;
  /** Is called when the time set by {@link ConnectionSlot.setTimer} has passed. */
  onTimer(): void;
  /** The head of the complete reply. Undefined if other bytes than the head and the body came, or if the body is encoded. */
  readonly plainHead: PlainHead | undefined;
}

/** The settings that all slots of one wire share. */
export interface ConnectionSlotSettings {
  readonly route: Route;
  readonly keepAliveMs: number;
  readonly maxHeaderBytes: number;
  readonly heads: KnownHeads;
  /** The buffer for received bytes. All slots share it, because the bytes are read before the next bytes arrive. */
  readonly received: Buffer;
  nextConnectionId(): number;
  /** Is called when a slot loses its connection while no call uses it. */
  onIdleClosed(slot: ConnectionSlot): void;
  /** Is called when bytes arrive over the connection of a slot while no call uses it. */
  onIdleBytes(slot: ConnectionSlot): void;
}

// The request that undici gets. undici only parses replies here: it gets a request without a body, and its single write is
// replaced by the bytes of croupier (see #intercept).
const DISPATCH: Dispatcher.DispatchOptions = { path: '/', method: 'GET' };

/** Milliseconds that are subtracted from the keep-alive time that a server announces. */
const KEEP_ALIVE_MARGIN_MS = 1000;

type Write = (bytes: Uint8Array, flushed: () => void) => boolean;

/**
 * A slot holds one connection to one origin, and one call at a time uses it. The connection can be replaced.
 *
 * If undici has already parsed the same head, the slot reads a reply itself, which takes less time. undici does not see such a reply,
 * so its request waits for the reply to the next call. So undici parses each reply that is not plain, from its first byte on.
 */
export class ConnectionSlot {
  readonly origin: Origin;
  /** The time at which the slot last became free, by the clock of the wire. */
  idleSince = 0;
  /** Number of the connection, counted from 1 over all connections of the wire. 0 before the first connection. */
  connectionId = 0;
  /** Number of calls that the current connection has begun. */
  uses = 0;
  #settings: ConnectionSlotSettings;
  #client: Client;
  #call: SlotCall | null = null;
  #socket: Socket | null = null;
  #write: Write | null = null;
  #cancel: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerMs = 0;
  /** Closes the connection if it is idle for too long while the request of undici waits. */
  #idleTimer: NodeJS.Timeout | null = null;
  #discarded = false;
  /** The phase of the call: `sent` from its first byte, and `receiving` from the first byte of its reply. */
  #phase: 'unsent' | 'sent' | 'receiving' = 'unsent';
  /** True if undici has got a request and waits for its reply. */
  #isParserWaiting = false;
  /** The head of the latest reply. undici may still close the connection because of this head. */
  #latestHead: PlainHead | undefined;

  constructor(origin: Origin, settings: ConnectionSlotSettings) {
    this.origin = origin;
    this.#settings = settings;
    this.#client = new Client(origin.key, {
      allowH2: false,
      pipelining: 1,
      // The wire sets the only deadline, so undici needs none.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: settings.maxHeaderBytes,
      keepAliveTimeout: Math.max(1, settings.keepAliveMs),
      keepAliveMaxTimeout: Math.max(1, settings.keepAliveMs),
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      connect: (_, callback) => this.#connect(callback),
    });
  }

  /** Sends one call. The slot is in use until {@link ConnectionSlot.free} or {@link ConnectionSlot.discard} is called. */
  send(call: SlotCall): void {
    this.#call = call;
    this.#phase = 'unsent';
    if (!this.#isParserWaiting) {
      this.#rememberHead();
      this.#client.dispatch(DISPATCH, this.#replies);
      return;
    }
    this.#socket?.ref();
    // Bytes that belong to no reply may have arrived already. They are read before the call is written, as undici does it.
    setImmediate(() => {
      if (this.#call === call && this.alive) this.#begin();
    });
  }

  /** Marks the slot as free. The call is over, and the connection can be used again. */
  free(now: number): void {
    this.#call = null;
    this.idleSince = now;
    if (!this.#isParserWaiting) return;
    this.#socket?.unref();
    if (this.#idleTimer !== null) this.#idleTimer.refresh();
    else this.#idleTimer = setTimeout(() => this.#closeIdle(), this.#settings.keepAliveMs).unref();
  }

  /** False if the connection is closed. */
  get alive(): boolean {
    return !this.#discarded && this.#socket !== null && !this.#socket.destroyed;
  }

  /** Closes the slot. Resolves once its connection is closed. */
  async discard(): Promise<void> {
    this.#discarded = true;
    this.#call = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#cancel?.();
    // undici must not be destroyed inside one of its own callbacks. So this code waits for the next microtask.
    await Promise.resolve();
    await this.#client.destroy();
  }

  /**
   * Writes bytes to the connection.
   *
   * @param flushed called once the kernel has the bytes
   * @returns true if the kernel already has them
   */
  write(bytes: Uint8Array, flushed: () => void): boolean {
    const socket = this.#socket;
    if (socket === null || this.#write === null) return false;
    this.#write(bytes, flushed);
    return socket.writableLength === 0;
  }

  /** Starts the timer of the call. If the timer is already running, it starts again from the beginning. */
  setTimer(ms: number): void {
    if (this.#timer !== null && this.#timerMs === ms) {
      this.#timer.refresh();
      return;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerMs = ms;
    // One timer serves all calls of the slot. It may fire between two calls, which has no effect. The open socket keeps the process
    // alive, so the timer need not keep it alive.
    this.#timer = setTimeout(() => this.#call?.onTimer(), ms).unref();
  }

  /** The handler of the requests of undici. */
  readonly #replies: Dispatcher.DispatchHandler = {
    onRequestStart: () => {},
    onResponseStart: ({ rawHeaders }, status) => this.#call?.onHead(status, rawHeaders),
    onResponseData: (_, chunk) => this.#call?.onBody(chunk),
    onResponseEnd: () => {
      this.#isParserWaiting = false;
      this.#latestHead = this.#call?.plainHead;
      this.#call?.onEnd();
    },
    onResponseError: (_, error) => {
      this.#isParserWaiting = false;
      this.#call?.onFailed(error);
    },
  };

  #begin(): void {
    this.uses += 1;
    this.#phase = 'sent';
    this.#call?.onWritable();
  }

  /** Keeps the head of the latest reply, if the connection is still open after this reply. */
  #rememberHead(): void {
    const head = this.#latestHead;
    this.#latestHead = undefined;
    if (head === undefined || !this.alive) return;
    // A server may ask for connections to be closed earlier than croupier would close them. undici follows that.
    if (this.#settings.keepAliveMs > KEEP_ALIVE_MARGIN_MS && joined(head.headers, 'keep-alive') !== '') return;
    this.#settings.heads.add(head);
  }

  #closeIdle(): void {
    if (this.#call === null && !this.#discarded) this.#settings.onIdleClosed(this);
  }

  #connect(callback: buildConnector.Callback): void {
    const call = this.#call;
    if (call === null || this.#discarded) {
      callback(new Error('nothing to connect for'), null);
      return;
    }
    // If an idle connection was closed before a write, undici opens a new connection by itself.
    this.uses = 0;
    call.onConnecting();
    const received = { buffer: this.#settings.received, onReceived: (length: number) => this.#receive(length) };
    const listener: ConnectListener = {
      onResolved: () => call.onResolved(),
      onConnected: () => call.onConnected(),
      onSecured: () => call.onSecured(),
      received,
    };
    this.#cancel = openConnection(this.origin, this.#settings.route, listener, (error, socket) => {
      this.#cancel = null;
      if (socket === null) {
        callback(error ?? new Error('no connection'), null);
        return;
      }
      this.#socket = socket;
      this.connectionId = this.#settings.nextConnectionId();
      this.#intercept(socket);
      callback(null, socket);
    });
  }

  /**
   * Intercepts writes and reads of the socket. undici writes exactly once for a request without a body. At that moment, the
   * call writes its own bytes instead.
   */
  #intercept(socket: Socket): void {
    this.#write = socket.write.bind(socket);
    const read = socket.read.bind(socket);
    socket.write = () => {
      this.#isParserWaiting = true;
      this.#begin();
      return true;
    };
    socket.read = (size?: number) => {
      const chunk: Buffer | null = read(size);
      return chunk === null || this.#take(chunk, socket) ? null : chunk;
    };
    // If a body ends with the connection, undici treats a reset as the end of the body. So the call must know about the
    // reset before undici does.
    socket.prependListener('error', (error) => {
      // Directly after the last reply, undici's parser found bytes that belong to no reply.
      if (this.#call === null && isUnexpected(error)) this.#idleBytes(socket);
      else this.#call?.onReset();
    });
    socket.once('close', () => {
      if (this.#call === null && this.#socket === socket) this.#settings.onIdleClosed(this);
    });
  }

  /**
   * Receives bytes of an unencrypted connection without a proxy. Node need not create a buffer and an event for a reply that the slot
   * reads itself. All other bytes go to the stream of the socket, from which undici reads them.
   *
   * @returns false if the stream has enough bytes for now
   */
  #receive(length: number): boolean {
    const socket = this.#socket;
    if (socket === null) return true;
    const { received, heads } = this.#settings;
    if (this.#call !== null && this.#phase === 'sent' && socket.readableLength === 0) {
      const whole = heads.replyIn(received, length);
      if (whole !== undefined) {
        this.#phase = 'receiving';
        this.#call.onReply(whole.reply);
        return true;
      }
    }
    return socket.push(Buffer.from(received.subarray(0, length)));
  }

  /** Takes bytes from the connection. @returns true if undici must not parse them */
  #take(chunk: Buffer, socket: Socket): boolean {
    const call = this.#call;
    if (call === null) {
      this.#idleBytes(socket);
      return false;
    }
    if (this.#phase === 'unsent' && this.#isParserWaiting) {
      // The call has not begun, so the bytes belong to no reply. The call needs another connection.
      this.#call = null;
      this.#idleBytes(socket);
      call.onFailed(new Error('unexpected bytes'));
      return true;
    }
    const whole = this.#phase === 'sent' ? this.#settings.heads.replyIn(chunk) : undefined;
    this.#phase = 'receiving';
    if (whole === undefined) call.onBytes(chunk);
    else call.onReply(whole.reply);
    return whole !== undefined;
  }

  #idleBytes(socket: Socket): void {
    if (this.#discarded || this.#socket !== socket) return;
    this.#settings.onIdleBytes(this);
  }
}

/** True for the errors of undici about bytes that belong to no reply. */
function isUnexpected(error: Error): boolean {
  return error.name === 'HTTPParserError' || error.message === 'bad response';
}
