import type { CallName } from '../../contract/call-name.ts';

/**
 * The share of the deadline that the calls in flight may need one after another. The real time of a call varies, so croupier leaves
 * half of the deadline free.
 */
const MAX_SHARE = 0.5;

/** A call whose reply came, or did not come before the deadline. */
export interface EndedCall {
  readonly call: CallName;
  /** The time from the request to the reply in ms; null if no reply came within the deadline. */
  readonly replyMs: number | null;
  /** True if the operator accepted the call. A declined call often takes less time. */
  readonly isAccepted: boolean;
  /** The number of calls in flight while the operator worked on the call, with this call. */
  readonly inFlight: number;
}

/**
 * Decides how many calls croupier may have in flight. An operator may answer calls one after another. Then it is slow only because
 * croupier sends too many calls at once, and a late reply is no proof that the operator misses the deadline.
 *
 * The shortest time of an accepted call shows how long the operator needs for one call if no other call is before it.
 */
export class CallsAtOnce {
  readonly #deadlineMs: number;
  readonly #max: number;
  #limit: number;
  /** The shortest time in ms of an accepted call, by kind of call. */
  readonly #shortestMs = new Map<CallName, number>();
  /** True if a reply was late although croupier sent only this call. Then the number of calls is not the reason for late replies. */
  #isLateAlone = false;

  constructor({ deadlineMs, maxAtOnce }: { readonly deadlineMs: number; readonly maxAtOnce: number }) {
    this.#deadlineMs = deadlineMs;
    this.#max = maxAtOnce;
    this.#limit = maxAtOnce;
  }

  /** Maximum number of calls in flight. */
  get limit(): number {
    return this.#limit;
  }

  /** True if fewer calls than the configuration allows may be in flight. */
  get isLowered(): boolean {
    return this.#limit < this.#max;
  }

  /**
   * The time in ms that the operator needs for one call: the time of the slowest kind of call, if no other call is before it. 0 if it
   * is not known.
   */
  get eachMs(): number {
    return Math.max(0, ...this.#shortestMs.values());
  }

  /**
   * Notes the end of a call. Lowers the limit if the reply is late and the other calls in flight explain it.
   *
   * @returns true if the calls in flight explain that the reply is late
   */
  note({ call, replyMs, isAccepted, inFlight }: EndedCall): boolean {
    if (replyMs !== null) {
      const shortest = this.#shortestMs.get(call) ?? Number.POSITIVE_INFINITY;
      if (isAccepted && replyMs < shortest) this.#shortestMs.set(call, replyMs);
      return false;
    }
    if (inFlight === 1 && this.isLowered) {
      this.#isLateAlone = true;
      this.#limit = this.#max;
    }
    const { eachMs } = this;
    if (this.#isLateAlone || inFlight === 1 || inFlight * eachMs <= this.#deadlineMs * MAX_SHARE) return false;
    this.#limit = Math.min(this.#limit, Math.max(1, Math.floor((this.#deadlineMs * MAX_SHARE) / eachMs)));
    return true;
  }
}
