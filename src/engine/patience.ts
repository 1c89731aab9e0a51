import type { CallName } from '../contract/call-name.ts';
import type { Exchange } from '../journal/exchange.ts';
import { isTurnedAway } from '../judge/check.ts';
import { replyStatus } from './reply-status.ts';

/** After so many failures, with nothing carried out, a call is not sent again and again any more. */
const ENOUGH_TO_STOP_RETRYING = 8;
/** After so many nothing is tried any more that needs the call. */
const ENOUGH_TO_GIVE_UP = 12;

/** What a run has seen of calls that fail, and how long it goes on trying because of it. */
export class Patience {
  readonly #failures = new Map<CallName, number>();
  readonly #carriedOut = new Set<CallName>();
  #failsAtRandom = false;

  /** A busy operator (429, 503) hasn't failed; one that declines a call hasn't carried it out. */
  saw(exchange: Exchange): void {
    const { call } = exchange;
    const status = replyStatus(exchange);
    if (status === undefined || isTurnedAway(status)) return;
    if (status >= 200 && status < 300) this.#carriedOut.add(call);
    else if (status >= 500) this.#failures.set(call, this.failuresOf(call) + 1);
  }

  /** The same call failed, and did not the next time. */
  sawPass(): void {
    this.#failsAtRandom = true;
  }

  /** That a call fails thrice in a row may be chance. */
  get failsAtRandom(): boolean {
    return this.#failsAtRandom;
  }

  failuresOf(call: CallName): number {
    return this.#failures.get(call) ?? 0;
  }

  /** No call of the kind was ever carried out, and many failed: one more try is as good as four. */
  isShort(call: CallName): boolean {
    return this.#isOver(call, ENOUGH_TO_STOP_RETRYING);
  }

  /** There is no use in trying what needs the call. */
  isAtItsEnd(call: CallName): boolean {
    return this.#isOver(call, ENOUGH_TO_GIVE_UP);
  }

  #isOver(call: CallName, enough: number): boolean {
    return !this.#carriedOut.has(call) && this.failuresOf(call) >= enough;
  }
}
