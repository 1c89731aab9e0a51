import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { openConnection, type Route } from './connect.ts';
import type { InFlight } from './in-flight.ts';
import type { Origin } from './origin.ts';

/** What all lanes of one wire have in common. */
export interface LaneSettings {
  readonly route: Route;
  readonly keepAliveMs: number;
  readonly maxHeaderBytes: number;
  nextConnectionId(): number;
  /** A lane lost its connection while nothing was in flight. */
  onIdleClosed(lane: Lane): void;
}

// undici only reads replies here. It is told of a request without a body, and the one write that it makes is where our
// own bytes go out instead (see #gate).
const DISPATCH: Readonly<Record<'GET' | 'POST', Dispatcher.DispatchOptions>> = {
  GET: { path: '/', method: 'GET' },
  POST: { path: '/', method: 'POST' },
};

/** A server that announces how long it keeps connections is believed less this much (milliseconds). */
const KEEP_ALIVE_MARGIN_MS = 1000;

type Write = (bytes: Uint8Array, flushed: () => void) => boolean;

/** One connection at a time to one origin, which carries one call at a time. */
export class Lane {
  readonly origin: Origin;
  /** When it last became free. */
  idleSince = 0;
  /** Counted from 1 over all connections of the wire; 0 before the first. */
  connectionId = 0;
  /** How many calls the present connection has begun. */
  uses = 0;
  #settings: LaneSettings;
  #client: Client;
  #flight: InFlight | null = null;
  #socket: Socket | null = null;
  #write: Write | null = null;
  #giveUp: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerMs = 0;
  #discarded = false;

  constructor(origin: Origin, settings: LaneSettings) {
    this.origin = origin;
    this.#settings = settings;
    this.#client = new Client(origin.key, {
      allowH2: false,
      pipelining: 1,
      // The only deadline is ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: settings.maxHeaderBytes,
      keepAliveTimeout: Math.max(1, settings.keepAliveMs),
      keepAliveMaxTimeout: Math.max(1, settings.keepAliveMs),
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      connect: (_, callback) => this.#connect(callback),
    });
  }

  /** Takes the lane for one call, until {@link Lane.free} or {@link Lane.discard}. */
  carry(flight: InFlight): void {
    this.#flight = flight;
    this.#client.dispatch(DISPATCH[flight.method], flight);
  }

  /** The call is over and the connection is good for another. */
  free(now: number): void {
    this.#flight = null;
    this.idleSince = now;
  }

  /** False once the connection is gone. */
  get alive(): boolean {
    return !this.#discarded && this.#socket !== null && !this.#socket.destroyed;
  }

  /** Closes everything. Resolves once the connection is closed. */
  async discard(): Promise<void> {
    this.#discarded = true;
    this.#flight = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#giveUp?.();
    // undici must not be destroyed from within its own callbacks.
    await Promise.resolve();
    await this.#client.destroy();
  }

  /**
   * Writes to the wire.
   *
   * @param flushed called once the kernel has the bytes
   * @returns true when the kernel has them already
   */
  write(bytes: Uint8Array, flushed: () => void): boolean {
    const socket = this.#socket;
    if (socket === null || this.#write === null) return false;
    this.#write(bytes, flushed);
    return socket.writableLength === 0;
  }

  /** Tells the call in flight when so many milliseconds have passed since the last call of this. */
  arm(ms: number): void {
    if (this.#timer !== null && this.#timerMs === ms) {
      this.#timer.refresh();
      return;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerMs = ms;
    // One timer serves all calls of the lane; between them it may strike in vain. The socket keeps the process alive.
    this.#timer = setTimeout(() => this.#flight?.onTimer(), ms).unref();
  }

  #connect(callback: buildConnector.Callback): void {
    const flight = this.#flight;
    if (flight === null || this.#discarded) {
      callback(new Error('nothing to connect for'), null);
      return;
    }
    // undici connects anew by itself when an idle connection was closed before anything was written to it.
    this.uses = 0;
    flight.onConnecting();
    this.#giveUp = openConnection(this.origin, this.#settings.route, flight, (error, socket) => {
      this.#giveUp = null;
      if (socket === null) {
        callback(error ?? new Error('no connection'), null);
        return;
      }
      this.#socket = socket;
      this.connectionId = this.#settings.nextConnectionId();
      this.#gate(socket);
      callback(null, socket);
    });
  }

  /**
   * Puts our own hands on what goes out and comes in. undici writes exactly once for a request without a body: that is
   * the moment when the call in flight writes its real bytes, in its own manner.
   */
  #gate(socket: Socket): void {
    this.#write = socket.write.bind(socket);
    const read = socket.read.bind(socket);
    socket.write = () => {
      this.uses += 1;
      this.#flight?.onWritable();
      return true;
    };
    socket.read = (size?: number) => {
      const chunk: Buffer | null = read(size);
      if (chunk !== null) this.#flight?.onBytes(chunk);
      return chunk;
    };
    socket.once('close', () => {
      if (this.#flight === null && this.#socket === socket) this.#settings.onIdleClosed(this);
    });
  }
}
