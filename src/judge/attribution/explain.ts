import { Money } from '../../contract/money.ts';
import type { IdleRead } from '../idle-read.ts';
import type { BalanceHypothesis, PendingCheck } from '../pending-check.ts';
import type { Wallet } from '../wallet/wallet.ts';
import type { WalletMemory } from '../wallet/wallet-memory.ts';
import { isWrittenAsDouble, rounded, SCALES } from './units.ts';

/**
 * A breach that explains a wrong balance, alone or together with other breaches. With other breaches, it explains a part of the
 * difference.
 */
export interface PossibleBreach {
  readonly pendingCheck: PendingCheck;
  readonly hypothesis: BalanceHypothesis;
}

/** The breaches that best explain a wrong balance, and the rivals: breaches of other rules that explain the balance too. */
export interface Explanation {
  readonly breaches: readonly PossibleBreach[];
  readonly rivals: readonly PossibleBreach[];
}

/**
 * Explains a wrong balance. Tries the most likely causes (candidates) first: the call with the first wrong reply and the repeated
 * calls, then the calls that no right reply has confirmed, then all candidates.
 *
 * @returns undefined if no candidate explains the balance
 */
export function explainByCandidates(
  { wallet, value }: IdleRead,
  { odd, last }: Pick<WalletMemory, 'odd' | 'last'>,
  candidates: readonly PendingCheck[],
  proven: (rule: string) => boolean,
): Explanation | undefined {
  const pools = [
    // The reply to a repeated call may be the stored first reply. Then this reply looks right even if the repeated call moved
    // money, and only the reply to a later call is wrong. So the repeated calls are candidates too, like the call with the first
    // wrong reply.
    odd ? candidates.filter(({ step }) => step.key === odd.step.key || step.origin.kind !== 'fresh') : [],
    candidates.filter((one) => !isConfirmed(one, wallet)),
    odd ? [] : candidates,
  ];
  const possible = wallet.possible();
  for (const pool of pools) {
    const explained = explain(value, possible, pool, proven);
    if (explained) return explained;
  }
  // Tries whether the wallet reads all amounts in another unit and also breaks another rule.
  const before = proven('money.main-unit') ? last : undefined;
  for (const scale of before ? SCALES : []) {
    const meant = before?.plus(value.minus(before).shift(-scale)) ?? value;
    // The wrong unit alone explains the balance that croupier read. So no further rule is broken.
    if (possible.some((one) => one.equals(meant))) return undefined;
    const explained = explain(meant, possible, pools[1] ?? [], proven);
    if (explained) return explained;
  }
  // The balance may also contain a rounding error. So croupier tries to explain the rounded balance too.
  const about = rounded(value, wallet.unit);
  const near = possible.map((one) => rounded(one, wallet.unit));
  const isExact = about.equals(value) || near.some((one) => one.equals(about)) || !isWrittenAsDouble(value);
  return isExact ? undefined : explain(about, near, pools[1] ?? [], proven);
}

const MAX_BREACHES = 3;

/**
 * Finds the smallest number of breaches that together give exactly the balance that was read.
 *
 * If several sets of breaches have this size, sets with rules that are already proven to be broken come first, and then sets with
 * rules that the scenario is about.
 *
 * @param possible the balances that are right if no rule is broken
 * @param proven returns whether a rule has a breach that no other broken rule explains
 */
export function explain(
  read: Money,
  possible: readonly Money[],
  pendingChecks: readonly PendingCheck[],
  proven: (rule: string) => boolean,
): Explanation | undefined {
  const candidates = pendingChecks.flatMap((pendingCheck) =>
    pendingCheck.hypotheses.map((hypothesis) => ({ pendingCheck, hypothesis })),
  );
  // A wallet that uses a wrong unit (`money.main-unit`) reads every amount wrongly. This breach must explain the balance alone, so
  // it is never combined with another breach.
  const combinable = candidates.filter(
    ({ pendingCheck, hypothesis }) => pendingCheck.rule !== 'money.main-unit' && hypothesis.alone !== true,
  );
  for (let size = 1; size <= MAX_BREACHES; size += 1) {
    const pool = size === 1 ? candidates : combinable;
    if (size > 1 && pool.length ** size > 200_000) return undefined;
    const found: PossibleBreach[][] = [];
    for (const expected of possible) collect(read.minus(expected), pool, size, 0, [], found);
    if (found.length > 0) return cheapest(found, proven);
  }
  return undefined;
}

function collect(
  rest: Money,
  candidates: readonly PossibleBreach[],
  size: number,
  from: number,
  taken: PossibleBreach[],
  found: PossibleBreach[][],
): void {
  if (size === 0) {
    if (rest.isZero()) found.push([...taken]);
    return;
  }
  for (let at = from; at < candidates.length; at += 1) {
    const candidate = candidates[at];
    if (!candidate || taken.some(({ pendingCheck }) => pendingCheck === candidate.pendingCheck)) continue;
    if (size === 1 && !candidate.hypothesis.by.equals(rest)) continue;
    taken.push(candidate);
    collect(rest.minus(candidate.hypothesis.by), candidates, size - 1, at + 1, taken, found);
    taken.pop();
  }
}

/** True if the reply to a later call had the right balance. This balance includes the right effect of the checked call. */
function isConfirmed(one: PendingCheck, wallet: Wallet): boolean {
  return wallet.isConfirmed(one) || wallet.moves.some(({ step, confirmed }) => confirmed && step === one.step.key);
}

function cheapest(found: readonly PossibleBreach[][], proven: (rule: string) => boolean): Explanation {
  const cost = (breaches: readonly PossibleBreach[]): number =>
    breaches.reduce(
      (sum, { pendingCheck }) =>
        sum + (pendingCheck.reported ? 0 : proven(pendingCheck.rule) ? 1 : 3 + pendingCheck.rank),
      0,
    );
  const sorted = [...found].sort((a, b) => cost(a) - cost(b));
  const [best = [], ...others] = sorted;
  return {
    breaches: best,
    rivals: others.flat().filter((rival) => !best.some((one) => one.pendingCheck.rule === rival.pendingCheck.rule)),
  };
}

/**
 * True if the balance that was read shows that the operator kept the rule: no breach of this rule could have led to this balance.
 */
export function wouldHaveShown(pendingCheck: PendingCheck, read: Money, possible: readonly Money[]): boolean {
  return pendingCheck.hypotheses.every(
    ({ by }) => by.isZero() || possible.every((expected) => !expected.plus(by).equals(read)),
  );
}

/** Returns the difference between the balance that was read and the nearest right balance. */
export function nearestDifference(read: Money, possible: readonly Money[]): Money {
  const differences = possible.map((expected) => read.minus(expected));
  return differences.reduce(
    (nearest, one) => (one.absolute().compare(nearest.absolute()) < 0 ? one : nearest),
    differences[0] ?? Money.zero,
  );
}
