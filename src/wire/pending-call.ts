import type { Dispatcher } from 'undici';
import { plural } from '../contract/plural.ts';
import { bodyText, type NoReplyReason, type Outcome, type Reply, type Stamps } from '../journal/exchange.ts';
import { delayedMs, pausedMs } from './clock.ts';
import type { ConnectionSlot, SlotCall } from './connection.ts';
import { exchangeFailure } from './failure.ts';
import { IncomingReply } from './incoming-reply.ts';
import type { PlainHead } from './known-heads.ts';
import { type RequestPortions, wholeRequest } from './request-bytes.ts';

/** The result of one call. */
export interface CallResult {
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  /** The connection that the call used. null if no connection was made. */
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
}

/** A call that has been started. */
export interface PendingCall {
  /**
   * Resolves once all bytes are sent, or all except the last byte of a held call. Also resolves if the call fails. Never
   * rejects.
   */
  readonly ready: Promise<void>;
  /** Sends the last byte of a held call. Does nothing for other calls. */
  release(): void;
  /** Resolves with the result of the call. Never rejects. */
  readonly result: Promise<CallResult>;
}

/**
 * Is called when bytes that belong to no reply have arrived: `with-reply` if the bytes came together with the reply
 * before them, `late` if they came later over the kept-alive connection. In the second case, a later call over this
 * connection may have got the bytes as its reply.
 */
export type OnExcess = (when: 'with-reply' | 'late') => void;

/** The parameters and callbacks of a call. */
export interface PendingCallPlan {
  readonly head: string;
  readonly body: Uint8Array | null;
  /** The portions in which the request is sent. null if it is sent at once, in one piece. */
  readonly portions: RequestPortions | null;
  readonly deadlineMs: number;
  readonly maxReplyBytes: number;
  readonly now: () => number;
  /** Is called once, when the call is over. `clean` is true if the connection of the call can be used again. */
  onResult(slot: ConnectionSlot | null, clean: boolean): void;
  /** Is called if the reused connection of the call was closed before the call wrote anything. */
  onUnsent(slot: ConnectionSlot): void;
  readonly onExcess: OnExcess;
}

/** A promise that is created only when `opened` is first read, because most calls never need it. */
class Gate {
  #opened: Promise<void> | null = null;
  #isOpen = false;
  #resolve: (() => void) | null = null;

  get opened(): Promise<void> {
    this.#opened ??= new Promise((resolve) => {
      if (this.#isOpen) resolve();
      else this.#resolve = resolve;
    });
    return this.#opened;
  }

  /** Resolves the promise. A second call does nothing. */
  open(): void {
    this.#isOpen = true;
    this.#resolve?.();
  }
}

type Phase = 'connecting' | 'sending' | 'held' | 'waiting' | 'done';

const NOTHING = new Uint8Array(0);

/** One call from its start to its result. It writes the request and receives the reply. */
export class CallInProgress implements PendingCall, SlotCall {
  readonly result: Promise<CallResult>;
  #resolve!: (result: CallResult) => void;
  #plan: PendingCallPlan;
  #slot: ConnectionSlot | null = null;
  #connection: { id: number; reused: boolean } | null = null;
  #reusedSlot = false;
  #phase: Phase = 'connecting';
  #phaseStart: number;

  #start: number;
  readonly #pausedBefore = pausedMs();
  #delayedBefore = 0;
  #resolved: number | null = null;
  #connected: number | null = null;
  #secured: number | null = null;
  /** The time at which the last portion was given to the socket, which may queue it. null before that. */
  #handed: number | null = null;
  #sent: number | null = null;
  #firstByte: number | null = null;

  #portion = 0;
  #released: boolean;
  #pause: NodeJS.Timeout | null = null;

  readonly #incoming = new IncomingReply();
  /** True if the connection has failed during the call. */
  #isReset = false;

  readonly #gate = new Gate();

  constructor(plan: PendingCallPlan) {
    this.#plan = plan;
    this.#released = plan.portions === null || plan.portions.last === null;
    this.#start = plan.now();
    this.#phaseStart = this.#start;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get ready(): Promise<void> {
    return this.#gate.opened;
  }

  release(): void {
    this.#released = true;
    if (this.#phase === 'held') this.#sendLast();
  }

  /** Sends the call over a connection slot. A second slot is used only if nothing was written to the first slot. */
  useSlot(slot: ConnectionSlot): void {
    this.#slot = slot;
    this.#reusedSlot = slot.uses > 0;
    slot.setTimer(this.#plan.deadlineMs);
    slot.send(this);
  }

  /** Ends the call without a reply. Does nothing if the call is already over. */
  fail(reason: NoReplyReason, detail: string): void {
    if (this.#phase === 'done') return;
    const { head } = this.#incoming;
    this.#finish({ kind: 'none', reason, detail, ...(head && { head }) }, this.#plan.now(), false);
  }

  // Events of the connection.

  onConnecting(): void {
    this.#reusedSlot = false;
    this.#enter('connecting');
  }

  onResolved(): void {
    this.#resolved = this.#plan.now();
  }

  onConnected(): void {
    this.#connected = this.#plan.now();
  }

  onSecured(): void {
    this.#secured = this.#plan.now();
  }

  onWritable(): void {
    const slot = this.#slot;
    if (this.#phase !== 'connecting' || slot === null) return;
    this.#connection = { id: slot.connectionId, reused: slot.uses > 1 };
    const { portions } = this.#plan;
    if (portions !== null) {
      this.#enter('sending');
      this.#sendPortion(portions);
      return;
    }
    this.#phase = 'sending';
    const flushed = slot.write(wholeRequest(this.#plan.head, this.#plan.body), this.#onFlushed);
    this.#handed = this.#plan.now();
    if (flushed) this.#onSent(this.#handed);
    else this.#enter('sending');
  }

  onBytes(chunk: Buffer): void {
    if (this.#phase !== 'done' && this.#incoming.receive(chunk)) this.#firstByte = this.#plan.now();
  }

  onReset(): void {
    this.#isReset = true;
  }

  onTimer(): void {
    if (this.#phase === 'done' || this.#phase === 'held') return;
    // A timer that fires early is set again for the remaining time. A timer may also fire late, after the event loop was
    // blocked. Bytes that have arrived in the meantime are read before the call times out.
    const left = this.#phaseStart + this.#plan.deadlineMs - this.#plan.now();
    if (left > 1) {
      this.#slot?.setTimer(Math.ceil(left));
      return;
    }
    const phase = this.#phase;
    const since = this.#phaseStart;
    setImmediate(() => {
      if (this.#phase === phase && this.#phaseStart === since) this.#timeOut();
    });
  }

  // Events of the reply.

  onHead(status: number, rawHeaders: Dispatcher.DispatchController['rawHeaders']): void {
    if (this.#phase === 'done' || status < 200) return;
    this.#incoming.begin(status, rawHeaders);
  }

  onBody(chunk: Buffer): void {
    if (this.#phase === 'done') return;
    this.#incoming.add(chunk);
    const { maxReplyBytes } = this.#plan;
    if (this.#incoming.bytes > maxReplyBytes)
      this.fail('too-large', `The reply is larger than the maximum of ${maxReplyBytes} bytes.`);
  }

  onReply(reply: Reply): void {
    if (this.#phase === 'done') return;
    this.#firstByte = this.#plan.now();
    this.#finish({ kind: 'reply', reply }, this.#firstByte, this.#endRequest());
  }

  get plainHead(): PlainHead | undefined {
    return this.#incoming.plainHead;
  }

  onEnd(): void {
    const { head } = this.#incoming;
    if (this.#phase === 'done' || head === null) return;
    const end = this.#plan.now();
    const whole = this.#endRequest();
    const outcome = this.#incoming.whole(head.headers, this.#plan.maxReplyBytes);
    const hasExcess = outcome.kind === 'reply' && outcome.reply.excessBytes !== undefined;
    // On a reused connection, the first bytes may belong to an earlier reply.
    if (hasExcess) this.#plan.onExcess(this.#connection?.reused === true ? 'late' : 'with-reply');
    // Some servers reset a connection after a complete reply. A reset within the reply cuts its body off.
    if (this.#isReset && !isCompleteJson(outcome)) {
      this.fail('closed-early', 'The connection was reset before the body had ended.');
      return;
    }
    this.#finish(outcome, end, whole && !hasExcess);
  }

  onFailed(error: Error): void {
    if (this.#phase === 'done') return;
    const slot = this.#slot;
    if (this.#connection === null && this.#reusedSlot && slot !== null) {
      this.#plan.onUnsent(slot);
      return;
    }
    const failure = exchangeFailure(error, {
      reused: this.#connection?.reused ?? false,
      hasBytes: this.#incoming.beginning !== null,
      hasHead: this.#incoming.head !== null,
      beginning: this.#incoming.beginning,
    });
    // The bytes belong to the previous call on this connection. They are a fault of the operator, but this call has not caused
    // them.
    if (failure.reason === 'not-http' && this.#connection?.reused === true && this.#incoming.head === null) {
      this.#plan.onExcess('late');
      this.fail(
        'stale-connection',
        `Bytes that belong to no reply came over the kept-alive connection. ${failure.message}`,
      );
      return;
    }
    this.fail(failure.reason, failure.message);
  }

  // Sending the request.

  /**
   * Notes that the reply is complete. A reply may come before the whole request is sent. Then the connection cannot be used again.
   *
   * @returns true if the whole request is sent
   */
  #endRequest(): boolean {
    const whole = this.#phase === 'waiting' || (this.#phase === 'sending' && this.#handed !== null);
    if (whole) this.#sent ??= this.#handed;
    return whole;
  }

  readonly #onFlushed = (): void => {
    if (this.#phase === 'sending' && this.#handed !== null) this.#onSent(this.#plan.now());
  };

  #onSent(at: number): void {
    this.#sent = at;
    this.#delayedBefore = delayedMs();
    this.#phase = 'waiting';
    this.#phaseStart = at;
    this.#slot?.setTimer(this.#plan.deadlineMs);
    this.#gate.open();
    const breakAfterMs = this.#plan.portions?.breakAfterMs ?? null;
    if (breakAfterMs === null) return;
    if (breakAfterMs <= 0) this.#break();
    else this.#pause = setTimeout(() => this.#break(), breakAfterMs);
  }

  #sendPortion(portions: RequestPortions): void {
    const portion = portions.portions[this.#portion] ?? NOTHING;
    this.#portion += 1;
    const isFinal = this.#portion >= portions.portions.length;
    const isWhole = isFinal && portions.last === null && !portions.partial;
    if (isWhole) {
      const flushed = this.#slot?.write(portion, this.#onFlushed) ?? false;
      this.#handed = this.#plan.now();
      if (flushed) this.#onSent(this.#handed);
      return;
    }
    this.#slot?.write(portion, () => {
      if (this.#phase !== 'sending') return;
      if (isFinal && portions.partial) this.#break();
      else if (isFinal) this.#reachHold();
      else this.#pause = setTimeout(() => this.#sendNext(portions), portions.gapMs);
    });
  }

  #sendNext(portions: RequestPortions): void {
    if (this.#phase !== 'sending') return;
    this.#enter('sending');
    this.#sendPortion(portions);
  }

  #reachHold(): void {
    if (this.#released) {
      this.#sendLast();
      return;
    }
    this.#phase = 'held';
    this.#gate.open();
  }

  #sendLast(): void {
    const last = this.#plan.portions?.last ?? NOTHING;
    this.#enter('sending');
    const flushed = this.#slot?.write(last, this.#onFlushed) ?? false;
    this.#handed = this.#plan.now();
    if (flushed) this.#onSent(this.#handed);
  }

  #break(): void {
    this.fail('broken', 'The connection was broken on purpose.');
  }

  // The deadline and the end of the call.

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseStart = this.#plan.now();
    this.#slot?.setTimer(this.#plan.deadlineMs);
  }

  #timeOut(): void {
    const ms = this.#plan.deadlineMs;
    switch (this.#phase) {
      case 'connecting': {
        const handshake = this.#connected !== null && this.#connection === null;
        this.fail(
          'connect-timeout',
          handshake
            ? `The connection was made, but the TLS handshake took over ${ms} ms.`
            : `No connection was made within ${ms} ms.`,
        );
        break;
      }
      case 'sending':
        this.fail('send-timeout', `The request could not be sent within ${ms} ms.`);
        break;
      case 'waiting': {
        const came =
          this.#incoming.head === null
            ? 'nothing had arrived'
            : `the headers and ${plural(this.#incoming.bytes, 'byte')} of the body had arrived`;
        this.fail('too-late', `The reply was not complete ${ms} ms after the last byte of the request; ${came}.`);
        break;
      }
      case 'held':
      case 'done':
        break;
    }
  }

  #finish(outcome: Outcome, end: number, clean: boolean): void {
    const paused = pausedMs() - this.#pausedBefore;
    const delayed = this.#sent === null ? 0 : delayedMs() - this.#delayedBefore;
    this.#phase = 'done';
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#plan.onResult(this.#slot, clean);
    this.#slot = null;
    this.#gate.open();
    this.#resolve({
      outcome,
      stamps: {
        start: this.#start,
        resolved: this.#resolved,
        connected: this.#connected,
        secured: this.#secured,
        sent: this.#sent,
        firstByte: this.#firstByte,
        end,
        ...(paused > 0 && { pausedMs: paused }),
        ...(delayed > 0 && { delayedMs: delayed }),
      },
      connection: this.#connection,
    });
  }
}

function isCompleteJson(outcome: Outcome): boolean {
  if (outcome.kind === 'none') return false;
  try {
    JSON.parse(bodyText(outcome.reply.body));
    return true;
  } catch {
    return false;
  }
}
