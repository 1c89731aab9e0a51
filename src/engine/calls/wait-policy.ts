import type { CallName } from '../../contract/call-name.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { isBusy, isServerError, isSuccess, replyStatus } from '../../reply/status.ts';

/** Number of failures after which a kind of call is no longer retried, if it has never succeeded. */
const FAILURES_TO_STOP_RETRYING = 8;
/** Number of failures after which scenarios that need the call are not played, if it has never succeeded. */
const FAILURES_TO_GIVE_UP = 12;

/** Counts the failures of each kind of call, and decides whether a retry is useful. */
export class WaitPolicy {
  readonly #failures = new Map<CallName, number>();
  readonly #carriedOut = new Set<CallName>();
  #failsAtRandom = false;

  /**
   * Counts the success or failure of an exchange. A reply that the operator is busy (429, 503) is no failure. A declined call
   * is neither a success nor a failure.
   */
  note(exchange: Exchange): void {
    const { call } = exchange;
    const status = replyStatus(exchange);
    if (status === undefined || isBusy(status)) return;
    if (isSuccess(status)) this.#carriedOut.add(call);
    else if (isServerError(status)) this.#failures.set(call, this.failuresOf(call) + 1);
  }

  /** Notes that a call failed and that the identical call succeeded the next time. */
  noteRandomFailure(): void {
    this.#failsAtRandom = true;
  }

  /** True if the operator fails at random, so that even three failures in a row may be chance. */
  get failsAtRandom(): boolean {
    return this.#failsAtRandom;
  }

  failuresOf(call: CallName): number {
    return this.#failures.get(call) ?? 0;
  }

  /** True if many calls of this kind failed and none ever succeeded. Retries would then show nothing new. */
  stopsRetrying(call: CallName): boolean {
    return this.#alwaysFails(call, FAILURES_TO_STOP_RETRYING);
  }

  /** True if this kind of call failed too often, so that scenarios that need it are not worth playing. */
  hasGivenUp(call: CallName): boolean {
    return this.#alwaysFails(call, FAILURES_TO_GIVE_UP);
  }

  #alwaysFails(call: CallName, enough: number): boolean {
    return !this.#carriedOut.has(call) && this.failuresOf(call) >= enough;
  }
}
