import tls from 'node:tls';
import type { BreakMoment, Trickle } from '../contract/deviation.ts';
import { REPLY_DEADLINE_MS } from '../contract/limits.ts';
import { CallsInFlight } from '../journal/network/calls-in-flight.ts';
import { processNow } from './clock.ts';
import type { Route } from './connect.ts';
import { ConnectionSlot, type ConnectionSlotSettings } from './connection.ts';
import { KnownHeads } from './known-heads.ts';
import { type Origin, readAddress, readOrigin, readProxy, splitUrl } from './origin.ts';
import {
  CallInProgress,
  type CallResult,
  type OnExcess,
  type PendingCall,
  type PendingCallPlan,
} from './pending-call.ts';
import type { BuiltRequest } from './request.ts';
import { headText, planPortions } from './request-bytes.ts';

export interface WireOptions {
  /**
   * Maximum time in milliseconds from the last byte of a request to the last byte of its reply. It also limits connecting and
   * sending. The default is the limit of the contract.
   */
  readonly deadlineMs?: number;
  /** Maximum size of the body of a reply in bytes, before and after decompression. The default is 1 MiB. */
  readonly maxReplyBytes?: number;
  /** False if each call gets a new connection. */
  readonly keepAlive?: boolean;
  /** Milliseconds for which an idle connection can be used again. The default is 1000, because most servers close it later. */
  readonly keepAliveMs?: number;
  /** The URL of an HTTP proxy: `http://user:password@host:port`. */
  readonly proxy?: string;
  /** Certificates to trust in addition to the usual ones, in PEM. */
  readonly ca?: string;
  /** The client certificate with its chain, in PEM. */
  readonly cert?: string;
  /** The private key of the client certificate, in PEM. */
  readonly key?: string;
  /** The address to connect to instead of the address in the URL: `host` or `host:port`. */
  readonly hostOverride?: string;
  /** True if any TLS certificate is accepted. */
  readonly insecureTls?: boolean;
  /** Is called when bytes that belong to no reply have arrived. */
  readonly onExcess?: OnExcess;
  /** A monotonic clock in milliseconds. The default is {@link processNow}. */
  readonly now?: () => number;
}

/** One call and how to send it. */
export interface WireCall {
  readonly request: BuiltRequest;
  /** True if the last byte is held until {@link PendingCall.release} is called. */
  readonly hold?: boolean;
  readonly breakAt?: BreakMoment;
  readonly trickle?: Trickle;
  /** True if the call needs a connection that no other call has used. */
  readonly freshConnection?: boolean;
  /** A deadline in milliseconds that replaces the deadline of the wire. */
  readonly deadlineMs?: number;
}

const MAX_REPLY_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 1000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Maximum number of bytes that are received at once. */
const RECEIVED_BYTES = 64 * 1024;

function secureContext(options: WireOptions): tls.SecureContext | null {
  const { ca, cert, key } = options;
  if (ca === undefined && cert === undefined && key === undefined) return null;
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError('mTLS needs both the client certificate and its private key');
  }
  try {
    return tls.createSecureContext({
      ...(ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`the CA, client certificate or private key is not usable PEM: ${reason}`, { cause: error });
  }
}

/**
 * Reads the connection settings from the options of a wire.
 *
 * @throws TypeError if a proxy, host override or certificate cannot be read
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
 * Sends exact bytes and returns the reply, or the reason why no reply came.
 *
 * A connection serves one call at a time. HTTP/2 is off, redirects are not followed, and no request is repeated.
 */
export class Wire {
  readonly #deadlineMs: number;
  readonly #maxReplyBytes: number;
  readonly #keepAliveMs: number;
  readonly #now: () => number;
  readonly #settings: ConnectionSlotSettings;
  readonly #onExcess: OnExcess;
  readonly #origins = new Map<string, Origin>();
  /** The idle connection slots by origin. The slot at the end was used last and is used next. */
  readonly #idle = new Map<string, ConnectionSlot[]>();
  readonly #inProgress = new CallsInFlight<CallInProgress, CallInProgress>();
  readonly #closing = new Set<Promise<void>>();
  #connections = 0;
  #closed = false;

  /**
   * Creates a wire without any connection.
   *
   * @throws TypeError if a proxy, host override or certificate cannot be read
   */
  constructor(options: WireOptions = {}) {
    this.#deadlineMs = options.deadlineMs ?? REPLY_DEADLINE_MS;
    this.#maxReplyBytes = options.maxReplyBytes ?? MAX_REPLY_BYTES;
    this.#keepAliveMs = options.keepAlive === false ? 0 : (options.keepAliveMs ?? KEEP_ALIVE_MS);
    this.#now = options.now ?? processNow;
    this.#onExcess = options.onExcess ?? (() => {});
    const route = routeOf(options);
    this.#settings = {
      route,
      keepAliveMs: this.#keepAliveMs,
      maxHeaderBytes: MAX_HEADER_BYTES,
      heads: new KnownHeads(),
      received: Buffer.allocUnsafeSlow(RECEIVED_BYTES),
      nextConnectionId: () => {
        this.#connections += 1;
        return this.#connections;
      },
      onIdleClosed: (slot) => this.#forget(slot),
      onIdleBytes: (slot) => {
        this.#forget(slot);
        this.#onExcess('late');
      },
    };
  }

  /**
   * Starts a call.
   *
   * @throws TypeError if the request is not valid HTTP (a bad URL, a line break in a header)
   */
  start(shot: WireCall): PendingCall {
    const { request } = shot;
    const origin = this.#originOf(splitUrl(request.url).base);
    const head = headText(request, origin.authority);
    const plain = !shot.hold && shot.breakAt === undefined && shot.trickle === undefined;
    const plan: PendingCallPlan = {
      head,
      body: request.body,
      portions: plain
        ? null
        : planPortions(head, request.body, { hold: shot.hold ?? false, breakAt: shot.breakAt, trickle: shot.trickle }),
      deadlineMs: shot.deadlineMs ?? this.#deadlineMs,
      maxReplyBytes: this.#maxReplyBytes,
      now: this.#now,
      onResult: (slot, clean) => this.#onResult(pending, slot, clean),
      onUnsent: (slot) => this.#onUnsent(pending, slot),
      onExcess: this.#onExcess,
    };
    const pending: CallInProgress = new CallInProgress(plan);
    if (this.#closed) {
      pending.fail('aborted', 'The run was interrupted.');
      return pending;
    }
    this.#dispatch(
      pending,
      (shot.freshConnection ? null : this.#idleSlot(origin.key)) ?? new ConnectionSlot(origin, this.#settings),
    );
    return pending;
  }

  /** Starts a call and waits for its result. */
  send(shot: WireCall): Promise<CallResult> {
    return this.start(shot).result;
  }

  /** Ends all calls in progress as `aborted` and closes all connections. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const pending of this.#inProgress.values()) pending.fail('aborted', 'The run was interrupted.');
    for (const slots of this.#idle.values()) for (const slot of slots) this.#discard(slot);
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

  #dispatch(pending: CallInProgress, slot: ConnectionSlot): void {
    this.#inProgress.set(pending, pending);
    pending.useSlot(slot);
  }

  #idleSlot(key: string): ConnectionSlot | null {
    const slots = this.#idle.get(key);
    let slot = slots?.pop();
    while (slot !== undefined) {
      if (slot.alive && this.#now() - slot.idleSince < this.#keepAliveMs) return slot;
      this.#discard(slot);
      slot = slots?.pop();
    }
    return null;
  }

  #onResult(pending: CallInProgress, slot: ConnectionSlot | null, clean: boolean): void {
    this.#inProgress.take(pending);
    if (slot === null) return;
    if (!clean || this.#keepAliveMs <= 0 || this.#closed) {
      this.#discard(slot);
      return;
    }
    slot.free(this.#now());
    const slots = this.#idle.get(slot.origin.key);
    if (slots === undefined) this.#idle.set(slot.origin.key, [slot]);
    else slots.push(slot);
  }

  #onUnsent(pending: CallInProgress, slot: ConnectionSlot): void {
    this.#discard(slot);
    this.#dispatch(pending, new ConnectionSlot(slot.origin, this.#settings));
  }

  #forget(slot: ConnectionSlot): void {
    const slots = this.#idle.get(slot.origin.key);
    const at = slots?.indexOf(slot) ?? -1;
    if (at >= 0) slots?.splice(at, 1);
    this.#discard(slot);
  }

  #discard(slot: ConnectionSlot): void {
    const closed = slot.discard().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
