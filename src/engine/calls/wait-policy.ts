import type { CallName } from '../../contract/call-name.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { isBusy, isServerError, isSuccess, replyStatus } from '../../reply/status.ts';

/** If a kind of call was never carried out, it is not retried after this number of failures. */
const FAILURES_TO_STOP_RETRYING = 8;
/** After this number of failures, scenarios that need the call are not played. */
const FAILURES_TO_GIVE_UP = 12;

/** Counts the failures of each kind of call, and decides whether retrying is useful. */
export class WaitPolicy {
  readonly #failures = new Map<CallName, number>();
  readonly #carriedOut = new Set<CallName>();
  #failsAtRandom = false;

  /** Notes an exchange. A busy operator (429, 503) has not failed. One that declines a call has not carried it out. */
  note(exchange: Exchange): void {
    const { call } = exchange;
    const status = replyStatus(exchange);
    if (status === undefined || isBusy(status)) return;
    if (isSuccess(status)) this.#carriedOut.add(call);
    else if (isServerError(status)) this.#failures.set(call, this.failuresOf(call) + 1);
  }

  /** Notes that a call failed, and that the same call did not fail the next time. */
  noteRandomFailure(): void {
    this.#failsAtRandom = true;
  }

  /** True if three failures of a call in a row may be chance. */
  get failsAtRandom(): boolean {
    return this.#failsAtRandom;
  }

  failuresOf(call: CallName): number {
    return this.#failures.get(call) ?? 0;
  }

  /** True if no call of the kind was ever carried out and many failed, so that one attempt shows as much as four. */
  stopsRetrying(call: CallName): boolean {
    return this.#alwaysFails(call, FAILURES_TO_STOP_RETRYING);
  }

  /** True if scenarios that need the call are not worth playing. */
  hasGivenUp(call: CallName): boolean {
    return this.#alwaysFails(call, FAILURES_TO_GIVE_UP);
  }

  #alwaysFails(call: CallName, enough: number): boolean {
    return !this.#carriedOut.has(call) && this.failuresOf(call) >= enough;
  }
}
