import { Money } from '../../contract/money.ts';
import type { LoadTransaction } from '../wallet.ts';
import { NOTICED_MS } from './crashes.ts';
import { type Suspicion, suspicionsOf } from './suspicions.ts';

/** Maximum number of transactions before a crash that may be lost. */
const MAX_LOST = 60;
/**
 * Maximum number of transactions that may be lost before each of two crashes. With more transactions, too many sums would be equal
 * to the difference by chance.
 */
const MAX_LOST_TWICE = 3;
/** Maximum number of effects for which croupier tries both possibilities. */
const MAX_UNSURE = 5;

/** An effect that a crash may have undone. */
interface Effect {
  readonly transaction: LoadTransaction;
  readonly suspicion: Suspicion;
  /** For a refund: the time at which its bet was sent. If the bet was lost too, the balance is right. */
  readonly betSentAt: number | undefined;
}

/**
 * Explains a difference by a crash of the operator: the transactions directly before the crash are lost together, as after a restart
 * from an older copy of the data. Without a crash, too many sums would be equal to the difference by chance.
 *
 * The copy was made at some moment before the crash. All transactions that the operator processed after this moment are lost. For
 * calls that were in flight at this moment, both are possible. A call that was accepted again after the crash is not lost.
 *
 * @param crashes the times of the possible crashes
 * @param unit the smallest amount of the currency
 * @returns the sets of lost transactions of which each explains the difference, with the smallest first
 */
export function waysLostInCrash(
  difference: Money,
  transactions: readonly LoadTransaction[],
  crashes: readonly number[],
  unit: Money,
): readonly (readonly Suspicion[])[] {
  if (crashes.length === 0) return [];
  const effects = transactions.flatMap((one) => effectOf(one, unit));
  const ways = new Map<string, readonly Suspicion[]>();
  const tried = new Set<string>();
  for (const crash of crashes) {
    const before = effects.filter(({ transaction }) => transaction.endedAt <= crash).slice(-MAX_LOST);
    const key = keyOf(before.map(({ suspicion }) => suspicion));
    if (tried.has(key)) continue;
    tried.add(key);
    for (const lost of lostSets(before)) if (sumOf(lost).equals(difference)) ways.set(keyOf(lost), lost);
  }
  return [...ways.values()].toSorted((one, other) => one.length - other.length);
}

/**
 * Explains a difference by two crashes, of which each lost a few transactions directly before it. If several sets of transactions
 * explain the difference, some of them do so by chance, and then there is no explanation.
 */
export function lostInTwoCrashes(
  difference: Money,
  transactions: readonly LoadTransaction[],
  crashes: readonly number[],
  unit: Money,
): readonly Suspicion[] | undefined {
  const effects = transactions.flatMap((one) => effectOf(one, unit));
  const setsBetween = (from: number, to: number): readonly (readonly Suspicion[])[] => {
    const between = effects.filter(({ transaction: { endedAt } }) => endedAt > from && endedAt <= to);
    const sets = [...lostSets(between.slice(-MAX_LOST_TWICE))];
    return [...new Map(sets.map((lost) => [keyOf(lost), lost])).values()];
  };
  const ways = new Map<string, readonly Suspicion[]>();
  for (const first of crashes) {
    const before = Map.groupBy(setsBetween(Number.NEGATIVE_INFINITY, first), (lost) => sumOf(lost).toString());
    for (const second of crashes.filter((at) => at > first + NOTICED_MS)) {
      for (const lost of setsBetween(first, second))
        for (const earlier of before.get(difference.minus(sumOf(lost)).toString()) ?? [])
          ways.set(keyOf([...earlier, ...lost]), [...earlier, ...lost]);
    }
  }
  const [way] = ways.values();
  return ways.size === 1 ? way : undefined;
}

/** Finds the sets of effects that a crash may have lost, for each moment at which the copy of the data may have been made. */
function* lostSets(effects: readonly Effect[]): Generator<readonly Suspicion[]> {
  for (const { transaction } of effects) {
    const copiedAt = transaction.sentAt;
    const sure: Suspicion[] = [];
    const unsure: Suspicion[] = [];
    for (const { suspicion, betSentAt, transaction: one } of effects) {
      if (one.endedAt < copiedAt || (betSentAt !== undefined && betSentAt > copiedAt)) continue;
      if (one.sentAt > copiedAt && betSentAt === undefined) sure.push(suspicion);
      else unsure.push(suspicion);
    }
    const tried = unsure.slice(-MAX_UNSURE);
    for (let mask = 0; mask < 2 ** tried.length; mask += 1) {
      const chosen = tried.filter((_, bit) => (mask >> bit) % 2 === 1);
      if (chosen.length + sure.length > 0) yield [...chosen, ...sure];
    }
  }
}

function effectOf(transaction: LoadTransaction, unit: Money): readonly Effect[] {
  const { call, state, isFree, bet } = transaction;
  if (state !== 'applied' || isFree) return [];
  const [of, kind, betSentAt] =
    call === 'refund' ? ([bet, 'refund', bet?.sentAt] as const) : ([transaction, 'lost', undefined] as const);
  const suspicion = of && suspicionsOf(of, unit).find((one) => one.kind === kind);
  return suspicion ? [{ transaction, suspicion, betSentAt }] : [];
}

function sumOf(suspicions: readonly Suspicion[]): Money {
  return suspicions.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
}

function keyOf(suspicions: readonly Suspicion[]): string {
  return suspicions
    .map(({ transaction }) => transaction.number)
    .toSorted((one, other) => one - other)
    .join(' ');
}

/** Returns the times at which calls of a wallet failed, as when the operator crashes. */
export function failuresAmong(transactions: readonly LoadTransaction[]): readonly number[] {
  return transactions.filter(hasFailed).map(({ call, sentAt, endedAt }) => (call === 'bet' ? endedAt : sentAt));
}

/** True if a call got no reply, although croupier did not close its connection, or if a win was sent again after an error. */
function hasFailed({ call, state, status, copies, isBroken, isCopiedAtOnce }: LoadTransaction): boolean {
  if (isBroken) return false;
  if (call === 'bet') return state === 'reversed' && status === undefined;
  return call === 'win' && copies > 1 && !isCopiedAtOnce;
}
