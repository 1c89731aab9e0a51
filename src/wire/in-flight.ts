import type { Dispatcher } from 'undici';
import type { HeaderList, NoReplyReason, Outcome, Stamps } from '../journal/exchange.ts';
import { bodyOf } from './body.ts';
import type { ConnectWatch } from './connect.ts';
import { decodeBody } from './decode.ts';
import { type Departure, wholeRequest } from './departure.ts';
import { exchangeFailure, WireFailure } from './failure.ts';
import { passInterim } from './interim.ts';
import type { Lane } from './lane.ts';

/** What came of one call. */
export interface Landing {
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  /** null when there never was one. */
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
}

/** A call under way. */
export interface Flight {
  /**
   * Resolves, never rejects, once all bytes are out that may go: all of them, or all but the last one of a call that is
   * held. Also when the call failed before.
   */
  readonly ready: Promise<void>;
  /** Lets the last byte of a held call go. Does nothing to others. */
  release(): void;
  /** Never rejects. */
  readonly landing: Promise<Landing>;
}

/** What a call needs to know, and whom to tell when it is over. */
export interface FlightPlan {
  readonly method: 'GET' | 'POST';
  readonly head: string;
  readonly body: Uint8Array | null;
  /** null: leaves at once, in one piece. */
  readonly departure: Departure | null;
  readonly deadlineMs: number;
  readonly maxReplyBytes: number;
  readonly now: () => number;
  /** Called once, when the call has landed. `clean`: its connection could carry another. */
  onLanded(flight: InFlight, lane: Lane | null, clean: boolean): void;
  /** Nothing was written yet when the kept-alive connection of the call turned out to be closed. */
  onUnsent(flight: InFlight, lane: Lane): void;
}

type Phase = 'connecting' | 'sending' | 'held' | 'waiting' | 'landed';

const NOTHING = new Uint8Array(0);

function headerList(raw: Dispatcher.DispatchController['rawHeaders']): HeaderList {
  const list: [string, string][] = [];
  if (!Array.isArray(raw)) return list;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i], raw[i + 1]];
    if (name === undefined || value === undefined) continue;
    list.push([
      typeof name === 'string' ? name : name.toString('latin1'),
      typeof value === 'string' ? value : value.toString('latin1'),
    ]);
  }
  return list;
}

/** The name is compared in lower case. */
function joined(headers: HeaderList, wanted: string): string {
  let value = '';
  for (const [name, text] of headers) {
    if (name.length === wanted.length && name.toLowerCase() === wanted)
      value = value === '' ? text : `${value},${text}`;
  }
  return value;
}

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

  #status = 0;
  #headers: HeaderList | null = null;
  #beginning: Uint8Array | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  #ready: Promise<void> | null = null;
  #isReady = false;
  #tellReady: (() => void) | null = null;

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
    this.#ready ??= new Promise((resolve) => {
      if (this.#isReady) resolve();
      else this.#tellReady = resolve;
    });
    return this.#ready;
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
    const head = this.#headers === null ? {} : { head: { status: this.#status, headers: this.#headers } };
    this.#finish({ kind: 'none', reason, detail, ...head }, this.#plan.now(), false);
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
    if (this.#phase === 'landed') return;
    if (this.#beginning === null) {
      this.#firstByte = this.#plan.now();
      this.#beginning = chunk;
    }
    if (this.#headers === null) passInterim(chunk);
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
    this.#status = status;
    this.#headers = headerList(controller.rawHeaders);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'landed') return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#plan.maxReplyBytes) {
      this.fail('too-large', `The reply passed the cap of ${this.#plan.maxReplyBytes} bytes.`);
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#phase === 'landed' || this.#headers === null) return;
    const end = this.#plan.now();
    // A reply may come before the request was whole; then the connection is of no more use.
    const whole = this.#phase === 'waiting' || (this.#phase === 'sending' && this.#handed !== null);
    if (whole) this.#sent ??= this.#handed;
    try {
      const raw = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
      const coding = joined(this.#headers, 'content-encoding');
      const body = coding === '' ? raw : decodeBody(raw, coding, this.#plan.maxReplyBytes);
      const reply = { status: this.#status, headers: this.#headers, body: bodyOf(body) };
      this.#finish({ kind: 'reply', reply }, end, whole);
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      const head = { status: this.#status, headers: this.#headers };
      this.#finish({ kind: 'none', reason: error.reason, detail: error.message, head }, end, whole);
    }
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
      answered: this.#beginning !== null,
      headed: this.#headers !== null,
      beginning: this.#beginning,
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
    this.#becomeReady();
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
    this.#becomeReady();
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
          this.#headers === null ? 'nothing had come' : `the headers and ${this.#bytes} bytes of the body had come`;
        this.fail('too-late', `The whole reply was not there ${ms} ms after the last byte of the request; ${came}.`);
        break;
      }
      case 'held':
      case 'landed':
        break;
    }
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#tellReady?.();
  }

  #finish(outcome: Outcome, end: number, clean: boolean): void {
    this.#phase = 'landed';
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#plan.onLanded(this, this.#lane, clean);
    this.#lane = null;
    this.#becomeReady();
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
