import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import type { NoReplyReason } from '../../journal/exchange.ts';
import { delayedMs } from '../../wire/clock.ts';
import { forwardedTarget, type Head } from './head.ts';
import { BodyCopy, type ProxiedCall, type ProxiedCallEnd } from './proxied-call.ts';
import type { ProxyContext } from './proxy-context.ts';

/**
 * The calls of one connection whose replies are not complete yet. Reports the beginning and the end of each call to the
 * observer.
 */
export class PendingCalls {
  readonly #context: ProxyContext;
  readonly #connection: number;
  /** The calls in the order in which their replies must come. */
  readonly #pending: ProxiedCall[] = [];
  #served = 0;
  #connectedAt: number | null = null;
  /** The call whose request is being read. */
  #current: ProxiedCall | null = null;
  /** The last call with a complete reply. */
  #answered: ProxiedCall | null = null;
  #isUnparsed = false;

  constructor(connection: number, context: ProxyContext) {
    this.#connection = connection;
    this.#context = context;
  }

  /** The call whose reply comes next; undefined if no reply is expected. */
  get first(): ProxiedCall | undefined {
    return this.#pending[0];
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  get current(): ProxiedCall | null {
    return this.#current;
  }

  begin(head: Head): ProxiedCall {
    const { now, destination, faults, callOf, newId } = this.#context;
    const [method = '', target = ''] = head.firstLine.split(' ');
    const call = callOf(method, target) ?? null;
    const proxiedCall: ProxiedCall = {
      id: newId(),
      method,
      url: `${destination.base}${forwardedTarget(target, destination.basePath)}`,
      headers: head.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'host' ? destination.authority : value,
      ]),
      call,
      action: call === null ? null : faults.next(call),
      source: 'service',
      connection: this.#connection,
      reused: this.#served > 0,
      start: now(),
      requestBody: new BodyCopy(),
      replyBody: new BodyCopy(),
      connected: this.#connectedAt,
      sent: null,
      firstByte: null,
      end: null,
      delayedMs: -delayedMs(),
      hungUpAt: null,
      isWhole: false,
      reply: null,
    };
    this.#served += 1;
    this.#pending.push(proxiedCall);
    this.#current = proxiedCall;
    return proxiedCall;
  }

  /**
   * Marks the request that is being read as complete.
   *
   * @param isSent true if all of its bytes were passed to the operator
   */
  endRequest(isSent: boolean): void {
    const proxiedCall = this.#current;
    this.#current = null;
    if (!proxiedCall) return;
    proxiedCall.isWhole = true;
    if (isSent) proxiedCall.sent = this.#context.now();
    this.#context.observer.requested(proxiedCall);
  }

  /** Reports bytes from the operator that belong to no reply. */
  markExceeded(): void {
    if (this.#answered) this.#context.observer.exceeded(this.#answered);
    this.#answered = null;
  }

  /** Reports, once, that bytes of the connection could not be parsed. */
  markUnparsed(sender: 'service' | 'operator'): void {
    if (!this.#isUnparsed) this.#context.observer.unparsed(this.#connection, sender);
    this.#isUnparsed = true;
  }

  markConnected(): void {
    this.#connectedAt = this.#context.now();
    for (const proxiedCall of this.#pending) proxiedCall.connected = this.#connectedAt;
  }

  /** Marks all pending requests as sent, after the buffered bytes were passed to the operator. */
  markSent(): void {
    const now = this.#context.now();
    for (const proxiedCall of this.#pending) if (proxiedCall.isWhole) proxiedCall.sent ??= now;
  }

  finish(proxiedCall: ProxiedCall, end: ProxiedCallEnd, at: number = this.#context.now()): void {
    const index = this.#pending.indexOf(proxiedCall);
    if (index < 0) return;
    this.#pending.splice(index, 1);
    proxiedCall.end = at;
    proxiedCall.delayedMs += delayedMs();
    if (end.kind === 'reply') this.#answered = proxiedCall;
    if (!proxiedCall.isWhole) this.#context.observer.requested(proxiedCall);
    this.#context.observer.ended(proxiedCall, end);
  }

  finishAll(end: ProxiedCallEnd): void {
    for (const proxiedCall of this.#pending.slice()) this.finish(proxiedCall, end);
  }

  /**
   * Marks all pending calls when the service ends its side of the connection. Perhaps the service does not receive the replies to
   * these calls.
   */
  markHungUp(): void {
    for (const proxiedCall of this.#pending) proxiedCall.hungUpAt ??= this.#context.now();
  }

  /** Finishes all pending calls after the service has closed the connection. */
  finishAbandoned(): void {
    for (const proxiedCall of this.#pending.slice()) {
      const { start, sent, hungUpAt } = proxiedCall;
      const until = hungUpAt ?? start;
      const reason: NoReplyReason = sent !== null && until - sent >= REPLY_DEADLINE_MS ? 'too-late' : 'broken';
      const detail = `the service closed the connection after ${Math.round(until - start)} ms`;
      this.finish(proxiedCall, { kind: 'none', reason, detail }, until);
    }
  }

  /** Finishes all pending calls after the operator has closed its connection. */
  finishOperatorClosed(): void {
    for (const proxiedCall of this.#pending.slice()) {
      const hasBegun = proxiedCall.firstByte !== null;
      const reason = hasBegun ? 'closed-early' : proxiedCall.reused ? 'stale-connection' : 'reset';
      const detail = `the operator closed the connection ${hasBegun ? 'within its' : 'before any'} reply`;
      this.finish(proxiedCall, { kind: 'none', reason, detail });
    }
  }
}
