import { hasNewWrongReply } from '../../journal/baseline.ts';
import type { Verdict } from '../../journal/finding.ts';
import { isAboutRaces } from '../../journal/judged-outcome.ts';
import { currencyAbove, isWithoutSums, sumsText, sumText } from '../../journal/money-sums.ts';
import { dependsOnMoment } from '../../journal/results/chance.ts';
import { isByChance, moreOften, turned } from './by-chance.ts';
import { type LostCoverage, lostCoverage, untriedPlayer } from './coverage.ts';
import { type FailingPlace, isJudged, type JudgedRule, type RunSummary } from './run-summary.ts';

/** The verdicts of one rule in two runs. */
interface Change extends Omit<JudgedRule, 'because' | 'endpoints' | 'failing' | 'counts'> {
  readonly before: Verdict;
  /** Only for a rule that got worse: what is worse, as a clause. */
  readonly how?: string;
  /** Only for a rule that may be hidden: a scenario in which it failed before, and in which a new failure may hide it now. */
  readonly hiddenIn?: string;
  /** Only for a rule that was not tried again with the player of its failure: this player. */
  readonly player?: string;
}

interface Slower {
  readonly call: string;
  readonly beforeMs: number;
  readonly nowMs: number;
}

/** The changes from an earlier to a later run. Each rule is in at most one of the lists of rules. */
export interface Comparison extends LostCoverage {
  /** Reasons why the runs are not fully comparable, as sentences. */
  readonly differences: readonly string[];
  /** Rules that fail now, but did not fail before. */
  readonly broken: readonly Change[];
  /**
   * Rules that failed in the earlier run, and were judged in the later run without a failure. No new failure may hide their failures, and
   * they were tried again with the player of their failures.
   */
  readonly fixed: readonly Change[];
  /** Rules that failed in the earlier run and not in the later run, but perhaps only because a new failure hides their failures. */
  readonly mayBeHidden: readonly Change[];
  /** Rules that failed in the earlier run, and were judged in the later run without a failure, but only with other players. */
  readonly notTriedAgain: readonly Change[];
  /** Rules that were judged in the earlier run without a failure and without a warning, and give a warning in the later run. */
  readonly warned: readonly Change[];
  /** Rules that gave a warning in the earlier run, and were judged in the later run without a failure and without a warning. */
  readonly cleared: readonly Change[];
  /** Rules that were not judged in the earlier run, and were judged in the later run without a failure. */
  readonly added: readonly Change[];
  /** Rules that were judged in the earlier run, with or without a failure, but not in the later run. */
  readonly gone: readonly Change[];
  /**
   * Rules that would be gone, but that only failures of a rule in `stillFailing`, or of a rule that the baseline allows, left undecided.
   * Chance may decide this.
   */
  readonly leftUndecided: readonly Change[];
  /** Rules that failed in both runs, and fail in the later run at a further place, or with more harm. */
  readonly worse: readonly Change[];
  /** Rules that failed in both runs, and fail in the later run in the same way, or in fewer places. */
  readonly stillFailing: readonly Change[];
  /** Calls whose 95th percentile grew so much that chance does not explain the growth. */
  readonly slower: readonly Slower[];
}

/** Minimum number of replies for a meaningful 95th percentile. */
const MIN_REPLIES = 20;
/**
 * A call counts as slower if its 95th percentile grew by at least this factor, and by at least the number of milliseconds
 * below.
 */
const SLOWER_RATIO = 1.5;
const SLOWER_MS = 20;

/** Compares an earlier run with a later one. */
export function compare(before: RunSummary, now: RunSummary): Comparison {
  const changes = changesOf(before, now);
  const fails = (verdict: Verdict): boolean => verdict === 'fail';
  const failing = changes.filter((one) => fails(one.verdict) && fails(one.before));
  const worse = failing.flatMap((one) => {
    const how = howWorse(one.id, before, now) ?? noLongerAllowed(one.id, before, now);
    return how === null ? [] : [{ ...one, how }];
  });
  const broken = changes.filter((one) => fails(one.verdict) && !fails(one.before));
  const newlyFailing = scenariosWith([...broken, ...worse], now);
  const stillFailing = failing.filter(({ id }) => !worse.some((one) => one.id === id));
  const passing = changes
    .filter((one) => fails(one.before) && isJudged(one.verdict) && !fails(one.verdict))
    .map((one): Change => {
      const hiddenIn = [...scenariosWith([one], before)].find((scenario) => newlyFailing.has(scenario));
      if (hiddenIn !== undefined) return { ...one, hiddenIn };
      const player = untriedPlayer(one.id, before, now);
      return player === undefined ? one : { ...one, player };
    });
  const notJudged = changes.filter((one) => isJudged(one.before) && !isJudged(one.verdict));
  const explaining = failing.filter((one) => one.isKnown || stillFailing.includes(one));
  const isLeft = (one: Change): boolean => isExplainedBy(one.id, explaining, now);
  return {
    differences: differencesOf(before, now),
    broken,
    fixed: passing.filter(({ hiddenIn, player }) => hiddenIn === undefined && player === undefined),
    mayBeHidden: passing.filter(({ hiddenIn }) => hiddenIn !== undefined),
    notTriedAgain: passing.filter(({ player }) => player !== undefined),
    warned: changes.filter((one) => one.verdict === 'warn' && isClean(one.before)),
    cleared: changes.filter((one) => one.before === 'warn' && isClean(one.verdict)),
    added: changes.filter((one) => isJudged(one.verdict) && !isJudged(one.before) && !fails(one.verdict)),
    gone: notJudged.filter((one) => !isLeft(one)),
    leftUndecided: notJudged.filter(isLeft),
    ...lostCoverage(before, now),
    worse,
    stillFailing,
    slower: now.latency.flatMap(({ call, count, p95Ms }) => {
      const earlier = before.latency.find((one) => one.call === call);
      if (!earlier || Math.min(count, earlier.count) < MIN_REPLIES) return [];
      const isSlower = p95Ms >= earlier.p95Ms * SLOWER_RATIO && p95Ms - earlier.p95Ms >= SLOWER_MS;
      return isSlower ? [{ call, beforeMs: earlier.p95Ms, nowMs: p95Ms }] : [];
    }),
  };
}

/**
 * True if a run left the rule undecided because of one of these failing rules. The breach of a failing rule may explain it directly, or
 * explain the rule that explains it.
 */
function isExplainedBy(id: string, failing: readonly Change[], { judged }: RunSummary): boolean {
  const openRule = (name: string): JudgedRule | undefined =>
    judged.find((one) => one.id === name && one.verdict === 'inconclusive');
  const because = openRule(id)?.because ?? undefined;
  if (because === undefined) return false;
  return failing.some((one) => one.id === because || one.id === openRule(because)?.because);
}

/** Returns the scenarios in which a run shows failures of these rules. */
function scenariosWith(changes: readonly Change[], { judged }: RunSummary): ReadonlySet<string> {
  return new Set(
    judged
      .filter(({ id }) => changes.some((one) => one.id === id))
      .flatMap(({ failing }) => failing.map(({ scenario }) => scenario)),
  );
}

/** True if the rule was judged and gave neither a failure nor a warning. */
function isClean(verdict: Verdict): boolean {
  return isJudged(verdict) && verdict !== 'fail' && verdict !== 'warn';
}

/** Returns the rules that are newly broken, or got worse, and that are not on the baseline. */
export function newFailures({ broken, worse }: Pick<Comparison, 'broken' | 'worse'>): readonly Change[] {
  return [...broken, ...worse].filter(({ isKnown }) => !isKnown);
}

/** True if the later run tested less than the earlier one. */
export function isLessTested(change: Comparison): boolean {
  const { gone, goneEndpoints, goneScenarios, goneChecks, fewerSessions } = change;
  return [gone, goneEndpoints, goneScenarios, goneChecks, fewerSessions].some(({ length }) => length > 0);
}

const MAX_NAMES = 3;

/**
 * Says what is worse about a rule that failed in both runs; null if nothing is worse. If the rule fails now in a scenario in which
 * it passed before, in the same currency, this counts as worse. For rules about races, neither such scenarios nor larger sums count
 * as worse, because both depend on chance.
 */
function howWorse(id: string, before: RunSummary, now: RunSummary): string | null {
  const [earlier, later] = [failingIn(before, id), failingIn(now, id)];
  if (earlier.length === 0) return null;
  const endpoints = new Set(
    later.flatMap(({ endpoint }) => (earlier.some((place) => place.endpoint === endpoint) ? [] : (endpoint ?? []))),
  );
  if (endpoints.size > 0) return `it also fails at ${[...endpoints].join(', ')}`;
  if (earlier.every(({ noMoney }) => noMoney) && later.some(({ noMoney }) => !noMoney)) return 'it now moves money';
  if (isAboutRaces(id)) return null;
  const replying = newWrongReplies(earlier, later);
  if (replying.length > 0)
    return `its replies now have wrong balances: the next read shows another balance (in ${listed(replying)})`;
  const first = earlier.every(({ wrongSums }) => isWithoutSums(wrongSums))
    ? later.find(({ wrongSums }) => !isWithoutSums(wrongSums))
    : undefined;
  if (first) return `it now makes balances wrong: by ${sumsText(first.wrongSums)} in ${first.scenario}`;
  const other = turned(id, before, now);
  if (other) return `it now makes balances ${other.is} (in ${listed(other.scenarios)}). Before, they were ${other.was}`;
  const often = moreOften(id, before, now);
  if (often !== null) return often;
  const rule = before.judged.find((one) => one.id === id);
  // Chance decides in which scenarios such a rule fails, and how many calls of a scenario are wrong.
  if (rule && isByChance(rule)) return null;
  return moreMoney(earlier, later) ?? elsewhere(id, before, now);
}

/**
 * Says that the earlier run allowed the failures of a rule, and that the later run does not allow them with the same baseline. So the later
 * run itself found them worse than the baseline, or an entry has expired. Null if this is not so.
 */
function noLongerAllowed(id: string, before: RunSummary, now: RunSummary): string | null {
  const [earlier, later] = [before, now].map(({ judged }) => judged.find((one) => one.id === id));
  const baseline = before.digests?.baseline;
  const isSame = baseline !== undefined && baseline === now.digests?.baseline;
  return isSame && earlier?.isKnown === true && later?.isKnown === false
    ? 'the baseline allowed its failures before, and the same baseline does not allow them now'
    : null;
}

/** Says where a rule fails in another way than before, or in which scenarios it fails although it passed there. Null if nowhere. */
function elsewhere(id: string, before: RunSummary, now: RunSummary): string | null {
  const [earlier, later] = [failingIn(before, id), failingIn(now, id)];
  const other = later.find((place) => isWithoutSums(place.wrongSums) && hadSums(place, earlier));
  if (other) return `it fails in another way in ${other.scenario}: before, a balance was wrong there`;
  const scenarios = new Set(
    later.flatMap(({ scenario }) =>
      before.decided.includes(scenario) &&
      !earlier.some((place) => place.scenario === scenario) &&
      (isFreeOfAmounts(id) || isSameCurrency(scenario, before, now))
        ? [scenario]
        : [],
    ),
  );
  return scenarios.size === 0 ? null : `it also fails in ${listed([...scenarios])}`;
}

function failingIn({ judged }: RunSummary, id: string): readonly FailingPlace[] {
  return judged.find((rule) => rule.id === id)?.failing ?? [];
}

function listed(scenarios: readonly string[]): string {
  const others = scenarios.length > MAX_NAMES ? ` and ${scenarios.length - MAX_NAMES} more` : '';
  return `${scenarios.slice(0, MAX_NAMES).join(', ')}${others}`;
}

/**
 * Returns the scenarios with wrong balances in replies that a baseline from the earlier run would not allow. Reports of older versions say
 * nothing about replies, so they may have had wrong ones.
 */
function newWrongReplies(earlier: readonly FailingPlace[], later: readonly FailingPlace[]): readonly string[] {
  const known = {
    maxSums: {},
    ...(earlier.some(({ mayReplyWrongly }) => mayReplyWrongly !== false) && { wrongReplies: true as const }),
    ...(earlier.some(({ unrepeated }) => unrepeated) && { intermittent: true as const }),
  };
  const replying = new Set(later.filter(({ wrongReply }) => wrongReply).map(({ scenario }) => scenario));
  const isNew = (place: FailingPlace): boolean =>
    hasNewWrongReply(known, { hasWrongReply: place.wrongReply, ofRule: { replying: replying.size } });
  return [...new Set(later.filter(isNew).map(({ scenario }) => scenario))];
}

/**
 * False if both runs played the scenario, but with sessions in different currencies. A wallet may behave differently in each
 * currency.
 */
function isSameCurrency(scenario: string, before: RunSummary, now: RunSummary): boolean {
  const [earlier, later] = [before.currencies?.[scenario], now.currencies?.[scenario]];
  return earlier === undefined || later === undefined || earlier.join(' ') === later.join(' ');
}

/** True for a rule whose failures cannot depend on the currency, because the amount of a call does not change what it tests. */
function isFreeOfAmounts(id: string): boolean {
  return id.startsWith('signature.');
}

/** True if the rule made a balance wrong at the same place in the earlier run, and chance did not decide about this. */
function hadSums({ scenario, endpoint }: FailingPlace, earlier: readonly FailingPlace[]): boolean {
  const before = earlier.find((place) => place.scenario === scenario && place.endpoint === endpoint);
  return before !== undefined && !isWithoutSums(before.wrongSums) && !before.rules.some(dependsOnMoment);
}

/** Names the first place at which the rule makes balances more wrong than in the earlier run; null if there is no such place. */
function moreMoney(earlier: readonly FailingPlace[], later: readonly FailingPlace[]): string | null {
  for (const { scenario, endpoint, alikeSums } of later) {
    const before = earlier.find((place) => place.scenario === scenario && place.endpoint === endpoint);
    // Chance decides how many calls are wrong if calls overlap, or if connections break.
    const code = before && !before.rules.some(dependsOnMoment) && currencyAbove(alikeSums, before.wrongSums);
    if (before && code)
      return `it makes balances more wrong in ${scenario}: by ${sumText(alikeSums, code)} now, by ${sumText(before.wrongSums, code)} before`;
  }
  return null;
}

/**
 * Returns every rule of both runs. A run lists the expectation of a scenario only if the expectation was not met. So if a
 * scenario was played and its expectation is not listed, the expectation was met.
 */
function changesOf(before: RunSummary, now: RunSummary): readonly Change[] {
  const ids = new Set([...now.judged, ...before.judged].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const earlier = before.judged.find((one) => one.id === id);
    const later = now.judged.find((one) => one.id === id);
    const known = later ?? earlier;
    if (!known) return [];
    const verdict = later?.verdict ?? verdictOfUnlisted(id, now);
    const { level, money, isKnown } = known;
    return {
      id,
      level,
      money,
      isKnown,
      verdict,
      reason: later?.reason ?? null,
      before: earlier?.verdict ?? verdictOfUnlisted(id, before),
    };
  });
}

function verdictOfUnlisted(id: string, run: RunSummary): Verdict {
  const scenario = id.includes(' in ') ? id.slice(id.indexOf(' in ') + 4) : undefined;
  return scenario !== undefined && run.scenarios.includes(scenario) ? 'pass' : 'untested';
}

function differencesOf(before: RunSummary, now: RunSummary): readonly string[] {
  const differences: string[] = [];
  const compareValue = (what: string, a: string, b: string): void => {
    if (a !== b) differences.push(`different ${what}: ${a} before, ${b} now`);
  };
  compareValue('client', before.extCID, now.extCID);
  for (const name of new Set([...Object.keys(before.labels), ...Object.keys(now.labels)]))
    compareValue(`label ${name}`, before.labels[name] ?? 'none', now.labels[name] ?? 'none');
  compareValue('version of croupier', before.croupier, now.croupier);
  compareValue('version of the contract', before.contract, now.contract);
  compareValue('selection', before.selection.join(' ') || 'everything', now.selection.join(' ') || 'everything');
  compareValue('strictness', before.strict ? 'strict' : 'not strict', now.strict ? 'strict' : 'not strict');
  const came = now.scenarios.filter((id) => !before.scenarios.includes(id)).length;
  const went = before.scenarios.filter((id) => !now.scenarios.includes(id)).length;
  if (came + went > 0)
    differences.push(
      `different plan: ${came} ${came === 1 ? 'scenario is' : 'scenarios are'} new, and ${went} ${went === 1 ? 'is' : 'are'} missing now`,
    );
  const [earlier, later] = [before.digests, now.digests];
  if (earlier && later) {
    if (earlier.rules !== later.rules) differences.push('different rules: the catalogue of rules was changed');
    if (earlier.suite !== later.suite && came + went === 0)
      differences.push('different scenarios: the ids are the same, but the contents differ');
    if (earlier.config !== later.config) differences.push(settingsDifference(before, now));
    if (earlier.baseline !== later.baseline) differences.push('different baseline');
  }
  return differences;
}

/** The names of settings, as a user writes them. All other settings have the same name in the journal. */
const SETTING_NAMES: Readonly<Record<string, string>> = {
  deadlineMs: 'deadline',
  lingerMs: 'linger',
  budgetMs: 'budget',
  budgetFails: 'budget',
  allowFlaky: '--allow-flaky',
};

/** Names the settings that differ. A journal does not name all settings, so some differences can only be described in general. */
function settingsDifference(before: RunSummary, now: RunSummary): string {
  const [earlier, later] = [before.settings ?? {}, now.settings ?? {}];
  const keys = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  // Another difference already names the strictness.
  keys.delete('strict');
  const changed = [...keys].filter((key) => JSON.stringify(earlier[key]) !== JSON.stringify(later[key]));
  const named = changed.map((key) => {
    const [was, is] = [earlier, later].map((settings) => settingText(key, settings[key]));
    return `${SETTING_NAMES[key] ?? key} (${was} before, ${is} now)`;
  });
  // A quick run has fewer rounds of races, which no other setting names.
  if (before.quick !== now.quick) named.push(`--quick (${now.quick ? 'only now' : 'only before'})`);
  if (JSON.stringify(kindsOf(before)) !== JSON.stringify(kindsOf(now))) named.push('the sessions');
  return named.length > 0
    ? `different settings: ${named.join(', ')}`
    : 'different settings that the journals do not name, such as the stakes, the rate, the paths or the required rules';
}

function settingText(key: string, value: unknown): string {
  if (value === undefined) return 'none';
  return `${typeof value === 'string' ? value : JSON.stringify(value)}${key.endsWith('Ms') ? ' ms' : ''}`;
}

/** Returns the sessions without the names of their players, which may differ in each run. */
function kindsOf({ sessions }: RunSummary): readonly unknown[] {
  const players = [...new Set((sessions ?? []).map(({ player }) => player))];
  return (sessions ?? []).map(({ player, currency, gameID, state }) => [
    player === null ? null : players.indexOf(player),
    currency,
    gameID,
    state,
  ]);
}
