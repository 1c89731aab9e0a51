import type { Outcome } from '../journal/exchange.ts';
import type { Crossing, CrossingEnd, Observer } from './crossing.ts';
import { outcomeOf } from './seen-crossing.ts';

/** Who is told, later, of what has passed. What it throws is caught: what passes does not depend on it. */
export interface Listener {
  requested(crossing: Crossing): void;
  ended(crossing: Crossing, end: CrossingEnd, outcome: Outcome | null): void;
}

/** The part of it that may be left out when there is too much to do. */
export interface Judging {
  requested(crossing: Crossing): void;
  ended(crossing: Crossing, outcome: Outcome | null): void;
  /** Calls were left out. */
  missed(): void;
}

export interface NotesOptions {
  /** Writes down and prints. */
  readonly listener: Listener;
  readonly judging: Judging;
  /** The judging failed: a bug of croupier's. */
  onFault(error: unknown): void;
  /** More has passed than could be judged, or kept. */
  onOverload(): void;
  readonly now: () => number;
}

type Note =
  | { readonly kind: 'requested'; readonly crossing: Crossing }
  | { readonly kind: 'ended'; readonly crossing: Crossing; readonly end: CrossingEnd };

/** With more waiting than this, judging is left out; with more than the second, calls aren't written down either. */
const MOST_TO_JUDGE = 20_000;
const MOST_TO_KEEP = 60_000;
/** Then what passes has its turn again. */
const SLICE_MS = 2;

/**
 * Takes notes of what passes, and works on them when nothing else is to be done: bytes are never held up by what is thought of them.
 */
export class Notes implements Observer {
  readonly #options: NotesOptions;
  #waiting: Note[] = [];
  #next = 0;
  #isPlanned = false;
  #isBehind = false;
  /** Calls that were not judged, because there were too many or the judging failed; of these, so many were not written down either. */
  unjudged = 0;
  unwritten = 0;

  constructor(options: NotesOptions) {
    this.#options = options;
  }

  requested(crossing: Crossing): void {
    this.#add({ kind: 'requested', crossing });
  }

  ended(crossing: Crossing, end: CrossingEnd): void {
    this.#add({ kind: 'ended', crossing, end });
  }

  /** Works off everything that waits. */
  drain(): void {
    while (this.#next < this.#waiting.length) this.#workOff();
  }

  #add(note: Note): void {
    if (this.#waiting.length - this.#next >= MOST_TO_KEEP) {
      if (note.kind === 'ended') {
        this.unjudged += 1;
        this.unwritten += 1;
      }
      return;
    }
    this.#waiting.push(note);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#workOff();
      if (this.#next < this.#waiting.length) this.#plan();
    });
  }

  #workOff(): void {
    const { now } = this.#options;
    const until = now() + SLICE_MS;
    do {
      const note = this.#waiting[this.#next];
      if (!note) break;
      this.#next += 1;
      this.#take(note);
    } while (now() < until);
    // What has been worked off is let go at once, and the list is short again as soon as nothing waits.
    if (this.#next >= this.#waiting.length || this.#next > 1000) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  #take(note: Note): void {
    const isTooMuch = this.#waiting.length - this.#next > MOST_TO_JUDGE;
    if (isTooMuch && !this.#isBehind) this.#options.onOverload();
    if (isTooMuch !== this.#isBehind) {
      this.#isBehind = isTooMuch;
      this.#guard(() => this.#options.judging.missed());
    }
    const { listener, judging } = this.#options;
    const { crossing } = note;
    if (note.kind === 'requested') {
      this.#guard(() => listener.requested(crossing));
      if (!this.#isBehind) this.#guard(() => judging.requested(crossing));
      return;
    }
    const outcome = this.#guard(() => outcomeOf(crossing, note.end)) ?? null;
    this.#guard(() => listener.ended(crossing, note.end, outcome));
    if (this.#isBehind) this.unjudged += 1;
    else if (!isNotTheOperators(crossing, note.end)) this.#judge(() => judging.ended(crossing, outcome));
  }

  #judge(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.unjudged += 1;
      this.#options.onFault(error);
      this.#guard(() => this.#options.judging.missed());
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

/** The operator never saw it. */
function isNotTheOperators({ deed }: Crossing, end: CrossingEnd): boolean {
  return deed?.kind === 'drop' && deed.what === 'request' && end.kind === 'none';
}
