import type { Money } from '../../contract/money.ts';
import type { JournalEvent } from '../../journal/event.ts';
import type { Exchange } from '../../journal/exchange.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';

/** A win of 0 that completed a round after the end of a scenario. Its reply had the same balance as the last read. */
export interface CompletedRound {
  readonly step: CallStep;
  readonly exchange: Exchange;
}

/** The balance of a wallet at the end of a scenario. */
export interface LeftBalance {
  /** The last balance that was read. */
  readonly balance: Money;
  /**
   * The wins of 0 that were sent after this read. The first read of the next scenario shows whether one of them has moved money.
   */
  readonly completed: readonly CompletedRound[];
}

/**
 * The balances that the scenarios have left. If no call was sent since then, the next scenario uses such a balance instead of
 * reading it again.
 */
export class KnownBalances {
  readonly #balances = new Map<string, LeftBalance & { readonly calls: number }>();
  #calls = 0;
  /** Number of calls of the run up to and including the last read. */
  #callsToLastRead = 0;

  /** Counts the calls of the run. */
  note(event: JournalEvent): void {
    if (event.event !== 'sending') return;
    this.#calls += 1;
    if (event.call === 'balance') this.#callsToLastRead = this.#calls;
  }

  /**
   * Remembers the balances that a scenario has left, by wallet. After the last read, only wins that complete a round may follow. If
   * any other call followed, this method does nothing, because the operator may by mistake have moved money when it answered this
   * call.
   */
  remember(balances: ReadonlyMap<string, LeftBalance>): void {
    const completions = [...balances.values()].reduce((sum, { completed }) => sum + completed.length, 0);
    if (this.#calls - this.#callsToLastRead !== completions) return;
    for (const [wallet, left] of balances) this.#balances.set(wallet, { ...left, calls: this.#calls });
  }

  /** Returns the balance of a wallet. Undefined if it is not known, or if a call was sent since the end of the scenario. */
  of(wallet: string): LeftBalance | undefined {
    const known = this.#balances.get(wallet);
    return known?.calls === this.#calls ? known : undefined;
  }
}
