import type { Money } from '../../contract/money.ts';
import { JOURNAL_WORLDS } from '../../ledger/policies.ts';
import { type OpenEffect, Worlds } from '../../ledger/worlds.ts';

/**
 * The balance of one wallet according to a journal: the set of worlds, the balance before the run, and reads that do not fit.
 *
 * A read does not end a doubt, unlike in the judge's wallet: see `JOURNAL_WORLDS`.
 */
export class BalanceEstimate {
  readonly walletID: string;
  /** The session in which the balance was first read. */
  readonly sessionID: string;
  /** The balance to restore: that before the run, and what others have moved between scenarios. */
  #target: Money;
  readonly #worlds: Worlds;
  #read: Money;
  /** Nothing was sent for the wallet since the last read. */
  #isFresh = true;
  #strange: Money | null = null;

  constructor(walletID: string, sessionID: string, opening: Money) {
    this.walletID = walletID;
    this.sessionID = sessionID;
    this.#target = opening;
    this.#worlds = new Worlds(JOURNAL_WORLDS, opening);
    this.#read = opening;
  }

  get target(): Money {
    return this.#target;
  }

  /** The balance of the last read. */
  get read(): Money {
    return this.#read;
  }

  /** A balance that was read after the run and that the journal does not explain; null: there is none. */
  get strange(): Money | null {
    return this.#strange;
  }

  /** Every balance that the journal explains; empty if there are too many. */
  possible(): readonly Money[] {
    return this.#worlds.possible();
  }

  /** The amount to add to the wallet; undefined while that is not certain. */
  missing(): Money | undefined {
    const balance = this.#strange === null ? this.#worlds.certain() : undefined;
    return balance && this.#target.minus(balance);
  }

  /** Notes that a call is sent that may move money. */
  touch(): void {
    this.#isFresh = false;
  }

  /** Adds an effect that certainly happened. */
  move(delta: Money): void {
    this.#worlds.move(delta);
  }

  /** Adds an effect that may have happened. */
  add(effect: OpenEffect): void {
    this.#worlds.add(effect);
  }

  /**
   * Closes the effect of a call whose outcome is known now: it happened, or it did not and never will.
   *
   * @returns false if no effect of the call was open
   */
  settle(txID: string, happened: boolean): boolean {
    return this.#worlds.settle(txID, happened) !== undefined;
  }

  /** Leaves a call to the next read, because it will not be sent again. */
  leaveToRead(txID: string): void {
    this.#worlds.leaveToRead(txID);
  }

  /** Takes the first read of a scenario. The run did not cause what moved since the scenario before. */
  opens(value: Money): void {
    const before = this.#isFresh ? this.#read : this.#worlds.base;
    if (before && !this.#worlds.fits(value)) this.#target = this.#target.plus(value.minus(before));
    this.#take(value);
  }

  /** Takes an idle read within a scenario. The scenario caused what it shows, also if the journal does not explain it. */
  reads(value: Money): void {
    this.#take(value);
  }

  /** Takes a read while no scenario runs. Others may have moved the balance. */
  readsAfterwards(value: Money): void {
    if (!this.#worlds.fits(value) && !value.equals(this.#target)) {
      this.#strange = value;
      return;
    }
    this.#take(value);
  }

  /** Ends a scenario: its last read decides what was left to a read, unless a call was sent after it. */
  closes(): void {
    if (this.#isFresh) this.#take(this.#read);
  }

  #take(value: Money): void {
    this.#worlds.read(value);
    this.#read = value;
    this.#isFresh = true;
    this.#strange = null;
  }
}
