import type { KnownFailure, RunEnded, RunStarted } from './event.ts';
import { isAboutRaces, type RuleCounts, type RulePlace } from './judged-outcome.ts';
import { currencyAbove, type Direction, isWithoutSums, type MoneySums, times, type WrongSum } from './money-sums.ts';
import { type CheckCounts, isMuchMoreOften } from './results/failure-rate.ts';
import { highestReplied } from './results/replied-sums.ts';
import { isMuchLarger, readShare, type Share } from './share.ts';

/**
 * The states of a known failure after a run. A `fixed` or `expired` entry fails the run.
 *
 * - `failing`: the failure still occurs.
 * - `passed`: the failure was tested and did not occur. But it occurs only now and then, or it still occurs in another scenario of
 *   the entry, or it still occurs in other scenarios for which another entry lists the rule, or a new failure in its scenarios may
 *   hide it. So the entry stays. If the entry only allows that the rule stays undecided: the run decided the rule.
 * - `fixed`: the failure was tested and no longer occurs. The user must remove the entry from the baseline.
 * - `expired`: the last valid day of the entry is over.
 * - `undecided`: the failure was not tested enough.
 */
export const KNOWN_STATES = ['failing', 'passed', 'fixed', 'expired', 'undecided'] as const;

type KnownState = (typeof KNOWN_STATES)[number];

export interface KnownResult {
  readonly known: KnownFailure;
  readonly state: KnownState;
  /** Number of checks that failed or warned at the place that the entry names. */
  readonly failed: number;
  /** Number of checks that gave a decision at the place that the entry names. */
  readonly checks: number;
  /** True if the failure did not occur in any scenario of its entry, but a new failure in one of these scenarios may hide it. */
  readonly mayBeHidden?: true;
}

/** The place of a breach, and whether it moved money. */
type Breach = Pick<RulePlace, 'rule' | 'endpoint' | 'scenario'> & {
  /** The players of the scenario. Empty or undefined if they are not known. */
  readonly players?: readonly string[] | undefined;
  /** The players who see the rule fail in nearly all their scenarios of the run. */
  readonly failingPlayers?: readonly string[] | undefined;
  readonly noMoney?: boolean | undefined;
  /** The sums by which the breach made balances wrong. Undefined if they are not compared. */
  readonly wrongSums?: MoneySums | undefined;
  /** The same sums in each currency in which they can be compared with the sum of one scenario. */
  readonly alikeSums?: MoneySums | undefined;
  /** Sums that depend on the balance and that are a much larger share of their calls than the other sums of the rule. */
  readonly outlyingSums?: MoneySums | undefined;
  /** The shares of their calls by which the sums made balances wrong. Undefined if no share is known. */
  readonly shares?: readonly Share[] | undefined;
  /** The part of `wrongSums` of which no share is known. */
  readonly sumsWithoutShare?: MoneySums | undefined;
  /** True if the breach shows a wrong balance in a reply. */
  readonly hasWrongReply?: boolean | undefined;
  /** The sums by which replies were wrong. */
  readonly repliedSums?: readonly WrongSum[] | undefined;
  /** Whether the sums made balances too low or too high. Undefined if this is not compared. */
  readonly directions?: readonly Direction[] | undefined;
  /** The checks of the rule in all scenarios. Undefined if they are not known. */
  readonly ofRule?: RuleCounts | undefined;
  /** The checks of the rule in the scenario, and the number of repetitions of `RulePlace.timesAgain`. Undefined if they are not known. */
  readonly repeated?: (CheckCounts & Pick<RulePlace, 'timesAgain'>) | undefined;
};

/** The parts of a run that decide the state of a known failure. */
interface RunResults {
  readonly run: RunStarted;
  readonly ended: RunEnded | null;
  /** The results of each rule at each place, after attribution. */
  readonly places: readonly RulePlace[];
}

/** Finds the state of each known failure of the run's baseline. */
export function judgeBaseline(results: RunResults): readonly KnownResult[] {
  return judgeKnown(results.run.baseline?.known ?? [], results);
}

/** Finds the states of known failures. The failures may come from a different baseline than the baseline of the run. */
export function judgeKnown(known: readonly KnownFailure[], results: RunResults): readonly KnownResult[] {
  const alone = known.map((one) => judgeAlone(one, results));
  const broken = new Set(newPlaces(alone, results.places).map(({ scenario }) => scenario));
  const isBroken = ({ known: one }: KnownResult): boolean =>
    results.places.some((place) => broken.has(place.scenario) && isAt(one, place));
  // An entry can name several scenarios. If the failure still occurs in one of them, the others may have passed only by chance. So
  // the entry is fixed only if all its scenarios are. A new failure in one of them may explain too why the known failure did not occur:
  // for example, all money of a refund is lost, so no share of it can be wrong. If the rule still fails elsewhere, and an entry for all
  // scenarios lists it there, then perhaps another player has played these scenarios.
  const isFailingElsewhere = ({ known: { rule, endpoint } }: KnownResult): boolean =>
    alone.some(
      ({ known: other, state }) =>
        state === 'failing' && other.rule === rule && other.endpoint === endpoint && other.scenario === null,
    );
  return alone.map((result): KnownResult => {
    if (result.state !== 'fixed') return result;
    const same = alone.filter((other) => other.known.line === result.known.line);
    if (!same.every(({ state }) => state === 'fixed') || isFailingElsewhere(result))
      return { ...result, state: 'passed' };
    return same.some(isBroken) ? { ...result, state: 'passed', mayBeHidden: true } : result;
  });
}

function judgeAlone(known: KnownFailure, { run, ended, places }: RunResults): KnownResult {
  const own = places.filter((place) => isAt(known, place));
  const failed = own.reduce((sum, place) => sum + place.failed + place.warned, 0);
  const checks = own.reduce((sum, place) => sum + place.checks, 0);
  const result = (state: KnownState): KnownResult => ({ known, state, failed, checks });
  // ISO dates can be compared as texts.
  const isExpired = run.startedAt.slice(0, 10) > known.expires;
  const isOpen = own.some((place) => place.isOpen);
  // Such an entry allows no failure, so it cannot hide one. It may stay in the baseline until its last day.
  if (known.undecided) return result(isExpired ? 'expired' : checks > 0 && !isOpen ? 'passed' : 'undecided');
  // A warning counts as a failure here too, because the breach of a SHOULD rule never gives more than a warning.
  if (failed > 0) return result(isExpired ? 'expired' : 'failing');
  // A failure that occurred only once is undecided (`isOpen`).
  if (known.intermittent && !isExpired) return result(checks > 0 && !isOpen ? 'passed' : 'undecided');
  // A rule that passes in one shard (one part of a divided run) may fail in another shard. So a single shard cannot show that a
  // failure is fixed.
  // The failure may occur with some players only. Then it is fixed only if each of them has tested the rule again. If several players took
  // part in a scenario, perhaps the calls of another one have tested the rule.
  const isPlayedBy = (player: string): boolean =>
    own.some((place) => place.checks > 0 && place.players.length === 1 && place.players.includes(player));
  const players = (known.players ?? []).filter((one) => run.settings.sessions.some(({ player }) => player === one));
  const isTried =
    ended?.how === 'complete' && run.shard === undefined && (run.whole || known.tried) && players.every(isPlayedBy);
  if (isTried && !known.intermittent && !isOpen && checks > 0) return result('fixed');
  return result(isExpired ? 'expired' : 'undecided');
}

/** True if the entry is about the rule, the endpoint and the scenario of the breach. */
function isAt({ rule, endpoint, scenario }: KnownFailure, breach: Breach): boolean {
  return (
    rule === breach.rule &&
    (endpoint === null || endpoint === breach.endpoint) &&
    (scenario === null || scenario === breach.scenario || scenario === breach.scenario.split('#')[0])
  );
}

/**
 * True if the entry allows the breach:
 *
 * - An entry for breaches that move no money does not allow a breach that moves money.
 * - An entry with sums does not allow higher sums. It allows wrong balances in replies only if it says so, and up to the sum it says.
 * - An entry with a sum for the scenario allows no breach of another kind.
 * - An entry with a direction does not allow that balances are wrong in the other one.
 * - An entry with a rate does not allow that the rule fails much more often. If the rule fails only now and then, the entry does not allow
 *   that it fails in each repetition of a scenario.
 * - An entry for an undecided rule allows no breach.
 */
export function allows(known: KnownFailure, breach: Breach): boolean {
  if (known.undecided) return false;
  return (
    isAt(known, breach) &&
    (known.noMoney !== true || breach.noMoney === true) &&
    !isOfOtherPlayers(known, breach) &&
    exceededShare(known, breach) === undefined &&
    exceededSum(known, breach) === undefined &&
    !isOfOtherKind(known, breach) &&
    !isOfOtherDirection(known, breach) &&
    !hasNewWrongReply(known, breach) &&
    exceededReply(known, breach) === undefined &&
    !failsMoreOften(known, breach) &&
    !failsEachTime(known, breach)
  );
}

/**
 * True if only other players than those of the entry took part in the scenario of the breach, and the entry does not allow this. If the
 * rule also passes with a player of the entry, or was not tested with this player, it perhaps does not depend on the player at all.
 */
export function isOfOtherPlayers({ noOtherPlayers, players = [] }: KnownFailure, breach: Breach): boolean {
  const { players: playing = [], failingPlayers = [] } = breach;
  return (
    noOtherPlayers === true &&
    playing.length > 0 &&
    !playing.some((player) => players.includes(player)) &&
    players.every((player) => failingPlayers.includes(player))
  );
}

/**
 * True if the entry has a sum for the scenario of the breach, but the breach made no balance wrong there. Then the rule fails in
 * another way. For example, a win that was too low is now refused.
 */
export function isOfOtherKind({ maxSumsIn }: KnownFailure, { scenario, wrongSums }: Breach): boolean {
  const limits = maxSumsIn?.[scenario];
  return limits !== undefined && !isWithoutSums(limits) && wrongSums !== undefined && isWithoutSums(wrongSums);
}

/**
 * True if the breach makes a balance wrong in the other direction than the entry allows. For example, wins were too low, and are now too
 * high. One scenario does not show this, because croupier may have blamed the wrong call there.
 */
export function isOfOtherDirection(
  { balances }: Pick<KnownFailure, 'balances'>,
  { directions = [], ofRule }: Pick<Breach, 'directions' | 'ofRule'>,
): boolean {
  if (balances === undefined || ofRule === undefined) return false;
  const other = otherDirection(balances);
  return directions.includes(other) && ofRule.inDirection[other] >= MIN_OTHER_DIRECTION;
}

export function otherDirection(direction: Direction): Direction {
  return direction === 'too low' ? 'too high' : 'too low';
}

/** Minimum number of scenarios with balances that are wrong in the other direction. */
const MIN_OTHER_DIRECTION = 2;

/**
 * True if the breach shows a wrong balance in a reply, but the entry is about wrong sums only. The sums of the reads would not show such a
 * fault. If failures occur only now and then, a single wrong reply may come from the same fault. Then several scenarios must show one.
 */
export function hasNewWrongReply(
  { maxSums, wrongReplies, intermittent }: Pick<KnownFailure, 'maxSums' | 'wrongReplies' | 'intermittent'>,
  {
    hasWrongReply,
    ofRule,
  }: { readonly hasWrongReply?: boolean | undefined; readonly ofRule?: Pick<RuleCounts, 'replying'> | undefined },
): boolean {
  const isMany = !intermittent || (ofRule?.replying ?? 0) >= MIN_REPLYING;
  return hasWrongReply === true && maxSums !== undefined && !wrongReplies && isMany;
}

/**
 * Returns the sum by which a reply is wrong, if it is higher than the entry allows. Undefined if there is none. If failures occur only
 * now and then, or if the repetition of the scenario did not show it, several scenarios must show a higher sum.
 */
export function exceededReply(known: KnownFailure, breach: Breach): ExceededSum | undefined {
  const { maxReplySums: limits, replyAmounts, intermittent } = known;
  if (limits === undefined) return undefined;
  const exceededBy = (sums: readonly WrongSum[]): ExceededSum | undefined =>
    exceeded(highestReplied(sums, replyAmounts), limits, limits);
  const found = exceededBy(breach.repliedSums ?? []);
  const isMany = (breach.ofRule?.repliedSums ?? []).filter(exceededBy).length >= MIN_REPLYING;
  return isMany || (breach.hasWrongReply === true && !intermittent) ? found : undefined;
}

/** Minimum number of scenarios with a wrong balance in a reply that failures without such replies do not explain. */
const MIN_REPLYING = 3;

/**
 * True if the entry notes how often the rule fails, and the rule fails much more often in this run. A part of the suite says nothing about
 * this, because it may contain just the scenarios that fail.
 */
export function failsMoreOften({ failedChecks }: KnownFailure, { ofRule }: Breach): boolean {
  return failedChecks !== undefined && ofRule?.whole === true && isMuchMoreOften(ofRule, failedChecks);
}

/**
 * True if the entry allows that the rule fails now and then, but the breach occurred in each repetition of its scenario, and chance does
 * not explain this.
 */
export function failsEachTime({ intermittent, failedChecks }: KnownFailure, breach: Breach): boolean {
  return intermittent === true && failedChecks !== undefined && isNoChance(breach, failedChecks);
}

/**
 * True if a breach occurred in each repetition of its scenario, and chance does not explain this, because the rule fails only now and
 * then. The rate is the higher one of the noted rate and the rate in the other scenarios of the run.
 */
export function isNoChance({ repeated, ofRule }: Breach, noted: CheckCounts): boolean {
  if (repeated === undefined || ofRule === undefined || repeated.timesAgain < MIN_REPETITIONS) return false;
  const [failed, checks] = [ofRule.failed - repeated.failed, ofRule.checks - repeated.checks];
  if (checks <= 0 || noted.checks === 0) return false;
  return Math.max(failed / checks, noted.failed / noted.checks) ** repeated.timesAgain < MAX_CHANCE;
}

/** With fewer repetitions, a failure that occurs now and then may occur in each of them. */
const MIN_REPETITIONS = 3;
/** Chance explains a failure in each repetition of a scenario if its probability is at least this. */
const MAX_CHANCE = 0.01;

/** A sum by which a breach made a balance wrong, and the lower sum that an entry allows. Both are in the same currency. */
interface ExceededSum {
  readonly sums: MoneySums;
  readonly limits: MoneySums;
  readonly currency: string;
}

/** Returns an entry without its limits of sums, directions, shares and rates. It also allows wrong balances in replies. */
export function withoutLimits({
  maxShare: _maxShare,
  failedChecks: _failedChecks,
  maxReplySums: _maxReplySums,
  balances: _balances,
  ...known
}: KnownFailure): KnownFailure {
  return { ...known, maxSums: {}, maxSumsIn: {}, wrongReplies: true };
}

/**
 * Returns the share that is much larger than the one that the entry notes. Undefined if there is none. If the failures occur only now and
 * then, several scenarios must show such a share, because croupier may have blamed the wrong call in a single one.
 */
export function exceededShare(
  { maxShare, intermittent }: KnownFailure,
  { shares = [], ofRule }: Breach,
): Share | undefined {
  const noted = maxShare === undefined ? undefined : readShare(maxShare);
  if (!noted) return undefined;
  const isMany =
    !intermittent || (ofRule?.shares ?? []).filter((share) => isMuchLarger(share, noted)).length >= MIN_SHARES;
  return isMany ? shares.find((share) => isMuchLarger(share, noted)) : undefined;
}

/** Minimum number of scenarios with a larger share, if the failures occur only now and then. */
const MIN_SHARES = 2;

/**
 * Returns the sum that is higher than the entry allows. Undefined if there is none. If the entry notes a share, only the sums are
 * compared of which no share is known: the same share of a call for more money is the same failure. An entry for failures that occur only
 * now and then allows a multiple of the highest sum, so all its sums are compared. If the entry has a sum for the
 * scenario of the breach, this sum is the limit. If the amounts of its currency can't be compared with those of the breach, the limit of the whole
 * entry counts.
 */
export function exceededSum(known: KnownFailure, breach: Breach): ExceededSum | undefined {
  if (known.maxShare !== undefined && !known.intermittent && breach.shares !== undefined) {
    const { sumsWithoutShare: rest = {} } = breach;
    return known.maxSums && exceeded(rest, known.maxSums, known.maxSums);
  }
  const inScenario = known.maxSumsIn?.[breach.scenario];
  const { alikeSums: alike = {} } = breach;
  const isComparable = inScenario !== undefined && Object.keys(alike).some((code) => inScenario[code] !== undefined);
  const [sums, limits] = isComparable ? [alike, inScenario] : [breach.wrongSums, known.maxSums];
  const compared = sums && limits && exceeded(sums, limits, limits);
  if (compared) return compared;
  const { outlyingSums } = breach;
  return outlyingSums && known.maxSums && exceeded(outlyingSums, known.maxSums, times(OUTLYING_FACTOR, known.maxSums));
}

/** The balance of the next run may be higher, and then a sum that depends on the balance is higher too. */
const OUTLYING_FACTOR = 3;

/** @param highest the sums that are allowed; they may be a multiple of the limits of the entry */
function exceeded(sums: MoneySums, limits: MoneySums, highest: MoneySums): ExceededSum | undefined {
  const currency = currencyAbove(sums, highest);
  return currency === undefined ? undefined : { sums, limits, currency };
}

/** True if the baseline lists a breach as a known failure, and this entry has not expired. */
export function isKnownBreach(results: readonly KnownResult[], breach: Breach): boolean {
  return results.some(({ known, state }) => state === 'failing' && allows(known, breach));
}

/** Returns the breach at a place, in the form that can be compared with the entries of a baseline. */
export function breachAt(place: RulePlace): Breach {
  const {
    rule,
    endpoint,
    scenario,
    movesMoney,
    wrongSums,
    alikeSums,
    outlyingSums,
    sumsWithoutShare,
    directions,
    hasWrongReply,
    repliedSums,
    ofRule,
  } = place;
  const shares = [place.share, place.varyingShare].filter((share) => share !== undefined);
  return {
    rule,
    endpoint,
    scenario,
    players: place.players,
    failingPlayers: place.failingPlayers,
    noMoney: !movesMoney,
    hasWrongReply,
    repliedSums,
    ofRule,
    repeated: { failed: place.failed, checks: place.checks, timesAgain: place.timesAgain },
    ...(!isAboutRaces(rule) && { wrongSums, alikeSums, outlyingSums, sumsWithoutShare, directions }),
    ...(!isAboutRaces(rule) && shares.length > 0 && { shares }),
  };
}

/** Returns each place at which a rule fails, if no entry of the baseline allows this failure. */
export function newPlaces(results: readonly KnownResult[], places: readonly RulePlace[]): readonly RulePlace[] {
  return places.filter((place) => place.failed > 0 && !isKnownBreach(results, breachAt(place)));
}

/** The known failures that belong to one entry of the baseline and have the same state. */
export interface KnownGroup extends KnownResult {
  /** The scenarios of these known failures; empty if the entry is valid for all scenarios. */
  readonly scenarios: readonly string[];
}

/**
 * Joins the known failures that belong to one entry and have the same state. An entry that names several scenarios gives several
 * known failures.
 */
export function knownGroups(results: readonly KnownResult[]): readonly KnownGroup[] {
  return [...Map.groupBy(results, ({ known, state }) => `${known.line} ${state}`).values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const sum = (of: (result: KnownResult) => number): number => own.reduce((all, result) => all + of(result), 0);
    return {
      ...first,
      failed: sum(({ failed }) => failed),
      checks: sum(({ checks }) => checks),
      scenarios: own.flatMap(({ known }) => known.scenario ?? []),
    };
  });
}

/**
 * True if the run shows that an entry is no longer needed: its failure is fixed, or the rule that it lists as undecided is decided
 * again. An update of the baseline removes such an entry.
 */
export function isNoLongerNeeded({ known, state }: KnownResult): boolean {
  return state === 'fixed' || (known.undecided === true && state === 'passed');
}

/** Returns the entries of the baseline that fail the run, because their failure is fixed or because they have expired. */
export function staleEntries(results: readonly KnownResult[]): readonly KnownGroup[] {
  return knownGroups(results).filter(({ state }) => state === 'fixed' || state === 'expired');
}
