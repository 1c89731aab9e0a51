import { breachAt, isKnownBreach, type KnownResult } from '../baseline.ts';
import type { Finding } from '../finding.ts';
import type { Fold } from '../fold.ts';
import { addUp, currencyAbove } from '../money-sums.ts';
import type { RuleResult } from '../rule-result.ts';
import { MOVED_ALONE, NOT_SHOWN } from '../scenario-result.ts';
import { exceededUndecided, exceededUndecidedShare } from './undecided-sums.ts';

/** The results that decide whether the baseline explains why a rule is undecided. */
type Results = Pick<Fold, 'rules' | 'baseline' | 'run'>;

/** True if the baseline allows that the rule fails, and the run could not decide it. */
export function isListedUndecided(rule: Finding['rule'], baseline: readonly KnownResult[]): boolean {
  return baseline.some(({ known, state }) => state === 'undecided' && known.rule === rule && !known.undecided);
}

/**
 * True if the baseline explains why the rule is undecided: a known failure explains it, or the rule itself fails only now and then. An
 * entry that allows that the rule fails does not explain it, because a worse failure may be the reason.
 */
export function isExcused(result: RuleResult, results: Results): boolean {
  if (isLeftByOwnChance(result, results)) return true;
  return isExplained(result, results) && (!showsOtherPlayer(result) || allowsUndecided(result, results));
}

/**
 * True if the rule fails only now and then, and perhaps failed in this run too, by no higher sum than its entry allows. croupier repeats
 * a failed scenario, and such a failure does not occur again.
 */
function isLeftByOwnChance(result: RuleResult, { baseline }: Results): boolean {
  const { rule, verdict, findings } = result;
  const entries = baseline.flatMap(({ known, state }) =>
    known.rule === rule.id && known.intermittent && !known.undecided && state === 'undecided' ? [known] : [],
  );
  const sums = addUp(findings.flatMap(({ verdict: own, wrongSum }) => (own === 'inconclusive' && wrongSum) || []));
  return (
    verdict === 'inconclusive' &&
    entries.some(({ maxSums }) => maxSums === undefined || currencyAbove(sums, maxSums) === undefined)
  );
}

/**
 * True if a balance differs by the exact amount of a call of another player. Other failures would explain this balance too, because a
 * wrong read may show any balance. But such a read shows the amount of this call only by a rare chance. So another fault is likely.
 */
function showsOtherPlayer({ rule, findings }: RuleResult): boolean {
  return (
    rule.id === 'session.isolated' &&
    findings.some(({ verdict, wrongSum }) => verdict === 'inconclusive' && wrongSum !== undefined)
  );
}

/** True if the baseline has an entry which only allows that the rule stays undecided. */
function allowsUndecided({ rule }: RuleResult, { baseline }: Results): boolean {
  return baseline.some(({ known, state }) => known.undecided && state !== 'expired' && known.rule === rule.id);
}

/** True if a known failure of the baseline explains why the rule is undecided. */
function isExplained(result: RuleResult, results: Results): boolean {
  if (exceededUndecided(result, results) ?? exceededUndecidedShare(result, results)) return false;
  const { because } = result;
  return because === null ? isStoppedByKnown(result, results) : isKnownCause(because, results);
}

/** True if the baseline lists the failure of the rule, or a failure that explains it. */
export function isKnownCause(cause: string, { rules, baseline }: Results): boolean {
  const because = rules.find(({ rule }) => rule.id === cause)?.because;
  return baseline.some(({ known, state }) => state === 'failing' && (known.rule === cause || known.rule === because));
}

/**
 * True for a rule that its tests did not decide. A rule can also be skipped in all its tests, because nothing showed whether the
 * operator follows it. For example, if bets are free of charge, no balance shows what a refund gives back.
 */
export function isUndecided({ verdict, checks, findings, findingCount }: RuleResult): boolean {
  if (verdict === 'inconclusive') return true;
  const isComplete = findings.length > 0 && findings.length === findingCount;
  return verdict === 'skip' && checks === 0 && isComplete && findings.every(isNotShown);
}

function isNotShown({ actual }: Pick<Finding, 'actual'>): boolean {
  return actual === NOT_SHOWN;
}

/** True for a MUST rule that is undecided because of known failures. The baseline does not allow that the rule itself fails. */
export function isLeftUndecided(result: RuleResult, results: Results): boolean {
  return (
    result.rule.level === 'MUST' &&
    isUndecided(result) &&
    !isListedUndecided(result.rule.id, results.baseline) &&
    isExplained(result, results)
  );
}

/**
 * Returns the scenario that decided a rule. Undefined if the rule did not pass, or if several scenarios decided it.
 */
export function onlyDecidingScenario({ verdict, places }: RuleResult): string | undefined {
  const deciding = new Set(places.flatMap(({ checks, scenario }) => (checks > 0 ? [scenario] : [])));
  return verdict === 'pass' && deciding.size === 1 ? [...deciding][0] : undefined;
}

/**
 * True for a MUST rule that passed in one scenario, while known failures left it undecided in the others. For example, no balance shows
 * an amount in the wrong unit if the currency has no other unit. So in the next run, the failures may leave the rule undecided in
 * every scenario.
 */
export function mayBeLeftUndecided(result: RuleResult, results: Results): boolean {
  const only = onlyDecidingScenario(result);
  if (only === undefined) return false;
  const findings = result.findings.filter(({ scenario }) => scenario !== only);
  const others = {
    ...result,
    verdict: 'skip' as const,
    checks: 0,
    places: result.places.filter(({ scenario }) => scenario !== only),
    findings,
    findingCount: result.findingCount - (result.findings.length - findings.length),
  };
  return isLeftUndecided(others, results);
}

/**
 * True for a MUST rule that has no check with a decision, because known failures prevented every check. A new bug can hide behind
 * these failures. So this is allowed only if the baseline has an entry with `undecided` for the rule.
 */
export function isHidden(result: RuleResult, results: Results): boolean {
  return result.checks === 0 && !allowsUndecided(result, results) && isLeftUndecided(result, results);
}

/**
 * True if only known failures that occur now and then explain why the rule is undecided. They prevent other checks in each run. If
 * the failures of each run explain it too, the rule is undecided in each run.
 */
export function isLeftByChance(result: RuleResult, { rules, baseline, run }: Results): boolean {
  const isExplainedBy = (intermittent: boolean): boolean =>
    isExplained(result, {
      rules,
      run,
      baseline: baseline.filter(({ known }) => (known.intermittent === true) === intermittent),
    });
  return isExplainedBy(true) && !isExplainedBy(false);
}

/**
 * True if every scenario that left the rule undecided shows known failures, and no others. For example, it stopped because a bet was
 * wrongly declined.
 */
function isStoppedByKnown(result: RuleResult, results: Results): boolean {
  const { places, findings } = result;
  if (result.verdict === 'skip') {
    // Further scenarios may have had no session that they need. They have no findings.
    return isUndecided(result) && findings.every(({ scenario }) => failsAsKnown(scenario, results));
  }
  const open = places.filter(({ isOpen }) => isOpen);
  return (
    open.length > 0 &&
    open.every(({ scenario }) => {
      const own = findings.filter((one) => one.verdict === 'inconclusive' && one.scenario === scenario);
      return (
        own.length > 0 &&
        own.every(({ causes, actual }) =>
          causes.length === 0
            ? failsAsKnown(scenario, results) || (actual === MOVED_ALONE && isKnownCause('balance.read', results))
            : causes.some((cause) => isKnownCause(cause, results)),
        )
      );
    })
  );
}

/** True if the scenario shows failures, and the baseline allows all of them. */
function failsAsKnown(scenario: string, { rules, baseline }: Results): boolean {
  const failing = rules
    .flatMap(({ places }) => places)
    .filter((place) => place.scenario === scenario && place.failed > 0);
  return failing.length > 0 && failing.every((place) => isKnownBreach(baseline, breachAt(place)));
}
