import type { Money } from '../../contract/money.ts';
import { JUDGE_WORLDS } from '../../ledger/policies.ts';
import { type ClosedEffects, type OpenEffect, Worlds } from '../../ledger/worlds.ts';
import type { PendingCheck } from '../pending-check.ts';

/** A change of the balance that certainly happened since the last balance read. */
export interface Move {
  readonly step: string;
  readonly delta: Money;
  /** True if the balance in a reply includes the change. */
  readonly vouched: boolean;
  /** True if the balance in the reply to a later call includes the change. So the operator has stored the change. */
  readonly confirmed: boolean;
}

/**
 * The expected balance of one player. The class contains all possible states of the wallet (the worlds), the changes since the last
 * balance read, the checks that wait for a read, and the balances in replies.
 */
export class Wallet {
  readonly id: string;
  /** The smallest unit of its currency. */
  readonly unit: Money;
  /** The code of its currency; null if it is not known. */
  readonly currency: string | null;
  readonly #worlds = new Worlds(JUDGE_WORLDS);
  #pendingChecks: PendingCheck[] = [];
  #moves: Move[] = [];
  /** Number of moves at the beginning of `#moves` that are confirmed, so that no later reply changes them. */
  #confirmedMoves = 0;
  /**
   * The balance in the last reply, plus all changes since this reply. If replies show the right balance and reads show an old
   * balance, this is the expected balance.
   */
  #replied: Money | undefined;
  /** True if croupier has read the balance after the last reply, and uses the result as the expected balance. */
  #readSince = false;
  #lags = false;
  /** Checks that have passed already, because the reply to a later call had the right balance. */
  #confirmed = new Set<PendingCheck>();
  /** The checks that a later reply can still confirm. So a reply need not look at the hundreds of checks that are confirmed. */
  #unconfirmed: PendingCheck[] = [];

  constructor(id: string, unit: Money, currency: string | null = null) {
    this.id = id;
    this.unit = unit;
    this.currency = currency;
  }

  /** True after the first balance read. */
  get known(): boolean {
    return this.#worlds.base !== undefined;
  }

  get pendingChecks(): readonly PendingCheck[] {
    return this.#pendingChecks;
  }

  get moves(): readonly Move[] {
    return this.#moves;
  }

  /** The key of the first step after which the contract allows any balance at the next read. null if there is none. */
  get openSince(): string | null {
    return this.#worlds.unknownSince;
  }

  /** The effects of calls whose outcome is not known yet. */
  get branches(): readonly OpenEffect[] {
    return this.#worlds.effects;
  }

  /** True if the outcome of the call with this txID is not known yet. */
  isOpen(txID: string): boolean {
    return this.#worlds.isOpen(txID);
  }

  /** Returns every balance that the contract allows. Empty before the first read. */
  possible(): readonly Money[] {
    return this.#worlds.possible();
  }

  /** Returns the balance if the contract allows only one balance. Otherwise undefined. */
  certain(): Money | undefined {
    return this.#worlds.certain();
  }

  allows(value: Money): boolean {
    return this.#worlds.fits(value);
  }

  /** Adds an effect that certainly happened. */
  move(step: string, delta: Money): void {
    this.#worlds.move(delta);
    this.#record(step, delta);
  }

  /**
   * Records that the reply to a call contained the right balance. This balance includes all changes so far, so the operator must
   * have stored the earlier changes before this call.
   */
  vouch(step: string): void {
    for (let index = this.#confirmedMoves; index < this.#moves.length; index += 1) {
      const move = this.#moves[index] as Move;
      const confirmed = move.confirmed || move.step !== step;
      if (!move.vouched || confirmed !== move.confirmed) this.#moves[index] = { ...move, vouched: true, confirmed };
      // A scenario may have hundreds of moves between two reads.
      if (confirmed && index === this.#confirmedMoves) this.#confirmedMoves += 1;
    }
    const own: PendingCheck[] = [];
    for (const one of this.#unconfirmed) {
      if (one.step.key === step) own.push(one);
      else this.#confirmed.add(one);
    }
    this.#unconfirmed = own;
  }

  /** Called if the balance in a reply says nothing about the current balance. So only a read shows this balance. */
  forgetReply(): void {
    this.#replied = undefined;
  }

  /** True if the last reply contained the expected balance, and this balance differs from the balance of the last read. */
  get isTold(): boolean {
    const certain = this.certain();
    const isNews = this.#moves.some(({ vouched }) => vouched);
    return isNews && certain !== undefined && this.#replied?.equals(certain) === true;
  }

  /** True if reads have shown an older balance than replies did. */
  get readsLag(): boolean {
    return this.#lags;
  }

  /** True if the reply to a later call had the right balance, which shows that the rule was kept. */
  isConfirmed(pendingCheck: PendingCheck): boolean {
    return this.#confirmed.has(pendingCheck);
  }

  /**
   * Compares the balance of a reply with the expected balance. If the balance of the reply fits the earlier replies but not the
   * last read, the reads are out of date. Then the balance of the reply becomes the expected balance.
   *
   * @param isNew false if the reply may be the stored reply to an earlier call
   * @returns true if the reply is right
   */
  hear(said: Money, isNew: boolean): boolean {
    const follows = isNew && this.#readSince && this.#replied?.equals(said) === true;
    this.#replied = said;
    this.#readSince = false;
    if (this.allows(said)) return true;
    if (!follows || this.branches.length > 0) return false;
    this.#worlds.setBalance(said);
    this.#lags = true;
    return true;
  }

  /** Adds an effect that may have happened. */
  branch(effect: OpenEffect): void {
    this.#worlds.add(effect);
  }

  /**
   * Records the outcome of a call, which was unknown until now.
   *
   * @param happened false if the call had no effect and never will
   */
  settle(step: string, txID: string, happened: boolean): OpenEffect | undefined {
    const effect = this.#worlds.settle(txID, happened);
    if (effect && happened) this.#record(step, effect.delta);
    return effect;
  }

  /**
   * Removes the open effect of a call that was undone before a balance read. The contract lets the operator decide whether such a
   * call moves money.
   */
  undo(txID: string): OpenEffect | undefined {
    return this.#worlds.undo(txID);
  }

  /** After this step, accepts any balance at the next read, because the contract does not define the effect of the step. */
  setUnknown(step: string): void {
    this.#worlds.setUnknown(step);
  }

  expectLater(pendingCheck: PendingCheck): void {
    this.#pendingChecks.push(pendingCheck);
    if (pendingCheck.until === 'read') this.#unconfirmed.push(pendingCheck);
  }

  /**
   * Returns the pending checks of the step that was judged last, which are at the end of the list. The list may be long, because a
   * step with `times` makes hundreds of calls between two reads.
   *
   * @param step the key of the step
   */
  latestChecksOf(step: string): readonly PendingCheck[] {
    const before = this.#pendingChecks.findLastIndex((one) => one.step.key !== step);
    return this.#pendingChecks.slice(before + 1);
  }

  /**
   * Is called after a balance read. Removes and returns the pending checks that this read decides. All other checks stay until
   * `lingered` is true.
   *
   * @param lingered true if no earlier call can still take effect, because enough time has passed
   */
  takePendingChecks(lingered: boolean): PendingCheck[] {
    const isDue = (one: PendingCheck): boolean => lingered || one.until === 'read';
    const due = this.#pendingChecks.filter(isDue);
    this.#pendingChecks = this.#pendingChecks.filter((one) => !isDue(one));
    this.#unconfirmed = [];
    return due;
  }

  /** Removes and returns all pending checks, after a breach or at the end of the scenario. */
  dropPendingChecks(): PendingCheck[] {
    const dropped = this.#pendingChecks;
    this.#pendingChecks = [];
    this.#unconfirmed = [];
    return dropped;
  }

  /**
   * Keeps only the possible states (worlds) that have the balance of a read. Returns the open effects whose outcome is now known.
   */
  collapse(value: Money): ClosedEffects {
    if (!this.known || this.openSince !== null) this.#readSince = true;
    this.#forgetMoves();
    return this.#worlds.read(value);
  }

  /** Makes the balance of a read the expected balance. Effects that may still happen later stay open. */
  anchor(value: Money): void {
    this.#worlds.setBalance(value);
    this.#readSince = true;
    this.#forgetMoves();
  }

  #record(step: string, delta: Money): void {
    if (!this.known || delta.isZero()) return;
    this.#replied = this.#replied?.plus(delta);
    this.#moves.push({ step, delta, vouched: false, confirmed: false });
  }

  #forgetMoves(): void {
    this.#moves = [];
    this.#confirmedMoves = 0;
    this.#confirmed = new Set();
    this.#unconfirmed = this.#pendingChecks.filter(({ until }) => until === 'read');
  }
}
