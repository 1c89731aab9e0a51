import { Money } from '../contract/money.ts';
import { type EffectKind, MAY_HAPPEN_LATER, type WorldsPolicy } from './policies.ts';

/** A change of a balance that may or may not have happened. */
export interface OpenEffect {
  readonly txID: string;
  /** The signed amount that is added to the balance if the effect happens. */
  readonly delta: Money;
  readonly kind: EffectKind;
}

/** The open effects whose outcome a balance read has shown. */
export interface ClosedEffects {
  readonly happened: readonly OpenEffect[];
  readonly never: readonly OpenEffect[];
}

/**
 * The possible balances of one wallet at an operator that keeps the contract. They are a base balance, plus any subset of the open
 * effects. Each subset is one possible state of the wallet (a world).
 *
 * The open effects do not depend on each other. docs/architecture.md names the models in which effects depend on each other.
 */
export class Worlds {
  readonly #policy: WorldsPolicy;
  #base: Money | undefined;
  #effects: readonly OpenEffect[] = [];
  #unknownSince: string | null = null;
  /** The txIDs of effects that may still happen, but are not in the list, because the list is full. */
  readonly #unlisted = new Set<string>();
  /**
   * True if the list was too short. Until all open effects are settled, the balance of a read then does not show which effects it
   * includes.
   */
  #isOverflown = false;
  /** True if the balance of the last read includes none of the open effects that may happen later. */
  #isBaseRead: boolean;

  /**
   * Creates the possible balances of a wallet.
   *
   * @param balance the known balance; undefined if nothing is known until the first read
   */
  constructor(policy: WorldsPolicy, balance?: Money) {
    this.#policy = policy;
    this.#base = balance;
    this.#isBaseRead = balance !== undefined;
  }

  /** The balance if none of the open effects has happened. undefined before the first read. */
  get base(): Money | undefined {
    return this.#base;
  }

  get effects(): readonly OpenEffect[] {
    return this.#effects;
  }

  /** The step or transaction after which any balance became possible. This is true until the next read. null if there is none. */
  get unknownSince(): string | null {
    return this.#unknownSince;
  }

  /**
   * Returns every possible balance, each only once. Empty if nothing was read yet, or if there are more balances than the policy
   * allows.
   */
  possible(): readonly Money[] {
    return this.#base === undefined ? [] : this.#sumsOf(this.#base, this.#effects);
  }

  /** Returns the balance if only one balance is possible. Otherwise undefined. */
  certain(): Money | undefined {
    if (this.#unknownSince !== null) return undefined;
    const [only, ...others] = this.possible();
    return others.length === 0 ? only : undefined;
  }

  fits(value: Money): boolean {
    return this.#unknownSince !== null || includes(this.possible(), value);
  }

  /** Adds an effect that has certainly happened. Does nothing while the balance is unknown. */
  move(delta: Money): void {
    this.#base = this.#base?.plus(delta);
  }

  /** Adds an effect that may have happened. */
  add(effect: OpenEffect): void {
    if (effect.delta.isZero()) return;
    if (this.#effects.length < this.#policy.maxEffects) {
      this.#effects = [...this.#effects, effect];
      return;
    }
    this.#unknownSince = effect.txID;
    this.#isOverflown = true;
    if (MAY_HAPPEN_LATER[effect.kind]) this.#unlisted.add(effect.txID);
  }

  /**
   * Records the outcome of a call, which was unknown until now.
   *
   * @param happened false if the call had no effect and never will
   * @returns the effect that was open; undefined if there was none
   */
  settle(txID: string, happened: boolean): OpenEffect | undefined {
    this.#unlisted.delete(txID);
    const effect = this.#effects.find((one) => one.txID === txID && MAY_HAPPEN_LATER[one.kind]);
    if (!effect) return undefined;
    this.#remove(effect);
    if (happened) this.move(effect.delta);
    return effect;
  }

  /**
   * Removes the open effect of a call that was undone before a balance read. The contract lets the operator decide whether
   * such a call moves money.
   */
  undo(txID: string): OpenEffect | undefined {
    const effect = this.#effects.find((one) => one.txID === txID && !MAY_HAPPEN_LATER[one.kind]);
    if (effect) this.#remove(effect);
    return effect;
  }

  /**
   * Notes that a call with an unknown outcome will not be sent again. So the next balance read decides whether it had an effect.
   */
  leaveToRead(txID: string): void {
    const effect = this.settle(txID, false);
    if (effect) this.add({ ...effect, kind: 'either' });
  }

  /** Makes any balance possible until the next read. */
  setUnknown(since: string): void {
    this.#unknownSince = since;
  }

  /** Makes the balance of a read the known balance. Returns the open effects whose outcome this balance shows. */
  read(value: Money): ClosedEffects {
    const base = this.#unknownSince === null ? this.#base : undefined;
    const closed =
      base && (this.#policy.readCloses === 'proven' ? this.#closeProven(base, value) : this.#closeEither(base, value));
    if (closed) return closed;
    const never = this.#effects.filter(({ kind }) => !MAY_HAPPEN_LATER[kind]);
    this.setBalance(value);
    return { happened: [], never };
  }

  /** True if the call with this txID may still have an effect. */
  isOpen(txID: string): boolean {
    return this.#unlisted.has(txID) || this.#effects.some((effect) => effect.txID === txID);
  }

  /** Sets the balance to the balance that was read. Effects that may happen later stay open. */
  setBalance(value: Money): void {
    this.#base = value;
    this.#isBaseRead = true;
    this.#effects = this.#effects.filter(({ kind }) => MAY_HAPPEN_LATER[kind]);
    this.#isOverflown &&= this.#effects.length > 0 || this.#unlisted.size > 0;
    if (!this.#isOverflown) this.#unknownSince = null;
  }

  /** Closes the effects that the balance proves. Returns undefined if no combination of the open effects gives this balance. */
  #closeProven(base: Money, value: Money): ClosedEffects | undefined {
    const combinations = this.#combinationsWith(base, value);
    if (combinations.length === 0) return undefined;
    const happened = this.#effects.filter((effect) => combinations.every((one) => one.has(effect)));
    const never = this.#effects.filter(
      (effect) => !MAY_HAPPEN_LATER[effect.kind] && combinations.every((one) => !one.has(effect)),
    );
    for (const { delta } of happened) this.move(delta);
    this.#effects = this.#effects.filter((effect) => !happened.includes(effect) && !never.includes(effect));
    return { happened, never };
  }

  /**
   * Closes the effects of kind `either`. Does not return which of them happened, because several combinations may have the same
   * sum. Returns undefined if no combination gives this balance.
   *
   * A changed balance may have two explanations: an effect of kind `either` has just happened, or a call that has been open for a
   * while has. If the last read included no open call, the first explanation is taken.
   */
  #closeEither(base: Money, value: Money): ClosedEffects | undefined {
    const later = this.#effects.filter(({ kind }) => MAY_HAPPEN_LATER[kind]);
    const either = this.#effects.filter(({ kind }) => !MAY_HAPPEN_LATER[kind]);
    const balances = this.#sumsOf(base, later);
    const sums = this.#sumsOf(Money.zero, either);
    const newest = this.#isBaseRead ? sums.find((sum) => base.plus(sum).equals(value)) : undefined;
    const moved = newest ?? sums.find((sum) => includes(balances, value.minus(sum)));
    if (!moved) return undefined;
    this.#effects = later;
    this.move(moved);
    this.#isBaseRead = base.plus(moved).equals(value);
    return { happened: [], never: [] };
  }

  #combinationsWith(base: Money, value: Money): readonly ReadonlySet<OpenEffect>[] {
    const found: Set<OpenEffect>[] = [];
    for (let mask = 0; mask < 2 ** this.#effects.length; mask += 1) {
      const combination = this.#effects.filter((_, bit) => (mask >> bit) % 2 === 1);
      const sum = combination.reduce((total, { delta }) => total.plus(delta), base);
      if (sum.equals(value)) found.push(new Set(combination));
    }
    return found;
  }

  /**
   * Returns `start` plus each combination of the effects. Each sum occurs once, and `start` comes first. Empty if there are too
   * many sums.
   */
  #sumsOf(start: Money, effects: readonly OpenEffect[]): readonly Money[] {
    if (effects.length === 0) return [start];
    let sums = new Map([[start.toString(), start]]);
    for (const { delta } of effects) {
      const next = new Map(sums);
      for (const sum of sums.values()) {
        const further = sum.plus(delta);
        next.set(further.toString(), further);
      }
      if (next.size > this.#policy.maxBalances) return [];
      sums = next;
    }
    return [...sums.values()];
  }

  #remove(effect: OpenEffect): void {
    this.#effects = this.#effects.filter((one) => one !== effect);
  }
}

function includes(balances: readonly Money[], value: Money): boolean {
  return balances.some((balance) => balance.equals(value));
}
