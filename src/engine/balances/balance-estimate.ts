import type { Money } from '../../contract/money.ts';
import { JOURNAL_WORLDS } from '../../ledger/policies.ts';
import { type OpenEffect, Worlds } from '../../ledger/worlds.ts';

/**
 * Estimates the balance of one wallet from a journal. Keeps every balance that is possible, because the outcome of some calls is
 * unknown. Also keeps the balance before the run, and the last balance that was read if the journal does not explain it.
 *
 * In the judge, a balance read decides whether a call with an unknown outcome was carried out. In this class, a balance read does
 * not decide this: such a call stays open until it is answered, or until `leaveToRead` lets the next read decide. See
 * `JOURNAL_WORLDS`.
 */
export class BalanceEstimate {
  readonly walletID: string;
  /** The session in which the balance was first read. */
  readonly sessionID: string;
  /** The balance to restore: the balance before the run, plus the changes that somebody else made between scenarios. */
  #target: Money;
  readonly #worlds: Worlds;
  #read: Money;
  /** True if no call that may move money was sent for the wallet after the last read. */
  #isFresh = true;
  #strange: Money | null = null;
  /** True if each movement of money also changes the balance to restore. */
  #isFollowing = false;

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

  /** A balance that was read after the run, and that the calls in the journal do not explain. Null if there is none. */
  get strange(): Money | null {
    return this.#strange;
  }

  /** Returns every balance that the journal explains. Returns an empty list if there are too many. */
  possible(): readonly Money[] {
    return this.#worlds.possible();
  }

  /** Returns the amount that must be added to the wallet to restore the balance. Undefined as long as this amount is uncertain. */
  missing(): Money | undefined {
    const balance = this.#strange === null ? this.#worlds.certain() : undefined;
    return balance && this.#target.minus(balance);
  }

  /**
   * Makes the current balance the balance to restore. From now on, each effect that is certain also changes the balance to restore.
   * Used for a load test that has ended: the players keep what they have won and lost, and only calls without an answer are owed.
   */
  follow(): void {
    this.#target = this.#worlds.base ?? this.#target;
    this.#isFollowing = true;
  }

  /** Notes that a call that may move money is sent. */
  touch(): void {
    this.#isFresh = false;
  }

  /** Adds an effect that has certainly happened. */
  move(delta: Money): void {
    this.#worlds.move(delta);
    if (this.#isFollowing) this.#target = this.#target.plus(delta);
  }

  /** Adds an effect that may or may not have happened. */
  add(effect: OpenEffect): void {
    this.#worlds.add(effect);
  }

  /**
   * Makes the effect of a call certain when its outcome becomes known: the effect has happened, or it will never happen.
   *
   * @returns false if the call had no uncertain effect
   */
  settle(txID: string, happened: boolean): boolean {
    const effect = this.#worlds.settle(txID, happened);
    if (effect && happened && this.#isFollowing) this.#target = this.#target.plus(effect.delta);
    return effect !== undefined;
  }

  /** Marks a call that will not be sent again. The next read of the balance decides whether it took effect. */
  leaveToRead(txID: string): void {
    this.#worlds.leaveToRead(txID);
  }

  /**
   * Records the first read of a scenario. If the balance has changed since the end of the previous scenario, somebody else has
   * changed the balance. So this method changes the balance to restore by the same amount.
   */
  opens(value: Money): void {
    const before = this.#isFresh ? this.#read : this.#worlds.base;
    if (before && !this.#worlds.fits(value)) this.#target = this.#target.plus(value.minus(before));
    this.#take(value);
  }

  /**
   * Records a read within a scenario, made while no other call was in flight. Even if the journal does not explain this balance,
   * the scenario has caused it. So the balance to restore stays the same.
   */
  reads(value: Money): void {
    this.#take(value);
  }

  /** Records a read that was made while no scenario runs. Somebody else may have changed the balance. */
  readsAfterwards(value: Money): void {
    if (!this.#worlds.fits(value) && !value.equals(this.#target)) {
      this.#strange = value;
      return;
    }
    this.#take(value);
  }

  /**
   * Ends a scenario. If no call was sent after its last read, this read decides which of the uncertain effects have happened.
   */
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
