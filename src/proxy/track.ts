import type { NoReplyReason } from '../journal/exchange.ts';
import { type Crossing, type CrossingEnd, KeptBody } from './crossing.ts';
import { forwardedTarget, type Head } from './head.ts';
import type { Surroundings } from './surroundings.ts';

/** The contract's five seconds: who gives up after them was not answered in time. */
const DEADLINE_MS = 5000;

/** Keeps track of the requests on one connection whose replies are not whole yet, and tells the observer of them. */
export class Track {
  readonly #around: Surroundings;
  readonly #connection: number;
  /** In the order in which they are answered. */
  readonly #pending: Crossing[] = [];
  #served = 0;
  #connectedAt: number | null = null;
  /** The request that is being read. */
  #current: Crossing | null = null;

  constructor(connection: number, around: Surroundings) {
    this.#connection = connection;
    this.#around = around;
  }

  /** The request that is answered next. */
  get first(): Crossing | undefined {
    return this.#pending[0];
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  get current(): Crossing | null {
    return this.#current;
  }

  begin(head: Head): Crossing {
    const { now, destination, faults, callOf, newId } = this.#around;
    const [method = '', target = ''] = head.firstLine.split(' ');
    const call = callOf(method, target) ?? null;
    const crossing: Crossing = {
      id: newId(),
      method,
      url: `${destination.base}${forwardedTarget(target, destination.basePath)}`,
      headers: head.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'host' ? destination.authority : value,
      ]),
      call,
      deed: call === null ? null : faults.next(call),
      source: 'service',
      connection: this.#connection,
      reused: this.#served > 0,
      start: now(),
      requestBody: new KeptBody(),
      replyBody: new KeptBody(),
      connected: this.#connectedAt,
      sent: null,
      firstByte: null,
      end: null,
      hungUpAt: null,
      isWhole: false,
      reply: null,
    };
    this.#served += 1;
    this.#pending.push(crossing);
    this.#current = crossing;
    return crossing;
  }

  /** The request that is being read is whole. @param hasLeft all of it has been handed on */
  requestEnds(hasLeft: boolean): void {
    const crossing = this.#current;
    this.#current = null;
    if (!crossing) return;
    crossing.isWhole = true;
    if (hasLeft) crossing.sent = this.#around.now();
    this.#around.observer.requested(crossing);
  }

  connected(): void {
    this.#connectedAt = this.#around.now();
    for (const crossing of this.#pending) crossing.connected = this.#connectedAt;
  }

  /** All that waited has been handed on. */
  handedOn(): void {
    const now = this.#around.now();
    for (const crossing of this.#pending) if (crossing.isWhole) crossing.sent ??= now;
  }

  finish(crossing: Crossing, end: CrossingEnd, at: number = this.#around.now()): void {
    const index = this.#pending.indexOf(crossing);
    if (index < 0) return;
    this.#pending.splice(index, 1);
    crossing.end = at;
    if (!crossing.isWhole) this.#around.observer.requested(crossing);
    this.#around.observer.ended(crossing, end);
  }

  finishAll(end: CrossingEnd): void {
    for (const crossing of this.#pending.slice()) this.finish(crossing, end);
  }

  /** The service has ended its side. */
  hangsUp(): void {
    for (const crossing of this.#pending) crossing.hungUpAt ??= this.#around.now();
  }

  /** Replies to a service that has hung up are not waited for any more. */
  giveUp(): void {
    for (const crossing of this.#pending.slice()) {
      const { start, sent, hungUpAt } = crossing;
      const until = hungUpAt ?? start;
      const reason: NoReplyReason = sent !== null && until - sent >= DEADLINE_MS ? 'too-late' : 'broken';
      const detail = `the service closed the connection after ${Math.round(until - start)} ms`;
      this.finish(crossing, { kind: 'none', reason, detail }, until);
    }
  }

  /** The operator has closed its connection. */
  operatorLeaves(): void {
    for (const crossing of this.#pending.slice()) {
      const hasBegun = crossing.firstByte !== null;
      const reason = hasBegun ? 'closed-early' : crossing.reused ? 'stale-connection' : 'reset';
      const detail = `the operator closed the connection ${hasBegun ? 'within its' : 'without a'} reply`;
      this.finish(crossing, { kind: 'none', reason, detail });
    }
  }
}
