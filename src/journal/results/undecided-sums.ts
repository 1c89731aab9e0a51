import type { RuleId } from '../../contract/catalogue.ts';
import type { KnownResult } from '../baseline.ts';
import type { KnownFailure, RunStarted } from '../event.ts';
import { isAboutRaces, type JudgedFinding } from '../judged-outcome.ts';
import { addUp, currencyAbove, highestSums, isWithoutSums, type MoneySums, times } from '../money-sums.ts';
import type { RuleResult } from '../rule-result.ts';
import { isMuchLarger, largestOf, largestShare, readShare, type Share } from '../share.ts';

/** The sums by which balances were wrong in checks of a rule that a failure of another rule left undecided. */
interface UndecidedSums {
  /** For each currency, the highest sum of one scenario. */
  readonly highest: MoneySums;
  /** The rules whose failures explain these balances. */
  readonly because: ReadonlySet<RuleId>;
}

/** Returns the sums by which balances were wrong in checks of an undecided rule. */
export function undecidedSums({ findings }: RuleResult): UndecidedSums {
  const own = findings.filter(isExplainedSum);
  const byScenario = Map.groupBy(own, ({ scenario }) => scenario);
  return {
    highest: highestSums([...byScenario.values()].map((all) => addUp(all.flatMap(({ wrongSum }) => wrongSum ?? [])))),
    because: new Set(own.flatMap(({ because }) => because ?? [])),
  };
}

function isExplainedSum({ verdict, because, wrongSum }: JudgedFinding): boolean {
  return verdict === 'inconclusive' && because !== null && wrongSum !== undefined;
}

/** A sum by which a balance was wrong in a check of an undecided rule, and the lower sum that the baseline explains. */
interface ExceededSum {
  readonly sums: MoneySums;
  readonly limits: MoneySums;
  /** The currency in which the sum is too high. */
  readonly currency: string;
  /** True if the limit is the sum of an entry with `undecided` for the rule, and false if it comes from entries for its causes. */
  readonly isListed: boolean;
}

/**
 * If a balance is wrong by a higher sum than the known failures explain: returns the sums of this run and the limits. Then a new bug may
 * hide behind the known failures. Undefined otherwise.
 */
export function exceededUndecided(
  result: RuleResult,
  { baseline }: { readonly baseline: readonly KnownResult[] },
): ExceededSum | undefined {
  const { highest: sums, because } = undecidedSums(result);
  const own = listedUndecided(result, baseline);
  // If the baseline also allows that the rule itself fails, its entry explains the same sums.
  const failing = baseline.filter(({ known }) => !known.undecided && known.rule === result.rule.id);
  const listed = own.map((limits) => ({ limits, isListed: true }));
  const explained = [
    limitsOfCauses(result.rule.id, because, baseline),
    ...failing.map(({ known: { maxSums = {} } }) => maxSums),
  ];
  const byCauses = explained.map((limits) => ({ limits, isListed: false }));
  // The entry of the rule has no sum if chance decides how high it is. Then the sums of the causes are still a limit.
  const isOfChance = own.length > 0 && own.every(isWithoutSums) && areNowAndThen(because, baseline);
  const all = isOfChance
    ? byCauses
    : own.length > 0 && !areOfPlayers(because, baseline)
      ? listed
      : [...listed, ...byCauses];
  const exceeded = all.map((one) => ({ ...one, sums, currency: currencyAbove(sums, one.limits) }));
  if (exceeded.some(({ currency }) => currency === undefined)) return undefined;
  const highest = exceeded.reduce((best, one) => (currencyAbove(one.limits, best.limits) === undefined ? best : one));
  return highest.currency === undefined ? undefined : { ...highest, currency: highest.currency };
}

/** Returns the sums of the entries with `undecided` for a rule. */
function listedUndecided({ rule }: RuleResult, baseline: readonly KnownResult[]): readonly MoneySums[] {
  return baseline.flatMap(({ known }) => (known.undecided && known.rule === rule.id ? [known.maxSums ?? {}] : []));
}

/**
 * True if the baseline lists all these causes, and only the calls of some players break them. Chance decides which scenarios these
 * players play, so another scenario may leave the rule undecided in the next run, with a higher sum than the entry with `undecided`
 * allows. Then the entries for the causes are a limit too, as they are if no entry lists the rule.
 */
function areOfPlayers(because: ReadonlySet<RuleId>, baseline: readonly KnownResult[]): boolean {
  const causes = [...because].map((rule) => baseline.filter(({ known }) => known.rule === rule && !known.undecided));
  return (
    causes.length > 0 &&
    causes.every((entries) => entries.length > 0 && entries.every(({ known: { players = [] } }) => players.length > 0))
  );
}

/** True if the baseline lists all these causes, with a limit, as failures that occur only now and then. */
function areNowAndThen(because: ReadonlySet<RuleId>, baseline: readonly KnownResult[]): boolean {
  const causes = [...because].map((rule) => baseline.filter(({ known }) => known.rule === rule && !known.undecided));
  const isLimited = ({ known: { intermittent, maxSums = {} } }: KnownResult): boolean =>
    intermittent === true && !isWithoutSums(maxSums);
  return causes.length > 0 && causes.every((entries) => entries.length > 0 && entries.every(isLimited));
}

/** A share of the calls by which a balance was wrong in a check of an undecided rule, and the lower share that the baseline explains. */
interface ExceededUndecidedShare {
  readonly share: Share;
  readonly limit: Share;
}

/**
 * Rules about calls whose connection broke or that failed. They may take effect when croupier does not expect it, so they are perhaps not
 * among the calls of which the amount is known.
 */
const OF_OPEN_CALLS: readonly string[] = ['refund.broken-connection', 'refund.after-error'];

function isOfOpenCalls(rule: string): boolean {
  return OF_OPEN_CALLS.includes(rule);
}

/**
 * If a balance is wrong by a much larger share of its calls than the known failures explain: returns the share of this run and the limit.
 * For example, the known failure is that half of each refund is lost, and now a whole refund is lost. Undefined if there is no such
 * share, if an entry for these failures has no share, or if the baseline lists the rule as undecided and the sums of this entry are not
 * exceeded.
 */
export function exceededUndecidedShare(
  result: RuleResult,
  { baseline, run }: { readonly baseline: readonly KnownResult[]; readonly run: Pick<RunStarted, 'settings'> },
): ExceededUndecidedShare | undefined {
  const { rule, findings } = result;
  if (isAboutRaces(rule.id) || isOfOpenCalls(rule.id)) return undefined;
  const { highest: sums } = undecidedSums(result);
  if (listedUndecided(result, baseline).some((limits) => currencyAbove(sums, limits) === undefined)) return undefined;
  const failing = baseline.flatMap(({ known }) => (known.undecided ? [] : [known]));
  for (const finding of findings.filter(isExplainedSum)) {
    const entries = failing.filter((known) => known.rule === rule.id || known.rule === finding.because);
    const limit = shareOfAll(entries);
    const share = largestShare(finding.wrongSum ? [finding.wrongSum] : [], run.settings.stakes ?? {});
    if (limit && share && isMuchLarger(share, limit)) return { share, limit };
  }
  return undefined;
}

/**
 * Returns the largest share that the entries note. Undefined if an entry has none, or is for failures that occur only now and then: such a
 * failure may be divided into sums of other rules, which are another share.
 */
function shareOfAll(entries: readonly KnownFailure[]): Share | undefined {
  const shares = entries.flatMap(({ maxShare, intermittent }) =>
    intermittent ? [] : (readShare(maxShare ?? '') ?? []),
  );
  return shares.length === entries.length ? largestOf(shares) : undefined;
}

/**
 * The highest sum of one run is not the highest sum of all runs: the scenario with this sum may play in another currency in the next
 * run, another scenario may be left undecided, and in scenarios with races or broken connections, chance decides how many calls are
 * wrong. All these sums differ by less than this factor.
 */
export const EXPLAINED_FACTOR = 3;
/**
 * The factor for rules about calls whose connection broke. One scenario has several such bets, each twice as high as the one before. If
 * half of each refund is lost, their sum is 15.5 stakes. An entry for a failure of single players allows 5 stakes or more.
 */
const OPEN_CALLS_FACTOR = 4;

/**
 * Returns the highest sums that known failures explain in the checks of another rule. Empty if an entry has no sums.
 *
 * @param rule the rule whose checks they explain
 */
function limitsOfCauses(rule: string, because: ReadonlySet<RuleId>, baseline: readonly KnownResult[]): MoneySums {
  const limits = baseline.flatMap(({ known }) =>
    because.has(known.rule as RuleId) && !known.undecided ? [known.maxSums ?? {}] : [],
  );
  const factor = isOfOpenCalls(rule) ? OPEN_CALLS_FACTOR : EXPLAINED_FACTOR;
  return limits.some(isWithoutSums) ? {} : times(factor, highestSums(limits));
}
