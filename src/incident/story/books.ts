import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { betOf, effectOf, type Suspect, undoneRule } from './effects.ts';
import { isSameButForRest } from './float-rest.ts';
import { met, type ToldCall } from './told-call.ts';
import { type Bets, betsOf, type Transaction, transactionsOf } from './transaction.ts';
import { applying, beginning, distinct, isApplied, isClosed, MOST_WORLDS, settle, type World } from './worlds.ts';

/** A fault that explains a balance. */
interface Cause {
  readonly rule: RuleId | null;
  readonly text: string;
  readonly transaction: Transaction;
  readonly by: Money;
}

/** A balance that no lawful booking explains. */
export interface Deviation {
  /** The call whose answer showed it. */
  readonly call: ToldCall;
  readonly said: Money;
  readonly expected: Money;
  /** By how much the answer was off; negative: too little. */
  readonly by: Money;
  /** What explains exactly this; empty: nothing does. */
  readonly causes: readonly Cause[];
  /** The call that showed that it was put right; null: it was not, as far as is known. */
  readonly mendedBy: number | null;
}

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
  const books = new Reckoning(calls);
  for (const call of calls) books.take(call);
  return books.result();
}

/** So many calls before and after one are looked at for whether they were in flight with it. */
const NEIGHBOURS = 100;

class Reckoning {
  readonly #indexOf: ReadonlyMap<ToldCall, number>;
  readonly #transactions: readonly Transaction[];
  readonly #of = new Map<ToldCall, Transaction>();
  readonly #calls: readonly ToldCall[];
  readonly #deviations: (Deviation & { readonly index: number })[] = [];
  readonly #bets: Bets;
  #worlds: readonly World[] = [beginning()];
  #suspects: Suspect[] = [];
  #isAnchored = false;
  #firstSaid: Books['firstSaid'] = null;
  #lastSaid: Books['lastSaid'] = null;
  #unknown: string | null = null;

  constructor(calls: readonly ToldCall[]) {
    this.#calls = calls;
    this.#indexOf = new Map(calls.map((call, index) => [call, index]));
    this.#transactions = transactionsOf(calls);
    this.#bets = betsOf(this.#transactions);
    for (const transaction of this.#transactions) {
      for (const attempt of transaction.attempts) this.#of.set(attempt, transaction);
    }
  }

  result(): Books {
    return {
      transactions: this.#transactions,
      worlds: this.#worlds,
      isAnchored: this.#isAnchored,
      lastSaid: this.#lastSaid,
      deviations: this.#deviations,
      unknown: this.#unknown,
      firstSaid: this.#firstSaid,
    };
  }

  take(call: ToldCall): void {
    if (this.#unknown !== null) return;
    const transaction = this.#of.get(call);
    const isRepeat = transaction?.attempts.some((other) => other.number < call.number && other.done === 'yes') ?? false;
    if (transaction) {
      const effect = effectOf({ call, transaction, isRepeat, bets: this.#bets }, this.#worlds);
      this.#worlds = effect.worlds;
      this.#suspects.push(...effect.suspects);
      this.#unknown = effect.unknown;
    }
    if (this.#worlds.length > MOST_WORLDS) {
      this.#unknown ??= 'too many calls have no known outcome for their effects to be told apart';
      return;
    }
    if (!isRepeat && this.#saysBalance(call, transaction)) {
      const others = this.#near(call).filter((other) => other !== call && other.seen.call !== 'balance');
      const meetings = new Set(others.map((other) => met(call, other)));
      if (!meetings.has('yes')) this.#read(call, meetings.has('maybe'));
    }
    this.#worlds = settle(this.#worlds);
  }

  /** The refund of a bet that may not have been taken can be answered with any balance. */
  #saysBalance(call: ToldCall, transaction: Transaction | undefined): boolean {
    if (call.balance === null || call.done !== 'yes' || call.ending === 'error-200') return false;
    return transaction?.call !== 'refund' || betOf(transaction, this.#bets)?.state === 'accepted';
  }

  /** Calls are in order of time: what was in flight together stands together. */
  #near(call: ToldCall): readonly ToldCall[] {
    const index = this.#indexOf.get(call) ?? 0;
    return this.#calls.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS);
  }

  /** @param isDoubtful others may have been in flight: where it fits it is believed, and where it doesn't it proves nothing */
  #read(call: ToldCall, isDoubtful: boolean): void {
    const said = call.balance ?? Money.zero;
    const right = this.#worlds.filter(({ balance }) => isSameButForRest(balance, said));
    if (isDoubtful && (!this.#isAnchored || right.length === 0)) return;
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

  /** A bet without a known outcome may be taken at any time until its refund is answered. */
  #landedLate(said: Money): readonly World[] | undefined {
    const open = this.#transactions.filter(
      ({ call, state }) => call === 'bet' && state !== 'accepted' && state !== 'declined',
    );
    const late = this.#worlds.flatMap((world) =>
      open
        .filter(
          ({ key, attempts }) =>
            !isApplied(world, key) &&
            !isClosed(world, key) &&
            attempts.some(({ number }) => number < (this.#lastSaid?.call.number ?? 0)),
        )
        .map(({ key, amount }) => applying(world, key, (amount ?? Money.zero).negated())),
    );
    const right = late.filter(({ balance }) => balance.equals(said));
    return right.length > 0 ? distinct(right) : undefined;
  }

  /** Takes the fewest faults that explain exactly what was said; where none do, it stays unexplained. Either way that is the balance now. */
  #deviate(call: ToldCall, said: Money): readonly World[] {
    const suspects = [...this.#lateDebits(), ...this.#suspects, ...this.#mends()];
    const pairs = suspects.flatMap((one, index) => suspects.slice(index + 1).map((other) => [one, other]));
    for (const causes of [...suspects.map((one) => [one]), ...pairs]) {
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
        causes: faults.map(({ rule, text, transaction, by: part }) => ({ rule, text, transaction, by: part })),
        mendedBy: null,
      });
    }
    return [{ ...world, balance: said }];
  }

  /** A bet that is taken after its refund was answered. */
  #lateDebits(): readonly Suspect[] {
    return this.#transactions
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

  #mends(): readonly Suspect[] {
    return this.#deviations
      .filter(({ mendedBy }) => mendedBy === null)
      .flatMap(({ index, by, causes }) => {
        const transaction = causes[0]?.transaction ?? this.#transactions[0];
        return transaction
          ? [{ rule: null, transaction, by: by.negated(), text: 'it was put right', mends: index }]
          : [];
      });
  }
}
