import type { CallName } from '../../contract/call-name.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { isBusy, isServerError, isSuccess, isTemporary, replyStatus } from '../../reply/status.ts';
import { MAX_ATTEMPTS } from './waits.ts';

/** If a kind of call has failed this number of times and never succeeded, it is no longer retried. */
const FAILURES_TO_STOP_RETRYING = 8;
/** If a kind of call has failed this number of times and never succeeded, scenarios that need this call are not played. */
const FAILURES_TO_GIVE_UP = 12;

/**
 * croupier no longer retries a kind of call if at least this number of its calls were answered "too busy", and none ever got
 * another answer.
 */
const BUSY_TO_STOP_RETRYING = 6;
/**
 * If a kind of call has timed out this number of times and never succeeded, croupier no longer waits for such calls. Each timeout
 * costs a whole deadline.
 */
const TIMEOUTS_TO_GIVE_UP = 3;

/** Maximum number of attempts at a scenario if the operator fails at random, and no step has failed in each attempt. */
export const MAX_ATTEMPTS_AT_RANDOM = 6;

/**
 * Number of attempts in which a step must fail before its failure counts, until the first failure of the run counts. Three attempts
 * prove too little then: if 3 of 10 calls fail at random, one step in 37 fails three times.
 */
const ATTEMPTS_OF_FIRST_FAILURE = 8;

/** Maximum number of attempts in which a step must fail before its failure counts. */
const MOST_ATTEMPTS = 16;

/** A failure counts only if the chance that it occurs at random in each attempt is not above this. */
const MAX_CHANCE = 1e-6;

/** Counts the failures of each kind of call, and decides whether a retry is useful. */
export class WaitPolicy {
  readonly #failures = new Map<CallName, number>();
  /** The status of the last failure of each kind of call. */
  readonly #statuses = new Map<CallName, number>();
  readonly #timeouts = new Map<CallName, number>();
  readonly #carriedOut = new Set<CallName>();
  /**
   * For each kind of call: the number of calls whose last retry was still answered "too busy". Null if the last retry of such a
   * call ever got a different answer.
   */
  readonly #busy = new Map<string, number | null>();
  #failsAtRandom = false;
  #hasLastingFailure = false;
  /** True if a call was answered with a temporary error that is not "too busy". */
  #hasErrors = false;
  #answered = 0;
  #answeredWithError = 0;

  /**
   * Counts the success or failure of an exchange. A 5xx and a 429 are failures. Any other declined call is neither a success
   * nor a failure.
   */
  note(exchange: Exchange): void {
    const { call, outcome } = exchange;
    if (outcome.kind === 'none' && outcome.reason === 'too-late') this.#timeouts.set(call, this.timeoutsOf(call) + 1);
    const status = replyStatus(exchange);
    if (status === undefined) return;
    this.#answered += 1;
    if (isTemporary(status)) {
      this.#answeredWithError += 1;
      this.#hasErrors ||= !isBusy(status);
    }
    if (isSuccess(status)) this.#carriedOut.add(call);
    else if (isServerError(status) || isBusy(status)) {
      this.#failures.set(call, this.failuresOf(call) + 1);
      this.#statuses.set(call, status);
    }
  }

  /** Notes that a call failed, and that the identical call succeeded when it was sent again. */
  noteRandomFailure(): void {
    this.#failsAtRandom = true;
  }

  /** True if the operator fails at random. Then even three failures one after another can happen by chance. */
  get failsAtRandom(): boolean {
    return this.#failsAtRandom;
  }

  /** Notes that a step got a temporary error in as many attempts as {@link WaitPolicy.attemptsOfLasting} asks for. */
  noteLastingFailure(): void {
    this.#hasLastingFailure ||= this.#hasErrors;
  }

  /**
   * Number of attempts at a scenario in each of which a step must get a temporary error, so that the error does not occur by chance.
   * The more calls of the run are answered with an error, the more attempts are necessary.
   */
  get attemptsOfLasting(): number {
    if (!this.#failsAtRandom)
      return this.#hasErrors && !this.#hasLastingFailure ? ATTEMPTS_OF_FIRST_FAILURE : MAX_ATTEMPTS;
    const share = this.#answeredWithError / this.#answered;
    for (let attempts = MAX_ATTEMPTS_AT_RANDOM; attempts < MOST_ATTEMPTS; attempts += 1)
      if (share ** attempts <= MAX_CHANCE) return attempts;
    return MOST_ATTEMPTS;
  }

  failuresOf(call: CallName): number {
    return this.#failures.get(call) ?? 0;
  }

  /** Returns the status of the last failed call of this kind. Undefined if no call of this kind failed. */
  lastFailure(call: CallName): number | undefined {
    return this.#statuses.get(call);
  }

  timeoutsOf(call: CallName): number {
    return this.#timeouts.get(call) ?? 0;
  }

  /**
   * True if no call of this kind succeeded so far and several of them timed out. Each further call of this kind would wait for
   * the whole deadline.
   */
  neverEnds(call: CallName): boolean {
    return !this.#carriedOut.has(call) && this.timeoutsOf(call) >= TIMEOUTS_TO_GIVE_UP;
  }

  /** True if many calls of this kind failed and none has succeeded so far. Then a retry would give no new information. */
  stopsRetrying(call: CallName): boolean {
    return this.#alwaysFails(call, FAILURES_TO_STOP_RETRYING) || this.neverEnds(call);
  }

  /** Notes the last reply to a call that was sent again because the operator was busy. */
  noteBusy(kind: string, isBusyToTheEnd: boolean): void {
    const count = this.#busy.get(kind);
    if (count === null) return;
    this.#busy.set(kind, isBusyToTheEnd ? (count ?? 0) + 1 : null);
  }

  /** True if the operator answered every call of this kind "too busy". Then it is useless to send such a call again. */
  isAlwaysBusy(kind: string): boolean {
    return (this.#busy.get(kind) ?? 0) >= BUSY_TO_STOP_RETRYING;
  }

  /** True if this kind of call failed too often, so that scenarios that need it are not worth playing. */
  hasGivenUp(call: CallName): boolean {
    return this.#alwaysFails(call, FAILURES_TO_GIVE_UP);
  }

  #alwaysFails(call: CallName, enough: number): boolean {
    return !this.#carriedOut.has(call) && this.failuresOf(call) >= enough;
  }
}
