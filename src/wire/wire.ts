import tls from 'node:tls';
import type { Route } from './connect.ts';
import { type BreakMoment, headText, planDeparture, type Trickle } from './departure.ts';
import type { Flight, FlightPlan, Landing } from './flight.ts';
import { InFlight } from './in-flight.ts';
import { Lane, type LaneSettings } from './lane.ts';
import { type Origin, readAddress, readOrigin, splitUrl } from './origin.ts';
import { readProxy } from './proxy.ts';
import type { BuiltRequest } from './request.ts';

export interface WireOptions {
  /** From the last byte of a request to the last byte of its reply; also for connecting, and for sending. 5000. */
  readonly deadlineMs?: number;
  /** Of a reply's body, as it came and once it is decompressed. 1 MiB. */
  readonly maxReplyBytes?: number;
  /** False: each call over a connection of its own. */
  readonly keepAlive?: boolean;
  /** An idle connection is not used again after this. 1000, less than servers usually wait before they close it. */
  readonly keepAliveMs?: number;
  /** `http://user:password@host:port` */
  readonly proxy?: string;
  /** Certificates to trust beside the usual ones, PEM. */
  readonly ca?: string;
  /** The client certificate with its chain, PEM. */
  readonly cert?: string;
  /** The client certificate's private key, PEM. */
  readonly key?: string;
  /** Connect there instead: `host`, `host:port`. */
  readonly hostOverride?: string;
  /** Takes any certificate. */
  readonly insecureTls?: boolean;
  /** A monotonic clock that runs in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/** One call, and the manner in which it goes out. */
export interface Shot {
  readonly request: BuiltRequest;
  /** Keeps the last byte back until the release. */
  readonly hold?: boolean;
  readonly breakAt?: BreakMoment;
  readonly trickle?: Trickle;
  /** Over a connection that no other call has used. */
  readonly freshConnection?: boolean;
  /** Instead of the wire's. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 5000;
const MAX_REPLY_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 1000;
const MAX_HEADER_BYTES = 64 * 1024;

function secureContext(options: WireOptions): tls.SecureContext | null {
  const { ca, cert, key } = options;
  if (ca === undefined && cert === undefined && key === undefined) return null;
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError('a client certificate needs both its certificate and its private key');
  }
  try {
    return tls.createSecureContext({
      ...(ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new TypeError(`the CA, client certificate or private key is not usable PEM: ${said}`, { cause: error });
  }
}

/**
 * How a wire of these options connects.
 *
 * @throws TypeError when a proxy, host override or certificate can't be read
 */
export function routeOf(options: WireOptions): Route {
  return {
    proxy: options.proxy === undefined ? null : readProxy(options.proxy),
    override: options.hostOverride === undefined ? null : readAddress(options.hostOverride),
    context: secureContext(options),
    insecure: options.insecureTls ?? false,
  };
}

/**
 * Sends exact bytes and brings back the reply, or the reason why none came.
 *
 * Each call has a connection to itself while it lasts; HTTP/2 is off, redirects are not followed, nothing is repeated.
 */
export class Wire {
  readonly #deadlineMs: number;
  readonly #maxReplyBytes: number;
  readonly #keepAliveMs: number;
  readonly #now: () => number;
  readonly #settings: LaneSettings;
  readonly #origins = new Map<string, Origin>();
  /** By origin; the one that was used last is at the end and is taken first. */
  readonly #idle = new Map<string, Lane[]>();
  readonly #aloft = new Set<InFlight>();
  readonly #closing = new Set<Promise<void>>();
  #connections = 0;
  #closed = false;

  /** @throws TypeError when a proxy, host override or certificate can't be read */
  constructor(options: WireOptions = {}) {
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#maxReplyBytes = options.maxReplyBytes ?? MAX_REPLY_BYTES;
    this.#keepAliveMs = options.keepAlive === false ? 0 : (options.keepAliveMs ?? KEEP_ALIVE_MS);
    this.#now = options.now ?? (() => performance.now());
    const route = routeOf(options);
    this.#settings = {
      route,
      keepAliveMs: this.#keepAliveMs,
      maxHeaderBytes: MAX_HEADER_BYTES,
      nextConnectionId: () => {
        this.#connections += 1;
        return this.#connections;
      },
      onIdleClosed: (lane) => this.#forget(lane),
    };
  }

  /**
   * Starts a call.
   *
   * @throws TypeError when the request can't be put into HTTP (a bad URL, a line break in a header)
   */
  launch(shot: Shot): Flight {
    const { request } = shot;
    const origin = this.#originOf(splitUrl(request.url).base);
    const head = headText(request, origin.authority);
    const plain = !shot.hold && shot.breakAt === undefined && shot.trickle === undefined;
    const plan: FlightPlan = {
      method: request.method,
      head,
      body: request.body,
      departure: plain
        ? null
        : planDeparture(head, request.body, { hold: shot.hold ?? false, breakAt: shot.breakAt, trickle: shot.trickle }),
      deadlineMs: shot.deadlineMs ?? this.#deadlineMs,
      maxReplyBytes: this.#maxReplyBytes,
      now: this.#now,
      onLanded: this.#onLanded,
      onUnsent: this.#onUnsent,
    };
    const flight = new InFlight(plan);
    if (this.#closed) {
      flight.fail('aborted', 'The run was interrupted.');
      return flight;
    }
    this.#board(flight, (shot.freshConnection ? null : this.#idleLane(origin.key)) ?? new Lane(origin, this.#settings));
    return flight;
  }

  /** As {@link Wire.launch}, for who waits only for the landing. */
  send(shot: Shot): Promise<Landing> {
    return this.launch(shot).landing;
  }

  /** Lands what is still under way as `aborted` and closes all connections. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const flight of this.#aloft) flight.fail('aborted', 'The run was interrupted.');
    for (const lanes of this.#idle.values()) for (const lane of lanes) this.#discard(lane);
    this.#idle.clear();
    await Promise.all(this.#closing);
  }

  #originOf(base: string): Origin {
    let origin = this.#origins.get(base);
    if (origin === undefined) {
      origin = readOrigin(base);
      this.#origins.set(base, origin);
    }
    return origin;
  }

  #board(flight: InFlight, lane: Lane): void {
    this.#aloft.add(flight);
    flight.board(lane);
  }

  #idleLane(key: string): Lane | null {
    const lanes = this.#idle.get(key);
    let lane = lanes?.pop();
    while (lane !== undefined) {
      if (lane.alive && this.#now() - lane.idleSince < this.#keepAliveMs) return lane;
      this.#discard(lane);
      lane = lanes?.pop();
    }
    return null;
  }

  readonly #onLanded = (flight: InFlight, lane: Lane | null, clean: boolean): void => {
    this.#aloft.delete(flight);
    if (lane === null) return;
    if (!clean || this.#keepAliveMs <= 0 || this.#closed) {
      this.#discard(lane);
      return;
    }
    lane.free(this.#now());
    const lanes = this.#idle.get(lane.origin.key);
    if (lanes === undefined) this.#idle.set(lane.origin.key, [lane]);
    else lanes.push(lane);
  };

  readonly #onUnsent = (flight: InFlight, lane: Lane): void => {
    this.#discard(lane);
    this.#board(flight, new Lane(lane.origin, this.#settings));
  };

  #forget(lane: Lane): void {
    const lanes = this.#idle.get(lane.origin.key);
    const at = lanes?.indexOf(lane) ?? -1;
    if (at >= 0) lanes?.splice(at, 1);
    this.#discard(lane);
  }

  #discard(lane: Lane): void {
    const closed = lane.discard().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
