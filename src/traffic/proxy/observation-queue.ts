import type { Outcome } from '../../journal/exchange.ts';
import type { Observer, ProxiedCall, ProxiedCallEnd } from './proxied-call.ts';
import { outcomeOf } from './proxied-exchange.ts';

/**
 * Receives proxied calls after they have passed through the proxy. Errors of the listener are caught, so they do not affect the
 * traffic.
 */
export interface TrafficListener {
  requested(proxiedCall: ProxiedCall): void;
  ended(proxiedCall: ProxiedCall, end: ProxiedCallEnd, outcome: Outcome | null): void;
  /**
   * Reports bytes that the operator sent after the end of its reply to a call. Is called after the end of the call was reported.
   */
  exceeded(proxiedCall: ProxiedCall): void;
  unparsed(connection: number, sender: 'service' | 'operator'): void;
}

/** Judges proxied calls. Calls may be left out under load. */
export interface DeferredJudge {
  requested(proxiedCall: ProxiedCall): void;
  ended(proxiedCall: ProxiedCall, outcome: Outcome | null): void;
  /** Reports that some calls were left out because there were too many. */
  missed(): void;
}

export interface ObservationQueueOptions {
  /** Writes the journal and prints each call. */
  readonly listener: TrafficListener;
  readonly judge: DeferredJudge;
  /** Is called if the listener or the judge threw an error, which is a bug of croupier. */
  onFault(error: unknown): void;
  /** Is called if there were too many calls to judge or to keep. */
  onOverload(): void;
  readonly now: () => number;
}

type Observation =
  | { readonly kind: 'requested'; readonly proxiedCall: ProxiedCall }
  | { readonly kind: 'ended'; readonly proxiedCall: ProxiedCall; readonly end: ProxiedCallEnd }
  | { readonly kind: 'exceeded'; readonly proxiedCall: ProxiedCall }
  | { readonly kind: 'unparsed'; readonly connection: number; readonly sender: 'service' | 'operator' };

/**
 * Maximum number of waiting observations. If there are more, calls are not judged any more. If there are more than `MAX_TO_KEEP`,
 * calls are not logged either.
 */
const MAX_TO_JUDGE = 20_000;
const MAX_TO_KEEP = 60_000;
/** Maximum time in ms for which observations are processed without a pause. During a pause, croupier passes waiting traffic on. */
const SLICE_MS = 2;

/** Queues observations of proxied calls and processes them when the process is idle, so that judging never delays traffic. */
export class ObservationQueue implements Observer {
  readonly #options: ObservationQueueOptions;
  #waiting: Observation[] = [];
  #next = 0;
  #isScheduled = false;
  #isBehind = false;
  /** The number of calls that were not judged, because there were too many or because the judge failed. */
  unjudged = 0;
  /** The number of unjudged calls that were not logged either. */
  unwritten = 0;

  constructor(options: ObservationQueueOptions) {
    this.#options = options;
  }

  requested(proxiedCall: ProxiedCall): void {
    this.#add({ kind: 'requested', proxiedCall });
  }

  ended(proxiedCall: ProxiedCall, end: ProxiedCallEnd): void {
    this.#add({ kind: 'ended', proxiedCall, end });
  }

  exceeded(proxiedCall: ProxiedCall): void {
    this.#add({ kind: 'exceeded', proxiedCall });
  }

  unparsed(connection: number, sender: 'service' | 'operator'): void {
    this.#add({ kind: 'unparsed', connection, sender });
  }

  /** Processes all waiting observations. */
  drain(): void {
    while (this.#next < this.#waiting.length) this.#processSlice();
  }

  #add(observation: Observation): void {
    if (this.#waiting.length - this.#next >= MAX_TO_KEEP) {
      if (observation.kind === 'ended') {
        this.unjudged += 1;
        this.unwritten += 1;
      }
      return;
    }
    this.#waiting.push(observation);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#processSlice();
      if (this.#next < this.#waiting.length) this.#schedule();
    });
  }

  #processSlice(): void {
    const { now } = this.#options;
    const until = now() + SLICE_MS;
    do {
      const observation = this.#waiting[this.#next];
      if (!observation) break;
      this.#next += 1;
      this.#process(observation);
    } while (now() < until);
    // Observations that were processed are removed from time to time, so that the list stays short.
    if (this.#next >= this.#waiting.length || this.#next > 1000) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  #process(observation: Observation): void {
    const isOverloaded = this.#waiting.length - this.#next > MAX_TO_JUDGE;
    if (isOverloaded && !this.#isBehind) this.#options.onOverload();
    if (isOverloaded !== this.#isBehind) {
      this.#isBehind = isOverloaded;
      this.#guard(() => this.#options.judge.missed());
    }
    const { listener, judge: judging } = this.#options;
    if (observation.kind === 'unparsed') {
      this.#guard(() => listener.unparsed(observation.connection, observation.sender));
      return;
    }
    const { proxiedCall } = observation;
    if (observation.kind === 'exceeded') {
      this.#guard(() => listener.exceeded(proxiedCall));
      return;
    }
    if (observation.kind === 'requested') {
      this.#guard(() => listener.requested(proxiedCall));
      if (!this.#isBehind) this.#guard(() => judging.requested(proxiedCall));
      return;
    }
    const outcome = this.#guard(() => outcomeOf(proxiedCall, observation.end)) ?? null;
    this.#guard(() => listener.ended(proxiedCall, observation.end, outcome));
    if (this.#isBehind) this.unjudged += 1;
    else if (!neverReachedOperator(proxiedCall, observation.end))
      this.#judge(() => judging.ended(proxiedCall, outcome));
  }

  #judge(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.unjudged += 1;
      this.#options.onFault(error);
      this.#guard(() => this.#options.judge.missed());
    }
  }

  #guard<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#options.onFault(error);
      return undefined;
    }
  }
}

/** True if croupier broke the connection on purpose before the operator received the request. */
function neverReachedOperator({ action }: ProxiedCall, end: ProxiedCallEnd): boolean {
  return action?.kind === 'drop' && action.what === 'request' && end.kind === 'none';
}
