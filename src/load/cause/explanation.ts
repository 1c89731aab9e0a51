import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { LoadTransaction } from '../wallet.ts';
import { failuresAmong, lostInTwoCrashes, waysLostInCrash } from './lost-in-crash.ts';
import { halfOf, type Suspicion, suspicionsOf } from './suspicions.ts';

/** The explanation of a wrong balance. */
export interface Explanation {
  readonly rule: RuleId;
  /**
   * The transactions that together explain the difference. If several single transactions explain the difference, each of them is
   * in the list, and the likely ones come first. Empty if no transactions explain it.
   */
  readonly suspicions: readonly Suspicion[];
  /** True if there are several explanations. */
  readonly isOneOfSeveral: boolean;
  /** Transactions that fit the difference, but perhaps by chance. Only if `suspicions` is empty. */
  readonly possible?: readonly Suspicion[];
}

/** The transactions that may explain a wrong balance. */
export interface Evidence {
  /** The transactions after the last reply that showed the right balance. Also earlier transactions that may have a late effect. */
  readonly suspects: readonly LoadTransaction[];
  /** All transactions since the last quiet point, with the refunded bets before it. */
  readonly window: readonly LoadTransaction[];
  /** The transactions between the last two quiet points. The balance was right after them, but may have changed late. */
  readonly earlier: readonly LoadTransaction[];
  /** Refunded bets of older windows. A faulty operator may still take their money, for example after a timeout. */
  readonly olderRefunded: readonly LoadTransaction[];
  /** Transactions before the last quiet point that were sent again after it. */
  readonly repeated: readonly LoadTransaction[];
  /** Transactions of other wallets at the same time, whose amount may have been booked instead. */
  readonly others: readonly LoadTransaction[];
  /** Transactions of this wallet before `earlier`, as far as they are known. A crash may lose them too. */
  readonly older: readonly LoadTransaction[];
  /** The times since the last quiet point at which the operator may have crashed. */
  readonly crashes: readonly number[];
  /** The smallest amount of the currency. */
  readonly unit: Money;
}

/** Maximum number of suspects from which explanations are formed. If there are more suspects, only the latest ones are used. */
const MAX_SEARCHED = 40;

/**
 * Explains the difference between the balance that a wallet shows and the balance that the answers give.
 *
 * The amounts of one window differ, so usually a single transaction explains the difference. Single transactions are tried before
 * pairs, and pairs before triples. For a difference of a few smallest units, rounding is tried before pairs, because the amounts
 * of two transactions may differ as little by chance. Two restrictions prevent wrong explanations. Without them, the sum of some
 * transactions would nearly always be equal to the difference, even if somebody else caused the difference:
 *
 * - If a reply was still right after a transaction, this transaction is tried only alone.
 * - A pair or a triple must look like one fault.
 *
 * After a crash, the operator may have lost any number of transactions directly before the crash. If such transactions explain the
 * difference, pairs and triples are not tried. If nothing explains the difference, a few transactions before each of two crashes are
 * tried.
 */
export function explain(difference: Money, evidence: Evidence): Explanation {
  const { earlier, window, older, crashes, unit } = evidence;
  const all = [...older, ...earlier, ...window];
  const lost = waysLostInCrash(difference, all, crashes, unit);
  if (lost.length > 0) return afterCrash(lost, difference, evidence);
  const explanation = orLostInTwoCrashes(search(difference, evidence), difference, all, evidence);
  const { suspicions, isOneOfSeveral } = explanation;
  const isJoint = suspicions.length > 1 && suspicions.every(({ delta }) => !delta.equals(difference));
  return isOneOfSeveral && isJoint ? { ...explanation, suspicions: withCompanions(suspicions) } : explanation;
}

/**
 * Returns the explanation if there is one. Otherwise, transactions that two crashes have lost may explain the difference. A single
 * fault is more likely than a loss in each of two crashes, so this is never certain.
 */
function orLostInTwoCrashes(
  explanation: Explanation,
  difference: Money,
  all: readonly LoadTransaction[],
  { crashes, unit }: Evidence,
): Explanation {
  if (explanation.suspicions.length > 0) return explanation;
  const lost = lostInTwoCrashes(difference, all, crashes, unit);
  return lost ? { ...found([lost]), isOneOfSeveral: true } : explanation;
}

/** Adds to each suspicion that it explains the difference only together with the others. */
function withCompanions(suspicions: readonly Suspicion[]): readonly Suspicion[] {
  if (suspicions.length === 1) return suspicions;
  return suspicions.map((one) => {
    const others = suspicions.filter((other) => other !== one).map(({ transaction }) => transaction.txID);
    return { ...one, what: `${one.what}, together with ${others.join(' and ')}` };
  });
}

/**
 * Explains a difference by transactions that a crash has lost. A single transaction with another fault and rounded amounts stay
 * possible after a crash, so they are named too.
 *
 * @param lost the sets of transactions of which each explains the difference
 */
function afterCrash(lost: readonly (readonly Suspicion[])[], difference: Money, evidence: Evidence): Explanation {
  const { suspects, unit } = evidence;
  const other =
    singly(difference, evidence, indexed(suspicionsAmong(evidence))) ??
    (isFewUnits(difference, unit) ? roundedOff(difference, suspects, unit) : undefined);
  const isLostAlone = ({ transaction, kind }: Suspicion): boolean =>
    lost.some(([first, ...more]) => more.length === 0 && first?.transaction === transaction && first.kind === kind);
  const rest = (other?.suspicions ?? []).filter((one) => !isLostAlone(one));
  const ways = [...lost, ...rest.map((one) => [one])];
  if (ways.length === 1) return found(ways);
  // A transaction may belong to several explanations. It is named with the first of them.
  const named = new Map<LoadTransaction, Suspicion>();
  for (const one of ways.flatMap(withCompanions)) if (!named.has(one.transaction)) named.set(one.transaction, one);
  const suspicions = [...named.values()];
  return { rule: suspicions[0]?.rule ?? 'money.conservation', suspicions, isOneOfSeveral: true };
}

function search(difference: Money, evidence: Evidence): Explanation {
  const { suspects, window, earlier, others, unit } = evidence;
  const all = suspicionsAmong(evidence);
  const byDelta = indexed(all);
  const single = singly(difference, evidence, byDelta);
  if (single) return single;
  const pairs = pairsFor(difference, all, byDelta, areOneFault);
  const swapped = swappedWith(difference, suspects, others);
  const pair = pairs.length > 0 ? found(pairs) : undefined;
  const joint =
    pair && swapped.length > 0 ? orSwapped({ ...pair, suspicions: withCompanions(pair.suspicions) }, swapped) : pair;
  const isPairPossible = joint !== undefined || pairsFor(difference, all, byDelta, isSameKind).length > 0;
  const inexact = roundedOff(difference, suspects, unit) ?? roundedAmounts(difference, suspects, unit);
  const rounded = roundedAlone(difference, suspects, unit);
  if (inexact && (!joint || isFewUnits(difference, unit))) {
    const isAlonePossible = inexact.suspicions.length > 1 && rounded.length > 0;
    return { ...inexact, isOneOfSeveral: inexact.isOneOfSeveral || isPairPossible || isAlonePossible };
  }
  const before = [...earlier, ...window];
  const lost = waysLostInCrash(difference, before, failuresAmong(before), unit);
  if (lost.length > 0) return found(lost);
  if (joint) return { ...joint, isOneOfSeveral: joint.isOneOfSeveral || inexact !== undefined };
  const scaled = suspects.flatMap(scaledBy100).filter(({ delta }) => delta.equals(difference));
  if (scaled.length > 0) return oneOf(scaled);
  if (rounded.length > 0) return orSwapped(oneOf(rounded), swapped);
  if (swapped.length > 0) {
    const explanation = oneOf(swapped);
    return { ...explanation, isOneOfSeveral: explanation.isOneOfSeveral || isPairPossible };
  }
  for (const [at, first] of all.entries()) {
    const rest = all.slice(at + 1).filter((one) => one.transaction !== first.transaction && areOneFault(first, one));
    const [pair] = pairsFor(difference.minus(first.delta), rest, indexed(rest), areOneFault);
    if (pair) return { ...found([[first, ...pair]]), isOneOfSeveral: true };
  }
  const apart = faultsApart(difference, all, byDelta);
  return apart.length > 0 ? { ...UNEXPLAINED, possible: apart } : UNEXPLAINED;
}

/** Maximum number of pairs that are named as possible. More pairs would say too little. */
const MAX_APART = 2;

/**
 * Finds two transactions that the operator lost, or booked twice, at different moments. The sum of such a pair is often equal to a difference
 * that has another cause, so a pair is only a possibility.
 */
function faultsApart(
  difference: Money,
  all: readonly Suspicion[],
  byDelta: ReadonlyMap<string, readonly Suspicion[]>,
): readonly Suspicion[] {
  const mayBelong = (one: Suspicion, other: Suspicion): boolean =>
    isSameKind(one, other) && (one.kind === 'lost' || one.kind === 'doubled');
  const pairs = pairsFor(difference, all, byDelta, mayBelong);
  return pairs.length > MAX_APART ? [] : pairs.flatMap(withCompanions);
}

/** Adds that a transaction may have moved the amount of another player's transaction instead. */
function orSwapped(explanation: Explanation, swapped: readonly Suspicion[]): Explanation {
  if (swapped.length === 0) return explanation;
  return { ...explanation, suspicions: [...explanation.suspicions, ...swapped], isOneOfSeveral: true };
}

/** Returns the suspicions from which explanations are formed. */
function suspicionsAmong({ suspects, repeated, unit }: Evidence): readonly Suspicion[] {
  const again = repeated.flatMap((one) => suspicionsOf(one, unit)).filter(({ kind }) => kind === 'doubled');
  return [...suspects.slice(-MAX_SEARCHED).flatMap((one) => suspicionsOf(one, unit)), ...again];
}

/** Explains a difference by one transaction, or by several of which each alone explains it. */
function singly(
  difference: Money,
  { window, earlier, olderRefunded, unit }: Evidence,
  byDelta: ReadonlyMap<string, readonly Suspicion[]>,
): Explanation | undefined {
  const taken = olderRefunded.flatMap((one) => suspicionsOf(one, unit)).filter(({ kind }) => kind === 'refund');
  const single = [...(byDelta.get(difference.toString()) ?? []), ...(indexed(taken).get(difference.toString()) ?? [])];
  if (single.length > 0) return oneOf(single);
  const confirmed = indexed(window.flatMap((one) => suspicionsOf(one, unit))).get(difference.toString());
  if (confirmed) return oneOf(confirmed);
  const late = indexed(earlier.flatMap((one) => suspicionsOf(one, unit))).get(difference.toString());
  if (late) return oneOf(late.map(({ what, ...one }) => ({ ...one, what: `${what}${LATE}` })));
  const mistaken = otherRefunds(difference, window);
  if (mistaken.length > 0) return oneOf(mistaken);
  return undefined;
}

const LATE = '. The balance was right at first, and changed later';

const UNEXPLAINED: Explanation = { rule: 'money.conservation', suspicions: [], isOneOfSeveral: false };

function indexed(all: readonly Suspicion[]): ReadonlyMap<string, readonly Suspicion[]> {
  return Map.groupBy(all, ({ delta }) => delta.toString());
}

/**
 * True if one fault of the operator may have caused both suspicions. They must be of the same kind. If the calls were sent only
 * once, they must also have been processed at the same moment to be lost or doubled together.
 */
function areOneFault(one: Suspicion, other: Suspicion): boolean {
  if (!isSameKind(one, other)) return false;
  const isSentOnce = one.transaction.copies === 1 || other.transaction.copies === 1;
  const isPlain = isSentOnce && (one.kind === 'lost' || one.kind === 'doubled');
  return !isPlain || isAtTheSameTime(one.transaction, other.transaction);
}

function isSameKind(one: Suspicion, other: Suspicion): boolean {
  return one.kind === other.kind;
}

/** Up to this number of smallest units, rounding is more likely than two faults whose amounts nearly cancel each other. */
const FEW_UNITS = Money.of('3');

function isFewUnits(difference: Money, unit: Money): boolean {
  return difference.absolute().compare(unit.times(FEW_UNITS)) <= 0;
}

/** Returns the bets and wins that moved money. */
function movingAmong(suspects: readonly LoadTransaction[]): readonly LoadTransaction[] {
  return suspects.filter(({ amount, call, state }) => call !== 'refund' && state === 'applied' && !amount.isZero());
}

/** Returns the bets that were refunded. Such a bet and its refund may have moved different amounts. */
function reversedAmong(suspects: readonly LoadTransaction[]): readonly LoadTransaction[] {
  return suspects.filter(({ amount, call, state }) => call === 'bet' && state === 'reversed' && !amount.isZero());
}

/**
 * Explains a difference by rounded amounts: the operator books every amount with fewer decimals than the currency has. The sum of
 * what is cut off must be the difference. Rounding to whole amounts is not tried, because without their decimals most amounts of
 * a window are equal, so that two lost transactions would look the same.
 */
function roundedAmounts(difference: Money, suspects: readonly LoadTransaction[], unit: Money): Explanation | undefined {
  const moving = movingAmong(suspects);
  for (let decimals = unit.decimals() - 1; decimals > 0; decimals -= 1) {
    for (const rounded of ROUNDINGS) {
      const suspicions = moving.flatMap((transaction) => roundedBy(transaction, rounded, decimals));
      const sum = suspicions.reduce((total, { delta }) => total.plus(delta), Money.zero);
      if (suspicions.length > 0 && sum.equals(difference)) return found([suspicions]);
    }
  }
  return undefined;
}

/** Maximum number of transactions of which one may have been rounded. With more of them, one would often fit by chance. */
const MAX_ROUNDED_ALONE = 12;

/**
 * Explains a difference by a single transaction that was rounded, also to a whole amount. A reply with a wrong balance is followed by a
 * quiet point at once, so there are only a few suspects.
 */
function roundedAlone(difference: Money, suspects: readonly LoadTransaction[], unit: Money): readonly Suspicion[] {
  const moving = movingAmong(suspects);
  if (moving.length > MAX_ROUNDED_ALONE) return [];
  return moving.flatMap((transaction) => {
    for (let decimals = unit.decimals() - 1; decimals >= 0; decimals -= 1) {
      const ways = ROUNDINGS.flatMap((rounded) => roundedBy(transaction, rounded, decimals));
      const way = ways.find(({ delta }) => delta.equals(difference));
      if (way) return [way];
    }
    return [];
  });
}

/** Returns the suspicion that an amount was rounded, unless it has no more decimals anyway. */
function roundedBy(transaction: LoadTransaction, rounded: Rounding, decimals: number): readonly Suspicion[] {
  const booked = rounded(transaction.amount, decimals);
  const more = booked.minus(transaction.amount);
  if (more.isZero()) return [];
  const delta = transaction.call === 'win' ? more : more.negated();
  const what = `was booked with ${booked.format(decimals)}`;
  return [{ transaction, rule: 'money.exact', what, delta, kind: 'other' }];
}

/** Rounds an amount, which is not negative, to a number of decimals. */
type Rounding = (amount: Money, decimals: number) => Money;

/** The usual ways to round an amount: down, half up, and half to even. */
const ROUNDINGS: readonly Rounding[] = [
  (amount, decimals) => amount.truncated(decimals),
  (amount, decimals) => amount.plus(halfOf(Money.unit(decimals))).truncated(decimals),
  (amount, decimals) => {
    const unit = Money.unit(decimals);
    const up = amount.plus(halfOf(unit)).truncated(decimals);
    const isHalf = up.minus(amount).equals(halfOf(unit));
    return isHalf && !up.isMultipleOf(unit.plus(unit)) ? up.minus(unit) : up;
  },
];

/**
 * Explains a difference of only a few smallest units: the operator may compute with binary fractions, whose sums are not exact.
 */
function roundedOff(difference: Money, suspects: readonly LoadTransaction[], unit: Money): Explanation | undefined {
  const moving = [...movingAmong(suspects), ...reversedAmong(suspects)];
  const most = unit.times(Money.of(String(moving.length)));
  if (moving.length === 0 || difference.absolute().compare(most) > 0) return undefined;
  const what = `was booked with a rounded amount, or the sum was rounded`;
  const suspicions = moving.map(
    (transaction): Suspicion => ({ transaction, rule: 'money.exact', what, delta: difference, kind: 'other' }),
  );
  return { rule: 'money.exact', suspicions, isOneOfSeveral: moving.length > 1 };
}

const NINETY_NINE = Money.of('99');
const NINETY_NINE_PERCENT = Money.of('0.99');

/**
 * Returns two suspicions about a transaction, each with the difference that it would make to the balance: the operator booked
 * 100 times the amount, or a hundredth of the amount.
 */
function scaledBy100(transaction: LoadTransaction): readonly Suspicion[] {
  const { call, amount, state } = transaction;
  if (call === 'refund' || state !== 'applied') return [];
  const up = call === 'win' ? amount : amount.negated();
  const of = (what: string, delta: Money): Suspicion => ({
    transaction,
    rule: 'money.main-unit',
    what,
    delta,
    kind: 'other',
  });
  return [
    of('was booked with 100 times its amount', up.times(NINETY_NINE)),
    of('was booked with a hundredth of its amount', up.negated().times(NINETY_NINE_PERCENT)),
  ];
}

function found(ways: readonly (readonly Suspicion[])[]): Explanation {
  const [suspicions = []] = ways;
  return { rule: suspicions[0]?.rule ?? 'money.conservation', suspicions, isOneOfSeveral: ways.length > 1 };
}

/** Returns the explanation by any one of several suspicions. Each of them alone explains the difference. */
function oneOf(single: readonly Suspicion[]): Explanation {
  // A refund that was sent twice is a suspicion of its own. Then its bet is not named too.
  const refunded = new Set(single.map(({ transaction }) => transaction.bet));
  const suspicions = single
    .filter(({ kind, transaction }) => kind !== 'unknown' || !refunded.has(transaction))
    .toSorted((one, other) => unlikelihoodOf(one) - unlikelihoodOf(other));
  return { rule: suspicions[0]?.rule ?? 'money.conservation', suspicions, isOneOfSeveral: suspicions.length > 1 };
}

/** A call that was sent several times is processed twice more easily than a call that was sent once. */
function unlikelihoodOf({ kind, transaction }: Suspicion): number {
  if (kind !== 'doubled') return 1;
  return transaction.copies > 1 ? 0 : 2;
}

/** Finds refunds that paid the amount of another bet of the same round. */
function otherRefunds(difference: Money, window: readonly LoadTransaction[]): readonly Suspicion[] {
  const bets = window.filter(({ call }) => call === 'bet');
  return bets.flatMap((transaction): Suspicion[] => {
    const { state, roundID, amount } = transaction;
    if (state !== 'reversed') return [];
    const paid = amount.plus(difference);
    const other = bets.find((one) => one !== transaction && one.roundID === roundID && one.amount.equals(paid));
    if (!other) return [];
    const what = `was refunded with ${other.amountText}, the amount of the bet ${other.txID} of the same round`;
    return [{ transaction, rule: 'refund.one-of-many', what, delta: difference, kind: 'other' }];
  });
}

function pairsFor(
  difference: Money,
  all: readonly Suspicion[],
  byDelta: ReadonlyMap<string, readonly Suspicion[]>,
  mayBelong: (one: Suspicion, other: Suspicion) => boolean,
): readonly (readonly Suspicion[])[] {
  const pairs: (readonly Suspicion[])[] = [];
  for (const first of all) {
    for (const second of byDelta.get(difference.minus(first.delta).toString()) ?? []) {
      const isLater = second.transaction.number > first.transaction.number;
      if (isLater && mayBelong(first, second)) pairs.push([first, second]);
    }
  }
  return pairs;
}

/** Finds transactions that were booked with a wrong amount: the amount that a transaction of another wallet had at the same time. */
function swappedWith(
  difference: Money,
  window: readonly LoadTransaction[],
  others: readonly LoadTransaction[],
): readonly Suspicion[] {
  return window.flatMap((transaction): Suspicion[] => {
    if (transaction.state !== 'applied' || transaction.call === 'refund') return [];
    // `difference` is the actual balance minus the expected balance. It is negative if the operator booked a bet with a higher
    // amount, and positive if the operator booked a win with a higher amount.
    const booked =
      transaction.call === 'bet' ? transaction.amount.minus(difference) : transaction.amount.plus(difference);
    const other = others.find((one) => isAtTheSameTime(one, transaction) && one.amount.equals(booked));
    if (!other) return [];
    const what = `moved ${booked}, the amount of another player's ${other.call} ${other.txID} at the same moment`;
    return [{ transaction, rule: 'concurrency.no-lost-update', what, delta: difference, kind: 'swapped' }];
  });
}

/**
 * If less than this time, in milliseconds, lies between the end of one call and the start of another, both calls may still have
 * been processed at the same moment.
 */
const NEAR_MS = 20;

function isAtTheSameTime(one: LoadTransaction, other: LoadTransaction): boolean {
  return one.sentAt - NEAR_MS < other.endedAt && other.sentAt - NEAR_MS < one.endedAt;
}
