import { Money } from '../contract/money.ts';

/** So many balances are told apart at most; beyond it only the balance that is wanted anyway can be recognised. */
const MOST_BALANCES = 4096;

/**
 * What one wallet must hold by a journal's account, and what it held before the run touched it.
 *
 * Unlike the judge's wallet it takes no read for the end of a doubt: a lost bet stays open until its refund is answered,
 * and then it is as if it had never been. So any number of open calls can be reckoned with.
 */
export class Reckoning {
  readonly walletID: string;
  /** The session in which it was read first. */
  readonly sessionID: string;
  /** What it is to hold in the end: what it held when the run came, and what others have moved between stories. */
  #target: Money;
  #base: Money;
  /** Effects that wait for an answer, by txID. */
  readonly #open = new Map<string, Money>();
  /** Effects that the contract leaves to the operator: the next read tells. */
  #either: Money[] = [];
  #read: Money;
  /** Nothing was sent for the wallet since it was read. */
  #isFresh = true;
  #strange: Money | null = null;

  constructor(walletID: string, sessionID: string, opening: Money) {
    this.walletID = walletID;
    this.sessionID = sessionID;
    this.#target = opening;
    this.#base = opening;
    this.#read = opening;
  }

  get target(): Money {
    return this.#target;
  }

  /** The balance that was read last. */
  get read(): Money {
    return this.#read;
  }

  /** What was read after the run and is no balance that the journal accounts for; null: nothing such. */
  get strange(): Money | null {
    return this.#strange;
  }

  /** Every balance that the journal accounts for. */
  possible(): readonly Money[] {
    return this.#sums([...this.#open.values(), ...this.#either]);
  }

  /** What has to be added to the wallet; undefined while that is not certain. */
  missing(): Money | undefined {
    if (this.#strange !== null) return undefined;
    const [only, ...others] = this.possible();
    return only !== undefined && others.length === 0 ? this.#target.minus(only) : undefined;
  }

  /** A call is about to leave that may move money. */
  touch(): void {
    this.#isFresh = false;
  }

  move(delta: Money): void {
    this.#base = this.#base.plus(delta);
  }

  /** The outcome of a call is not known. */
  leaveOpen(txID: string, delta: Money): void {
    if (!delta.isZero()) this.#open.set(txID, delta);
  }

  /** It is known now: it took effect, or it never will. */
  resolve(txID: string, happened: boolean): boolean {
    const delta = this.#open.get(txID);
    if (!delta) return false;
    this.#open.delete(txID);
    if (happened) this.move(delta);
    return true;
  }

  /** Nobody asks about the call any more: whether it took effect, a read tells. */
  waive(txID: string): void {
    const delta = this.#open.get(txID);
    if (!delta) return;
    this.#open.delete(txID);
    this.may(delta);
  }

  may(delta: Money): void {
    if (!delta.isZero()) this.#either.push(delta);
  }

  /** The first read of a story. What moved since the story before was none of the run's doing. */
  opens(value: Money): void {
    if (!this.#fits(value)) this.#target = this.#target.plus(value.minus(this.#settled()));
    this.#take(value);
  }

  /** A quiet read within a story: what it shows is the story's doing, whatever moved it. */
  reads(value: Money): void {
    this.#take(value);
  }

  /** A read when no story is played any more: somebody else may have moved the balance by now. */
  readsAfterwards(value: Money): void {
    if (!this.#fits(value) && !value.equals(this.#target)) {
      this.#strange = value;
      return;
    }
    this.#take(value);
  }

  /** A story is over: what it left to a read is told by the last one, unless something was sent after it. */
  closes(): void {
    if (this.#isFresh) this.#take(this.#read);
  }

  #fits(value: Money): boolean {
    return this.possible().some((possible) => possible.equals(value));
  }

  /** The balance if nothing that is open took effect, but for what the read shows of it. */
  #settled(): Money {
    return this.#isFresh ? this.#read : this.#base;
  }

  #take(value: Money): void {
    const open = this.#sums([...this.#open.values()]);
    const moved = sumsOf(Money.zero, this.#either).find((sum) =>
      open.some((possible) => possible.plus(sum).equals(value)),
    );
    this.#base = moved ? this.#base.plus(moved) : value;
    this.#either = [];
    this.#read = value;
    this.#isFresh = true;
    this.#strange = null;
  }

  #sums(deltas: readonly Money[]): readonly Money[] {
    return sumsOf(this.#base, deltas);
  }
}

/** The start with every choice of the deltas added to it, each sum once, the start first; empty when there are too many. */
function sumsOf(start: Money, deltas: readonly Money[]): readonly Money[] {
  let sums = new Map([[start.toString(), start]]);
  for (const delta of deltas) {
    const next = new Map(sums);
    for (const sum of sums.values()) {
      const further = sum.plus(delta);
      next.set(further.toString(), further);
    }
    if (next.size > MOST_BALANCES) return [];
    sums = next;
  }
  return [...sums.values()];
}
