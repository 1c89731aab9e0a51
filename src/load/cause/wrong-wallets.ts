import type { Money } from '../../contract/money.ts';
import type { MoneyProblem, TracedSuspicion } from '../money-problem.ts';
import { type FaultKind, MISSING } from './suspicions.ts';

/** Maximum number of wrong balances that are compared with all others. */
export const MAX_COMPARED = 1000;
/** Maximum number of wrong balances at the same time among which the partners of one wrong balance are searched. */
const MAX_PARTNERS = 8;
/** Maximum number of transactions between one wallet and other wallets in one window. */
const MAX_TOGETHER = 3;

/** The money of transactions that the operator booked in the wallet of another player. */
interface Misbooking {
  /** The wrong balance of the player who owns the transactions. */
  readonly own: MoneyProblem;
  /** The wrong balance of the other player. */
  readonly other: MoneyProblem;
  /** Transactions of which each alone has the amount of the wrong balance. Mostly there is only one. */
  readonly missing: readonly TracedSuspicion[];
}

/**
 * Finds money that the operator booked in the wallet of another player (`session.isolated`). Then two wallets are wrong by
 * opposite amounts. One wallet alone does not show this fault: its own transaction is only missing, and the other wallet changed
 * for a reason that none of its own transactions explains.
 *
 * Two wallets that are wrong at the same time by opposite amounts, and a transaction with exactly this amount, are a proof. Somebody
 * else would have to take from one player what he gives to another one, while croupier plays both. And of all amounts up to some
 * stakes, he would have to choose one of the few dozens that the player just used.
 *
 * @returns all problems, with a new explanation for those that belong together
 */
export function withWrongWallets(problems: readonly MoneyProblem[]): readonly MoneyProblem[] {
  const explained = new Map<MoneyProblem, MoneyProblem>();
  const byChange = Map.groupBy(problems, (one) => changeOf(one, false));
  const oppositesOf = (own: MoneyProblem): readonly MoneyProblem[] =>
    (byChange.get(changeOf(own, true)) ?? []).filter(
      (other) => !explained.has(other) && arePossiblePartners(own, other),
    );
  for (const own of problems) {
    const missing = missingAlone(own);
    if (explained.has(own) || missing.length === 0) continue;
    const other = oppositesOf(own).find(isOfAnotherPlayer);
    if (other) for (const [one, misbooked] of explanationsOf([{ own, other, missing }])) explained.set(one, misbooked);
  }
  const compared = problems.slice(0, MAX_COMPARED);
  for (const centre of compared) {
    if (explained.has(centre) || !isWithoutOwnReason(centre)) continue;
    const others = compared.filter((one) => !explained.has(one));
    for (const [one, misbooked] of explanationsOf(misbookingsWith(centre, others))) explained.set(one, misbooked);
  }
  for (const own of problems) {
    if (!isUnexplained(own) || explained.has(own)) continue;
    const other = oppositesOf(own).find(isUnexplained);
    if (!other) continue;
    // No transaction has this amount. A transfer by somebody else looks the same, so this proves no fault of the operator.
    explained.set(own, { ...own, otherPlayer: other.player });
    explained.set(other, { ...other, otherPlayer: own.player });
  }
  for (const [one, possible] of possibleExchanges(problems, explained, oppositesOf)) explained.set(one, possible);
  return problems.map((one) => explained.get(one) ?? one);
}

/**
 * Finds several transactions that the operator booked in wrong wallets while one wallet had no quiet point. Their sum explains the
 * balance of this wallet. Each of them alone explains the balance of one other wallet. So the wallets are wrong by 0 together.
 *
 * @returns the only way in which other wrong balances explain this one. Empty if there is none, or if there are several
 */
function misbookingsWith(centre: MoneyProblem, others: readonly MoneyProblem[]): readonly Misbooking[] {
  const partners = others.flatMap((one) => misbookingBetween(centre, one));
  if (partners.length > MAX_PARTNERS) return [];
  const ways = subsetsOf(partners).filter((some) =>
    some
      .reduce((sum, { own, other }) => sum.plus(differenceOf(own === centre ? other : own)), differenceOf(centre))
      .isZero(),
  );
  const [way] = ways;
  return way && ways.length === 1 ? way : [];
}

/** Returns the transaction between two wallets that alone explains the wrong balance of `partner`, as a list. */
function misbookingBetween(centre: MoneyProblem, partner: MoneyProblem): readonly Misbooking[] {
  if (!arePossiblePartners(centre, partner)) return [];
  const ofPartner = missingAlone(partner);
  if (ofPartner.length > 0) return [{ own: partner, other: centre, missing: ofPartner }];
  if (!isOfAnotherPlayer(partner)) return [];
  const amount = differenceOf(partner).negated();
  const ofCentre = centre.missing.filter(({ delta }) => delta.equals(amount));
  return ofCentre.length === 0 ? [] : [{ own: centre, other: partner, missing: ofCentre }];
}

/** Returns each choice of two items or more, up to `MAX_TOGETHER` items. */
function subsetsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  let subsets: readonly (readonly Item[])[] = [[]];
  for (const item of items) {
    const more = subsets.filter(({ length }) => length < MAX_TOGETHER).map((subset) => [...subset, item]);
    subsets = [...subsets, ...more];
  }
  return subsets.filter(({ length }) => length > 1);
}

/** Returns the wrong balances with an explanation by transactions that were booked in wrong wallets. */
function explanationsOf(misbookings: readonly Misbooking[]): ReadonlyMap<MoneyProblem, MoneyProblem> {
  const explained = new Map<MoneyProblem, MoneyProblem>();
  const add = (problem: MoneyProblem, partner: MoneyProblem, suspicions: readonly TracedSuspicion[]): void => {
    const before = explained.get(problem);
    const { otherPlayer: _player, possible: _possible, ...rest } = problem;
    explained.set(problem, {
      ...rest,
      rule: 'session.isolated',
      isDrift: false,
      isOneOfSeveral: suspicions.length > 1 || before?.isOneOfSeveral === true,
      // With several other players, the transactions name them.
      ...(before === undefined && { otherPlayer: partner.player }),
      suspicions: [...(before?.suspicions ?? []), ...suspicions],
    });
  };
  for (const { own, other, missing } of misbookings) {
    add(
      own,
      other,
      missing.map((one) => inOther(one, other.player)),
    );
    add(
      other,
      own,
      missing.map((one) => inThis(one, own.player)),
    );
  }
  return explained;
}

/**
 * Adds a second explanation to wrong balances that are opposite, although each of them has an explanation of its own: the money of a
 * transaction may be in the wallet of the other player. If an operator loses many transactions, two of them are sometimes opposite by
 * chance. So nothing is added if more than half of the lost transactions have no opposite.
 */
function possibleExchanges(
  problems: readonly MoneyProblem[],
  explained: ReadonlyMap<MoneyProblem, MoneyProblem>,
  oppositesOf: (own: MoneyProblem) => readonly MoneyProblem[],
): ReadonlyMap<MoneyProblem, MoneyProblem> {
  const rest = problems.filter((one) => !explained.has(one));
  const opposites = new Map<MoneyProblem, MoneyProblem>();
  for (const own of rest) {
    const other =
      missingAlone(own).length > 0 && !opposites.has(own) && oppositesOf(own).find((one) => !opposites.has(one));
    if (!other) continue;
    opposites.set(own, other);
    opposites.set(other, own);
  }
  const isolated = [...explained.values()].filter(({ rule }) => rule === 'session.isolated').length;
  const alone = rest.filter((one) => missingAlone(one).length > 0 && !opposites.has(one)).length;
  const possible = new Map<MoneyProblem, MoneyProblem>();
  if (isolated + opposites.size <= alone) return possible;
  for (const [own, other] of opposites) {
    const more = missingAlone(other).map((one) => inThis(one, other.player));
    if (more.length > 0) possible.set(own, { ...own, suspicions: [...own.suspicions, ...more], isOneOfSeveral: true });
  }
  return possible;
}

/** The words for a transaction whose money is in the wallet of another player. */
const WHAT_IN_OTHER: Partial<Record<FaultKind, string>> = {
  refund: 'was refunded in the wallet of',
  unknown: 'was refunded in this wallet, but was taken from the wallet of',
};
const WHAT_IN_THIS: Partial<Record<FaultKind, string>> = {
  refund: 'was refunded in this wallet',
  unknown: 'was taken from this wallet',
};

/** Words a suspicion for the player of the transaction. */
function inOther(one: TracedSuspicion, player: string): TracedSuspicion {
  const what = WHAT_IN_OTHER[one.kind] ?? 'was booked in the wallet of';
  return { ...one, rule: 'session.isolated', what: `${what} ${player}` };
}

/** Words a suspicion for the player in whose wallet the money is. `player` is the player of the transaction. */
function inThis(one: TracedSuspicion, player: string): TracedSuspicion {
  const what = WHAT_IN_THIS[one.kind] ?? 'was booked in this wallet';
  return {
    ...one,
    rule: 'session.isolated',
    what: `${what}, but belongs to ${player}`,
    delta: one.delta.negated(),
  };
}

/** Returns the currency and the amount by which a balance is wrong, or the opposite amount, as a key. */
function changeOf(problem: MoneyProblem, isOpposite: boolean): string {
  const difference = differenceOf(problem);
  return `${problem.currency ?? ''} ${isOpposite ? difference.negated() : difference}`;
}

function differenceOf({ shown, expected }: MoneyProblem): Money {
  return shown.minus(expected);
}

/**
 * True if both wallets may have become wrong at the same moment. A crash makes many balances wrong, so that two of them may be
 * opposite by chance.
 */
function arePossiblePartners(one: MoneyProblem, other: MoneyProblem): boolean {
  if (one.player === other.player || one.currency !== other.currency) return false;
  return !one.isAfterCrash && !other.isAfterCrash && one.sinceMs <= other.atMs && other.sinceMs <= one.atMs;
}

/** Returns the transactions of which each alone explains a wrong balance, because its money is missing. */
function missingAlone(problem: MoneyProblem): readonly TracedSuspicion[] {
  return problem.suspicions.filter((one) => MISSING.has(one.kind) && isAlone(one, problem));
}

/** True if the suspicion explains the whole difference, without another transaction. */
function isAlone({ delta }: TracedSuspicion, problem: MoneyProblem): boolean {
  return delta.equals(differenceOf(problem));
}

function isUnexplained({ isDrift, hasMovedInSilence, isAfterCrash }: MoneyProblem): boolean {
  return isDrift && !hasMovedInSilence && !isAfterCrash;
}

/**
 * True if a wrong balance has no likely explanation of its own. A call that was sent once is hardly ever booked twice, and the
 * amounts of two players are often equal by chance.
 */
function isOfAnotherPlayer(problem: MoneyProblem): boolean {
  return problem.isDrift || problem.suspicions.every((one) => isUnlikely(one) && isAlone(one, problem));
}

/** True if no transaction of its own explains a wrong balance alone, except an unlikely one. */
function isWithoutOwnReason(problem: MoneyProblem): boolean {
  return !problem.hasMovedInSilence && problem.suspicions.every((one) => isUnlikely(one) || !isAlone(one, problem));
}

function isUnlikely({ kind, transaction }: TracedSuspicion): boolean {
  return kind === 'swapped' || (kind === 'doubled' && transaction.copies === 1);
}
