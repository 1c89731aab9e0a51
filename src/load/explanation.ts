import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { LoadTransaction } from './wallet.ts';

/** One way in which the operator may have treated a transaction wrongly. */
export interface Suspicion {
  readonly transaction: LoadTransaction;
  readonly rule: RuleId;
  /** The fault, as a clause that follows the name of the transaction. */
  readonly what: string;
  /** The difference of the balance that it predicts. */
  readonly delta: Money;
}

/** The explanation of a wrong balance. */
export interface Explanation {
  readonly rule: RuleId;
  /** The transactions that together predict the difference. Empty if none do. */
  readonly suspicions: readonly Suspicion[];
  /** True if other transactions explain the difference as well. */
  readonly isOneOfSeveral: boolean;
}

/** Maximum number of transactions that are searched for pairs and triples. */
const MAX_SEARCHED = 200;

/**
 * Explains the difference between the balance that a wallet shows and the balance that the answers give.
 *
 * The amounts of one window differ, so mostly one transaction alone predicts the difference. Fewer transactions are the cheaper
 * explanation: single ones come before pairs, and pairs before triples.
 *
 * @param window the transactions of the wallet since its balance was last right
 * @param others transactions of other wallets at the same time, whose amount may have been booked instead
 */
export function explain(
  difference: Money,
  window: readonly LoadTransaction[],
  others: readonly LoadTransaction[],
): Explanation {
  const all = window.slice(-MAX_SEARCHED).flatMap(suspicionsOf);
  const byDelta = new Map<string, Suspicion[]>();
  for (const one of all) {
    const key = one.delta.toString();
    byDelta.set(key, [...(byDelta.get(key) ?? []), one]);
  }
  const singles = byDelta.get(difference.toString()) ?? [];
  if (singles.length > 0) return found(singles.map((one) => [one]));
  const swapped = swappedWith(difference, window, others);
  const pairs = pairsFor(difference, all, byDelta);
  if (pairs.length > 0 && (pairs.length === 1 || swapped.length === 0)) return found(pairs);
  if (swapped.length > 0) return found(swapped.map((one) => [one]));
  for (const [at, first] of all.entries()) {
    const rest = all.slice(at + 1).filter(({ transaction }) => transaction !== first.transaction);
    const [pair] = pairsFor(difference.minus(first.delta), rest, byDelta);
    if (pair && !pair.some(({ transaction }) => transaction === first.transaction))
      return { ...found([[first, ...pair]]), isOneOfSeveral: true };
  }
  return { rule: 'money.conservation', suspicions: [], isOneOfSeveral: false };
}

function found(ways: readonly (readonly Suspicion[])[]): Explanation {
  const [suspicions = []] = ways;
  return { rule: suspicions[0]?.rule ?? 'money.conservation', suspicions, isOneOfSeveral: ways.length > 1 };
}

function pairsFor(
  difference: Money,
  all: readonly Suspicion[],
  byDelta: ReadonlyMap<string, readonly Suspicion[]>,
): readonly (readonly Suspicion[])[] {
  const pairs: (readonly Suspicion[])[] = [];
  for (const first of all) {
    for (const second of byDelta.get(difference.minus(first.delta).toString()) ?? []) {
      if (second.transaction.number > first.transaction.number && all.includes(second)) pairs.push([first, second]);
    }
  }
  return pairs;
}

/** Returns every wrong treatment of a transaction that a balance could show. */
function suspicionsOf(transaction: LoadTransaction): readonly Suspicion[] {
  const { call, amount, state, copies, isCopiedAtOnce, isOverlapped, isBroken, status } = transaction;
  if (amount.isZero()) return [];
  const down = amount.negated();
  const of = (rule: RuleId, what: string, delta: Money): Suspicion => ({ transaction, rule, what, delta });
  const again: RuleId = isCopiedAtOnce ? 'idempotency.concurrent' : `idempotency.${call}`;
  switch (call) {
    case 'bet':
      switch (state) {
        case 'applied':
          return [
            of(isOverlapped ? 'concurrency.no-lost-update' : 'bet.debit', 'was answered 200, but took nothing', amount),
            of(copies > 1 ? again : isOverlapped ? 'concurrency.no-lost-update' : 'bet.debit', 'was taken twice', down),
          ];
        case 'reversed':
          return [
            of(
              isBroken || status === undefined ? 'refund.broken-connection' : 'refund.after-error',
              'was refunded with 200, but its money is missing',
              down,
            ),
            of('refund.unknown-pays-nothing', 'took nothing, but its refund paid the amount', amount),
          ];
        case 'none':
        case 'refused':
          return [of('bet.declined-takes-nothing', `was answered ${status ?? 'nothing'}, but took its amount`, down)];
        case 'sent':
        case 'unknown':
          return [];
      }
      return [];
    case 'win':
      return [
        of(
          isBroken || copies > 1 ? 'win.retried' : isOverlapped ? 'concurrency.no-lost-update' : 'win.credit',
          'was answered 200, but was not credited',
          down,
        ),
        of(
          copies > 1 ? again : isOverlapped ? 'concurrency.no-lost-update' : 'win.credit',
          'was credited twice',
          amount,
        ),
      ];
    case 'refund':
      return [];
  }
}

/** Finds transactions that moved the amount of another wallet's transaction at the same time. */
function swappedWith(
  difference: Money,
  window: readonly LoadTransaction[],
  others: readonly LoadTransaction[],
): readonly Suspicion[] {
  return window.flatMap((transaction): Suspicion[] => {
    if (transaction.state !== 'applied' || transaction.call === 'refund') return [];
    // The difference is how much more the balance moved than it should.
    const booked =
      transaction.call === 'bet' ? transaction.amount.minus(difference) : transaction.amount.plus(difference);
    const other = others.find((one) => isAtTheSameTime(one, transaction) && one.amount.equals(booked));
    if (!other) return [];
    const what = `moved ${booked}, the amount of another player's ${other.call} ${other.txID} at the same moment`;
    return [{ transaction, rule: 'concurrency.no-lost-update', what, delta: difference }];
  });
}

/** Time in milliseconds by which two calls may miss each other and still count as simultaneous at the operator. */
const NEAR_MS = 20;

function isAtTheSameTime(one: LoadTransaction, other: LoadTransaction): boolean {
  return one.sentAt - NEAR_MS < other.endedAt && other.sentAt - NEAR_MS < one.endedAt;
}
