import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXPECTATION, type Finding, graver, type Verdict } from '../../journal/finding.ts';
import { absoluteMoney, type WrongSum } from '../../journal/money-sums.ts';
import { isShownByBalance } from '../../journal/moved-alone.ts';
import { LatePeriods } from '../../journal/network/late-periods.ts';
import { UNPROVEN } from '../../journal/results/unproven.ts';
import type { Attribution } from '../../judge/attribution/attribution.ts';
import type { RightUnit } from '../../judge/attribution/units.ts';
import type { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import type { GivenTxIDs } from '../../judge/reads/given-tx-ids.ts';
import type { StaleReadHistory } from '../../judge/reads/stale-reads.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { buildRequest } from '../../wire/request.ts';
import type { AcceptedCalls } from '../accepted-calls.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { BalanceChanges } from '../balances/balance-changes.ts';
import type { KnownBalances } from '../balances/known-balances.ts';
import type { ShownDecimals } from '../balances/shown-decimals.ts';
import { LastingSteps } from '../calls/lasting-steps.ts';
import type { Sender } from '../calls/sender.ts';
import { MAX_ATTEMPTS_AT_RANDOM } from '../calls/wait-policy.ts';
import { MAX_ATTEMPTS } from '../calls/waits.ts';
import { coreChecksOf } from '../core-checks.ts';
import { hasRace } from '../races.ts';
import { addressOf, type RunnableScenario, type RunOptions, type SessionAssignment } from '../run-options.ts';
import { type Played, playScenario } from '../scenario/play-scenario.ts';
import { sessionOf } from '../scenario-context.ts';
import { walletIdOf } from '../session-pool.ts';
import type { GiveUpPolicy } from './give-up-policy.ts';
import type { IntermittentFailures } from './intermittent-failures.ts';
import type { Presence } from './presence.ts';
import { isShownByOwnWins, isTried, OWN_READ } from './repeated-failure.ts';

/** The objects and settings that all scenarios of a run share. */
export interface RunContext {
  readonly options: RunOptions;
  readonly sender: Sender;
  readonly adjuster: BalanceAdjuster;
  readonly acceptedCalls: AcceptedCalls;
  readonly attribution: Attribution;
  readonly staleReads: StaleReadHistory;
  readonly shownDecimals: ShownDecimals;
  readonly rightUnit: RightUnit;
  readonly balancesOfOthers: BalancesOfOthers;
  readonly givenTxIDs: GivenTxIDs;
  readonly knownBalances: KnownBalances;
  readonly balanceChanges: BalanceChanges;
  readonly giveUpPolicy: GiveUpPolicy;
  readonly presence: Presence;
  /** True if no further scenario or attempt may begin. */
  readonly isStopped: () => boolean;
  /** Called when calls keep failing at random. */
  readonly onOverloaded: () => void;
  /** True if there is a sign that somebody else moves balances. */
  readonly isDisturbed: () => boolean;
  readonly intermittentFailures: IntermittentFailures;
  /**
   * Watches the balances of sessions while croupier sends nothing else for their players. Returns true if croupier could read them all
   * the time, and nobody moved them.
   */
  readonly staysQuiet: (assignment: SessionAssignment) => Promise<boolean>;
}

/** The result of a scenario after its last attempt. */
export interface Attempted {
  readonly played: Played;
  readonly findings: readonly Finding[];
  readonly attempt: number;
  /** The failures that this attempt itself found, and that only a balance shows. */
  readonly suspects: readonly Finding[];
  /** The observations of this attempt and of the attempts before it. */
  readonly seen: ReadonlySet<string>;
  /** True if the scenario has a race, and if a round of it passed in this attempt or in the attempts before it. */
  readonly hasPassedRound: boolean;
}

interface AttemptSeries {
  readonly scenario: RunnableScenario;
  readonly plan: Plan;
  readonly assignment: SessionAssignment;
  /** The number of the first attempt of this series, counted from 1. */
  readonly first: number;
  /** The number of earlier series that failed. 0: the scenario has not failed before. */
  readonly retry: number;
}

/**
 * Plays scenarios. Repeats a scenario if a temporary error left it undecided. Retries a scenario that failed, because it may be
 * flaky.
 */
export class AttemptRunner {
  readonly #context: RunContext;
  /** The rules whose failures have occurred again, by rule and endpoint. */
  readonly #repeated = new Set<string>();
  /** For each scenario with a failure that counts: the ids of the wallets that it used. */
  readonly #walletsOfRepeated: ReadonlySet<string>[] = [];
  /** The number of scenarios that were played again because of a failure that did not occur again. */
  #searches = 0;
  #keepAliveGivenUp = false;
  readonly #latePeriods: LatePeriods;
  #hasUnproven = false;
  /** True if the baseline, or a failure that did not occur again, shows that single calls have wrong effects now and then. */
  #failsNowAndThen: boolean;
  /** For each rule about the effect of one kind of call: the number of scenarios in which it failed, and in which it only passed. */
  readonly #ofSingleCalls = new Map<string, { failed: number; passed: number }>();

  constructor(runContext: RunContext) {
    this.#context = runContext;
    this.#latePeriods = new LatePeriods(runContext.options.deadlineMs);
    const known = runContext.options.baseline?.known ?? [];
    this.#failsNowAndThen = known.some((one) => one.intermittent && !one.undecided && isOfSingleCall(one));
  }

  /** The message for the end of the report if croupier stopped reusing connections. Undefined if it did not. */
  get keepAliveNotice(): string | undefined {
    return this.#keepAliveGivenUp
      ? 'The operator closed a kept-alive connection while croupier sent a call. After that, croupier used a new connection for each call.'
      : undefined;
  }

  /** True if somebody else may have moved a balance, because no lock kept others from it and a failure did not occur again. */
  get hasUnproven(): boolean {
    return this.#hasUnproven;
  }

  /**
   * True if a failure of the rule has occurred again when croupier repeated its scenario. Also true if croupier repeats no failures,
   * because nobody else can reach the operator.
   */
  isRepeated(rule: string): boolean {
    return !this.#repeatsFailures || [...this.#repeated].some((one) => one.split(' ')[0] === rule);
  }

  /** True if a failure that only a balance shows counts in a scenario that did not use a wallet. */
  failsWithout(walletID: string): boolean {
    return this.#walletsOfRepeated.some((walletIDs) => !walletIDs.has(walletID));
  }

  get #repeatsFailures(): boolean {
    const { watchesBalances, isUnlocked } = this.#context.options;
    return watchesBalances === true || isUnlocked === true;
  }

  /**
   * Plays a scenario and its retries. The result of a failed attempt has no influence on the retry after it.
   *
   * @returns the last attempt that decided something. If the scenario failed and then passed, this attempt has the findings of both
   * attempts.
   */
  async play(scenario: RunnableScenario, plan: Plan, assignment: SessionAssignment): Promise<Attempted> {
    let failed: Attempted | undefined;
    let attempt = 0;
    for (let retry = 0; ; retry += 1) {
      const seriesPlan = retry === 0 ? plan : scenario.plan();
      const last = await this.#playSeries({ scenario, plan: seriesPlan, assignment, first: attempt + 1, retry });
      attempt = last.attempt;
      if (hasFailed(last)) failed = last;
      else if (!failed) return last;
      else if (isDecided(last.played)) {
        return { ...last, findings: [...failed.findings.filter(isFailure), ...last.findings] };
      }
      if (retry >= (this.#context.options.retries ?? 0) || this.#context.isStopped()) {
        const { left } = last.played;
        return { ...failed, attempt, played: { ...failed.played, left } };
      }
    }
  }

  /**
   * Plays a scenario until an attempt decides it, or until another attempt would be useless. The first attempt may leave out
   * needless reads. If it finds a problem, the next attempt has all reads, because they show which call is wrong.
   */
  async #playSeries(series: AttemptSeries): Promise<Attempted> {
    const { options, isStopped } = this.#context;
    const fewerReads = options.fewerReads === true && series.scenario.builtIn && series.retry === 0;
    let attempted = await this.#playAttempts(series, { fewerReads, breaches: [] });
    let times = 0;
    while (this.#mustRepeat(attempted, times)) {
      if (isStopped()) return attempted;
      times += 1;
      attempted = await this.#repeat(series, attempted, times);
    }
    if (attempted.findings.some(isUnproven)) this.#hasUnproven = true;
    this.#countSingleCalls(attempted);
    attempted = await this.#playMoreRounds(series, attempted);
    const repeated = attempted.findings.filter(isRepeated);
    // After a failure of the rule has occurred again, further failures of the rule count without a repetition.
    if (repeated.length > 0) this.#walletsOfRepeated.push(new Set([...series.assignment.values()].map(walletIdOf)));
    for (const finding of repeated) {
      this.#repeated.add(placeOf(finding));
      if (times > 0) this.#context.intermittentFailures.addRepeated(series.assignment, times + 1);
    }
    return this.#playUntilProven(series, attempted);
  }

  /** True if the attempt has failures that must occur again before they count. */
  #mustRepeat({ findings }: Pick<Attempted, 'findings'>, times: number): boolean {
    if (!this.#repeatsFailures || times >= this.#repetitions) return false;
    return findings.some((finding) => this.#isSuspect(finding) || this.#isFirstLate(finding));
  }

  /** @param keepsFailures true if the failures of the earlier attempt count, even if they do not occur again */
  async #repeat(
    series: AttemptSeries,
    earlier: Attempted,
    repetition: number,
    keepsFailures = false,
  ): Promise<Attempted> {
    // Another run of croupier may have disturbed this scenario, and may now repeat its own scenario for the same reason. Because of
    // the random wait, the two runs do not repeat their scenarios at the same time.
    await sleep(randomInt(Math.max(1, Math.ceil(this.#context.options.lingerMs))));
    const again = { ...series, plan: series.scenario.plan(), first: earlier.attempt + 1 };
    return this.#playAttempts(again, { fewerReads: false, breaches: [], earlier, repetition, keepsFailures });
  }

  #countSingleCalls({ findings, played: { passes } }: Attempted): void {
    if (findings.some((one) => isUnrepeated(one) && isOfSingleCall(one))) this.#failsNowAndThen = true;
    for (const rule of OF_SINGLE_CALLS) {
      const count = this.#ofSingleCalls.get(rule) ?? { failed: 0, passed: 0 };
      if (findings.some((one) => isFailure(one) && one.rule === rule)) count.failed += 1;
      else if (passes[rule]) count.passed += 1;
      this.#ofSingleCalls.set(rule, count);
    }
  }

  /** True if single calls have wrong effects now and then. A rule that only fails in few scenarios shows this too. */
  get #mayFailNowAndThen(): boolean {
    const isSeldom = ({ failed, passed }: { failed: number; passed: number }): boolean =>
      failed > 0 && passed >= failed * MIN_PASSES;
    return this.#failsNowAndThen || [...this.#ofSingleCalls.values()].some(isSeldom);
  }

  /**
   * Plays a race again if single calls fail now and then, and if each round of the race has failed so far. If a round passes, perhaps only
   * such a call failed in the others.
   */
  async #playMoreRounds(series: AttemptSeries, attempted: Attempted): Promise<Attempted> {
    const { options, isStopped, isDisturbed } = this.#context;
    if (!this.#mayFailNowAndThen || !hasRace(series.plan) || options.isUnlocked === true) return attempted;
    const mayBeOfCall = (finding: Finding): boolean => isRepeated(finding) && !isOfSingleCall(finding);
    let last = attempted;
    for (let times = 0; times < MAX_MORE_ROUNDS; times += 1) {
      if (last.hasPassedRound || !last.findings.some(mayBeOfCall) || isStopped() || isDisturbed()) break;
      last = await this.#repeat(series, last, Number.POSITIVE_INFINITY, true);
    }
    return last;
  }

  /**
   * Plays a scenario again whose failure did not occur again. So croupier sees whether the operator fails now and then. After each
   * failure, croupier watches the balances, because somebody else may have moved them.
   */
  async #playUntilProven(series: AttemptSeries, attempted: Attempted): Promise<Attempted> {
    const { options, intermittentFailures, isStopped, isDisturbed, staysQuiet } = this.#context;
    const isOver = (): boolean => isStopped() || isDisturbed() || intermittentFailures.proof !== undefined;
    if (options.isUnlocked === true || !attempted.findings.some(isUnrepeated)) return attempted;
    if (isOver()) return attempted;
    this.#searches += 1;
    const limit = this.#searches > MAX_SEARCHES ? 0 : MAX_SEARCH_ATTEMPTS;
    let last = attempted;
    for (let times = 0; ; times += 1) {
      if (times === 0 || last.suspects.length > 0) {
        if (!(await staysQuiet(series.assignment))) return last;
        const { assignment } = series;
        if (!isDisturbed())
          intermittentFailures.add(assignment, times === 0 ? last.findings.filter(isUnrepeated) : last.suspects);
      }
      if (isOver() || times >= limit) return last;
      last = await this.#repeat(series, last, Number.POSITIVE_INFINITY);
    }
  }

  /** Number of times that a scenario with a new failure is repeated. */
  get #repetitions(): number {
    const { options, isDisturbed } = this.#context;
    if (options.isUnlocked === true || isDisturbed()) return REPETITIONS_IF_DISTURBED;
    return this.#mayFailNowAndThen ? REPETITIONS_IF_NOW_AND_THEN : 1;
  }

  /**
   * True for a failure that may come from somebody else who moves the balance. If the rule has failed again at this endpoint before,
   * the failure is no longer in doubt. Each failure is in doubt only in two cases: no lock keeps others from moving the balance, or single
   * calls have wrong effects now and then, and the failure may come from such a call.
   */
  #isSuspect(finding: Finding): boolean {
    if (!isSuspect(finding) || finding.unrepeated === true) return false;
    if (this.#context.options.isUnlocked === true || !this.#repeated.has(placeOf(finding))) return true;
    return this.#mayFailNowAndThen && !isOfSingleCall(finding);
  }

  /**
   * True for a late reply, until replies were late at two times of the run. An operator that has just started may answer its first
   * calls late. If replies are late at another time too, each of them counts.
   */
  #isFirstLate(finding: Finding): boolean {
    return isLateReply(finding) && finding.unrepeated !== true && this.#latePeriods.count < 2;
  }

  /**
   * @param how `fewerReads`: true if the first attempt leaves out reads. `breaches`: the breaches that an attempt with fewer reads
   * has found. `earlier`: an earlier attempt whose failures must occur again in these attempts. `repetition`: the number of these
   * attempts, if there is an earlier attempt. `keepsFailures`: see {@link AttemptRunner.#repeat}
   */
  async #playAttempts(
    series: AttemptSeries,
    {
      fewerReads,
      breaches,
      earlier,
      repetition,
      keepsFailures = false,
    }: {
      readonly fewerReads: boolean;
      readonly breaches: readonly Finding[];
      readonly earlier?: Attempted;
      readonly repetition?: number;
      readonly keepsFailures?: boolean;
    },
  ): Promise<Attempted> {
    const { giveUpPolicy } = this.#context;
    const lasting = new LastingSteps(this.#context.sender.waitPolicy);
    // Some failures count only if two attempts make the same observation. A repetition needs to make it only once, because the earlier
    // attempts have made it already.
    const seen = new Set(earlier?.seen);
    for (let tries = 1; ; tries += 1) {
      const attempted = await this.#attempt(series, tries, lasting, {
        seen,
        breaches,
        fewerReads: fewerReads && tries === 1,
        earlier,
        repetition,
        keepsFailures,
      });
      const { played } = attempted;
      if (!(await this.#isOperatorThere(series.assignment))) {
        // The operator has stopped answering. It closed the connection because it stopped, and not because croupier kept the
        // connection alive. So the scenario is played once more, and the new result says that the operator has stopped answering.
        const isMisleading = played.retryReason === 'stale-connection' && played.verdict !== 'fail';
        return isMisleading
          ? this.#attempt(series, tries + 1, lasting, { seen, breaches, earlier, repetition, keepsFailures })
          : attempted;
      }
      if (played.retryReason === 'excess' && tries < MAX_ATTEMPTS && !this.#context.isStopped()) continue;
      if (played.leftOut > 0 && !isClean(attempted) && !this.#context.isStopped()) {
        const again = { ...series, plan: series.scenario.plan(), first: series.first + 1 };
        const whole = await this.#playAttempts(again, {
          fewerReads: false,
          breaches: attempted.findings.filter(isBreach),
        });
        this.#recordReplacedSums(series.scenario.id, attempted.findings, whole.findings);
        return whole;
      }
      lasting.note(played.turnedAway);
      const again = !giveUpPolicy.needsFailingBets(series.plan) && this.#mayTryAgain(played, tries, lasting.isAny);
      if (!again) return attempted;
      await sleep(Math.min(tries, MAX_ATTEMPTS) * 50);
    }
  }

  /**
   * Writes to the journal the sums of an attempt with fewer reads, whose findings the next attempt replaces. If the operator keeps a small
   * part of each win, it may also have lost one of these wins. Sums are left out if more than one rule is broken, because one read may
   * show the sum of several breaches, and if somebody else may have moved the balance.
   */
  #recordReplacedSums(scenario: string, replaced: readonly Finding[], found: readonly Finding[]): void {
    const { options, isDisturbed } = this.#context;
    const [before, now] = [replaced.filter(hasWrongSum), found.filter(hasWrongSum)];
    const rules = new Set([...before, ...now].map(placeOf));
    if (rules.size !== 1 || now.length === 0 || options.isUnlocked === true || isDisturbed()) return;
    for (const { rule, endpoint, wrongSum } of before) {
      if (rule === EXPECTATION || !wrongSum) continue;
      const sum = { ...wrongSum, varies: true } as const;
      options.record({ event: 'wrong-sum', scenario, attempt: null, rule, endpoint, step: null, wrongSum: sum });
    }
  }

  /** False if the operator answered earlier calls, but answers no call now. True in all other cases. */
  #isOperatorThere(assignment: SessionAssignment): Promise<boolean> {
    const { presence, sender, options } = this.#context;
    const { sessionID } = sessionOf(assignment, 'main');
    return presence.isThere(() => {
      const request = buildRequest({ call: 'balance', ...addressOf(options.client), fields: { sessionID } });
      return sender.send({
        call: 'balance',
        request,
        scenario: null,
        step: null,
        purpose: 'probe',
        freshConnection: true,
      });
    });
  }

  /**
   * Plays the scenario once.
   *
   * @param lasting the steps that failed in every attempt of the series so far
   * @param how `seen`: the observations of earlier attempts. `fewerReads`: true if this attempt leaves out balance reads.
   * `breaches`: the breaches found by an attempt with fewer reads. They are reported if this attempt finds no breach itself.
   * `earlier`, `repetition` and `keepsFailures`: see {@link AttemptRunner.#playAttempts}
   */
  async #attempt(
    { scenario, plan, assignment, first, retry }: AttemptSeries,
    tries: number,
    lasting: LastingSteps,
    {
      seen,
      fewerReads = false,
      breaches = [],
      earlier,
      repetition = 0,
      keepsFailures = false,
    }: {
      readonly seen: Set<string>;
      readonly fewerReads?: boolean;
      readonly breaches?: readonly Finding[];
      readonly earlier?: Attempted | undefined;
      readonly repetition?: number | undefined;
      readonly keepsFailures?: boolean;
    },
  ): Promise<Attempted> {
    const {
      options,
      sender,
      adjuster,
      acceptedCalls,
      attribution,
      staleReads,
      shownDecimals,
      rightUnit,
      balancesOfOthers,
      givenTxIDs,
      knownBalances,
      balanceChanges,
      intermittentFailures,
    } = this.#context;
    const { record, now } = options;
    const attempt = first + tries - 1;
    const at = now();
    const checks = assignment.size === 1 ? coreChecksOf(plan) : [];
    const findings: Finding[] = [];
    record({
      event: 'scenario-started',
      scenario: scenario.id,
      attempt,
      ...(retry > 0 && { retry }),
      at,
      sessions: Object.fromEntries([...assignment].map(([alias, { sessionID }]) => [alias, sessionID])),
      ...(checks.length > 0 && { checks }),
    });
    const report = (finding: Finding): void => {
      findings.push(finding);
      const awaits = this.#mustRepeat({ findings: [finding] }, repetition);
      const recorded: Finding = awaits ? { ...finding, awaitsRepetition: true } : finding;
      record({ event: 'finding', scenario: scenario.id, attempt, finding: recorded });
    };
    // If the failures of an earlier attempt must occur again, the failures of this attempt are reported only at its end.
    const held: Finding[] = [];
    const ownShortfalls = adjuster.shortfallsOf(scenario.id).length;
    const reportOrHold = (finding: Finding): void => {
      if (isLateReply(finding)) this.#latePeriods.add(now());
      if (earlier && (isSuspect(finding) || isLateReply(finding))) held.push(finding);
      else report(finding);
    };
    const result = await playScenario({
      fewerReads,
      demanding: !scenario.builtIn,
      plan: tries === 1 ? plan : scenario.plan(),
      replan: () => scenario.plan(),
      attempt,
      isLasting: (step) => lasting.isLasting(step),
      seenBefore: (what) => {
        const known = seen.has(what);
        seen.add(what);
        return known;
      },
      assignment,
      run: options,
      sender,
      adjuster,
      acceptedCalls,
      proven: (rule) => attribution.isProven(rule),
      staleReads: earlier ? staleReads.withoutPauses() : staleReads,
      shownDecimals,
      rightUnit,
      balancesOfOthers,
      givenTxIDs,
      knownBalances,
      balanceChanges,
      report: reportOrHold,
      reportSum: (found) => record({ event: 'wrong-sum', scenario: scenario.id, attempt, ...found }),
    });
    // If the attempt with fewer reads found a breach, this breach counts, even if the attempt with all reads does not find it
    // again.
    const isLost = breaches.length > 0 && !findings.some(isBreach);
    if (isLost) for (const finding of breaches) report(finding);
    if (earlier) {
      const isRaced = hasRace(plan);
      const isUnlocked = options.isUnlocked === true;
      const shortfalls = adjuster.shortfallsOf(scenario.id).slice(ownShortfalls);
      const how = { isRaced, isUnlocked, played: result, shortfalls, keepsFailures };
      const repeated = afterRepetition(earlier, findings, held, how);
      for (const finding of repeated) report(finding);
    }
    const shown =
      isLost || earlier
        ? findings
            .map((one) => one.verdict)
            .filter((one) => one === 'fail' || one === 'warn')
            .reduce(graver, result.verdict)
        : result.verdict;
    // This attempt repeats a failed attempt. If no failure occurs again, nothing is proven, so the scenario does not fail.
    const isUnproven = earlier !== undefined && !findings.some(isFailure);
    const verdict = isUnproven ? graver('inconclusive', shown === 'fail' ? 'pass' : shown) : shown;
    const played = {
      ...result,
      verdict,
      ...(earlier && {
        letIn: [...new Set([...earlier.played.letIn, ...result.letIn])],
        moved: [...new Set([...earlier.played.moved, ...result.moved])],
        lackingMoney: [...new Set([...earlier.played.lackingMoney, ...result.lackingMoney])],
      }),
    };
    const { reason, restored, passes } = played;
    const durationMs = now() - at;
    record({ event: 'scenario-ended', scenario: scenario.id, attempt, verdict, reason, durationMs, restored, passes });
    const suspects = (earlier ? held : findings).filter(isSuspect);
    intermittentFailures.noteSum(suspects);
    const passedRounds = result.rounds - (suspects.length > 0 || findings.some(isFailure) ? 1 : 0);
    const hasPassedRound = hasRace(plan) && (earlier?.hasPassedRound === true || passedRounds > 0);
    return { played, findings, attempt, suspects, seen, hasPassedRound };
  }

  /**
   * True if another attempt is allowed, and may decide the scenario.
   *
   * @param lasts true if a step failed in every attempt
   */
  #mayTryAgain({ retryReason: again, verdict }: Played, tries: number, lasts: boolean): boolean {
    const { sender, isStopped, onOverloaded: onOverburdened } = this.#context;
    const { attemptsOfLasting, failsAtRandom } = sender.waitPolicy;
    const ifBusy = lasts ? attemptsOfLasting : MAX_ATTEMPTS_AT_RANDOM;
    if (again === null || isStopped() || verdict === 'fail') return false;
    if (tries >= (again === 'busy' ? ifBusy : MAX_ATTEMPTS)) return false;
    const atRandom = again === 'busy' && (!lasts || failsAtRandom);
    if (again === 'stale-connection' && sender.giveUpKeepAlive()) this.#keepAliveGivenUp = true;
    if (atRandom && tries >= MAX_ATTEMPTS) onOverburdened();
    // In a network that resets connections now and then, this may happen twice in a row.
    return again !== 'connection' || tries === 1 || this.#context.presence.answers;
  }
}

/** Number of repetitions in which a failure must occur again if somebody else may move the balance. */
const REPETITIONS_IF_DISTURBED = 2;

/** The same, if single calls fail now and then. With fewer repetitions, such a call may give the same failure each time by chance. */
const REPETITIONS_IF_NOW_AND_THEN = 3;

/** Maximum number of scenarios that croupier plays again to see whether the operator fails now and then. */
const MAX_SEARCHES = 8;
/** Maximum number of further attempts at each of these scenarios. */
const MAX_SEARCH_ATTEMPTS = 6;
/** A rule about single calls that fails now and then passes in at least this number of scenarios for each scenario in which it fails. */
const MIN_PASSES = 5;
/** Maximum number of further attempts at a race of which each round has failed. */
const MAX_MORE_ROUNDS = 5;

function isFailure({ verdict }: Finding): boolean {
  return verdict === 'fail';
}

/** True for a failure that may come from somebody else who moves the balance. */
function isSuspect(finding: Finding): boolean {
  return isFailure(finding) && isShownByBalance(finding);
}

/** True for a reply after the deadline. */
function isLateReply(finding: Finding): boolean {
  return isFailure(finding) && finding.rule === 'reply.deadline';
}

/** True for a failure that occurred again, or that need not occur again. */
function isRepeated(finding: Finding): boolean {
  return isSuspect(finding) && finding.unrepeated !== true && finding.awaitsRepetition !== true;
}

function hasWrongSum({ verdict, wrongSum }: Finding): boolean {
  return verdict === 'fail' && wrongSum !== undefined;
}

function isUnrepeated(finding: Finding): boolean {
  return isFailure(finding) && finding.unrepeated === true && finding.wrongSum !== undefined;
}

/** The rules about the effect of one kind of call. Such a call may fail in each scenario. */
const OF_SINGLE_CALLS = ['bet.debit', 'win.credit', 'refund.restore'] as const;

function isOfSingleCall({ rule }: { readonly rule: string }): boolean {
  return OF_SINGLE_CALLS.some((one) => one === rule);
}

function placeOf({ rule, endpoint }: Pick<Finding, 'rule' | 'endpoint'>): string {
  return `${rule} ${endpoint ?? '*'}`;
}

/**
 * Returns the findings to report after a repetition. A failure that only a balance shows counts if both attempts have it: it is very
 * unlikely that somebody else moves balances by the same sums at the same steps twice. In a race, chance decides about steps and sums.
 * So there, the same rule is enough. All other failures of the earlier attempt count, because nobody else can cause them. But a
 * temporary error counts only if each attempt got it.
 *
 * A repetition that could not be played up to the step of a failure does not refute the failure. Then its repetition is still missing.
 *
 * @param earlier the earlier attempt
 * @param reported the findings of this attempt that are already reported
 * @param held the failures of this attempt that only a balance shows. `played`: the result of this attempt. `shortfalls`: the sums by
 * which the wins were too low that croupier itself sent in this attempt. `keepsFailures`: true if the failures of the earlier
 * attempt count, even if they do not occur again
 */
function afterRepetition(
  { findings: earlier, played: { turnedAway: earlierTurnedAway } }: Attempted,
  reported: readonly Finding[],
  held: readonly Finding[],
  {
    isRaced,
    isUnlocked,
    played,
    shortfalls,
    keepsFailures,
  }: {
    readonly keepsFailures: boolean;
    readonly isRaced: boolean;
    readonly isUnlocked: boolean;
    readonly played: Played;
    readonly shortfalls: readonly WrongSum[];
  },
): readonly Finding[] {
  const keyOf = (finding: Finding): string => {
    const { wrongSum } = finding;
    const step = finding.step?.replace(OWN_READ, 'read');
    // Only chance decides at which step a read is out of date. Such a finding has no sum.
    if (isRaced || !wrongSum) return placeOf(finding);
    return `${placeOf(finding)} ${step} ${wrongSum.varies ? '' : wrongSum.amount}`;
  };
  const suspects = earlier.filter(
    (finding) => (isSuspect(finding) || isLateReply(finding)) && finding.unrepeated !== true,
  );
  const [before, now] = [Map.groupBy(suspects, keyOf), new Set(held.map(keyOf))];
  const doubted = (finding: Finding): Finding =>
    isUnlocked && !isLateReply(finding) ? unproven(finding) : { ...withoutMark(finding), unrepeated: true };
  const isOpen = (finding: Finding): boolean => !isUnlocked && !isLateReply(finding) && !isTried(finding, played);
  const wasTemporary = ({ step, wrongSum }: Finding): boolean =>
    !wrongSum && step !== null && earlierTurnedAway.has(step) && !played.turnedAway.has(step);
  const places = new Set([...reported, ...held].filter(isBreach).map(placeOf));
  return [
    ...held.map((finding) => {
      const same = before.get(keyOf(finding));
      return same ? same.reduce(withHigherSum, finding) : doubted(finding);
    }),
    ...suspects
      .filter((finding) => !now.has(keyOf(finding)))
      .map((finding): Finding => {
        if (wasTemporary(finding)) return temporary(finding);
        if (keepsFailures || isShownByOwnWins(finding, shortfalls)) return withoutMark(finding);
        return isOpen(finding) ? { ...finding, awaitsRepetition: true } : doubted(finding);
      }),
    ...earlier.filter(
      (finding) =>
        (isBreach(finding) || isUnproven(finding)) && !suspects.includes(finding) && !places.has(placeOf(finding)),
    ),
  ];
}

/** Returns the finding without the mark that its repetition is missing. */
function withoutMark(finding: Finding): Finding {
  const { awaitsRepetition, ...rest } = finding;
  return awaitsRepetition ? rest : finding;
}

function isUnproven({ verdict, actual }: Finding): boolean {
  return verdict === 'inconclusive' && actual.startsWith(UNPROVEN);
}

function unproven(finding: Finding): Finding {
  return { ...finding, verdict: 'inconclusive', actual: `${UNPROVEN}: ${finding.actual}`, causes: [] };
}

/**
 * Returns the finding with the higher sum, if the sums depend on the balance. The earlier attempt may have emptied the account, and then
 * the repetition shows only a small sum.
 */
function withHigherSum(one: Finding, other: Finding): Finding {
  const [sum, otherSum] = [one, other].map(({ wrongSum }) =>
    wrongSum?.varies ? absoluteMoney(wrongSum.amount) : undefined,
  );
  return sum && otherSum && otherSum.compare(sum) > 0 ? other : one;
}

/** Returns the finding of a temporary error that another attempt did not get. */
function temporary(finding: Finding): Finding {
  const actual = `another attempt did not get the temporary error: ${finding.actual}`;
  return { ...finding, verdict: 'inconclusive', actual, causes: [] };
}

function isBreach({ verdict }: Finding): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

/** True if an attempt found no problem. Then the reads that it left out were not necessary. */
function isClean({ played: { verdict, retryReason, isSkippedEarly }, findings }: Attempted): boolean {
  const isFine = (one: Verdict): boolean => one === 'pass' || one === 'note' || (one === 'skip' && isSkippedEarly);
  return isFine(verdict) && retryReason === null && findings.every((finding) => isFine(finding.verdict));
}

function hasFailed({ findings }: Attempted): boolean {
  return findings.some(isFailure);
}

function isDecided({ verdict }: Played): boolean {
  return verdict === 'pass' || verdict === 'warn' || verdict === 'note';
}
