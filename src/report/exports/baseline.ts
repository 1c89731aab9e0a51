import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import {
  allows,
  breachAt,
  exceededShare,
  exceededSum,
  isNoChance,
  isNoLongerNeeded,
  isOfOtherKind,
  type KnownResult,
  withoutLimits,
} from '../../journal/baseline.ts';
import type { KnownFailure } from '../../journal/event.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { RulePlace } from '../../journal/judged-outcome.ts';
import {
  currencyAbove,
  DIRECTIONS,
  type Direction,
  decimalsOf,
  highestSums,
  isWithoutSums,
  type MoneySums,
  powerOfTen,
  sumsText,
  sumText,
  times,
} from '../../journal/money-sums.ts';
import { dependsOnMoment, hasLateCalls, MIN_WIDESPREAD, mayReplyWrongly } from '../../journal/results/chance.ts';
import { isLeftUndecided, mayBeLeftUndecided, onlyDecidingScenario } from '../../journal/results/excused.ts';
import { type CheckCounts, countsText } from '../../journal/results/failure-rate.ts';
import { type PlayedCurrencies, playedCurrencies } from '../../journal/results/played-currencies.ts';
import { playedPlayers } from '../../journal/results/played-players.ts';
import { highestReplied, isOfAmount, type NotedReplies } from '../../journal/results/replied-sums.ts';
import { EXPLAINED_FACTOR, undecidedSums } from '../../journal/results/undecided-sums.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { notedDecimal, notedShare, percentText } from '../../journal/share.ts';
import { Stabilities } from './stability.ts';

/** One entry to write into a baseline. */
export interface BaselineEntry {
  readonly rule: string;
  readonly client: string;
  readonly endpoint: string | null;
  /** The scenarios in which the rule fails; empty for all scenarios. */
  readonly scenarios: readonly string[];
  readonly noMoney: boolean;
  /** For each currency, the highest sum by which the rule may make a balance wrong in one scenario. */
  readonly maxSums: MoneySums;
  /** These sums are this multiple of the highest sums of the run. Undefined if this is not known, for example for an older entry. */
  readonly factor: number | undefined;
  /** For some scenarios: the highest sum by which the rule may make a balance wrong there. */
  readonly maxSumsIn: Readonly<Record<string, MoneySums>>;
  /** The largest share of the amounts of some calls by which the rule may make a balance wrong. Undefined if no share is noted. */
  readonly maxShare: string | undefined;
  /** True if the replies to these calls may have a wrong balance. */
  readonly wrongReplies: boolean;
  /** The highest sum by which a single reply may be wrong. Undefined if no sum is noted. */
  readonly maxReplySums: MoneySums | undefined;
  /** True if a reply may also be wrong by the amount of its call. */
  readonly replyAmounts: true | undefined;
  /** The number of failed checks of the rule, and of all its checks. Undefined if no rate is noted. */
  readonly failedChecks: CheckCounts | undefined;
  /** The only direction in which the rule may make balances wrong. Undefined if no direction is noted. */
  readonly balances: Direction | undefined;
  /** The only players whose calls break the rule; empty if the failures do not depend on the player. */
  readonly players: readonly string[];
  /** True if the entry does not allow failures of other players. */
  readonly noOtherPlayers: boolean;
  readonly intermittent: boolean;
  /** True if the rule may stay undecided, but may not fail. */
  readonly undecided: boolean;
  /** The reason of the failure. Empty if a person has to write the reason. `ticket` and `expires` are also empty in this case. */
  readonly reason: string;
  readonly ticket: string;
  readonly expires: string;
  /** Number of checks that failed, and number of checks that gave a decision. */
  readonly failed: number;
  readonly checks: number;
}

/**
 * Writes the failures of this run as a baseline for later runs. Entries of the current baseline that still fail or are undecided
 * are kept.
 *
 * In new entries, reason, ticket and expiry are empty. A run does not accept empty values, so a person has to fill them in.
 */
export async function* baselineReport(fold: Fold): AsyncGenerator<string> {
  const { client, startedAt } = fold.run;
  const fresh = entriesFor(fold, failingPlaces(fold), listedBy(fold));
  const isUnneeded = unneededIn(fold, fold.baseline, fresh);
  const kept = fold.baseline
    .filter((result) => result.state !== 'expired' && !isUnneeded(result))
    .map((result) => keptEntry(result, client.extCID));
  const open = undecidedEntries(fold, listedBy(fold));
  const entries = joined([...kept, ...fresh, ...open]);
  yield `# Rules that ${comment(client.extCID)} breaks, from the run of ${comment(startedAt.slice(0, 10))}. See docs/baseline.md.\n`;
  yield entries.length === 0 ? '[]\n' : entries.map(entryText).join('');
}

/** Returns the places with a failure that the baseline of the run does not allow. */
export function failingPlaces(fold: Fold): readonly RulePlace[] {
  const known = listedBy(fold);
  return brokenPlaces(fold).filter((place) => !known.some((one) => allows(one, breachAt(place))));
}

/** Returns the known failures of the run's baseline that stay in the baseline. */
function listedBy({ baseline }: Fold): readonly KnownFailure[] {
  return baseline.filter(({ state }) => state !== 'fixed' && state !== 'expired').map(({ known }) => known);
}

/**
 * Returns the places that a baseline must list so that they do not fail the run or leave it undecided: places with a failure, and
 * places with a warning that explains why a MUST rule is undecided.
 */
export function brokenPlaces({ places, rules }: Fold): readonly RulePlace[] {
  const explaining = new Set(
    rules.map(({ rule, verdict, because }) => (rule.level === 'MUST' && verdict === 'inconclusive' ? because : null)),
  );
  return places.filter(
    ({ rule, failed, warned }) => failed > 0 || (warned > 0 && rule !== EXPECTATION && explaining.has(rule)),
  );
}

/**
 * Returns new entries that allow the failures at some places. If an entry of the run's baseline allows such a failure, the new entry
 * has the reason, the ticket and the last day of this entry.
 *
 * @param listed the entries that stay in the baseline. If one of them allows the failure, but with a lower sum, the new entry names
 * the scenario. Otherwise the new entry would allow the higher sum in every scenario.
 */
export function entriesFor(
  fold: Fold,
  places: readonly RulePlace[],
  listed: readonly KnownFailure[],
): readonly BaselineEntry[] {
  const raced = new Set(fold.races.map(({ scenario }) => scenario));
  const stabilities = new Stabilities(fold);
  const currencies = playedCurrencies(
    fold.scenarios.map(({ planned, sessions }) => ({ id: planned.id, sessions })),
    fold.run.settings.sessions,
  );
  const stakes = fold.run.settings.stakes ?? {};
  const lostSums = times(CHANCE_FACTOR, inAllCurrencies(stabilities.scattered.map(sumsOf), stakes));
  const byRule = Map.groupBy(places, ({ rule, endpoint }) => `${rule} ${endpoint}`);
  const entries = [...byRule.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const isChance = ({ scenario, flaky }: RulePlace): boolean => flaky || raced.has(scenario);
    const stability = stabilities.of(first);
    const isByChance = stability === 'intermittent';
    const players = stabilities.playersOf(first);
    const isOfPlayers = players.length > 0;
    const share = isOfPlayers && OF_ONE_DIRECTION.includes(first.rule) ? notedShare(own) : undefined;
    const isOfOrdinaryCalls = stability === 'anywhere' || own.some(isBelowUnit);
    const isByCurrency = first.rule !== EXPECTATION && dependsOnCurrency(stabilities.tried(first), currencies);
    const isVarying = isByChance || isByCurrency || isOfPlayers || stabilities.chanceOf(first) === 'calls';
    const isWorse = (place: RulePlace): boolean => !isVarying && isAboveSums(place, listed);
    const isAnywhere = isByCurrency || isByChance || isOfOrdinaryCalls;
    // If the entry is valid in all scenarios, its rate is about all checks of the rule. Each place gives an entry, and all these entries
    // are joined, so only the first one has the number of checks.
    const checks = stabilities.tried(first).reduce((sum, place) => sum + place.checks, 0);
    const hasWrongReplies = mayReplyWrongly(own);
    const replies = repliesOf(own, stakes);
    const sums = own.map(sumsOf);
    const allFactor = sums.every(isWithoutSums)
      ? 1
      : Math.max(factorAnywhere(first, stabilities), isOfPlayers ? factorOfPlayers(own) : 1);
    const allSums = allowedAnywhere(sums, first.rule, { stakes, factor: allFactor });
    // Without a limit, an entry for failures by chance would also allow a new fault that loses much more money.
    const isOfReplies = own.length >= MIN_WIDESPREAD && own.every(({ showsWrongReply }) => showsWrongReply);
    const usualSums = times(CHANCE_FACTOR, inAllCurrencies(sums, stakes, isAlikeFor(first.rule)));
    const isOfFew = isByChance && own.length < MIN_WIDESPREAD;
    const callSums = isOfFew ? sumsOfLargestCall(own, stakes) : {};
    const isOfLargest = isWithoutSums(lostSums) && currencyAbove(callSums, usualSums) !== undefined;
    const chanceSums = sums.every(isWithoutSums)
      ? isOfReplies && !dependsOnMoment(first.rule)
        ? noSums(first.rule, stakes)
        : {}
      : highestSums([usualSums, callSums]);
    // Chance decides how many scenarios the players or the currencies of a failure get.
    const isOfSome = isOfPlayers || isByCurrency;
    const isSingleCall = OF_ONE_DIRECTION.includes(first.rule);
    const isRated = isByChance
      ? isSingleCall || !own.every(isChance)
      : (isOfOrdinaryCalls && !isOfSome && hasWrongReplies) || stabilities.isOfStaleReads(first);
    const rate = isRated ? rateOf(own, stabilities) : undefined;
    // The entry for failures that occur now and then does not allow such a failure. Chance decides which player plays the scenario.
    const isEachTime = (place: RulePlace): boolean =>
      isByChance && rate !== undefined && isNoChance(breachAt(place), rate);
    const maxSumsOf = (place: RulePlace): MoneySums => {
      if (isEachTime(place)) return allowedInScenario(place, stakes);
      if (isByChance) return ofMoneyRule(place.rule, isWithoutSums(lostSums) ? chanceSums : lostSums);
      if (isOfOrdinaryCalls && !isWorse(place)) return allSums;
      return isByCurrency || isChance(place) ? {} : allowedInScenario(place, stakes);
    };
    const direction = isByChance ? directionIn(own, fold) : undefined;
    const chanceShare = direction && usualDecimal(own);
    return own.map((place) => {
      const noMoney = isAboutMoney(place.rule) && (isAnywhere ? own : [place]).every(({ movesMoney }) => !movesMoney);
      const isNowAndThen = isByChance || (!isOfOrdinaryCalls && (isByCurrency || isChance(place)));
      const allowsReplies = !noMoney && isAboutMoney(place.rule) && hasWrongReplies && (isByChance || !isNowAndThen);
      const known = fold.baseline.find((result) => allows(result.known, breachAt(place)))?.known;
      return {
        rule: place.rule,
        client: fold.run.client.extCID,
        endpoint: place.endpoint,
        scenarios:
          isAnywhere && !isWorse(place) && !isEachTime(place)
            ? []
            : [isEachTime(place) ? place.scenario : nameIn(own, place)],
        noMoney,
        maxSums: noMoney ? {} : maxSumsOf(place),
        factor: isEachTime(place)
          ? 1
          : isByChance
            ? isOfLargest
              ? undefined
              : CHANCE_FACTOR
            : isOfOrdinaryCalls && !isWorse(place)
              ? allFactor
              : 1,
        maxSumsIn: noMoney || isVarying || isNowAndThen ? {} : sumIn(place, fold),
        maxShare: noMoney
          ? undefined
          : isByChance
            ? isEachTime(place)
              ? undefined
              : chanceShare
            : isNowAndThen
              ? undefined
              : share && notedDecimal(share),
        wrongReplies: allowsReplies,
        maxReplySums: allowsReplies ? replies.maxReplySums : undefined,
        replyAmounts: allowsReplies ? replies.replyAmounts : undefined,
        failedChecks: isWorse(place) || isEachTime(place) ? undefined : rate,
        balances: noMoney ? undefined : direction,
        players: isNowAndThen ? [] : players,
        noOtherPlayers: !isNowAndThen && isOfPlayers && stabilities.isOnlyOfPlayers(first),
        intermittent: isNowAndThen,
        undecided: false,
        failed: place.failed,
        checks: isAnywhere && !isEachTime(place) ? (place === first ? checks : 0) : place.checks,
        ...(known ? textsOf(known) : { reason: '', ticket: '', expires: '' }),
      };
    });
  });
  return joined(entries);
}

/**
 * Returns the sums by which the largest call of the suite would be wrong, with the largest share of the run. If few calls failed, all of
 * them may have been small ones. Empty if the rule is not about the amount of one kind of call.
 *
 * @param own the failures of the rule
 */
function sumsOfLargestCall(own: readonly RulePlace[], stakes: Readonly<Record<string, string>>): MoneySums {
  const share = notedShare(own);
  const decimal = Money.read((share && notedDecimal(share)) ?? '');
  if (!decimal || !own.every(({ rule }) => OF_ONE_DIRECTION.includes(rule))) return {};
  return Object.fromEntries(
    Object.entries(stakes).map(([code, stake]) => [
      code,
      roundedUp(Money.of(stake).times(LARGEST_CALL).times(decimal).toString(), code),
    ]),
  );
}

/** The amount of the largest call whose amount does not depend on the balance, in stakes. */
const LARGEST_CALL = Money.of('32');

/**
 * Returns the sums by which single replies were wrong, as limits for the next run. If most replies are wrong by the amount of their
 * call, they may be wrong by any amount in the next run. If the other replies are all wrong by the same sum, this sum is the
 * limit, else ten times the highest one. Late calls have no limit, because chance decides which calls a reply includes.
 *
 * @param own the failures of the rule
 */
function repliesOf(own: readonly RulePlace[], stakes: Readonly<Record<string, string>>): NotedReplies {
  const all = own.flatMap(({ repliedSums }) => repliedSums.filter(({ varies }) => !varies));
  if (all.length === 0 || hasLateCalls(own)) return {};
  const ofAmount = all.filter(isOfAmount);
  // A reply to a bet of one cent that is wrong by one cent does not show this.
  const replyAmounts = ofAmount.length * 2 > all.length ? (true as const) : undefined;
  const others = replyAmounts ? all.filter((sum) => !isOfAmount(sum)) : all;
  const compared = others.length > 0 ? others : all;
  const counts = Map.groupBy(compared, ({ amount, currency }) => `${amount.replace(/^-/, '')} ${currency}`).size;
  const isConstant =
    compared === others &&
    compared.length >= MIN_WIDESPREAD &&
    counts === new Set(compared.map((one) => one.currency)).size;
  const highest = inAllCurrencies([highestReplied(compared, undefined)], stakes);
  return { maxReplySums: isConstant ? highest : times(CHANCE_FACTOR, highest), replyAmounts };
}

/**
 * Returns how often a rule fails. Undefined if something else than the number of its checks decides this: the moment of calls
 * that overlap or are late, or which rule is blamed for a wrong balance. The speed of the wallet does not concern rules about money.
 *
 * @param own the failures of the rule
 */
function rateOf(own: readonly RulePlace[], stabilities: Stabilities): CheckCounts | undefined {
  const [first] = own;
  if (!first || !(isAboutMoney(first.rule) || first.isStaleRead) || dependsOnMoment(first.rule)) return undefined;
  const { failed, checks, whole } = first.ofRule;
  const isSingleCall = OF_ONE_DIRECTION.includes(first.rule);
  const isStable = failed > 0 && (isSingleCall || stabilities.scattered.length === 0) && !hasLateCalls(own);
  return whole && checks >= MIN_CHECKS_OF_RATE && isStable ? { failed, checks } : undefined;
}

/**
 * Returns the direction in which a rule about single calls makes balances wrong, if there are enough such sums, and if all sums of these
 * rules have the same direction. Otherwise, the next run may blame this rule for a sum of another one. If the wallet carries out calls
 * late, chance decides the direction.
 *
 * @param own the failures of the rule
 */
function directionIn(own: readonly RulePlace[], { places }: Fold): Direction | undefined {
  const [first] = own;
  if (!first || !OF_ONE_DIRECTION.includes(first.rule) || hasLateCalls(places)) return undefined;
  const count = own.reduce((sum, { directions }) => sum + directions.length, 0);
  if (count < MIN_WRONG_SUMS) return undefined;
  const ofSingleCalls = places.filter(({ rule, failed }) => failed > 0 && OF_ONE_DIRECTION.includes(rule));
  return DIRECTIONS.find((one) => ofSingleCalls.every(({ directions }) => directions.every((other) => other === one)));
}

/**
 * Returns the share of the amounts of the calls by which balances are wrong now and then, if at least half of the scenarios show the same
 * share, and no scenario a larger one. A lower share comes from a read after several calls of which only one was wrong. Undefined if
 * the failures show no such share.
 *
 * @param own the failures of the rule
 */
function usualDecimal(own: readonly RulePlace[]): string | undefined {
  const decimals = own.flatMap((place) => {
    const share = notedShare([place]);
    return share ? [notedDecimal(share)] : [];
  });
  const largest = highestShare(decimals);
  const usual = decimals.filter((one) => one === largest);
  return usual.length >= MIN_SCENARIOS_OF_SHARE && usual.length * 2 >= decimals.length ? largest : undefined;
}

/** With fewer scenarios that show the same share, it may be chance. */
const MIN_SCENARIOS_OF_SHARE = 3;

/** With fewer wrong sums, it may be chance that all of them have the same direction. */
const MIN_WRONG_SUMS = 6;

/** With fewer checks, chance explains any rate of a later run. */
const MIN_CHECKS_OF_RATE = 20;

/** True if an entry allows the failure at a place, but with a lower sum or share, or only with a wrong sum. */
function isAboveSums(place: RulePlace, listed: readonly KnownFailure[]): boolean {
  const breach = breachAt(place);
  return listed.some(
    (one) =>
      (exceededShare(one, breach) !== undefined ||
        exceededSum(one, breach) !== undefined ||
        isOfOtherKind(one, breach)) &&
      allows(withoutLimits(one), breach),
  );
}

/**
 * The rules of which the journal knows the amounts of all calls that move money in the same direction. So a sum is the same share of
 * them in each scenario in which all these calls are wrong.
 */
const OF_ONE_DIRECTION: readonly RulePlace['rule'][] = ['bet.debit', 'win.credit', 'refund.restore'];

/** Returns an entry for all scenarios, for a rule that did not fail in this run. */
function entryWithoutFailure(rule: RuleId, { run }: Fold): BaselineEntry {
  return {
    rule,
    client: run.client.extCID,
    endpoint: null,
    scenarios: [],
    noMoney: false,
    maxSums: {},
    factor: 1,
    maxSumsIn: {},
    maxShare: undefined,
    wrongReplies: false,
    maxReplySums: undefined,
    replyAmounts: undefined,
    failedChecks: undefined,
    balances: undefined,
    players: [],
    noOtherPlayers: false,
    intermittent: false,
    undecided: false,
    failed: 0,
    checks: 0,
    reason: '',
    ticket: '',
    expires: '',
  };
}

/** Returns the failures of the run as if a baseline listed each of them. */
export function failuresAsKnown(fold: Fold): readonly KnownResult[] {
  return brokenPlaces(fold).map(({ rule, endpoint, scenario, failed, checks }): KnownResult => {
    const known = { rule, endpoint, scenario, reason: '', ticket: '', expires: '', line: 1, tried: false };
    return { known, state: 'failing', failed, checks };
  });
}

/**
 * Returns an entry for each MUST rule that the failures of the run left undecided, or that they may leave undecided in the next run.
 * Another run with the same failures may not test the rule at all, and then it would be undecided without this entry.
 *
 * @param listed the entries that stay in the baseline. They are left out
 */
export function undecidedEntries(fold: Fold, listed: readonly KnownFailure[]): readonly BaselineEntry[] {
  const isListed = (result: RuleResult): boolean =>
    listed.some(
      (one) =>
        one.undecided &&
        one.rule === result.rule.id &&
        currencyAbove(undecidedSums(result).highest, one.maxSums ?? {}) === undefined,
    );
  const baseline = [...fold.baseline.filter(({ known }) => !known.undecided), ...failuresAsKnown(fold)];
  const stabilities = new Stabilities(fold);
  return fold.rules
    .filter((result) => !isListed(result))
    .filter((result) => {
      const results = { rules: fold.rules, run: fold.run, baseline };
      return (
        isLeftUndecided(result, results) ||
        mayBeLeftUndecided(result, results) ||
        isDecidedByChance(result, fold, stabilities)
      );
    })
    .map((result) => ({
      ...entryWithoutFailure(result.rule.id, fold),
      maxSums: ofMoneyRule(result.rule.id, stableUndecidedSums(result, fold, stabilities)),
      factor: EXPLAINED_FACTOR,
      undecided: true,
    }));
}

/**
 * True for a MUST rule about money that passed in one scenario only, if chance decides whether a call of this scenario makes the balance
 * wrong. In the next run, the wrong balance may leave the rule undecided.
 */
function isDecidedByChance(result: RuleResult, { places }: Fold, stabilities: Stabilities): boolean {
  const only = onlyDecidingScenario(result);
  if (only === undefined || result.rule.level !== 'MUST' || !result.rule.money) return false;
  return places.some((place) => place.scenario === only && place.failed > 0 && stabilities.chanceOf(place) === 'calls');
}

/**
 * Returns a function that says whether the run shows that an entry is no longer needed. An entry for an undecided rule stays if the
 * known failures may leave the rule undecided again in the next run.
 *
 * @param entries the entries of the baseline, with their states after this run
 * @param written the entries for failures that the update adds or extends
 */
export function unneededIn(
  fold: Fold,
  entries: readonly KnownResult[],
  written: readonly BaselineEntry[],
): (result: KnownResult) => boolean {
  const open = new Set(undecidedEntries(fold, []).map(({ rule }) => rule));
  const failing = entries.filter((result) => !result.known.undecided && !isNoLongerNeeded(result));
  const listed = failing.flatMap(({ known }) => known.players ?? []);
  const players = [...listed, ...written.flatMap((entry) => entry.players)];
  const mayBeOpen = (rule: string): boolean => open.has(rule) || !isTestedByAll(rule, players, fold);
  return (result) => isNoLongerNeeded(result) && !(result.known.undecided && mayBeOpen(result.known.rule));
}

/**
 * True if each of these players took part in all scenarios that test a rule. Otherwise chance has given such a scenario to other
 * players, and perhaps the calls of one of these players leave the rule undecided there in the next run. Players without a session of
 * the configuration do not count.
 */
function isTestedByAll(rule: string, players: readonly string[], { run, scenarios }: Fold): boolean {
  const played = playedPlayers({ run, scenarios });
  const configured = players.filter((one) => run.settings.sessions.some(({ player }) => player === one));
  return scenarios
    .filter(({ planned: { rules } }) => rules.some((one) => one === rule))
    .every(({ planned: { id } }) => configured.every((player) => played.get(id)?.includes(player)));
}

/**
 * Rules whose failures give other sums in each run. The sums of `money.main-unit` depend on the number of calls. A read that breaks
 * `balance.read` may show an old balance, and chance decides by how much the balance has changed since then.
 */
const UNLIKE_SUMS: readonly RuleId[] = ['money.main-unit', 'balance.read'];

/**
 * Returns the sums by which the failures of other rules make balances wrong in the checks of an undecided rule, if the next run shows
 * alike sums. Empty if chance or the unit of the amounts decides how high they are.
 */
function stableUndecidedSums(result: RuleResult, fold: Fold, stabilities: Stabilities): MoneySums {
  const { highest, because } = undecidedSums(result);
  const isStable = (rule: RuleId): boolean => {
    const places = fold.places.filter((place) => place.rule === rule && place.failed > 0);
    return (
      !UNLIKE_SUMS.includes(rule) &&
      places.length > 0 &&
      places.every((place) => stabilities.of(place) !== 'intermittent' && stabilities.chanceOf(place) === 'nothing')
    );
  };
  if (![...because].every(isStable)) return {};
  const stakes = fold.run.settings.stakes ?? {};
  const sums = Object.entries(highest).map(([code, sum]) => ({ [code]: roundedUp(sum, code) }));
  return times(EXPLAINED_FACTOR, inAllCurrencies(sums, stakes));
}

/** If chance decides how high a sum is, an entry allows this multiple of the highest sum. */
const CHANCE_FACTOR = 10;
/**
 * If a rule fails in many scenarios, but not in nearly all, then the kind of call decides which of them fail, and chance decides which
 * call a scenario sends. So the sums differ less than those of failures by chance.
 */
const UNEVEN_FACTOR = EXPLAINED_FACTOR;
const FACTOR_WORDS: Readonly<Record<number, string>> = {
  [UNEVEN_FACTOR]: 'three times',
  [CHANCE_FACTOR]: 'ten times',
};

/** Returns the multiple of the highest sum that an entry for all scenarios allows. `place` is a failure of its rule. */
function factorAnywhere(place: RulePlace, stabilities: Stabilities): number {
  if (place.rule === 'money.main-unit') return CHANCE_FACTOR;
  if (stabilities.chanceOf(place) !== 'calls') return 1;
  return hasLateCalls(stabilities.tried(place)) ? CHANCE_FACTOR : UNEVEN_FACTOR;
}

/**
 * Returns the multiple of the highest sum that an entry for failures of some players allows. Few failures show few of the
 * possible sums.
 */
function factorOfPlayers(places: readonly RulePlace[]): number {
  return places.length < MIN_WIDESPREAD ? CHANCE_FACTOR : UNEVEN_FACTOR;
}

/**
 * Minimum number of scenarios with a failure, and minimum number of scenarios without a failure. With fewer, croupier does not
 * conclude that the failure depends on the currency.
 */
const MIN_BY_CURRENCY = 3;
/**
 * Minimum share of the scenarios in the broken currencies that must fail. If fewer fail, chance can explain why no scenario failed
 * in the other currencies.
 */
const MIN_SHARE_BY_CURRENCY = 0.75;

/**
 * True if a rule fails in nearly all scenarios of some currencies, and in no scenario of the others. croupier chooses the sessions
 * of each scenario again in each run. So if the failure depends on the currency, chance decides in which scenarios the rule fails.
 *
 * @param tried the places of the rule with a decision
 */
function dependsOnCurrency(tried: readonly RulePlace[], currencies: PlayedCurrencies | undefined): boolean {
  if (currencies === undefined) return false;
  const groups = Map.groupBy(tried, ({ scenario }) => currencies[scenario]?.join(' ') ?? '');
  const isBroken = (places: readonly RulePlace[]): boolean => places.some(({ failed }) => failed > 0);
  const inBroken = [...groups.values()].filter(isBroken).flat();
  const failing = inBroken.filter(({ failed }) => failed > 0).length;
  return (
    Math.min(failing, tried.length - inBroken.length) >= MIN_BY_CURRENCY &&
    failing >= inBroken.length * MIN_SHARE_BY_CURRENCY
  );
}

/** Only the entry of a rule about money can have sums. */
function ofMoneyRule(rule: RulePlace['rule'], sums: MoneySums): MoneySums {
  return isAboutMoney(rule) ? sums : {};
}

function isAboutMoney(rule: RulePlace['rule']): boolean {
  return rule !== EXPECTATION && ruleById(rule).money;
}

/**
 * Returns the name of the scenario of a failure. If several cases of one scenario fail, returns the name without the case, because
 * the same fault can make the other cases fail too.
 */
function nameIn(own: readonly RulePlace[], { scenario }: RulePlace): string {
  const [name = scenario] = scenario.split('#');
  return own.filter((place) => place.scenario.startsWith(`${name}#`)).length > 1 ? name : scenario;
}

/** Returns the sums that an entry for the failure allows. A sum with more decimals than its currency is rounded up. */
function sumsOf(place: RulePlace): MoneySums {
  if (!isAboutMoney(place.rule)) return {};
  const compared = highestSums([comparedSums(place), allRoundedUp(breachAt(place).outlyingSums ?? {})]);
  // Without any sum to compare, the limit is the share of a stake that a sum shows. The limit 0 would be for failures that move nothing.
  return isWithoutSums(compared) ? allRoundedUp(place.stakeSums) : compared;
}

/** Returns these sums without those that depend on the balance. */
function comparedSums(place: RulePlace): MoneySums {
  return isAboutMoney(place.rule) ? allRoundedUp(breachAt(place).wrongSums ?? {}) : {};
}

function allRoundedUp(sums: MoneySums): MoneySums {
  return Object.fromEntries(Object.entries(sums).map(([code, sum]) => [code, roundedUp(sum, code)]));
}

/**
 * Returns the sum that an entry allows in the scenario of a failure, in the currency of this run. Empty if no sum can be compared:
 * there is none, there are sums in several currencies, or the sum is an error of floating-point numbers. If calls overlap, or if
 * connections break, chance decides how many calls of the scenario are wrong.
 */
function sumIn(place: RulePlace, { scenarios }: Fold): BaselineEntry['maxSumsIn'] {
  const sums = comparedSums(place);
  // The sums of `money.main-unit` depend on the number of all calls.
  const isComparable = Object.keys(sums).length === 1 && place.rule !== 'money.main-unit' && !isBelowUnit(place);
  if (!isComparable || place.flaky) return {};
  const rules = scenarios.find(({ planned }) => planned.id === place.scenario)?.planned.rules ?? [];
  return rules.some(dependsOnMoment) ? {} : { [place.scenario]: sums };
}

/** True if a sum is smaller than the smallest unit of its currency. Then the balance decides in which scenarios the failure occurs. */
function isBelowUnit(place: RulePlace): boolean {
  return Object.entries(breachAt(place).wrongSums ?? {}).some(([code, sum]) => roundedUp(sum, code) !== sum);
}

/**
 * Rounds a sum up to the smallest unit of its currency. The errors of floating-point numbers are smaller, and they are different for
 * each balance.
 */
function roundedUp(sum: string, code: string): string {
  const decimals = decimalsOf(code);
  const money = Money.read(sum);
  if (!money || money.decimals() <= decimals) return sum;
  return money.truncated(decimals).plus(Money.unit(decimals)).toString();
}

/**
 * Returns the highest sum for each currency of the run. In the next run, a scenario may play in another currency. So the highest sum
 * of one currency is converted to each other currency, by the powers of ten between the stakes.
 *
 * @param isAlike true if a sum of the first currency says something about the second currency
 */
function inAllCurrencies(
  sums: readonly MoneySums[],
  stakes: Readonly<Record<string, string>>,
  isAlike: (from: string, to: string) => boolean = () => true,
): MoneySums {
  const highest = highestSums(sums);
  const codes = Object.keys(highest);
  if (codes.some((code) => stakes[code] === undefined)) return highest;
  const converted = codes.flatMap((from) =>
    Object.keys(stakes)
      .filter((to) => isAlike(from, to))
      .map((to) => {
        const sum = Money.read(highest[from] ?? '')?.shift(powerOfTen(stakes[to]) - powerOfTen(stakes[from]));
        return sum ? { [to]: roundedUp(sum.toString(), to) } : {};
      }),
  );
  return highestSums([highest, ...converted]);
}

/**
 * Returns the sums that an entry for all scenarios allows. If chance decides which calls fail, it also decides how high the sum of a
 * scenario is, so a multiple of the highest sum is allowed (`factor`).
 *
 * For `money.main-unit`, less is allowed than the next higher unit would give. Each sum is the sum of all calls of a scenario in the
 * wrong unit, so the scenario with the highest sum may play in another currency in the next run.
 */
function allowedAnywhere(
  sums: readonly MoneySums[],
  rule: RulePlace['rule'],
  { stakes, factor }: { readonly stakes: Readonly<Record<string, string>>; readonly factor: number },
): MoneySums {
  if (sums.every(isWithoutSums)) return noSums(rule, stakes);
  const all = inAllCurrencies(sums, stakes, isAlikeFor(rule));
  return factor === 1 ? all : times(factor, all);
}

/** Returns the sums that an entry allows in the scenario of a failure. The next run may play the scenario in another currency. */
function allowedInScenario(place: RulePlace, stakes: Readonly<Record<string, string>>): MoneySums {
  const sums = [sumsOf(place)];
  return sums.every(isWithoutSums) ? noSums(place.rule, stakes) : inAllCurrencies(sums, stakes, isAlikeFor(place.rule));
}

/**
 * Returns a sum of 0 for each currency. An entry with these sums is for failures that only replies show, such as a repeated bet that
 * gets a new txID. If a later failure of the rule makes a balance wrong, it is worse.
 */
function noSums(rule: RulePlace['rule'], stakes: Readonly<Record<string, string>>): MoneySums {
  return ofMoneyRule(rule, Object.fromEntries(Object.keys(stakes).map((code) => [code, '0'])));
}

/**
 * Returns a function that says whether a sum in one currency says something about another currency. If amounts are in the wrong unit,
 * the number of decimals of a currency decides how wrong they are.
 */
function isAlikeFor(rule: RulePlace['rule']): (from: string, to: string) => boolean {
  if (rule !== 'money.main-unit') return () => true;
  return (from, to) =>
    from === to ||
    (currencyByCode(from) !== undefined && currencyByCode(from)?.decimals === currencyByCode(to)?.decimals);
}

function keptEntry({ known, failed, checks }: KnownResult, client: string): BaselineEntry {
  const { rule, endpoint, scenario, noMoney = false, maxSums = {}, maxSumsIn = {} } = known;
  const {
    maxShare,
    wrongReplies = false,
    maxReplySums,
    replyAmounts,
    failedChecks,
    balances,
    players = [],
    noOtherPlayers = false,
    intermittent = false,
    undecided = false,
  } = known;
  const scenarios = scenario === null ? [] : [scenario];
  const conditions = {
    noMoney,
    maxSums,
    factor: undefined,
    maxSumsIn,
    maxShare,
    wrongReplies,
    maxReplySums,
    replyAmounts,
    failedChecks,
    balances,
    players,
    noOtherPlayers,
    intermittent,
    undecided,
  };
  return { rule, client, endpoint, scenarios, ...conditions, failed, checks, ...textsOf(known) };
}

function textsOf({ reason, ticket, expires }: KnownFailure): Pick<BaselineEntry, 'reason' | 'ticket' | 'expires'> {
  return { reason, ticket, expires };
}

/**
 * Joins entries that differ only in their scenarios. Entries with sums in different currencies are not joined: a later run may play
 * a scenario in another currency, and the sum of another scenario in that currency says nothing about it. If all entries with a sum
 * have the same currency, entries without a sum are joined with them.
 */
function joined(entries: readonly BaselineEntry[]): readonly BaselineEntry[] {
  const kind = ({
    scenarios,
    failed: _failed,
    checks: _checks,
    maxSums: _sums,
    factor: _factor,
    maxSumsIn: _sumsIn,
    maxShare: _share,
    wrongReplies: _replies,
    failedChecks: _rate,
    ...rest
  }: BaselineEntry): string => JSON.stringify([rest, scenarios.length === 0]);
  return [...Map.groupBy(entries, kind).values()].flatMap((same) => {
    const isOne = new Set(same.map(currenciesOf).filter((codes) => codes !== '')).size < 2;
    const groups = isOne || same[0]?.intermittent === true ? [same] : [...Map.groupBy(same, currenciesOf).values()];
    return groups.flatMap(joinedAll);
  });
}

function currenciesOf({ maxSums }: BaselineEntry): string {
  return Object.keys(maxSums).toSorted().join(' ');
}

function joinedAll(own: readonly BaselineEntry[]): readonly BaselineEntry[] {
  const [first] = own;
  if (!first) return [];
  const sum = (of: (entry: BaselineEntry) => number): number => own.reduce((all, entry) => all + of(entry), 0);
  const joint = {
    ...first,
    scenarios: [...new Set(own.flatMap(({ scenarios }) => scenarios))],
    maxSums: highestSums(own.map(({ maxSums }) => maxSums)),
    factor: own.every(({ factor }) => factor === first.factor) ? first.factor : undefined,
    maxSumsIn: highestIn(own.map(({ maxSumsIn }) => maxSumsIn)),
    maxShare: highestShare(own.map(({ maxShare }) => maxShare)),
    wrongReplies: own.some(({ wrongReplies }) => wrongReplies),
    failedChecks: own.find((entry) => entry.failedChecks)?.failedChecks,
    failed: sum(({ failed }) => failed),
    checks: sum(({ checks }) => checks),
  };
  return [joint];
}

/** Returns the highest share. Undefined if an entry notes no share: then its sums are the limit. */
export function highestShare(shares: readonly (string | undefined)[]): string | undefined {
  const decimals = shares.flatMap((share) => Money.read(share ?? '') ?? []).sort((a, b) => a.compare(b));
  return decimals.length < shares.length ? undefined : decimals.at(-1)?.toString();
}

/** Returns the highest sums of each scenario. */
function highestIn(all: readonly BaselineEntry['maxSumsIn'][]): BaselineEntry['maxSumsIn'] {
  const byScenario = Map.groupBy(all.flatMap(Object.entries<MoneySums>), ([scenario]) => scenario);
  return Object.fromEntries(
    [...byScenario].map(([scenario, own]) => [scenario, highestSums(own.map(([, sums]) => sums))]),
  );
}

/** Writes one entry as YAML. */
export function entryText(entry: BaselineEntry): string {
  const { rule, client, endpoint, scenarios, undecided, reason, ticket, expires } = entry;
  const lines = [
    `rule: ${rule}`,
    `client: ${scalar(client)}`,
    ...(endpoint === null ? [] : [`endpoint: ${endpoint}`]),
    ...(scenarios.length === 0 ? [] : [`scenario:${listText(scenarios)}`]),
    ...conditionLines(entry),
    `reason: ${quoted(reason)}`,
    `ticket: ${quoted(ticket)}`,
    expires === ''
      ? `expires: # the last day on which ${undecided ? 'this' : 'the failure'} is accepted, as in 2027-03-31`
      : `expires: ${expires}`,
  ];
  const all = lines.flatMap((line) => line.split('\n'));
  return all.map((line, at) => `${at === 0 ? '-' : ' '} ${line}\n`).join('');
}

/** Writes the keys that say which failures an entry allows, except for the places of the failures. The lines are as in `limitLines`. */
export function conditionLines(entry: BaselineEntry): readonly string[] {
  return [...(entry.noMoney ? [`money: false # ${REMARKS.noMoney}`] : []), ...limitLines(entry)];
}

/** The keys that `limitLines` writes. */
export const LIMIT_KEYS = [
  'money',
  'moneyIn',
  'share',
  'wrongReplies',
  'replyMoney',
  'balances',
  'players',
  'otherPlayers',
  'intermittent',
  'failedChecks',
  'undecided',
] as const;

/** Writes the keys that limit what an entry allows, one line after another, without the indentation of the entry. */
export function limitLines(entry: BaselineEntry): readonly string[] {
  const { maxSums, maxSumsIn, maxShare, wrongReplies, players, noOtherPlayers, intermittent, undecided } = entry;
  const { failed, checks, failedChecks } = entry;
  const rate = failedChecks ? '' : ` # failed in ${failed} of ${plural(checks, 'check')}`;
  const sums = Object.keys(maxSums).map((code) => sumText(maxSums, code));
  const { maxReplySums = {}, replyAmounts } = entry;
  const replied = [
    ...Object.keys(maxReplySums).map((code) => sumText(maxReplySums, code)),
    ...(replyAmounts ? ['amount'] : []),
  ];
  // A scenario whose limit is the limit of the whole entry needs no line of its own.
  const others = Object.entries(maxSumsIn).filter(
    ([, limit]) => currencyAbove(maxSums, limit) !== undefined || currencyAbove(limit, maxSums) !== undefined,
  );
  return [
    ...(sums.length === 0 ? [] : [`money:${listText(sums)} # ${sumRemark(entry.factor)}`]),
    ...(others.length === 0 ? [] : [`moneyIn: # ${REMARKS.inScenarios}`]),
    ...others.map(([id, limit]) => `  ${scalar(id)}: ${sumsText(limit)}`),
    ...(maxShare === undefined ? [] : [`share: ${percentText(maxShare)} # ${REMARKS.share}`]),
    ...(wrongReplies ? [`wrongReplies: true # ${REMARKS.wrongReplies}`] : []),
    ...(replied.length === 0 ? [] : [`replyMoney:${listText(replied)} # ${REMARKS.replyMoney}`]),
    ...(entry.balances ? [`balances: ${entry.balances} # ${REMARKS[entry.balances]}`] : []),
    ...(players.length === 0 ? [] : [`players:${listText(players)} # ${REMARKS.players}`]),
    ...(noOtherPlayers ? [`otherPlayers: false # ${REMARKS.otherPlayers}`] : []),
    ...(intermittent ? [`intermittent: true${rate}`] : []),
    ...(failedChecks ? [`failedChecks: ${countsText(failedChecks)} # ${REMARKS.rate}`] : []),
    ...(undecided ? [`undecided: true # ${REMARKS.undecided}`] : []),
  ].flatMap((lines) => lines.split('\n'));
}

/** The comments that `conditionLines` writes at the keys. */
const REMARKS = {
  noMoney: 'no breach moved money',
  highest: 'the highest sum in one scenario',
  allowed: 'the highest sum that is allowed in one scenario',
  inScenarios: 'the highest sum in these scenarios',
  share: 'of the amounts of the calls',
  wrongReplies: 'the next read may show another balance than the reply',
  replyMoney: 'the highest sum by which a reply may be wrong',
  'too low': 'balances that are too high are worse',
  'too high': 'balances that are too low are worse',
  players: 'no other player failed',
  otherPlayers: 'a failure of another player is worse',
  rate: 'a much higher rate is worse',
  undecided: 'because of other failures; the rule may not fail',
} as const;

/** True for a comment that `conditionLines` writes. Every other comment was written by a person. */
export function isRemark(text: string): boolean {
  const sums = Object.keys(FACTOR_WORDS).map((factor) => sumRemark(Number(factor)));
  return [...Object.values(REMARKS), ...sums].includes(text) || /^failed in \d+ of \d+ checks?$/.test(text);
}

/**
 * Says where the sums of an entry come from.
 *
 * @param factor undefined for an entry of an earlier run, which does not say how its sums were made
 */
function sumRemark(factor: number | undefined): string {
  if (factor === undefined) return REMARKS.allowed;
  return factor === 1 ? REMARKS.highest : `${FACTOR_WORDS[factor]} ${REMARKS.highest}`;
}

/** Writes the value of a key: one text, or a list below the key. */
function listText(texts: readonly string[]): string {
  const [first = ''] = texts;
  if (texts.length === 1) return ` ${scalar(first)}`;
  return texts.map((one) => `\n  - ${scalar(one)}`).join('');
}

/** Writes a name without quotes if no YAML reader can understand the name as something else. */
function scalar(text: string): string {
  return /^[a-z][a-z0-9]*(?:[/#_.-][a-z0-9]+)+$/i.test(text) ? text : quoted(text);
}

/** Quotes a text as JSON, which is also valid YAML. Characters that YAML could read as a line end are written as codes. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function comment(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
