import type { Money } from '../../contract/money.ts';
import { JUDGE_WORLDS } from '../../ledger/policies.ts';
import { type ClosedEffects, type OpenEffect, Worlds } from '../../ledger/worlds.ts';
import type { PendingCheck } from '../pending-check.ts';

/** An effect that certainly happened since the last idle read. */
export interface Move {
  readonly step: string;
  readonly delta: Money;
  /** A reply contained a balance that includes it. */
  readonly vouched: boolean;
  /** A reply to a later call contained a balance that includes it, so it is in the operator's books too. */
  readonly confirmed: boolean;
}

/**
 * The expected balance of one player: the set of worlds, and what only the judge needs. That is the effects since the last
 * idle read, the checks that wait for a read, and the balances that replies contained.
 */
export class Wallet {
  readonly id: string;
  /** The smallest unit of its currency. */
  readonly unit: Money;
  readonly #worlds = new Worlds(JUDGE_WORLDS);
  #pendingChecks: PendingCheck[] = [];
  #moves: Move[] = [];
  /** The balance of the last reply, and all effects since then: the expected balance if only replies were right. */
  #replied: Money | undefined;
  /** A read was taken as right since the last reply. */
  #readSince = false;
  #lags = false;
  /** Pending checks that the right reply to a later call has passed already. */
  #confirmed = new Set<PendingCheck>();

  constructor(id: string, unit: Money) {
    this.id = id;
    this.unit = unit;
  }

  /** True after the first read. */
  get known(): boolean {
    return this.#worlds.base !== undefined;
  }

  get pendingChecks(): readonly PendingCheck[] {
    return this.#pendingChecks;
  }

  get moves(): readonly Move[] {
    return this.#moves;
  }

  /** The step since which the contract allows any balance at the next idle read; null: there is none. */
  get openSince(): string | null {
    return this.#worlds.unknownSince;
  }

  /** The effects that may or may not have happened. */
  get branches(): readonly OpenEffect[] {
    return this.#worlds.effects;
  }

  /** Every balance that the contract allows; empty before the first read. */
  possible(): readonly Money[] {
    return this.#worlds.possible();
  }

  /** The balance, if the contract allows only one. */
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
   * Notes that the reply to a call contained the right balance. All effects until then are visible, and those before the
   * call itself are in the books from which the operator computed that balance.
   */
  vouch(step: string): void {
    this.#moves = this.#moves.map((move) => ({
      ...move,
      vouched: true,
      confirmed: move.confirmed || move.step !== step,
    }));
    for (const one of this.#pendingChecks) if (one.step.key !== step && one.until === 'read') this.#confirmed.add(one);
  }

  /** True if the last reply contained the expected balance, and that balance changed since the last read. */
  get isTold(): boolean {
    const certain = this.certain();
    const isNews = this.#moves.some(({ vouched }) => vouched);
    return isNews && certain !== undefined && this.#replied?.equals(certain) === true;
  }

  /** True if reads have shown an older balance than replies did. */
  get readsLag(): boolean {
    return this.#lags;
  }

  /** True if the right reply to a later call shows that the rule was kept. */
  isConfirmed(pendingCheck: PendingCheck): boolean {
    return this.#confirmed.has(pendingCheck);
  }

  /**
   * Takes the balance of a reply. If it does not fit, but follows from the reply before it and not from the read between
   * them, then reads lag behind: the balance of the reply is taken as right.
   *
   * @param isNew false: the reply may be the stored one of an earlier call
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

  /** Closes the effect of a call whose outcome is known now: it happened, or it did not and never will. */
  settle(step: string, txID: string, happened: boolean): OpenEffect | undefined {
    const effect = this.#worlds.settle(txID, happened);
    if (effect && happened) this.#record(step, effect.delta);
    return effect;
  }

  /** Removes the effect of a call that the contract leaves to the operator, because the call was undone before a read. */
  undo(txID: string): OpenEffect | undefined {
    return this.#worlds.undo(txID);
  }

  /** Makes the next idle read right whatever it shows: the contract leaves the effect of this step open. */
  setUnknown(step: string): void {
    this.#worlds.setUnknown(step);
  }

  expectLater(pendingCheck: PendingCheck): void {
    this.#pendingChecks.push(pendingCheck);
  }

  /** Takes the pending checks that the present read decides. The others need a read after the settle time. */
  takePendingChecks(lingered: boolean): PendingCheck[] {
    const isDue = (one: PendingCheck): boolean => lingered || one.until === 'read';
    const due = this.#pendingChecks.filter(isDue);
    this.#pendingChecks = this.#pendingChecks.filter((one) => !isDue(one));
    return due;
  }

  /** Removes all pending checks: after a breach, or at the end of the scenario. */
  dropPendingChecks(): PendingCheck[] {
    const dropped = this.#pendingChecks;
    this.#pendingChecks = [];
    return dropped;
  }

  /** Takes an idle read that fits, and closes the open effects that it decides. */
  collapse(value: Money): ClosedEffects {
    if (!this.known || this.openSince !== null) this.#readSince = true;
    this.#forgetMoves();
    return this.#worlds.read(value);
  }

  /** Takes a read as right from now on. Effects that may still happen later stay open. */
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
    this.#confirmed = new Set();
  }
}
