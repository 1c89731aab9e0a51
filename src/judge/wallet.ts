import { Money } from '../contract/money.ts';
import type { Obligation } from './obligation.ts';

/**
 * An effect that may or may not have happened.
 *
 * - `lost`: a bet without a known outcome. Its debit may land at any time until its refund is answered 200. Reading the
 *   balance lower by its amount proves it; reading it unchanged proves nothing.
 * - `unanswered`: a win or refund without a known outcome; stays until it is sent again and answered 200.
 * - `either`: the contract leaves it open; the next quiet read decides.
 */
export interface Fork {
  readonly txID: string;
  readonly delta: Money;
  readonly kind: 'lost' | 'unanswered' | 'either';
}

/** A sure effect since the last quiet read. */
export interface Move {
  readonly step: string;
  readonly delta: Money;
  /** A reply has told a balance that has it in. */
  readonly vouched: boolean;
  /** A reply to a later call has told a balance that has it in, so it is in the operator's books too. */
  readonly confirmed: boolean;
}

/** What a quiet read said about the forks. */
export interface Settled {
  readonly happened: readonly Fork[];
  readonly never: readonly Fork[];
}

/** More forks than this are not told apart: 2^n worlds are reckoned. */
const MOST_FORKS = 10;

/**
 * What one player's balance must be by now: a known sum, and effects that may have happened. The possible worlds are
 * the sum with every subset of the forks.
 */
export class Wallet {
  readonly id: string;
  /** The smallest step of its currency. */
  readonly unit: Money;
  #base: Money | undefined;
  #forks: Fork[] = [];
  /** The next quiet read is right whatever it says: the contract leaves the effect of this step open. */
  #open: string | null = null;
  #obligations: Obligation[] = [];
  /** Sure effects since the last anchor, by step. */
  #moves: Move[] = [];
  /** The balance as the last reply told it, and what was moved since: what it would be if only replies were right. */
  #told: Money | undefined;
  /** A read has been taken for the truth since the last reply. */
  #readSince = false;
  #lags = false;
  /** Obligations that the right reply to a later call has met already. */
  #confirmed = new Set<Obligation>();

  constructor(id: string, unit: Money) {
    this.id = id;
    this.unit = unit;
  }

  get known(): boolean {
    return this.#base !== undefined;
  }

  get obligations(): readonly Obligation[] {
    return this.#obligations;
  }

  get moves(): readonly Move[] {
    return this.#moves;
  }

  get openSince(): string | null {
    return this.#open;
  }

  get forks(): readonly Fork[] {
    return this.#forks;
  }

  /** Every balance that is possible in a conforming world; empty while nothing is known. */
  possible(): Money[] {
    if (this.#base === undefined) return [];
    let values: Money[] = [this.#base];
    for (const fork of this.#forks) {
      values = distinct([...values, ...values.map((value) => value.plus(fork.delta))]);
    }
    return values;
  }

  /** The one balance that is possible, when it is certain. */
  certain(): Money | undefined {
    if (this.#open !== null) return undefined;
    const values = this.possible();
    return values.length === 1 ? values[0] : undefined;
  }

  allows(value: Money): boolean {
    return this.#open !== null || this.possible().some((possible) => possible.equals(value));
  }

  move(step: string, delta: Money): void {
    if (this.#base === undefined || delta.isZero()) return;
    this.#base = this.#base.plus(delta);
    this.#told = this.#told?.plus(delta);
    this.#moves.push({ step, delta, vouched: false, confirmed: false });
  }

  /**
   * The reply to a call told a balance that is right: all that was moved until then has shown, and what came before the
   * call itself is in the books from which the operator reckoned.
   */
  vouch(step: string): void {
    this.#moves = this.#moves.map((move) => ({
      ...move,
      vouched: true,
      confirmed: move.confirmed || move.step !== step,
    }));
    for (const one of this.#obligations) if (one.step.key !== step && one.until === 'read') this.#confirmed.add(one);
  }

  /** The last reply told the balance as it must be, and that was moved since the last read. */
  get isTold(): boolean {
    const certain = this.certain();
    const isNews = this.#moves.some(({ vouched }) => vouched);
    return isNews && certain !== undefined && this.#told?.equals(certain) === true;
  }

  /** Reads were seen to tell an older balance than replies do. */
  get readsLag(): boolean {
    return this.#lags;
  }

  /** A right reply to a later call speaks against it that the rule was broken there. */
  isConfirmed(obligation: Obligation): boolean {
    return this.#confirmed.has(obligation);
  }

  /**
   * A reply to a call told this balance. Where it does not fit, but goes on from what the reply before it told and not from
   * what was read in between, the reads lag behind: then what replies tell is taken as the truth.
   *
   * @param isNew false: the reply may be the stored one of an earlier call
   * @returns true when the reply is right
   */
  hear(said: Money, isNew: boolean): boolean {
    const goesOn = isNew && this.#readSince && this.#told?.equals(said) === true;
    this.#told = said;
    this.#readSince = false;
    if (this.allows(said)) return true;
    if (!goesOn || this.#forks.length > 0) return false;
    this.#base = said;
    this.#lags = true;
    return true;
  }

  fork(fork: Fork): void {
    if (fork.delta.isZero()) return;
    if (this.#forks.length >= MOST_FORKS) this.#open = fork.txID;
    else this.#forks.push(fork);
  }

  /** The outcome of a fork is known now: it happened, or it did not and never will. */
  settle(step: string, txID: string, happened: boolean): Fork | undefined {
    const fork = this.#forks.find((one) => one.txID === txID);
    if (!fork) return undefined;
    this.#forks = this.#forks.filter((one) => one !== fork);
    if (happened) this.move(step, fork.delta);
    return fork;
  }

  leaveOpen(step: string): void {
    this.#open = step;
  }

  owe(obligation: Obligation): void {
    this.#obligations.push(obligation);
  }

  /** Takes those that the present read decides; the others (they need a read after the linger) stay. */
  takeObligations(lingered: boolean): Obligation[] {
    const isDue = (one: Obligation): boolean => lingered || one.until === 'read';
    const due = this.#obligations.filter(isDue);
    this.#obligations = this.#obligations.filter((one) => !isDue(one));
    return due;
  }

  /** Forgets what else was to be shown: after a breach, or when the story ends. */
  dropObligations(): Obligation[] {
    const dropped = this.#obligations;
    this.#obligations = [];
    return dropped;
  }

  /** A quiet read that fits: what it says about the forks. */
  collapse(value: Money): Settled {
    if (this.#base === undefined || this.#open !== null) {
      const settled = { happened: [], never: this.#forks.filter((fork) => fork.kind === 'either') };
      this.anchor(value);
      return settled;
    }
    const subsets = this.#subsetsThatGive(value);
    const happened = this.#forks.filter((fork) => subsets.every((subset) => subset.has(fork)));
    const never = this.#forks.filter((fork) => fork.kind === 'either' && subsets.every((subset) => !subset.has(fork)));
    for (const fork of happened) this.#base = this.#base.plus(fork.delta);
    this.#forks = this.#forks.filter((fork) => !happened.includes(fork) && !never.includes(fork));
    this.#moves = [];
    this.#confirmed = new Set();
    return { happened, never };
  }

  /** Takes what was read as the truth from now on. What may still land late may still land. */
  anchor(value: Money): void {
    this.#base = value;
    this.#readSince = true;
    this.#open = null;
    this.#moves = [];
    this.#confirmed = new Set();
    this.#forks = this.#forks.filter((fork) => fork.kind !== 'either');
  }

  #subsetsThatGive(value: Money): Set<Fork>[] {
    const base = this.#base ?? Money.zero;
    const found: Set<Fork>[] = [];
    for (let mask = 0; mask < 2 ** this.#forks.length; mask += 1) {
      const subset = this.#forks.filter((_, bit) => (mask >> bit) % 2 === 1);
      const sum = subset.reduce((total, fork) => total.plus(fork.delta), base);
      if (sum.equals(value)) found.push(new Set(subset));
    }
    return found;
  }
}

function distinct(values: readonly Money[]): Money[] {
  const seen = new Map<string, Money>();
  for (const value of values) seen.set(value.toString(), value);
  return [...seen.values()];
}
