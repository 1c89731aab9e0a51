import { Money } from '../../contract/money.ts';
import type { Deviation } from './deviation.ts';
import { betOf, effectOf, type Suspect, undoneRule } from './effects.ts';
import { explanationsOf } from './explanation.ts';
import { isSameButForRest } from './float-rest.ts';
import { met, type ToldCall } from './told-call.ts';
import { type Bets, betsOf, type Transaction, transactionsOf } from './transaction.ts';
import {
  applying,
  beginning,
  closing,
  distinct,
  forgetting,
  isApplied,
  isClosed,
  MOST_WORLDS,
  settle,
  type World,
} from './worlds.ts';

/** A balance that the operator answered, and to which call. */
interface Said {
  readonly balance: Money;
  readonly call: ToldCall;
}

/** How the operator's books of one wallet may stand at the end. */
export interface Books {
  readonly transactions: readonly Transaction[];
  readonly worlds: readonly World[];
  /** Balances are real ones; false: none was ever answered, and they count from the beginning. */
  readonly isAnchored: boolean;
  /** The first and the last balance that were answered. */
  readonly firstSaid: Said | null;
  readonly lastSaid: Said | null;
  readonly deviations: readonly Deviation[];
  /** Why the books can't be reckoned; null: they can. */
  readonly unknown: string | null;
}

/** Reckons one wallet's books from its calls, in order of time. */
export function reckon(calls: readonly ToldCall[]): Books {
  const transactions = transactionsOf(calls);
  const bets = betsOf(transactions);
  const books = new Reckoning({ bets, transactions: () => transactions });
  const transactionOf = new Map(transactions.flatMap((one) => one.attempts.map((call) => [call, one] as const)));
  for (const [index, call] of calls.entries()) {
    // Calls are in order of time: what was in flight together stands together.
    const near = calls.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS);
    const others = near.filter((other) => other !== call && other.seen.call !== 'balance');
    books.take(call, transactionOf.get(call), new Set(others.map((other) => met(call, other))));
  }
  const result = books.result();
  return { transactions, ...result, unknown: result.unknown ?? books.doubt() };
}

/** So many calls before and after one are looked at for whether they were in flight with it. */
const NEIGHBOURS = 100;

/** The transactions of a wallet that are known by now. */
export interface Ledger {
  readonly bets: Bets;
  transactions(): Iterable<Transaction>;
}

/** One wallet's books, call by call in order of time. */
export class Reckoning {
  readonly #ledger: Ledger;
  #deviations: (Deviation & { readonly index: number })[] = [];
  #worlds: readonly World[] = [beginning()];
  #suspects: Suspect[] = [];
  #isAnchored = false;
  #firstSaid: Books['firstSaid'] = null;
  #lastSaid: Books['lastSaid'] = null;
  #unknown: string | null = null;
  /** Balances that were answered since the last that counted, while other calls were in flight. */
  #unread: Said[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  result(): Omit<Books, 'transactions'> {
    return {
      worlds: this.#worlds,
      isAnchored: this.#isAnchored,
      lastSaid: this.#lastSaid,
      deviations: this.#deviations,
      unknown: this.#unknown,
      firstSaid: this.#firstSaid,
    };
  }

  /** Why the books may stand otherwise after all; null: some answer fits them, or there was none to compare them with. */
  doubt(): string | null {
    const last = this.#unread.at(-1);
    if (!this.#isAnchored || !last) return null;
    if (this.#unread.some(({ balance }) => this.#worlds.some((world) => isSameButForRest(world.balance, balance))))
      return null;
    return `the last balance that was answered, ${last.balance.format(2)} at call ${last.call.number}, is none that the calls lead to, and other calls were in flight with it`;
  }

  /** What the balance is isn't known any more: the next that is answered is taken as it is. */
  loosen(): void {
    this.#isAnchored = false;
    this.#suspects = [];
    this.#deviations = [];
  }

  /** A transaction that was long ago: it is as if it had not been seen. */
  forget(key: string): void {
    this.#worlds = forgetting(this.#worlds, key);
    this.#suspects = this.#suspects.filter(({ transaction }) => transaction.key !== key);
  }

  /** @param meetings whether other calls about money were in flight with it */
  take(call: ToldCall, transaction: Transaction | undefined, meetings: ReadonlySet<'yes' | 'no' | 'maybe'>): void {
    if (this.#unknown !== null) return;
    const isRepeat = transaction?.attempts.some((other) => other.number < call.number && other.done === 'yes') ?? false;
    if (transaction) {
      const effect = effectOf({ call, transaction, isRepeat, bets: this.#ledger.bets }, this.#worlds);
      this.#worlds = effect.worlds;
      this.#suspects = [...this.#suspects, ...effect.suspects].slice(-MOST_SUSPECTS);
      this.#unknown = effect.unknown;
    }
    if (this.#worlds.length > MOST_WORLDS) {
      this.#unknown ??= 'too many calls have no known outcome for their effects to be told apart';
      return;
    }
    // Sent before and perhaps carried out then, it is answered what was answered or would have been, whatever came after.
    const mayBeStored = transaction !== undefined && isStored(call, transaction);
    if (!mayBeStored && this.#saysBalance(call, transaction)) {
      if (meetings.has('yes')) this.#leave(call);
      else this.#read(call, meetings.has('maybe'));
    }
    this.#worlds = settle(this.#worlds);
  }

  /** The refund of a bet that may not have been taken can be answered with any balance. */
  #saysBalance(call: ToldCall, transaction: Transaction | undefined): boolean {
    if (call.balance === null || call.done !== 'yes' || call.ending === 'error-200') return false;
    return transaction?.call !== 'refund' || betOf(transaction, this.#ledger.bets)?.state === 'accepted';
  }

  /** @param isDoubtful others may have been in flight: where it fits it is believed, and where it doesn't it proves nothing */
  #read(call: ToldCall, isDoubtful: boolean): void {
    const said = call.balance ?? Money.zero;
    const right = this.#worlds.filter(({ balance }) => isSameButForRest(balance, said));
    if (isDoubtful && (!this.#isAnchored || right.length === 0)) {
      this.#leave(call);
      return;
    }
    this.#unread = [];
    this.#lastSaid = { balance: said, call };
    if (!this.#isAnchored) {
      this.#isAnchored = true;
      this.#worlds = distinct(this.#worlds.map((world) => ({ ...world, balance: said })));
      this.#suspects = [];
      this.#firstSaid = this.#lastSaid;
      return;
    }
    if (right.length > 0) this.#worlds = right;
    else this.#worlds = this.#landedLate(said) ?? this.#deviate(call, said);
    this.#suspects = [];
  }

  #leave(call: ToldCall): void {
    this.#unread = [...this.#unread, { balance: call.balance ?? Money.zero, call }].slice(-MOST_UNREAD);
  }

  /** What has no known outcome may be carried out at any time, until it is answered: several such calls perhaps at once. */
  #landedLate(said: Money): readonly World[] | undefined {
    const open = [...this.#ledger.transactions()].filter(
      ({ state, attempts }) =>
        state !== 'accepted' &&
        state !== 'declined' &&
        attempts.some(({ number }) => number < (this.#lastSaid?.call.number ?? 0)),
    );
    let worlds = this.#worlds;
    for (let landings = 1; landings <= MOST_LANDINGS && worlds.length <= MOST_WORLDS; landings += 1) {
      worlds = distinct(worlds.flatMap((world) => open.flatMap((one) => landed(world, one, this.#ledger.bets))));
      const right = worlds.filter(({ balance }) => balance.equals(said));
      if (right.length > 0) return right;
    }
    return undefined;
  }

  /** Takes the fewest faults that explain exactly what was said; where none do, it stays unexplained. Either way that is the balance now. */
  #deviate(call: ToldCall, said: Money): readonly World[] {
    const suspects = [...this.#lateDebits(), ...this.#suspects, ...this.#mends()];
    for (const causes of explanationsOf(suspects)) {
      for (const world of this.#worlds) {
        const sum = causes.reduce((total, { by }) => total.plus(by), world.balance);
        if (sum.equals(said)) return this.#note(call, said, world, causes);
      }
    }
    const [world = beginning()] = this.#worlds;
    return this.#note(call, said, world, []);
  }

  #note(call: ToldCall, said: Money, world: World, causes: readonly Suspect[]): readonly World[] {
    const mended = new Set(causes.flatMap(({ mends }) => (mends === undefined ? [] : [mends])));
    for (const [index, deviation] of this.#deviations.entries()) {
      if (mended.has(deviation.index)) this.#deviations[index] = { ...deviation, mendedBy: call.number };
    }
    const faults = causes.filter(({ mends }) => mends === undefined);
    const by = faults.length === 0 && causes.length > 0 ? null : said.minus(world.balance);
    if (by !== null) {
      this.#deviations.push({
        index: this.#deviations.length,
        call,
        said,
        expected: world.balance,
        by: faults.length === 0 ? by : faults.reduce((sum, fault) => sum.plus(fault.by), Money.zero),
        causes: faults.map(({ repeat = null, rule, text, transaction, by: part }) => ({
          rule,
          text,
          transaction,
          by: part,
          repeat,
        })),
        mendedBy: null,
      });
    }
    return [{ ...world, balance: said }];
  }

  /** A bet that is taken after its refund was answered. */
  #lateDebits(): readonly Suspect[] {
    return [...this.#ledger.transactions()]
      .filter(
        ({ call, key, state }) =>
          call === 'bet' && state !== 'accepted' && this.#worlds.some((world) => isClosed(world, key)),
      )
      .map((transaction) => ({
        rule: undoneRule(transaction),
        transaction,
        by: (transaction.amount ?? Money.zero).negated(),
        text: 'the bet was taken after its refund had been answered 200',
      }));
  }

  #anyTransaction(): Transaction | undefined {
    for (const transaction of this.#ledger.transactions()) return transaction;
    return undefined;
  }

  #mends(): readonly Suspect[] {
    return this.#deviations
      .filter(({ mendedBy }) => mendedBy === null)
      .flatMap(({ index, by, causes }) => {
        const transaction = causes[0]?.transaction ?? this.#anyTransaction();
        return transaction
          ? [{ rule: null, transaction, by: by.negated(), text: 'it was put right', mends: index }]
          : [];
      });
  }
}

/** Where no balance is answered for long, the last of what may have gone wrong meanwhile is enough. */
const MOST_SUSPECTS = 400;

/** So many answers of calls that were in flight together may bear a balance that holds at the end. */
const MOST_UNREAD = 100;

/** More calls that are carried out late between two answers are not told apart. */
const MOST_LANDINGS = 3;

/**
 * A call that was carried out before may be answered as it was then, whatever came after. It is not where the answers before it are known
 * and this one says another balance: then that is the balance of now.
 */
function isStored(call: ToldCall, { attempts }: Transaction): boolean {
  const earlier = attempts.filter(({ number, done }) => number < call.number && done !== 'no');
  const { balance } = call;
  if (earlier.length === 0 || balance === null) return earlier.length > 0;
  return earlier.some(
    ({ done, balance: before }) => done !== 'yes' || before === null || isSameButForRest(before, balance),
  );
}

/** The world in which a call without a known outcome was carried out after all; none: it can't be. */
function landed(world: World, { call, key, amount, origTxID }: Transaction, bets: Bets): readonly World[] {
  switch (call) {
    case 'bet':
      if (isApplied(world, key) || isClosed(world, key)) return [];
      return [applying(world, key, (amount ?? Money.zero).negated())];
    case 'win':
      return isApplied(world, key) ? [] : [applying(world, key, amount ?? Money.zero)];
    case 'refund': {
      const bet = origTxID === null ? undefined : bets.get(origTxID);
      if (!bet || isClosed(world, bet.key)) return [];
      return [closing(world, bet.key, isApplied(world, bet.key) ? (bet.amount ?? Money.zero) : Money.zero)];
    }
  }
}
