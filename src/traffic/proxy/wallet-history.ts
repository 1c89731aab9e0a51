import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { Deviation } from '../books/deviation.ts';
import { BooksComputation } from '../books/wallet-books.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import { type Transaction, transactionOf } from '../calls/transaction.ts';

/** Maximum number of transactions that are kept for each wallet. Older transactions are forgotten. */
const MAX_TRANSACTIONS = 100;
/** Maximum number of attempts that are kept for each transaction. If there are more, the first ones and the last one are kept. */
const MAX_ATTEMPTS = 20;

/** The last balance that a reply contained, and the number of the call that got this reply. */
export interface LastBalance {
  readonly number: number;
  readonly balance: Money;
}

export interface WalletHistoryOptions {
  /** Is called with the key of each transaction that is forgotten. */
  readonly onForgotten: (key: string) => void;
  /** True for a bet that the service has not sent before. */
  readonly isUnsent: (txID: string) => boolean;
}

/** The recent transactions and the expected balance of one wallet. */
export class WalletHistory {
  readonly #transactions = new Map<string, Transaction>();
  readonly #bets = new Map<string, Transaction>();
  readonly #options: WalletHistoryOptions;
  #reported = 0;
  #computation: BooksComputation;
  /** The keys of transactions whose effect on the balance is not known. They are not used to judge rules. */
  readonly uncertain = new Set<string>();

  /** Creates an empty history. */
  constructor(options: WalletHistoryOptions) {
    this.#options = options;
    this.#computation = this.#begin();
  }

  get bets(): ReadonlyMap<string, Transaction> {
    return this.#bets;
  }

  /** The last balance that a reply contained. Null if no balance is known. */
  get lastBalance(): LastBalance | null {
    const said = this.#computation.result().lastSaid;
    return said === null ? null : { number: said.call.number, balance: said.balance };
  }

  /** Every balance that is possible after the last booked call. Null if no balance is known. */
  get expected(): readonly Money[] | null {
    return this.#computation.expected();
  }

  /** True if the last known balance comes from the reply to this call, and croupier compared it with the expected balance. */
  fits(call: LoggedCall): boolean {
    return this.#computation.isExpectedKnown() && this.#computation.result().lastSaid?.call === call;
  }

  transaction(key: string): Transaction | undefined {
    return this.#transactions.get(key);
  }

  /** Calls `onForgotten` for every transaction. It is used when the wallet is removed from memory. */
  forgetAll(): void {
    for (const key of this.#transactions.keys()) this.#options.onForgotten(key);
  }

  /** Returns the transactions of a round that are still in memory. */
  round(roundID: string): readonly Transaction[] {
    return [...this.#transactions.values()].filter((one) => one.roundID === roundID);
  }

  /** Records an attempt. Returns its transaction, or undefined for a balance call. */
  enter(call: LoggedCall): Transaction | undefined {
    const { call: name, txID } = call.seen;
    if (name === 'balance') return undefined;
    const key = keyOf(call);
    const earlier = this.#transactions.get(key)?.attempts ?? [];
    const attempts = [...earlier.slice(0, MAX_ATTEMPTS - 1), call];
    const transaction = transactionOf(key, name, attempts);
    this.#transactions.set(key, transaction);
    if (name === 'bet' && txID !== null) this.#bets.set(txID, transaction);
    if (this.#transactions.size > MAX_TRANSACTIONS) this.#forgetOldest();
    return transaction;
  }

  /**
   * Applies a call to the expected balance. Returns each balance in a reply that is wrong in every possible state of the books.
   *
   * @param isAlone true if no other call that moves money was in flight at the same time, so that the balance in the reply is exact
   */
  book(call: LoggedCall, transaction: Transaction | undefined, isAlone: boolean): readonly Deviation[] {
    this.#computation.take(call, transaction, new Set(isAlone ? [] : ['yes']));
    const { deviations, unknown } = this.#computation.result();
    const fresh = deviations.slice(this.#reported);
    this.#reported = deviations.length;
    if (unknown !== null) {
      for (const key of this.#transactions.keys()) this.uncertain.add(key);
      this.#computation = this.#begin();
    } else if (deviations.length > MAX_TRANSACTIONS) this.loosen();
    return fresh;
  }

  /** Makes the expected balance unknown until the next reply contains a balance. */
  loosen(): void {
    this.#computation.loosen();
    this.#reported = 0;
  }

  #begin(): BooksComputation {
    this.#reported = 0;
    return new BooksComputation({
      bets: this.#bets,
      transactions: () => this.#transactions.values(),
      isUnsent: this.#options.isUnsent,
    });
  }

  #forgetOldest(): void {
    const [oldest] = this.#transactions.values();
    if (!oldest) return;
    this.#transactions.delete(oldest.key);
    this.uncertain.delete(oldest.key);
    if (oldest.txID !== null) this.#bets.delete(oldest.txID);
    this.#computation.forget(oldest.key);
    this.#options.onForgotten(oldest.key);
  }
}

/** Returns the key that identifies a transaction. */
export function keyOf({ seen, number }: LoggedCall): string {
  return seen.txID === null ? `call ${number}` : `${seen.call} ${seen.txID}`;
}

/**
 * Finds the cause of a wrong balance, and returns the rule that this cause breaks. Null if the cause is unknown or breaks no rule.
 */
export function ruleOf(deviation: Deviation, hasOverlap: (transaction: Transaction) => boolean): RuleId | null {
  const [cause] = deviation.causes;
  if (!cause || cause.rule === null) return null;
  if (!hasOverlap(cause.transaction)) return cause.rule;
  if (cause.rule === 'bet.debit' || cause.rule === 'win.credit') return 'concurrency.no-lost-update';
  return cause.rule.startsWith('idempotency.') ? 'idempotency.concurrent' : cause.rule;
}
