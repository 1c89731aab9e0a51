import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { KnownFailure } from '../event.ts';
import { EXPECTATION } from '../finding.ts';
import { isAboutRaces, type JudgedOutcome } from '../judged-outcome.ts';
import { absoluteMoney, decimalsOf, type WrongSum } from '../money-sums.ts';

/** The rules about the amounts of ordinary calls. */
const OF_CALLS: readonly (readonly [CallName, RuleId])[] = [
  ['bet', 'bet.debit'],
  ['win', 'win.credit'],
  ['refund', 'refund.restore'],
];

/** If a rule fails once in at least this number of scenarios, the operator breaks it now and then. */
const MIN_ONCE = 2;

/**
 * Returns a function that makes failures undecided that a rare failure of another rule explains. If the operator takes a wrong sum for a
 * bet only now and then, such a bet may be part of a scenario about another rule. The other rule is undecided under all these conditions:
 *
 * - its failure did not occur again when croupier repeated the scenario;
 * - the rule about the call fails now and then in other scenarios: the baseline says so, or two of these failures did not occur again;
 * - for `money.conservation`, no other kind of call fails. Otherwise, any call may lose money, and this rule says so;
 * - a call of this kind was sent since the last read, and the same error of this call gives exactly the wrong sum.
 *
 * @param outcomes all outcomes of the run
 * @param known the entries of the baseline
 */
export function withoutRareFailures(
  outcomes: readonly JudgedOutcome[],
  known: readonly KnownFailure[],
): (outcome: JudgedOutcome) => JudgedOutcome {
  const failing = outcomes.filter(({ verdict }) => verdict === 'fail');
  const rare = OF_CALLS.flatMap(([call, rule]) => {
    const own = failing.filter((one) => one.rule === rule && one.sums.length > 0);
    const isListed = known.some((one) => one.rule === rule && one.intermittent && !one.undecided);
    const isRare = isListed || own.filter(({ isUnrepeated }) => isUnrepeated).length >= MIN_ONCE;
    return isRare ? [{ call, rule, own }] : [];
  });
  const kinds = OF_CALLS.filter(([, rule]) => failing.some((one) => one.rule === rule)).length;
  return (outcome) => {
    const { rule, verdict, isUnrepeated, sums, count, scenario } = outcome;
    const isRareItself = rare.some((one) => one.rule === rule);
    if (verdict !== 'fail' || !isUnrepeated || isRareItself || rule === EXPECTATION || isAboutRaces(rule))
      return outcome;
    if (rule === 'money.conservation' && kinds > 1) return outcome;
    const explaining = rare.find(({ call, own }) => {
      const errors = own.filter((one) => one.scenario !== scenario).flatMap((one) => one.sums);
      const ofSameScenario = own.filter((one) => one.scenario === scenario).flatMap((one) => one.sums);
      const isOfCall = (sum: WrongSum): boolean => errors.some((error) => isExplained(sum, call, error));
      return (
        sums.length === count && sums.every((sum) => isOfCall(sum) || joinedWith(sum, ofSameScenario).some(isOfCall))
      );
    });
    return explaining ? undecided(outcome, explaining.rule) : outcome;
  };
}

function undecided(outcome: JudgedOutcome, because: RuleId): JudgedOutcome {
  const reason = `the failure of \`${because}\`, which occurs now and then, explains exactly this sum, and croupier did not see it again when it repeated the scenario`;
  const verdict = 'inconclusive' as const;
  return {
    ...outcome,
    verdict,
    because,
    reason,
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
