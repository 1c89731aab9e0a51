import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Level } from '../contract/rule.ts';
import type { RuleOutcome } from './attempt.ts';
import type { Attributed, Intermittent, KnownFailure, MovedAlone, SumFound } from './event.ts';
import { EXPECTATION, type Finding, graver, VERDICTS, type Verdict } from './finding.ts';
import {
  addUp,
  type Direction,
  directionOf,
  inAlikeCurrencies,
  isWithoutSums,
  joinSums,
  type MoneySums,
  type WrongSum,
  withoutSums,
} from './money-sums.ts';
import { isShownByBalance, LATE_ONCE, movedAloneReason, NOT_REPEATED, UNREPEATED } from './moved-alone.ts';
import { type UnknownPath, unknownPathReason } from './network/unknown-path.ts';
import { type UnknownSessions, unknownSessionReason } from './network/unknown-session.ts';
import type { CheckCounts } from './results/failure-rate.ts';
import { playersWithFailures, regularlyFailing } from './results/played-players.ts';
import {
  allowedShare,
  largestOf,
  largestShare,
  lowerShare,
  lowestVaryingShare,
  outlyingSums,
  type Share,
  sumsOfStake,
  usualShare,
  withShare,
} from './share.ts';

/**
 * A finding with its final verdict. The final verdict differs from the verdict in the scenario if the breach of another rule
 * explains the finding (attribution).
 */
export interface JudgedFinding extends Finding {
  readonly scenario: string;
  /** The rule whose breach explains the finding; null if no attribution applies. */
  readonly because: RuleId | null;
  /** The reason why the final verdict differs from the verdict of the step; null if they are the same. */
  readonly reason: string | null;
  /** True if the scenario failed and then passed on retry. */
  readonly flaky: boolean;
}

/**
 * An outcome of a scenario with its final verdict. The final verdict differs from the verdict in the scenario if the breach of
 * another rule explains the outcome (attribution).
 */
export interface JudgedOutcome {
  readonly scenario: string;
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  readonly because: RuleId | null;
  readonly reason: string | null;
  readonly count: number;
  /** True if each finding of the outcome is a breach that moved no money. */
  readonly noMoney: boolean;
  /** The sums by which the findings of the outcome made balances wrong. */
  readonly wrongSums: MoneySums;
  /** The single sums, but not more than a maximum number. */
  readonly sums: readonly WrongSum[];
  /** The single sums by which replies were wrong, but not more than a maximum number. */
  readonly repliedSums: readonly WrongSum[];
  readonly findings: readonly JudgedFinding[];
  /** True if the scenario failed and then passed on retry. */
  readonly flaky: boolean;
  /** True if croupier repeated the scenario, and the failure did not occur again in the same way. */
  readonly isUnrepeated?: true;
  /** Number of repetitions, if the failure occurred in each of them at the same step. Undefined if it did not. */
  readonly timesAgain?: number;
  /** True if a finding of the outcome shows a wrong balance in a reply, and shows it again when croupier repeats the scenario. */
  readonly hasWrongReply?: true;
  /** The same, also if the repetition did not show it again. */
  readonly showsWrongReply?: true;
  /**
   * True for a breach that is undecided, because somebody else moved a balance, or may have moved it, or because replies were late at
   * only one time of the run.
   */
  readonly isInDoubt?: true;
  /** True for a failure that is undecided, because a call that fails now and then explains it. */
  readonly isOfRareCall?: true;
}

/**
 * Limits the verdict of a breach to what the level of the rule allows. For example, the breach of a SHOULD rule gives only a
 * warning.
 */
function atLevel(level: Level, verdict: Verdict, strict: boolean): Verdict {
  if (verdict !== 'fail' && verdict !== 'warn') return verdict;
  switch (level) {
    case 'MUST':
      return verdict;
    case 'SHOULD':
      return strict ? 'fail' : 'warn';
    case 'NOTE':
      return 'note';
  }
}

function matches(attribution: Attributed, scenario: string, outcome: RuleOutcome): boolean {
  return (
    attribution.rule === outcome.rule &&
    (attribution.endpoint === null || attribution.endpoint === outcome.endpoint) &&
    (attribution.scenario === null || attribution.scenario === scenario) &&
    // A rule that was skipped was not tested. So no other rule explains its result.
    outcome.verdict !== 'skip'
  );
}

function isAboutBalance({ rule, samples }: RuleOutcome): boolean {
  return isShownByBalance({ rule, causes: [] }) || samples.some(isShownByBalance);
}

/** True if a balance could not be read only because the operator does not know the session. */
function isOfUnknownSession({ rule, samples }: RuleOutcome, { exchanges }: UnknownSessions): boolean {
  return rule === 'balance.read' && samples.every(({ exchange }) => exchange !== null && exchanges.has(exchange));
}

/**
 * Returns the reason why a breach is undecided because somebody else moved a balance, or may have moved it. Null if the breach
 * counts.
 */
function doubtAboutBalance(
  outcome: RuleOutcome,
  movedAlone: MovedAlone | null,
  intermittent: Intermittent | null,
): string | null {
  if (outcome.noMoney || !isAboutBalance(outcome)) return null;
  if (movedAlone !== null && (movedAlone.onlyUnrepeated !== true || outcome.isUnrepeated))
    return movedAloneReason(movedAlone);
  // A failure without a wrong sum is shown by a reply: a repeated call may be answered rightly the second time.
  // But more bets than croupier knew of may have had enough money, if somebody else had paid in.
  const isWrongSum = outcome.sums.length > 0 || outcome.rule === 'concurrency.no-overdraft';
  if (!isWrongSum || !outcome.isUnrepeated || intermittent !== null) return null;
  return outcome.awaitsRepetition ? NOT_REPEATED : UNREPEATED;
}

/** Gives an outcome its final verdict. If several attributions match the outcome, the latest one counts. */
export function judgeOutcome(
  scenario: string,
  outcome: RuleOutcome,
  attributions: readonly Attributed[],
  {
    strict,
    movedAlone,
    intermittent,
    unknownPath,
    unknownSessions,
    latePeriods,
    timesAgain,
  }: {
    readonly strict: boolean;
    readonly movedAlone: MovedAlone | null;
    readonly intermittent: Intermittent | null;
    readonly unknownPath: UnknownPath | null;
    readonly unknownSessions: UnknownSessions | null;
    /** The number of periods of the run in which replies were late. */
    readonly latePeriods: number;
    /** See `repetitionsOf`. */
    readonly timesAgain: number;
  },
): JudgedOutcome {
  const attribution = attributions.findLast((candidate) => matches(candidate, scenario, outcome));
  const level = outcome.rule === EXPECTATION ? 'MUST' : ruleById(outcome.rule).level;
  const judged = atLevel(level, attribution?.verdict ?? outcome.verdict, strict);
  const isBreach = judged === 'fail' || judged === 'warn';
  const isLateOnce = outcome.rule === 'reply.deadline' && outcome.isUnrepeated && latePeriods === 1;
  const doubtIfBreach = isLateOnce ? LATE_ONCE : doubtAboutBalance(outcome, movedAlone, intermittent);
  const ownDoubt = isBreach ? doubtIfBreach : null;
  const doubt =
    ownDoubt !== null
      ? ownDoubt
      : unknownPath !== null && isBreach
        ? unknownPathReason(unknownPath)
        : unknownSessions !== null && isBreach && isOfUnknownSession(outcome, unknownSessions)
          ? unknownSessionReason(unknownSessions)
          : null;
  const verdict = doubt === null ? judged : 'inconclusive';
  const because = doubt === null ? (attribution?.because ?? null) : null;
  const reason = doubt ?? attribution?.reason ?? null;
  const base = {
    scenario,
    rule: outcome.rule,
    endpoint: outcome.endpoint,
    verdict,
    because,
    reason,
    count: outcome.count,
    noMoney: outcome.noMoney,
    wrongSums: outcome.wrongSums,
    sums: outcome.sums,
    repliedSums: outcome.repliedSums,
    flaky: false,
    ...(outcome.verdict === 'fail' && outcome.isUnrepeated && { isUnrepeated: true as const }),
    ...(outcome.verdict === 'fail' && !outcome.isUnrepeated && timesAgain > 0 && { timesAgain }),
    ...(outcome.hasWrongReply && { hasWrongReply: true as const }),
    ...(outcome.showsWrongReply && { showsWrongReply: true as const }),
    ...(ownDoubt !== null && { isInDoubt: true as const }),
  };
  return {
    ...base,
    findings: outcome.samples.map((finding) => ({
      ...finding,
      verdict: verdict === 'untested' ? 'skip' : verdict,
      scenario,
      because,
      reason,
      flaky: false,
    })),
  };
}

/**
 * If a scenario passed on retry, its failed attempt is reported as flaky. Returns an outcome of the failed attempt with this mark.
 * Returns an empty list if the outcome is no breach and was not attributed to a breach.
 *
 * @param allowed true if a flaky failure is only a warning
 */
export function flakyOutcome(outcome: JudgedOutcome, allowed: boolean): readonly JudgedOutcome[] {
  if (outcome.verdict !== 'fail' && outcome.verdict !== 'inconclusive') return [];
  if (outcome.verdict === 'inconclusive' && outcome.because === null && !outcome.isInDoubt) return [];
  const verdict = allowed ? 'warn' : outcome.verdict;
  return [
    {
      ...outcome,
      verdict,
      flaky: true,
      findings: outcome.findings.map((one) => ({ ...one, verdict, flaky: true })),
    },
  ];
}

const gravity = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
/** Compares two outcomes by their verdicts, so that sorting puts the most severe verdict first. */
export const byGravity = (a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number =>
  gravity(a.verdict) - gravity(b.verdict);

/** Returns the most severe verdict, or `untested` if there are no outcomes. */
export function gravest(outcomes: readonly { readonly verdict: Verdict }[]): Verdict {
  return outcomes.reduce<Verdict>((verdict, outcome) => graver(verdict, outcome.verdict), 'untested');
}

export function countOf(outcomes: readonly JudgedOutcome[], wanted: (outcome: JudgedOutcome) => boolean): number {
  return outcomes.reduce((sum, outcome) => (wanted(outcome) ? sum + outcome.count : sum), 0);
}

/** True if the outcome is a decision about the rule, so neither `skip` nor `inconclusive`. */
export const isDecided = (outcome: JudgedOutcome): boolean =>
  outcome.verdict !== 'skip' && outcome.verdict !== 'inconclusive';
export const isFinding = (outcome: JudgedOutcome): boolean => outcome.findings.length > 0;

/**
 * Returns the reason for the verdict of a rule. If another rule explains the verdict, this reason is used instead of the text of
 * the first finding.
 */
export function reasonOf(
  outcomes: readonly JudgedOutcome[],
  verdict: Verdict,
): { reason: string | null; because: RuleId | null; seenIn: string | null } {
  if (verdict === 'pass') return { reason: null, because: null, seenIn: null };
  const own = outcomes.filter((outcome) => outcome.verdict === verdict);
  const main = own.find((outcome) => outcome.reason !== null) ?? own[0];
  return {
    reason: main?.reason ?? main?.findings[0]?.actual ?? null,
    because: main?.because ?? null,
    seenIn: main?.scenario ?? null,
  };
}

/** The results for one rule at one endpoint in one scenario. */
export interface RulePlace {
  readonly rule: Finding['rule'];
  /** The endpoint; null if the rule has one verdict for all endpoints. */
  readonly endpoint: CallName | null;
  readonly scenario: string;
  /** The players who took part in the scenario. Empty if they are not known. */
  readonly players: readonly string[];
  /** The players who see the rule fail in nearly all their scenarios of the run; for old balances: in any scenario. */
  readonly failingPlayers: readonly string[];
  /** Number of checks that failed. */
  readonly failed: number;
  /** Number of checks that gave a warning. */
  readonly warned: number;
  /** Number of checks that gave a decision, including `failed` and `warned`. */
  readonly checks: number;
  /** True if a check was tried, but could not be decided. */
  readonly isOpen: boolean;
  /** True if a check that failed or warned may have moved money. */
  readonly movesMoney: boolean;
  /** The sums by which the checks that failed or warned made balances wrong. */
  readonly wrongSums: MoneySums;
  /** The same sums, in each currency in which the same failure would give an alike sum. */
  readonly alikeSums: MoneySums;
  /**
   * Whether the sums made balances too low or too high, once for each sum. A sum is left out if the calls to which it belongs are not
   * known: another rule may explain it. Empty if other rules of the scenario have sums of the other direction: then one wrong balance may
   * have been divided into sums of both directions.
   */
  readonly directions: readonly Direction[];
  /**
   * For each currency: the highest of the sums that depend on the balance and that are a much larger share of their calls than the
   * other sums of the rule. `wrongSums` does not contain these sums.
   */
  readonly outlyingSums: MoneySums;
  /** True if a check that failed made a balance wrong by a sum that depends on the balance. `wrongSums` does not contain this sum. */
  readonly hasVaryingSum: boolean;
  /** The sums that depend on the balance, converted to calls for one stake. */
  readonly stakeSums: MoneySums;
  /** The largest share of the amount of its calls that a sum is, of the sums that do not depend on the balance. */
  readonly share?: Share | undefined;
  /** The same, of the sums that depend on the balance. */
  readonly varyingShare?: Share | undefined;
  /** The part of `wrongSums` of which no share is known. */
  readonly sumsWithoutShare: MoneySums;
  /**
   * True if a check that failed shows a wrong balance in a reply to a bet or win, and shows it again when croupier repeats the
   * scenario.
   */
  readonly hasWrongReply: boolean;
  /** The same, also if the repetition did not show it again. */
  readonly showsWrongReply: boolean;
  /** The sums by which the replies of the failed checks were wrong. */
  readonly repliedSums: readonly WrongSum[];
  /** The checks of the rule at this endpoint in all scenarios. */
  readonly ofRule: RuleCounts;
  /** True if the scenario failed here and then passed on retry. */
  readonly flaky: boolean;
  /** True if croupier repeated the scenario, and its failure here did not occur again in the same way. */
  readonly isUnrepeated: boolean;
  /** Number of repetitions of the scenario, if the failure here occurred in each of them at the same step. Otherwise 0. */
  readonly timesAgain: number;
  /** True if reads that show old balances would explain a failure here. */
  readonly mayBeStale: boolean;
  /** True if a failure here is a balance call that showed an old balance. */
  readonly isStaleRead: boolean;
}

/** The checks of a rule at one endpoint in a whole run. */
export interface RuleCounts extends CheckCounts {
  /** Number of scenarios of which `hasWrongReply` is true. */
  readonly replying: number;
  /** For each direction, the number of scenarios in which a sum made a balance wrong in this direction. */
  readonly inDirection: Readonly<Record<Direction, number>>;
  /** The largest share of each scenario in which a share is known. */
  readonly shares: readonly Share[];
  /** The sums by which replies were wrong, for each scenario that has such sums. */
  readonly repliedSums: readonly (readonly WrongSum[])[];
  /** True if the run played the whole suite. */
  readonly whole: boolean;
}

/**
 * True for a rule that can be broken only by calls that are in flight at the same moment. Whether such calls overlap depends on
 * chance. So chance also decides in which scenario the breach occurs.
 */
export function isAboutRaces(rule: string): boolean {
  return rule.startsWith('concurrency.') || rule === 'idempotency.concurrent';
}

/**
 * Sums up outcomes by rule, endpoint and scenario.
 *
 * @param ownSums sums by which croupier's own wins, or calls of attempts that do not count, made balances wrong. They count only if
 * their rule fails, and if they are a much larger share of their calls than the other sums of the rule
 * @param run the run: `known` are the entries of its baseline, `stakes` the stake in each currency of its sessions, and `played` the
 * players of each scenario
 */
export function rulePlaces(
  outcomes: readonly JudgedOutcome[],
  ownSums: readonly SumFound[],
  {
    known,
    stakes,
    played,
    whole,
  }: {
    readonly known: readonly KnownFailure[];
    readonly stakes: Readonly<Record<string, string>>;
    readonly played: ReadonlyMap<string, readonly string[]>;
    readonly whole: boolean;
  },
): readonly RulePlace[] {
  const groups = Map.groupBy(outcomes, ({ rule, endpoint, scenario }) => `${rule} ${endpoint} ${scenario}`);
  const playersOf = (scenario: string): readonly string[] => played.get(scenario) ?? [];
  const byScenario = Map.groupBy(outcomes, ({ scenario }) => scenario);
  const failing = Map.groupBy(
    outcomes.filter(({ verdict }) => verdict === 'fail'),
    ({ rule }) => rule,
  );
  const usual = new Map(
    [...failing].map(([rule, own]) => {
      const sums = own.flatMap((outcome) => outcome.sums);
      const entries = known.filter((one) => one.rule === rule && !one.undecided);
      const fallback = lowerShare(allowedShare(entries, stakes), lowestVaryingShare(sums, stakes));
      return [rule, usualShare(sums, stakes) ?? fallback];
    }),
  );
  const places = [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const { rule, endpoint, scenario } = first;
    const count = (wanted: (outcome: JudgedOutcome) => boolean): number =>
      own.reduce((sum, outcome) => (wanted(outcome) ? sum + outcome.count : sum), 0);
    const wrongSums = joinSums(
      own.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map((outcome) => outcome.wrongSums),
    );
    const sums = own.filter(({ verdict }) => verdict === 'fail').flatMap((outcome) => outcome.sums);
    const others = (byScenario.get(scenario) ?? []).filter((outcome) => outcome.rule !== rule);
    const comparable = isOpposed(sums, others) ? [] : sums;
    return {
      rule,
      endpoint,
      scenario,
      players: playersOf(scenario),
      failingPlayers: [],
      failed: count(({ verdict }) => verdict === 'fail'),
      warned: count(({ verdict }) => verdict === 'warn'),
      checks: count(isDecided),
      isOpen: own.some(({ verdict }) => verdict === 'inconclusive'),
      movesMoney: own.some(({ verdict, noMoney }) => (verdict === 'fail' || verdict === 'warn') && !noMoney),
      wrongSums,
      alikeSums: inAlikeCurrencies(wrongSums, stakes),
      directions: comparable.filter(({ moved }) => moved !== undefined).map(directionOf),
      outlyingSums: outlyingSums(sums, usual.get(rule)),
      hasVaryingSum: own.some(
        ({ verdict, findings }) => verdict === 'fail' && findings.some(({ wrongSum }) => wrongSum?.varies),
      ),
      stakeSums: sumsOfStake(sums, stakes),
      share: largestShare(
        comparable.filter(({ varies }) => !varies),
        stakes,
      ),
      varyingShare: largestShare(
        comparable.filter(({ varies }) => varies),
        stakes,
      ),
      sumsWithoutShare: withoutSums(wrongSums, addUp(withShare(comparable, stakes))),
      hasWrongReply: own.some(({ verdict, hasWrongReply }) => verdict === 'fail' && hasWrongReply === true),
      showsWrongReply: own.some(({ verdict, showsWrongReply }) => verdict === 'fail' && showsWrongReply === true),
      repliedSums: own.filter(({ verdict }) => verdict === 'fail').flatMap((outcome) => outcome.repliedSums),
      ofRule: NO_CHECKS,
      flaky: own.some(({ flaky }) => flaky),
      isUnrepeated: own.some(({ verdict, isUnrepeated }) => verdict === 'fail' && isUnrepeated === true),
      timesAgain: Math.max(0, ...own.map(({ verdict, timesAgain = 0 }) => (verdict === 'fail' ? timesAgain : 0))),
      mayBeStale: own.some(
        ({ verdict, findings }) => verdict === 'fail' && findings.some(({ causes }) => causes.includes('balance.read')),
      ),
      isStaleRead: own.some(
        ({ verdict, findings }) =>
          rule === 'balance.read' && verdict === 'fail' && findings.some(({ staleRead }) => staleRead),
      ),
    };
  });
  const byOwnCalls = [...Map.groupBy(ownSums, ({ rule, scenario }) => `${rule} ${scenario}`).values()].flatMap(
    (own): readonly RulePlace[] => {
      const [first] = own;
      if (!first) return [];
      const { rule, endpoint, scenario } = first;
      const sums = own.map(({ wrongSum }) => wrongSum);
      const outlying = outlyingSums(sums, usual.get(rule));
      const varyingShare = largestShare(sums, stakes);
      return isWithoutSums(outlying)
        ? []
        : [
            {
              ...FAILED_ONCE,
              rule,
              endpoint,
              scenario,
              players: playersOf(scenario),
              outlyingSums: outlying,
              varyingShare,
            },
          ];
    },
  );
  const all = [...places, ...byOwnCalls];
  const regular = new Map(
    [...Map.groupBy(all, placeKey)].map(([key, own]) => {
      const tried = own.filter(({ checks }) => checks > 0);
      return [key, tried.some(({ isStaleRead }) => isStaleRead) ? playersWithFailures(tried) : regularlyFailing(tried)];
    }),
  );
  const counts = new Map([...Map.groupBy(all, placeKey)].map(([key, own]) => [key, countsOf(own, whole)]));
  return all.map((place) => ({
    ...place,
    failingPlayers: regular.get(placeKey(place)) ?? [],
    ofRule: counts.get(placeKey(place)) ?? NO_CHECKS,
  }));
}

function countsOf(places: readonly RulePlace[], whole: boolean): RuleCounts {
  const scenariosIn = (direction: Direction): number =>
    places.filter(({ directions }) => directions.includes(direction)).length;
  return {
    failed: places.reduce((sum, { failed }) => sum + failed, 0),
    checks: places.reduce((sum, { checks }) => sum + checks, 0),
    replying: places.filter(({ hasWrongReply }) => hasWrongReply).length,
    inDirection: { 'too low': scenariosIn('too low'), 'too high': scenariosIn('too high') },
    shares: places.flatMap(
      (place) => largestOf([place.share, place.varyingShare].filter((one) => one !== undefined)) ?? [],
    ),
    repliedSums: places.flatMap(({ repliedSums }) => (repliedSums.length > 0 ? [repliedSums] : [])),
    whole,
  };
}

function placeKey({ rule, endpoint }: RulePlace): string {
  return `${rule} ${endpoint}`;
}

/**
 * True if other rules of the scenario have sums with the opposite sign. Then one wrong balance may have been divided into a sum that is
 * too low and a sum that is too high, so neither of them is a share of the calls.
 */
function isOpposed(sums: readonly WrongSum[], others: readonly JudgedOutcome[]): boolean {
  const ofOthers = others.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive');
  return ofOthers.some((outcome) =>
    outcome.sums.some((other) =>
      sums.some((sum) => sum.currency === other.currency && directionOf(sum) !== directionOf(other)),
    ),
  );
}

const NO_CHECKS: RuleCounts = {
  failed: 0,
  checks: 0,
  replying: 0,
  inDirection: { 'too low': 0, 'too high': 0 },
  shares: [],
  repliedSums: [],
  whole: false,
};

/** The place of a breach that croupier's own call has shown. */
const FAILED_ONCE: Omit<RulePlace, 'rule' | 'endpoint' | 'scenario' | 'players' | 'outlyingSums' | 'varyingShare'> = {
  failingPlayers: [],
  failed: 1,
  warned: 0,
  checks: 1,
  isOpen: false,
  movesMoney: true,
  wrongSums: {},
  alikeSums: {},
  directions: [],
  hasVaryingSum: true,
  stakeSums: {},
  sumsWithoutShare: {},
  hasWrongReply: false,
  showsWrongReply: false,
  repliedSums: [],
  ofRule: NO_CHECKS,
  flaky: false,
  isUnrepeated: false,
  timesAgain: 0,
  mayBeStale: false,
  isStaleRead: false,
};
