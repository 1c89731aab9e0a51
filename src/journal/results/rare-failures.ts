import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { Attributed, KnownFailure } from '../event.ts';
import { EXPECTATION } from '../finding.ts';
import { countOf, isAboutRaces, isDecided, type JudgedOutcome } from '../judged-outcome.ts';
import { absoluteMoney, decimalsOf, directionOf, type WrongSum } from '../money-sums.ts';
import { amountsOf, isOfSeveral, OF_CALLS } from './explained-sums.ts';
import type { CheckCounts } from './failure-rate.ts';

/** If a rule fails once in at least this number of scenarios, the operator breaks it now and then. */
const MIN_ONCE = 2;

/** If at most this share of its checks fails, a rule fails now and then. Calls of a single player are usually a larger share. */
const SELDOM = 0.1;

function failsSeldom(tried: readonly JudgedOutcome[]): boolean {
  const failed = countOf(tried, ({ verdict }) => verdict === 'fail');
  return failed <= countOf(tried, () => true) * SELDOM;
}

/**
 * Returns a function that makes failures undecided that a rare failure of another rule explains. If the operator takes a wrong sum for a
 * bet only now and then, such a bet may be part of a scenario about another rule. The other rule is undecided under all these conditions:
 *
 * - its failure did not occur again when croupier repeated the scenario, or it occurred again only in some rounds of a race, and no more
 *   often than the rule about the call fails elsewhere;
 * - the rule about the call fails now and then in other scenarios: the baseline says so, two of these failures did not occur again, or
 *   only few checks of the rule fail;
 * - for `money.conservation`, no other kind of call fails. Otherwise, any call may lose money, and this rule says so;
 * - a call of this kind was sent since the last read, and the same error of this call gives exactly the wrong sum. If the judge has divided
 *   a wrong balance into sums of several rules, their total counts.
 *
 * For `concurrency.no-lost-update`, several calls of one round may be wrong. So their sums together must give the wrong sum, and in all
 * races together, chance must explain how many rounds failed.
 *
 * A bet that was accepted although it was above the expected balance is undecided too, if such a call had made the balance too high. So are
 * several bets at once that were accepted together, if such calls only make balances too high.
 *
 * @param outcomes all outcomes of the run
 * @param known the entries of the baseline
 * @param rounds for each scenario with a race, the number of rounds in all attempts, and of rounds that failed
 */
export function withoutRareFailures(
  outcomes: readonly JudgedOutcome[],
  known: readonly KnownFailure[],
  rounds: ReadonlyMap<string, CheckCounts>,
): (outcome: JudgedOutcome) => JudgedOutcome {
  const failing = outcomes.filter(({ verdict }) => verdict === 'fail');
  const rare = OF_CALLS.flatMap(([call, rule]) => {
    const own = failing.filter((one) => one.rule === rule && one.sums.length > 0);
    const isListed = known.some((one) => one.rule === rule && one.intermittent && !one.undecided);
    const tried = outcomes.filter((one) => one.rule === rule && isDecided(one));
    const isOnce = own.filter(({ isUnrepeated }) => isUnrepeated).length >= MIN_ONCE;
    const isRare = isListed || isOnce || (own.length >= MIN_ONCE && failsSeldom(tried));
    const noted = known.flatMap((one) => (one.rule === rule && one.intermittent && one.failedChecks) || []);
    return isRare ? [{ call, rule, own, tried, noted }] : [];
  });
  const kinds = OF_CALLS.filter(([, rule]) => failing.some((one) => one.rule === rule)).length;
  const withoutWrongCall = (outcome: JudgedOutcome): JudgedOutcome => {
    const ofRaces = failing.filter((one) => one.rule === outcome.rule);
    const explaining = rare.find(
      (one) =>
        isOfWrongCalls(outcome, one) &&
        (outcome.isUnrepeated === true || haveWrongCalls([outcome], one, rounds)) &&
        haveWrongCalls(ofRaces, one, rounds),
    );
    return explaining
      ? undecided(outcome, explaining.rule, 'explains these sums', rounds.get(outcome.scenario))
      : outcome;
  };
  const explained = (outcome: JudgedOutcome): JudgedOutcome => {
    const { rule, verdict, isUnrepeated, sums, count, scenario } = outcome;
    const isRareItself = rare.some((one) => one.rule === rule);
    if (verdict !== 'fail' || isRareItself || rule === EXPECTATION) return outcome;
    if (rule === LOST_UPDATE) return withoutWrongCall(outcome);
    const leavingForAll = rare.find((one) => areBetsOfMoneyLeft(outcome, one));
    if (leavingForAll) return undecided(outcome, leavingForAll.rule, 'leaves money for further bets', undefined);
    if (isAboutRaces(rule) || (rule === 'money.conservation' && kinds > 1)) return outcome;
    const leaving = rare.find(({ own }) => isBetOfMoneyLeft(outcome, own));
    if (leaving) return undecided(outcome, leaving.rule, 'explains this failure in the same scenario', undefined);
    const ofScenario = failing.filter((one) => one.scenario === scenario);
    const explaining = rare.find((one) => {
      const { call, own } = one;
      if (!isUnrepeated && !occursByChance(rounds.get(scenario), usualRate(scenario, one))) return false;
      const errors = own.filter((each) => each.scenario !== scenario).flatMap((each) => each.sums);
      const ofSameScenario = own.filter((each) => each.scenario === scenario).flatMap((each) => each.sums);
      const isOfCall = (sum: WrongSum): boolean => errors.some((error) => isExplained(sum, call, error));
      return (
        sums.length === count &&
        (sums.every((sum) => isOfCall(sum) || joinedWith(sum, ofSameScenario).some(isOfCall)) ||
          totalOf(outcome, ofScenario).some(isOfCall))
      );
    });
    return explaining
      ? undecided(outcome, explaining.rule, 'explains exactly this sum', rounds.get(scenario))
      : outcome;
  };
  const results = new Map(outcomes.map((outcome) => [outcome, explained(outcome)]));
  return (outcome) => ofSameReason(results.get(outcome) ?? explained(outcome), [...results.values()]);
}

/**
 * Returns the explanations that still count if some failures are undecided now. A failure that only a rare wrong call explains is no breach
 * of its rule, so it explains nothing in other scenarios.
 *
 * @param outcomes the outcomes of the run after `withoutRareFailures`
 */
export function countingAttributions(
  attributions: readonly Attributed[],
  outcomes: readonly JudgedOutcome[],
): readonly Attributed[] {
  const byRule = Map.groupBy(outcomes, ({ rule }) => rule);
  const isBreach = ({ verdict }: JudgedOutcome): boolean => verdict === 'fail' || verdict === 'warn';
  return attributions.flatMap((one) => {
    const own = byRule.get(one.because) ?? [];
    const excused = new Set(own.filter(({ isOfRareCall }) => isOfRareCall).map(({ scenario }) => scenario));
    if (excused.size === 0 || own.some(isBreach)) return [one];
    if (one.scenario !== null) return excused.has(one.scenario) ? [one] : [];
    return [...excused].map((scenario) => ({ ...one, scenario }));
  });
}

/**
 * If a failure that explained an outcome is undecided now in all scenarios, returns the outcome with the reason for that. Otherwise the
 * report would name a breach that the run does not have.
 */
function ofSameReason(outcome: JudgedOutcome, all: readonly JudgedOutcome[]): JudgedOutcome {
  const { verdict, because } = outcome;
  if (verdict !== 'inconclusive' || because === null) return outcome;
  const own = all.filter((one) => one.rule === because);
  const cause = own.find((one) => one.verdict === 'inconclusive' && one.because !== null)?.because;
  if (!cause || cause === because || own.some((one) => one.verdict === 'fail' || one.verdict === 'warn'))
    return outcome;
  const reason = `a failure of \`${because}\` would explain this finding, and the failure of \`${cause}\` explains what croupier saw of it`;
  const findings = outcome.findings.map((finding) => ({ ...finding, because: cause, reason }));
  return { ...outcome, because: cause, reason, findings };
}

/** The rule about calls of a race that the operator answered 200 but did not carry out. */
const LOST_UPDATE: RuleId = 'concurrency.no-lost-update';

/** A rule about the amount of one kind of call that fails now and then. */
interface RareRule {
  readonly call: CallName;
  readonly rule: RuleId;
  /** The failures of the rule with a wrong sum. */
  readonly own: readonly JudgedOutcome[];
  /** The outcomes of the rule with a decision. */
  readonly tried: readonly JudgedOutcome[];
  /**
   * The number of failed checks, and of all checks, in the run of which the baseline was written. Empty if the baseline does not
   * say this.
   */
  readonly noted: readonly CheckCounts[];
}

/**
 * True if wrong calls of one kind give each wrong sum of a race. A reply that fits no combination of the calls has no sum. A wrong call of
 * the race explains it, if a read shows the wrong sum too.
 */
function isOfWrongCalls({ scenario, sums, count, findings }: JudgedOutcome, { call, rule, own }: RareRule): boolean {
  const errors = own.filter((one) => one.scenario !== scenario).flatMap((one) => one.sums);
  const isExplainedBy = (sum: WrongSum): boolean => errors.some((error) => isOfSeveral(sum, call, error));
  const replies = findings.filter(({ wrongSum }) => wrongSum === undefined);
  return (
    sums.length > 0 &&
    sums.every(isExplainedBy) &&
    (count === sums.length || replies.every(({ causes }) => causes.includes(rule)))
  );
}

/**
 * True if chance explains how many rounds failed in some races: each round has several calls of the kind, and each of them fails as often
 * as in other scenarios.
 */
function haveWrongCalls(
  races: readonly JudgedOutcome[],
  rare: RareRule,
  rounds: ReadonlyMap<string, CheckCounts>,
): boolean {
  let [failed, checks, expected] = [0, 0, 0];
  for (const { scenario, sums } of races) {
    const played = rounds.get(scenario);
    const usual = usualRate(scenario, rare);
    if (!played || usual.checks === 0) return false;
    const calls = Math.max(1, ...sums.map((sum) => amountsOf(sum, rare.call).length));
    failed += played.failed;
    checks += played.checks;
    expected += played.checks * (1 - (1 - usual.failed / usual.checks) ** calls);
  }
  return failed < checks && expected < checks && chanceOfAtLeast({ failed, checks }, expected / checks) >= MIN_CHANCE;
}

/** Returns how often a rule failed in the other scenarios, or in the run of which the baseline was written, if this is more often. */
function usualRate(scenario: string, { tried, noted }: RareRule): CheckCounts {
  const others = tried.filter((one) => one.scenario !== scenario);
  const now = { failed: countOf(others, ({ verdict }) => verdict === 'fail'), checks: countOf(others, () => true) };
  return noted.reduce((high, one) => (one.failed * high.checks > high.failed * one.checks ? one : high), now);
}

/**
 * True if chance explains that some rounds of a race failed, in the first attempt and again when croupier repeated the scenario. A race
 * has several rounds in each attempt. So a call that fails now and then often fails in one of them again. But a fault of the race itself
 * fails in the first round of each attempt.
 *
 * @param rounds the rounds of the race. Undefined if the scenario was not played
 * @param usual how often the call fails elsewhere
 */
function occursByChance(rounds: CheckCounts | undefined, usual: CheckCounts): boolean {
  if (!rounds || rounds.failed >= rounds.checks || usual.failed >= usual.checks) return false;
  return chanceOfAtLeast(rounds, usual.failed / usual.checks) >= MIN_CHANCE;
}

/** A less likely number of failed rounds is no coincidence. */
const MIN_CHANCE = 0.001;

/** Returns the probability of at least this number of failed checks, if each check fails with the same probability. */
function chanceOfAtLeast({ failed, checks }: CheckCounts, probability: number): number {
  let [ofExactly, ofFewer] = [(1 - probability) ** checks, 0];
  for (let count = 0; count < failed; count += 1) {
    ofFewer += ofExactly;
    ofExactly *= ((checks - count) / (count + 1)) * (probability / (1 - probability));
  }
  return 1 - ofFewer;
}

/**
 * True if the operator accepted a bet above the balance that croupier expected, and a call of the same scenario had made the
 * balance too high. Then the wallet had the money for this bet. Neither failure occurred again when croupier repeated the
 * scenario.
 *
 * @param own the failures of a rule about calls that fail now and then
 */
function isBetOfMoneyLeft(outcome: JudgedOutcome, own: readonly JudgedOutcome[]): boolean {
  const { rule, scenario, isUnrepeated, sums, findings, count } = outcome;
  if (rule !== 'bet.insufficient-funds' || !isUnrepeated || sums.length > 0 || findings.length !== count) return false;
  return own.some(
    (one) =>
      one.scenario === scenario &&
      one.isUnrepeated === true &&
      one.sums.every((sum) => directionOf(sum) === 'too high') &&
      findings.every(({ causes }) => causes.some((cause) => cause === one.rule)),
  );
}

/**
 * True if the operator accepted more bets at once than croupier expected the balance to allow, and such calls make the balance too high now
 * and then. The next balance does not show this, because the overdraft explains each balance.
 */
function areBetsOfMoneyLeft(
  { rule, isUnrepeated, sums, findings }: JudgedOutcome,
  { rule: ofCall, own }: RareRule,
): boolean {
  return (
    rule === 'concurrency.no-overdraft' &&
    isUnrepeated === true &&
    sums.length === 0 &&
    own.every((one) => one.sums.every((sum) => directionOf(sum) === 'too high')) &&
    findings.every(({ causes }) => causes.includes(ofCall))
  );
}

function undecided(
  outcome: JudgedOutcome,
  because: RuleId,
  explanation: string,
  rounds: CheckCounts | undefined,
): JudgedOutcome {
  const seen = outcome.isUnrepeated
    ? 'croupier did not see it again when it repeated the scenario'
    : `croupier saw it in only ${rounds?.failed} of ${rounds?.checks} rounds of the race`;
  const reason = `the failure of \`${because}\`, which occurs now and then, ${explanation}, and ${seen}`;
  const verdict = 'inconclusive' as const;
  return {
    ...outcome,
    verdict,
    because,
    reason,
    isOfRareCall: true,
    findings: outcome.findings.map((finding) => ({ ...finding, verdict, because, reason })),
  };
}

/**
 * Returns the sums that a read shows in total, if the judge divided its wrong balance into a sum of this rule and a sum of the other rule.
 *
 * @param others the sums of the other rule in the same scenario
 */
function joinedWith(sum: WrongSum, others: readonly WrongSum[]): readonly WrongSum[] {
  return others.flatMap((other): readonly WrongSum[] => {
    if (other.moved === undefined || other.moved !== sum.moved || other.currency !== sum.currency) return [];
    const total = signed(sum).plus(signed(other));
    return total.isZero() ? [] : [{ ...sum, amount: total.toString() }];
  });
}

/**
 * Returns the total of all sums of the scenario, if the ones of this rule belong to one wrong balance that the judge has divided
 * into sums of several rules. For example, half of a win of 4 is missing. Then the judge may say that the whole win is missing,
 * and that two bets of 1 were given back. Empty if the sums show more than one wrong balance.
 *
 * @param all the failures of the scenario
 */
function totalOf({ sums: own }: JudgedOutcome, all: readonly JudgedOutcome[]): readonly WrongSum[] {
  const [first] = own;
  const isOfRead = ({ moved, currency }: WrongSum): boolean => moved === first?.moved && currency === first?.currency;
  const sums = all.flatMap((one) => one.sums).filter(isOfRead);
  const isOfOneBalance = own.every(isOfRead);
  if (first?.moved === undefined || !isOfOneBalance) return [];
  const total = sums.reduce((money, sum) => money.plus(signed(sum)), Money.zero);
  return total.isZero() ? [] : [{ ...first, amount: total.toString() }];
}

function signed({ amount }: WrongSum): Money {
  const money = absoluteMoney(amount) ?? Money.zero;
  return amount.startsWith('-') ? money.negated() : money;
}

/** True if one of the calls of a kind gives the sum with the same error: the same share of its amount, or the same sum. */
function isExplained(sum: WrongSum, kind: CallName, error: WrongSum): boolean {
  const [wrong, usual] = [absoluteMoney(sum.amount), absoluteMoney(error.amount)];
  const of = Money.read(error.movedOneWay ?? error.moved ?? '');
  const isSameWay = sum.amount.startsWith('-') === error.amount.startsWith('-');
  if (!wrong || !usual || !isSameWay) return false;
  // The operator may round a share to the smallest unit.
  const unit = Money.unit(decimalsOf(sum.currency ?? ''));
  return (sum.calls ?? []).some(({ call, amount }) => {
    if (call !== kind) return false;
    if (sum.currency === error.currency && wrong.equals(usual)) return true;
    if (of === undefined || of.isZero()) return false;
    const rest = wrong.times(of).minus(usual.times(Money.of(amount)));
    return rest.absolute().compare(unit.times(of)) <= 0;
  });
}
