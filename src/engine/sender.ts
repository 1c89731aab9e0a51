import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../contract/call-name.ts';
import type { JournalEvent, Sending } from '../journal/event.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { BreakMoment, Trickle } from '../wire/departure.ts';
import type { Flight, Landing } from '../wire/flight.ts';
import { type BuiltRequest, requestOf } from '../wire/request.ts';
import type { SignKind } from '../wire/sign-kind.ts';
import { Wire, type WireOptions } from '../wire/wire.ts';
import { Pace } from './pace.ts';
import { Patience } from './patience.ts';
import type { Release } from './races.ts';

/** One call that is to leave, and on whose behalf. */
export interface Departure {
  readonly call: CallName;
  readonly request: BuiltRequest;
  readonly scenario: string | null;
  readonly step: string | null;
  readonly purpose: Sending['purpose'];
  readonly breakAt?: BreakMoment | undefined;
  readonly trickle?: Trickle | undefined;
  readonly freshConnection?: boolean;
  /** In which manner it is signed, where that is not the right one. */
  readonly signed?: SignKind | undefined;
  /** Of calls that are let go together: so many ms after the first; absent: with it. */
  readonly atMs?: number | undefined;
}

/** The balances that a session's wallet may have by now, as text. */
export type Model = () => readonly string[];

export interface SenderOptions {
  readonly wire: WireOptions;
  readonly deadlineMs: number;
  readonly now: () => number;
  readonly record: (event: JournalEvent) => void;
  readonly ratePerSecond: number | null;
  readonly maxAtOnce: number;
}

/** What became of calls that were let go together. */
interface Together<T> {
  readonly judged: T;
  /** Ids of the exchanges, in the order in which they were let go. */
  readonly order: readonly string[];
  /** When the first was let go. */
  readonly barrier: number;
  /** How many ms after it each was to be let go, in that order. */
  readonly offsetsMs: readonly number[];
}

interface Started {
  readonly id: string;
  readonly departure: Departure;
  readonly flight: Flight;
}

/** So long all but the last byte of each call of a race lies with the operator before the first is let go. */
const SETTLE_MS = 2;
/** A call that leaves later than the first of a race lies with the operator for so long at most. */
const MOST_HELD_MS = 100;

/** Sends calls and keeps the journal of them: an event is written before the bytes that it announces leave. */
export class Sender {
  readonly patience = new Patience();
  readonly #options: SenderOptions;
  readonly #pace: Pace;
  #wire: Wire;
  readonly #retired: Wire[] = [];
  #exchanges = 0;
  #keepAlive = true;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#pace = new Pace(options.ratePerSecond, options.maxAtOnce, options.now);
    this.#wire = this.#open();
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  /** A call that nobody judges. */
  send(departure: Departure): Promise<Exchange> {
    return this.judged(departure, NO_MODEL, (exchange) => exchange);
  }

  /**
   * A call that is judged as soon as it is answered.
   *
   * @param model the balances that are held possible, as text; asked before and after the judgement
   */
  async judged<T>(departure: Departure, model: Model, judge: (exchange: Exchange) => T): Promise<T> {
    await this.#pace.enter(1);
    const id = this.#announce(departure);
    const flight = this.#launch(departure, false);
    const exchange = exchangeOf(id, departure, await flight.landing);
    this.#pace.leave(1);
    this.patience.saw(exchange);
    const before = model();
    try {
      return judge(exchange);
    } finally {
      this.#record(exchange, departure, before, model);
    }
  }

  /**
   * Sends all at the same instant, or each at its time: connections are open and everything but the last byte is written
   * before the first is let go.
   *
   * @param judge told of the exchanges in the order of the departures
   */
  async together<T>(
    departures: readonly Departure[],
    release: Release,
    model: Model,
    judge: (exchanges: readonly Exchange[]) => T,
  ): Promise<Together<T>> {
    await this.#pace.enter(departures.length);
    const offsets = departures.map(({ atMs = 0 }) => atMs * release.scale);
    const early = departures.map((departure, index) =>
      (offsets[index] ?? 0) <= MOST_HELD_MS ? this.#hold(departure) : undefined,
    );
    await Promise.all(early.flatMap((one) => (one && !one.departure.trickle ? [one.flight.ready] : [])));
    // The other side has to take in what has come so far; else it would have the first call whole and not know the last yet.
    await sleep(SETTLE_MS);
    const barrier = this.#options.now();
    const isTimed = offsets.some((offset) => offset > 0);
    const started = isTimed
      ? await Promise.all(
          departures.map((departure, index) =>
            this.#letGoAt(barrier + (offsets[index] ?? 0), early[index] ?? departure),
          ),
        )
      : await letGo(
          early.filter((one) => one !== undefined),
          release,
        );
    const landed = await Promise.all(
      started.map(async ({ id, departure, flight }) => ({
        departure,
        exchange: exchangeOf(id, departure, await flight.landing),
      })),
    );
    this.#pace.leave(departures.length);
    for (const { exchange } of landed) this.patience.saw(exchange);
    const before = model();
    try {
      const judged = judge(landed.map(({ exchange }) => exchange));
      const inOrder = started
        .map(({ id }, index) => ({ id, offsetMs: offsets[index] ?? 0 }))
        .toSorted((a, b) => a.offsetMs - b.offsetMs);
      if (release.reversed) inOrder.reverse();
      return {
        judged,
        order: inOrder.map(({ id }) => id),
        barrier,
        offsetsMs: inOrder.map(({ offsetMs }) => offsetMs),
      };
    } finally {
      for (const { departure, exchange } of landed) this.#record(exchange, departure, before, model);
    }
  }

  #hold(departure: Departure): Started {
    const id = this.#announce(departure);
    return { id, departure, flight: this.#launch(departure, departure.trickle === undefined) };
  }

  /** @param call held already, or still to be prepared a moment before it leaves */
  async #letGoAt(atMs: number, call: Started | Departure): Promise<Started> {
    const until = async (ms: number): Promise<void> => {
      const restMs = ms - this.#options.now();
      if (restMs > 0) await sleep(restMs);
    };
    if (!('flight' in call)) await until(atMs - MOST_HELD_MS);
    const started = 'flight' in call ? call : this.#hold(call);
    await until(atMs);
    started.flight.release();
    return started;
  }

  /** From now on every call has a connection of its own: the operator closes kept-alive ones under our calls. */
  giveUpKeepAlive(): boolean {
    if (!this.#keepAlive) return false;
    this.#keepAlive = false;
    // Other scenarios may have calls under way on it.
    this.#retired.push(this.#wire);
    this.#wire = this.#open();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#retired, this.#wire].map((wire) => wire.close()));
  }

  #open(): Wire {
    const { wire, deadlineMs, now } = this.#options;
    return new Wire({ ...wire, deadlineMs, now, keepAlive: this.#keepAlive && wire.keepAlive !== false });
  }

  #announce({ call, request, scenario, step, purpose, signed, breakAt }: Departure): string {
    this.#exchanges += 1;
    const id = `x${this.#exchanges}`;
    this.#options.record({
      event: 'sending',
      id,
      scenario,
      step,
      purpose,
      call,
      request: requestOf(request),
      ...(signed && { signed }),
      ...(breakAt && breakAt.at !== 'sent' && { brokenAt: breakAt.at }),
    });
    return id;
  }

  #launch({ request, breakAt, trickle, freshConnection }: Departure, hold: boolean): Flight {
    return this.#wire.launch({
      request,
      hold,
      ...(breakAt && { breakAt }),
      ...(trickle && { trickle }),
      ...(freshConnection && { freshConnection }),
    });
  }

  #record(
    { id, outcome, stamps, connection }: Exchange,
    { scenario }: Departure,
    before: readonly string[],
    model: Model,
  ): void {
    const held = model === NO_MODEL ? null : { before, after: model() };
    this.#options.record({ event: 'received', id, scenario, outcome, stamps, connection, model: held });
  }
}

function exchangeOf(id: string, { call, request }: Departure, { outcome, stamps, connection }: Landing): Exchange {
  return { id, call, request: requestOf(request), outcome, stamps, connection };
}

const NO_MODEL: Model = () => [];

/** Lets all go, or one half a little after the other. */
async function letGo(started: readonly Started[], { reversed, staggerMs }: Release): Promise<readonly Started[]> {
  const inOrder = reversed ? started.toReversed() : started;
  const half = staggerMs > 0 ? Math.ceil(inOrder.length / 2) : inOrder.length;
  for (const { flight } of inOrder.slice(0, half)) flight.release();
  if (half < inOrder.length) await sleep(staggerMs);
  for (const { flight } of inOrder.slice(half)) flight.release();
  return started;
}
