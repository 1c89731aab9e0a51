import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import { Reckoning } from '../incident/story/books.ts';
import type { Deviation } from '../incident/story/deviation.ts';
import type { ToldCall } from '../incident/story/told-call.ts';
import { type Transaction, transactionOf } from '../incident/story/transaction.ts';

/** So many transactions of a wallet are remembered; older ones are as if they had not been seen. */
const MOST_TRANSACTIONS = 100;
/** One action is seldom sent more often; the first and the last attempts tell enough. */
const MOST_ATTEMPTS = 20;

/** The balance that was answered last, and in which call. */
export interface LastSaid {
  readonly number: number;
  readonly balance: Money;
}

/** One wallet while its calls pass: its transactions of late, and how its balance must stand. */
export class WalletBooks {
  readonly #transactions = new Map<string, Transaction>();
  readonly #bets = new Map<string, Transaction>();
  readonly #onForgotten: (key: string) => void;
  #told = 0;
  #reckoning: Reckoning;
  /** Transactions of which operators may think differently, so that nothing that follows from them is held against one. */
  readonly odd = new Set<string>();

  /** @param onForgotten hears the key of a transaction that is not remembered any more */
  constructor(onForgotten: (key: string) => void) {
    this.#onForgotten = onForgotten;
    this.#reckoning = this.#begin();
  }

  get bets(): ReadonlyMap<string, Transaction> {
    return this.#bets;
  }

  /** The call whose answer told the balance last. */
  get lastSaid(): LastSaid | null {
    const said = this.#reckoning.result().lastSaid;
    return said === null ? null : { number: said.call.number, balance: said.balance };
  }

  /** The balance is known for certain, and was answered by this very call. */
  fits(call: ToldCall): boolean {
    return this.#reckoning.result().lastSaid?.call === call;
  }

  transaction(key: string): Transaction | undefined {
    return this.#transactions.get(key);
  }

  /** All that is remembered is forgotten. */
  forgetAll(): void {
    for (const key of this.#transactions.keys()) this.#onForgotten(key);
  }

  /** Transactions of a round. */
  round(roundID: string): readonly Transaction[] {
    return [...this.#transactions.values()].filter((one) => one.roundID === roundID);
  }

  /** Writes an attempt down. @returns its transaction; undefined for a read, or where no transaction is named */
  enter(call: ToldCall): Transaction | undefined {
    const { call: name, txID } = call.seen;
    if (name === 'balance') return undefined;
    const key = keyOf(call);
    const earlier = this.#transactions.get(key)?.attempts ?? [];
    const attempts = [...earlier.slice(0, MOST_ATTEMPTS - 1), call];
    const transaction = transactionOf(key, name, attempts);
    this.#transactions.set(key, transaction);
    if (name === 'bet' && txID !== null) this.#bets.set(txID, transaction);
    if (this.#transactions.size > MOST_TRANSACTIONS) this.#forgetOldest();
    return transaction;
  }

  /**
   * Books a call.
   *
   * @param isAlone no other call about money was in flight with it, so that the balance it was answered tells how the books stand
   * @returns balances that no right booking explains
   */
  book(call: ToldCall, transaction: Transaction | undefined, isAlone: boolean): readonly Deviation[] {
    this.#reckoning.take(call, transaction, new Set(isAlone ? [] : ['yes']));
    const { deviations, unknown } = this.#reckoning.result();
    const fresh = deviations.slice(this.#told);
    this.#told = deviations.length;
    if (unknown !== null) {
      for (const key of this.#transactions.keys()) this.odd.add(key);
      this.#reckoning = this.#begin();
    } else if (deviations.length > MOST_TRANSACTIONS) this.loosen();
    return fresh;
  }

  /** From here on the balance is what is answered next. */
  loosen(): void {
    this.#reckoning.loosen();
    this.#told = 0;
  }

  #begin(): Reckoning {
    this.#told = 0;
    return new Reckoning({ bets: this.#bets, transactions: () => this.#transactions.values() });
  }

  #forgetOldest(): void {
    const [oldest] = this.#transactions.values();
    if (!oldest) return;
    this.#transactions.delete(oldest.key);
    this.odd.delete(oldest.key);
    if (oldest.txID !== null) this.#bets.delete(oldest.txID);
    this.#reckoning.forget(oldest.key);
    this.#onForgotten(oldest.key);
  }
}

/** What tells a transaction from others. */
export function keyOf({ seen, number }: ToldCall): string {
  return seen.txID === null ? `call ${number}` : `${seen.call} ${seen.txID}`;
}

/** The rule that a wrong balance breaks, by its cause; null: none that is known. */
export function ruleOf(deviation: Deviation, wasAtOnce: (transaction: Transaction) => boolean): RuleId | null {
  const [cause] = deviation.causes;
  if (!cause || cause.rule === null) return null;
  if (!wasAtOnce(cause.transaction)) return cause.rule;
  if (cause.rule === 'bet.debit' || cause.rule === 'win.credit') return 'concurrency.no-lost-update';
  return cause.rule.startsWith('idempotency.') ? 'idempotency.concurrent' : cause.rule;
}
