import type { Dispatcher } from 'undici';
import type { NoReplyReason, Outcome } from '../journal/exchange.ts';
import type { ConnectWatch } from './connect.ts';
import { type Departure, wholeRequest } from './departure.ts';
import { exchangeFailure } from './failure.ts';
import type { Flight, FlightPlan, Landing } from './flight.ts';
import { Gate } from './gate.ts';
import { Incoming } from './incoming.ts';
import type { Lane } from './lane.ts';

type Phase = 'connecting' | 'sending' | 'held' | 'waiting' | 'landed';

const NOTHING = new Uint8Array(0);

/** One call from its start to its landing: undici's handler of the reply, and the one who writes the request. */
export class InFlight implements Flight, ConnectWatch, Dispatcher.DispatchHandler {
  readonly landing: Promise<Landing>;
  readonly method: 'GET' | 'POST';
  #land!: (landing: Landing) => void;
  #plan: FlightPlan;
  #lane: Lane | null = null;
  #connection: { id: number; reused: boolean } | null = null;
  #reusedLane = false;
  #phase: Phase = 'connecting';
  #phaseStart: number;

  #start: number;
  #resolved: number | null = null;
  #connected: number | null = null;
  #secured: number | null = null;
  /** When the last portion was given to the socket, which may have to queue it. */
  #handed: number | null = null;
  #sent: number | null = null;
  #firstByte: number | null = null;

  #portion = 0;
  #released: boolean;
  #pause: NodeJS.Timeout | null = null;

  readonly #incoming = new Incoming();

  readonly #gate = new Gate();

  constructor(plan: FlightPlan) {
    this.#plan = plan;
    this.method = plan.method;
    this.#released = plan.departure === null || plan.departure.last === null;
    this.#start = plan.now();
    this.#phaseStart = this.#start;
    this.landing = new Promise((resolve) => {
      this.#land = resolve;
    });
  }

  get ready(): Promise<void> {
    return this.#gate.opened;
  }

  release(): void {
    this.#released = true;
    if (this.#phase === 'held') this.#sendLast();
  }

  /** Boards a lane. A second time only when nothing was sent on the first. */
  board(lane: Lane): void {
    this.#lane = lane;
    this.#reusedLane = lane.uses > 0;
    lane.arm(this.#plan.deadlineMs);
    lane.carry(this);
  }

  /** Ends the call without a reply. Does nothing when it has landed. */
  fail(reason: NoReplyReason, detail: string): void {
    if (this.#phase === 'landed') return;
    const { head } = this.#incoming;
    this.#finish({ kind: 'none', reason, detail, ...(head && { head }) }, this.#plan.now(), false);
  }

  // What the connection tells.

  onConnecting(): void {
    this.#reusedLane = false;
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
    const lane = this.#lane;
    if (this.#phase !== 'connecting' || lane === null) return;
    this.#connection = { id: lane.connectionId, reused: lane.uses > 1 };
    const { departure } = this.#plan;
    if (departure !== null) {
      this.#enter('sending');
      this.#sendPortion(departure);
      return;
    }
    this.#phase = 'sending';
    const flushed = lane.write(wholeRequest(this.#plan.head, this.#plan.body), this.#onFlushed);
    this.#handed = this.#plan.now();
    if (flushed) this.#onSent(this.#handed);
    else this.#enter('sending');
  }

  onBytes(chunk: Buffer): void {
    if (this.#phase !== 'landed' && this.#incoming.came(chunk)) this.#firstByte = this.#plan.now();
  }

  onTimer(): void {
    if (this.#phase === 'landed' || this.#phase === 'held') return;
    // The event loop may have slept while the timer was set, or while it was due: strike neither early, nor before
    // what has arrived meanwhile was read.
    const left = this.#phaseStart + this.#plan.deadlineMs - this.#plan.now();
    if (left > 1) {
      this.#lane?.arm(Math.ceil(left));
      return;
    }
    const phase = this.#phase;
    const since = this.#phaseStart;
    setImmediate(() => {
      if (this.#phase === phase && this.#phaseStart === since) this.#strike();
    });
  }

  // What undici tells.

  onRequestStart(): void {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#phase === 'landed' || status < 200) return;
    this.#incoming.begin(status, controller.rawHeaders);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'landed') return;
    this.#incoming.add(chunk);
    const { maxReplyBytes } = this.#plan;
    if (this.#incoming.bytes > maxReplyBytes)
      this.fail('too-large', `The reply passed the cap of ${maxReplyBytes} bytes.`);
  }

  onResponseEnd(): void {
    const { head } = this.#incoming;
    if (this.#phase === 'landed' || head === null) return;
    const end = this.#plan.now();
    // A reply may come before the request was whole; then the connection is of no more use.
    const whole = this.#phase === 'waiting' || (this.#phase === 'sending' && this.#handed !== null);
    if (whole) this.#sent ??= this.#handed;
    this.#finish(this.#incoming.whole(head.headers, this.#plan.maxReplyBytes), end, whole);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#phase === 'landed') return;
    const lane = this.#lane;
    if (this.#connection === null && this.#reusedLane && lane !== null) {
      this.#plan.onUnsent(this, lane);
      return;
    }
    const failure = exchangeFailure(error, {
      reused: this.#connection?.reused ?? false,
      answered: this.#incoming.beginning !== null,
      headed: this.#incoming.head !== null,
      beginning: this.#incoming.beginning,
    });
    this.fail(failure.reason, failure.message);
  }

  // How the request goes out.

  readonly #onFlushed = (): void => {
    if (this.#phase === 'sending' && this.#handed !== null) this.#onSent(this.#plan.now());
  };

  #onSent(at: number): void {
    this.#sent = at;
    this.#phase = 'waiting';
    this.#phaseStart = at;
    this.#lane?.arm(this.#plan.deadlineMs);
    this.#gate.open();
    const breakAfterMs = this.#plan.departure?.breakAfterMs ?? null;
    if (breakAfterMs === null) return;
    if (breakAfterMs <= 0) this.#break();
    else this.#pause = setTimeout(() => this.#break(), breakAfterMs);
  }

  #sendPortion(departure: Departure): void {
    const portion = departure.portions[this.#portion] ?? NOTHING;
    this.#portion += 1;
    const isFinal = this.#portion >= departure.portions.length;
    const isWhole = isFinal && departure.last === null && !departure.partial;
    if (isWhole) {
      const flushed = this.#lane?.write(portion, this.#onFlushed) ?? false;
      this.#handed = this.#plan.now();
      if (flushed) this.#onSent(this.#handed);
      return;
    }
    this.#lane?.write(portion, () => {
      if (this.#phase !== 'sending') return;
      if (isFinal && departure.partial) this.#break();
      else if (isFinal) this.#reachHold();
      else this.#pause = setTimeout(() => this.#sendNext(departure), departure.gapMs);
    });
  }

  #sendNext(departure: Departure): void {
    if (this.#phase !== 'sending') return;
    this.#enter('sending');
    this.#sendPortion(departure);
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
    const last = this.#plan.departure?.last ?? NOTHING;
    this.#enter('sending');
    const flushed = this.#lane?.write(last, this.#onFlushed) ?? false;
    this.#handed = this.#plan.now();
    if (flushed) this.#onSent(this.#handed);
  }

  #break(): void {
    this.fail('broken', 'The connection was broken on purpose.');
  }

  // How it ends.

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseStart = this.#plan.now();
    this.#lane?.arm(this.#plan.deadlineMs);
  }

  #strike(): void {
    const ms = this.#plan.deadlineMs;
    switch (this.#phase) {
      case 'connecting': {
        const handshake = this.#connected !== null && this.#connection === null;
        this.fail(
          'connect-timeout',
          handshake ? `Connected, but the TLS handshake took over ${ms} ms.` : `No connection within ${ms} ms.`,
        );
        break;
      }
      case 'sending':
        this.fail('send-timeout', `The request could not be sent within ${ms} ms.`);
        break;
      case 'waiting': {
        const came =
          this.#incoming.head === null
            ? 'nothing had come'
            : `the headers and ${this.#incoming.bytes} bytes of the body had come`;
        this.fail('too-late', `The whole reply was not there ${ms} ms after the last byte of the request; ${came}.`);
        break;
      }
      case 'held':
      case 'landed':
        break;
    }
  }

  #finish(outcome: Outcome, end: number, clean: boolean): void {
    this.#phase = 'landed';
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#plan.onLanded(this, this.#lane, clean);
    this.#lane = null;
    this.#gate.open();
    this.#land({
      outcome,
      stamps: {
        start: this.#start,
        resolved: this.#resolved,
        connected: this.#connected,
        secured: this.#secured,
        sent: this.#sent,
        firstByte: this.#firstByte,
        end,
      },
      connection: this.#connection,
    });
  }
}
