/** The model that decides when calls are due. */
export type Arrivals =
  /**
   * Calls become due at a rate per second that changes evenly from `from` to `to`. The rate does not depend on the speed of the
   * operator.
   */
  | { readonly kind: 'rate'; readonly from: number; readonly to: number }
  /** Each player sends the next call as soon as the last call is answered. */
  | { readonly kind: 'closed'; readonly players: number }
  /** Calls become due at recorded times, in milliseconds from the start, in ascending order. */
  | { readonly kind: 'recorded'; readonly offsets: readonly number[] };

/** Returns the highest number of calls that are due in one second. 0 for a closed model. */
export function highestRate(arrivals: Arrivals): number {
  switch (arrivals.kind) {
    case 'rate':
      return Math.max(arrivals.from, arrivals.to);
    case 'closed':
      return 0;
    case 'recorded': {
      const seconds = Map.groupBy(arrivals.offsets, (ms) => Math.floor(ms / 1000));
      return [...seconds.values()].reduce((most, { length }) => Math.max(most, length), 0);
    }
  }
}

/** Returns how many numbers of a sorted list are lower than `limit`. A recorded load may have millions of calls. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The permission to send one call: the time at which the call was due, in milliseconds of the schedule's clock. Null if the call
 * belongs to no schedule.
 */
export type Ticket = number | null;

interface Waiting {
  readonly since: number;
  readonly leave: (ticket: Ticket) => void;
}

/** Maximum number of calls in flight before and after the load, when no rate limits them. */
const MAX_AT_ONCE = 64;
/** If a player was ready, and a call still leaves this number of milliseconds late or later, croupier itself is too slow. */
const LATE_MS = 100;

/** Decides when each call may be sent. Players ask for tickets, and get them in turn. */
export class Schedule {
  readonly #arrivals: Arrivals;
  readonly #durationMs: number;
  readonly #now: () => number;
  /** The time at which the load began. Undefined before the load, when only the opening balances are read. */
  #start: number | undefined;
  /** The end of the load, in milliseconds after its start. */
  #endMs: number;
  #isStopped = false;
  #given = 0;
  #inFlight = 0;
  #waiting: Waiting[] = [];
  /** The position of the first player in the queue who still waits. */
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Number of calls that left late because every player was waiting for a reply. */
  lateForPlayers = 0;
  /** Number of calls that left late although a player was ready. */
  lateForCroupier = 0;

  constructor(arrivals: Arrivals, durationMs: number, now: () => number) {
    this.#arrivals = arrivals;
    this.#durationMs = durationMs;
    this.#endMs = durationMs;
    this.#now = now;
  }

  /** The number of tickets that were given during the load. */
  get given(): number {
    return this.#given;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Begins the load. */
  begin(): void {
    this.#start = this.#now();
    this.#pump();
  }

  /** Ends the load. After that, only calls that complete rounds leave, and no rate limits them. */
  stop(): void {
    this.#isStopped = true;
    if (this.#start !== undefined) this.#endMs = Math.min(this.#endMs, this.#now() - this.#start);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pump();
  }

  /** Returns a ticket at once if a call may be sent now. Otherwise returns a promise of the ticket. */
  ticket(): Ticket | Promise<Ticket> {
    const now = this.#now();
    const ticket = this.#first === this.#waiting.length ? this.#take(now, now) : undefined;
    if (ticket !== undefined) return ticket;
    return new Promise((leave) => {
      this.#waiting.push({ since: now, leave });
      this.#pump();
    });
  }

  /** Notes that a call was answered, or will not be answered any more. */
  ended(): void {
    this.#inFlight -= 1;
    if (this.#isUnscheduled()) this.#pump();
  }

  /** Returns the rate that the load must have at a time after the start, in calls per second. Null for a closed model. */
  rateAt(ms: number): number | null {
    switch (this.#arrivals.kind) {
      case 'closed':
        return null;
      case 'recorded':
        return this.dueIn(Math.floor(ms / 1000));
      case 'rate': {
        const { from, to } = this.#arrivals;
        return from + (to - from) * Math.min(1, ms / this.#durationMs);
      }
    }
  }

  /**
   * Returns the number of calls that are due in a second of the load. The first second has the number 0. Null for a closed model.
   */
  dueIn(second: number): number | null {
    const from = second * 1000;
    const to = Math.max(from, Math.min(from + 1000, this.#endMs));
    if (this.#arrivals.kind === 'recorded') {
      const { offsets } = this.#arrivals;
      return countBelow(offsets, to) - countBelow(offsets, from);
    }
    const rate = this.rateAt((from + to) / 2);
    return rate === null ? null : (rate * (to - from)) / 1000;
  }

  /** Returns the times at which calls were due up to now, but did not leave. */
  *overdue(): Generator<number> {
    if (this.#arrivals.kind === 'closed' || this.#start === undefined) return;
    const end = Math.min(this.#now(), this.#start + this.#durationMs);
    for (let count = this.#given; ; count += 1) {
      const due = this.#dueOf(count);
      if (due >= end) return;
      yield due;
    }
  }

  #isUnscheduled(): boolean {
    return this.#isStopped || this.#start === undefined;
  }

  /** Returns the time at which the call with this number is due. The number of calls is the integral of the rate. */
  #dueOf(count: number): number {
    if (this.#arrivals.kind === 'closed') return Number.POSITIVE_INFINITY;
    if (this.#arrivals.kind === 'recorded')
      return (this.#start ?? 0) + (this.#arrivals.offsets[count] ?? Number.POSITIVE_INFINITY);
    const { from, to } = this.#arrivals;
    const seconds = this.#durationMs / 1000;
    const slope = (to - from) / seconds;
    const at = slope === 0 ? count / from : (Math.sqrt(from * from + 2 * slope * count) - from) / slope;
    return (this.#start ?? 0) + (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at * 1000);
  }

  #pump(): void {
    while (this.#first < this.#waiting.length) {
      const waiting = this.#waiting[this.#first] as Waiting;
      const now = this.#now();
      const ticket = this.#take(now, waiting.since);
      if (ticket === undefined) {
        if (!this.#isUnscheduled()) this.#wake(this.#dueOf(this.#given) - now);
        return;
      }
      this.#first += 1;
      if (this.#first > 1000) {
        this.#waiting = this.#waiting.slice(this.#first);
        this.#first = 0;
      }
      waiting.leave(ticket);
    }
  }

  /**
   * Returns a ticket if a call may be sent now.
   *
   * @param since the time from which on the player has been ready
   */
  #take(now: number, since: number): Ticket | undefined {
    let due: Ticket;
    if (this.#isUnscheduled()) {
      if (this.#inFlight >= MAX_AT_ONCE) return undefined;
      due = null;
    } else {
      due = this.#arrivals.kind === 'closed' ? now : this.#dueOf(this.#given);
      if (due > now) return undefined;
      this.#countLate(due, now, since);
      this.#given += 1;
    }
    this.#inFlight += 1;
    return due;
  }

  #countLate(due: number, now: number, since: number): void {
    if (now - due <= LATE_MS) return;
    // A call could have left as soon as it was due and a player was ready. So it is late if it leaves after the later of these two
    // times.
    const ready = Math.max(due, since);
    if (now - ready > LATE_MS) this.lateForCroupier += 1;
    else this.lateForPlayers += 1;
  }

  #wake(ms: number): void {
    // After the last recorded call, no more calls are due.
    if (this.#timer || ms === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, ms);
  }
}
