import { Money } from '../contract/money.ts';
import { type EffectKind, MAY_HAPPEN_LATER, type WorldsPolicy } from './policies.ts';

/** An effect on a balance that may or may not have happened. */
export interface OpenEffect {
  readonly txID: string;
  /** The signed amount that it adds to the balance if it happens. */
  readonly delta: Money;
  readonly kind: EffectKind;
}

/** The open effects that a read of the balance has closed. */
export interface ClosedEffects {
  readonly happened: readonly OpenEffect[];
  readonly never: readonly OpenEffect[];
}

/**
 * The possible balances of one wallet at an operator that keeps the contract: a base balance, and effects that may have
 * happened. Each subset of the open effects is one possible world.
 *
 * The open effects are independent of each other. See docs/architecture.md for the models that need more than that.
 */
export class Worlds {
  readonly #policy: WorldsPolicy;
  #base: Money | undefined;
  #effects: readonly OpenEffect[] = [];
  #unknownSince: string | null = null;

  /** @param balance undefined: nothing is known until the first read */
  constructor(policy: WorldsPolicy, balance?: Money) {
    this.#policy = policy;
    this.#base = balance;
  }

  /** The balance if none of the open effects has happened; undefined before the first read. */
  get base(): Money | undefined {
    return this.#base;
  }

  get effects(): readonly OpenEffect[] {
    return this.#effects;
  }

  /** The step or transaction since which any balance is possible, until the next read; null: there is none. */
  get unknownSince(): string | null {
    return this.#unknownSince;
  }

  /** Every possible balance once. Empty if nothing was read, or if there are more than the policy allows. */
  possible(): readonly Money[] {
    return this.#base === undefined ? [] : this.#sumsOf(this.#base, this.#effects);
  }

  /** The balance if only one is possible. */
  certain(): Money | undefined {
    if (this.#unknownSince !== null) return undefined;
    const [only, ...others] = this.possible();
    return others.length === 0 ? only : undefined;
  }

  fits(value: Money): boolean {
    return this.#unknownSince !== null || includes(this.possible(), value);
  }

  /** Adds an effect that has certainly happened. Without a known balance there is nothing to add it to. */
  move(delta: Money): void {
    this.#base = this.#base?.plus(delta);
  }

  /** Adds an effect that may have happened. */
  add(effect: OpenEffect): void {
    if (effect.delta.isZero()) return;
    if (this.#effects.length >= this.#policy.maxEffects) this.#unknownSince = effect.txID;
    else this.#effects = [...this.#effects, effect];
  }

  /**
   * Closes the effect of a call whose outcome is known now.
   *
   * @param happened false: it did not happen, and never will
   * @returns the effect that was open; undefined: there was none
   */
  settle(txID: string, happened: boolean): OpenEffect | undefined {
    const effect = this.#effects.find((one) => one.txID === txID && MAY_HAPPEN_LATER[one.kind]);
    if (!effect) return undefined;
    this.#remove(effect);
    if (happened) this.move(effect.delta);
    return effect;
  }

  /** Removes the effect of a call that the contract leaves to the operator, because the call was undone before a read. */
  undo(txID: string): OpenEffect | undefined {
    const effect = this.#effects.find((one) => one.txID === txID && !MAY_HAPPEN_LATER[one.kind]);
    if (effect) this.#remove(effect);
    return effect;
  }

  /** Leaves a call to the next read, because it will not be sent again. */
  leaveToRead(txID: string): void {
    const effect = this.settle(txID, false);
    if (effect) this.add({ ...effect, kind: 'either' });
  }

  /** Makes any balance possible until the next read. */
  setUnknown(since: string): void {
    this.#unknownSince = since;
  }

  /** Takes a read of the balance as right, and closes the open effects that it decides. */
  read(value: Money): ClosedEffects {
    const base = this.#unknownSince === null ? this.#base : undefined;
    const closed =
      base && (this.#policy.readCloses === 'proven' ? this.#closeProven(base, value) : this.#closeEither(base, value));
    if (closed) return closed;
    const never = this.#effects.filter(({ kind }) => !MAY_HAPPEN_LATER[kind]);
    this.setBalance(value);
    return { happened: [], never };
  }

  /** Sets the balance to what was read. Effects that may happen later stay open. */
  setBalance(value: Money): void {
    this.#base = value;
    this.#unknownSince = null;
    this.#effects = this.#effects.filter(({ kind }) => MAY_HAPPEN_LATER[kind]);
  }

  /** undefined: no combination of the open effects has this sum. */
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

  /** Names no effect, because several combinations may have the same sum. undefined: none has this sum. */
  #closeEither(base: Money, value: Money): ClosedEffects | undefined {
    const later = this.#effects.filter(({ kind }) => MAY_HAPPEN_LATER[kind]);
    const either = this.#effects.filter(({ kind }) => !MAY_HAPPEN_LATER[kind]);
    const balances = this.#sumsOf(base, later);
    const moved = this.#sumsOf(Money.zero, either).find((sum) => includes(balances, value.minus(sum)));
    if (!moved) return undefined;
    this.#effects = later;
    this.move(moved);
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

  /** The start with every choice of the effects added, each sum once, the start first; empty if there are too many. */
  #sumsOf(start: Money, effects: readonly OpenEffect[]): readonly Money[] {
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
