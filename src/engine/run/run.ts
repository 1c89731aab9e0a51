import { currencyByCode } from '../../contract/currencies.ts';
import { type JournalEvent, type RunEnded, stopSignalOf } from '../../journal/event.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import type { CoreCheck } from '../../journal/results/core-check.ts';
import { reasonOfConditions } from '../../journal/results/missing-conditions.ts';
import { Attribution, type ScenarioFacts } from '../../judge/attribution/attribution.ts';
import { RightUnit } from '../../judge/attribution/units.ts';
import { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import { GivenTxIDs } from '../../judge/reads/given-tx-ids.ts';
import { StaleReadHistory } from '../../judge/reads/stale-reads.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { AcceptedCalls } from '../accepted-calls.ts';
import { AfterRun } from '../after/after-run.ts';
import { recordDebts } from '../after/debts.ts';
import { signedBy } from '../after/past-call.ts';
import { settleAtEnd } from '../after/settle-at-end.ts';
import { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import { BalanceChanges } from '../balances/balance-changes.ts';
import { KnownBalances } from '../balances/known-balances.ts';
import { ShownDecimals } from '../balances/shown-decimals.ts';
import { Sender } from '../calls/sender.ts';
import { coreChecksOf } from '../core-checks.ts';
import type { NotPlayable, RunnableScenario, RunOptions, SessionAssignment, SessionUnderTest } from '../run-options.ts';
import type { Played } from '../scenario/play-scenario.ts';
import { WRONG_BOOKING_RULES } from '../scenario/setup-and-teardown.ts';
import { sessionOf } from '../scenario-context.ts';
import { playerOf, type ScenarioToPlay, SessionPool, sessionsToPlay, walletIdOf } from '../session-pool.ts';
import { denominationOf, statedDecimals } from '../stakes.ts';
import { AttemptRunner } from './attempt-runner.ts';
import { CallsOfOthers } from './calls-of-others.ts';
import { currencyNotices } from './currency-notices.ts';
import { GiveUpPolicy } from './give-up-policy.ts';
import { IntermittentFailures } from './intermittent-failures.ts';
import { LateEffects } from './late-effects.ts';
import { LaterEvents } from './later-events.ts';
import { NotFoundReplies } from './not-found-replies.ts';
import { LowBalances, missingNeeds, recordNotPlayed, wrongVersion } from './not-played.ts';
import { inOrder, inPhases } from './order.ts';
import { Presence } from './presence.ts';
import { quickNotice } from './quick-notice.ts';
import { runStarted } from './run-started.ts';
import { SilentChanges } from './silent-changes.ts';
import { SilentWatch } from './silent-watch.ts';
import { TechnicalMessages } from './technical-messages.ts';

/** Maximum time that a run waits until reads show the current balance again. It is a multiple of the settle time. */
const MAX_STALE_READ_LINGERS = 15;

/** Maximum time in milliseconds in which a run tries, at its end, to send what it still owes. */
const SETTLE_MS = 10_000;
/** The same time for a run that was interrupted, or whose time (`--time`) is over. */
const SHORT_SETTLE_MS = 2000;

/** The message for a run without locks in which somebody else may have moved balances. */
const NO_LOCK_NOTICE =
  'The run had no locks (--no-lock), and somebody else may have moved balances. croupier restores the balances that it has read, so it may have taken the money of another command for its own. The players may now have too much or too little money, and croupier settle may be unable to correct this. Compare their balances with those before the run.';

/**
 * Plays the scenarios against one client and judges the client. If there are several players, plays scenarios in parallel. Passes
 * every event to `record`. Prints nothing and does not decide the exit status, because the caller makes the report and the exit
 * status from the journal.
 */
export async function run(options: RunOptions): Promise<void> {
  const started = options.now();
  const begun = runStarted(options);
  options.record(begun);
  const presence = new Presence(options.now, options.signal);
  const knownBalances = new KnownBalances();
  const balancesOfOthers = new BalancesOfOthers();
  const callsOfOthers = new CallsOfOthers(options, balancesOfOthers);
  const silentWatch = new SilentWatch(options, balancesOfOthers, callsOfOthers);
  const silentChanges = new SilentChanges(options, balancesOfOthers);
  const technicalMessages = new TechnicalMessages();
  const notFoundReplies = new NotFoundReplies();
  const isSigned = signedBy(options.client.integrationApiKey);
  // The sender marks each call whose signature is wrong on purpose. So the signatures of all other calls need no test.
  const afterRun = new AfterRun({ signedRight: (sending) => sending.signed === undefined || isSigned(sending) });
  afterRun.add(begun);
  const later = new LaterEvents((event) => {
    silentWatch.note(event);
    silentChanges.note(event);
    technicalMessages.note(event);
    notFoundReplies.note(event);
    afterRun.add(event);
  });
  const record = (event: JournalEvent): void => {
    later.add(event);
    options.record(event);
  };
  const sender = new Sender({
    ...options,
    record: (event) => {
      presence.note(event);
      knownBalances.note(event);
      callsOfOthers.note(event);
      record(event);
    },
    wire: options.client.wire,
    tracedRunID: options.trace && begun.runID,
  });
  let failure: { readonly error: unknown } | undefined;
  try {
    const ending = await new Run({ ...options, record }, sender, {
      presence,
      knownBalances,
      balancesOfOthers,
      silentWatch,
      silentChanges,
      technicalMessages,
      notFoundReplies,
      afterRun,
      later,
    })
      .play()
      .catch((error: unknown): Ending => {
        failure = { error };
        const detail = error instanceof Error ? error.message : String(error);
        return { event: 'run-ended', how: 'bug', signal: null, detail };
      });
    later.end();
    recordDebts(afterRun, options.record);
    options.record({ ...ending, durationMs: options.now() - started });
    if (failure) throw failure.error;
  } finally {
    await sender.close();
  }
}

interface WaitingScenario {
  readonly scenario: RunnableScenario;
  readonly plan: Plan;
  readonly assignments: readonly SessionAssignment[];
  readonly checks: readonly CoreCheck[];
}

/** Objects that see every event of the run. */
interface Observers {
  readonly presence: Presence;
  readonly knownBalances: KnownBalances;
  readonly balancesOfOthers: BalancesOfOthers;
  readonly silentWatch: SilentWatch;
  readonly silentChanges: SilentChanges;
  readonly technicalMessages: TechnicalMessages;
  readonly notFoundReplies: NotFoundReplies;
  readonly afterRun: AfterRun;
  /** Passes the events on to the last five of these objects. */
  readonly later: LaterEvents;
}

type Ending = Omit<RunEnded, 'durationMs'>;

/**
 * One run with all its scenarios.
 *
 * The class schedules the scenarios itself, because p-queue cannot do the following:
 *
 * - The next scenario is the first one whose players are all free.
 * - The maximum number of parallel scenarios changes during the run: it is 1 until the operator has answered once, and 1 again if
 *   the operator is overloaded.
 * - The give-up policy can remove a scenario that still waits.
 */
class Run {
  readonly #options: RunOptions;
  readonly #presence: Presence;
  readonly #knownBalances: KnownBalances;
  readonly #silentWatch: SilentWatch;
  readonly #silentChanges: SilentChanges;
  readonly #technicalMessages: TechnicalMessages;
  readonly #notFoundReplies: NotFoundReplies;
  readonly #afterRun: AfterRun;
  readonly #later: LaterEvents;
  readonly #sender: Sender;
  readonly #adjuster: BalanceAdjuster;
  readonly #staleReads: StaleReadHistory;
  readonly #attribution: Attribution;
  readonly #pool: SessionPool;
  /** The scenarios of one session that are left to play in this phase, by id. */
  readonly #left = new Map<string, ScenarioToPlay>();
  readonly #shownDecimals: ShownDecimals;
  readonly #balanceChanges = new BalanceChanges();
  readonly #late: LateEffects;
  readonly #lowBalances = new LowBalances();
  readonly #giveUpPolicy: GiveUpPolicy;
  readonly #intermittentFailures = new IntermittentFailures();
  readonly #attemptRunner: AttemptRunner;
  /** True while scenarios are played one after another. */
  #isSequential = false;
  #hasLearnedDecimals = false;
  /** True if calls fail at random, perhaps because too many calls were sent at once. */
  #overloaded = false;
  #failed = 0;
  #reached = false;
  #unreachable: string | null = null;
  readonly #startedMs: number;
  /** True if the time of the run was over before all scenarios were played. */
  #isCutByTime = false;

  constructor(options: RunOptions, sender: Sender, observers: Observers) {
    const { presence, knownBalances, silentWatch, silentChanges, afterRun, later } = observers;
    this.#options = options;
    this.#sender = sender;
    this.#startedMs = options.now();
    this.#presence = presence;
    this.#knownBalances = knownBalances;
    this.#silentWatch = silentWatch;
    this.#silentChanges = silentChanges;
    this.#technicalMessages = observers.technicalMessages;
    this.#notFoundReplies = observers.notFoundReplies;
    this.#afterRun = afterRun;
    this.#later = later;
    this.#staleReads = new StaleReadHistory(options.lingerMs * MAX_STALE_READ_LINGERS);
    this.#attribution = new Attribution(this.#staleReads);
    this.#adjuster = new BalanceAdjuster(sender, {
      ...options,
      readAfterMs: () => this.#staleReads.pauseMs,
      seemsOfOther: (sessionID, balance) => {
        const session = options.client.sessions.find((one) => one.sessionID === sessionID);
        return session !== undefined && observers.balancesOfOthers.ownerOf(walletIdOf(session), balance) !== undefined;
      },
    });
    this.#shownDecimals = new ShownDecimals(sender, options);
    this.#pool = new SessionPool(sessionsToPlay(options.client), (session) => this.#decimalsOf(session));
    this.#late = new LateEffects(options);
    this.#giveUpPolicy = new GiveUpPolicy(sender.waitPolicy);
    this.#attemptRunner = new AttemptRunner({
      options,
      sender,
      adjuster: this.#adjuster,
      acceptedCalls: new AcceptedCalls(),
      attribution: this.#attribution,
      staleReads: this.#staleReads,
      shownDecimals: this.#shownDecimals,
      rightUnit: new RightUnit(),
      balancesOfOthers: observers.balancesOfOthers,
      givenTxIDs: new GivenTxIDs(),
      knownBalances: this.#knownBalances,
      balanceChanges: this.#balanceChanges,
      giveUpPolicy: this.#giveUpPolicy,
      presence,
      isStopped: () => this.#stopped,
      onOverloaded: () => this.#playSequentially(),
      intermittentFailures: this.#intermittentFailures,
      isDisturbed: () => {
        later.flush();
        return this.#silentChanges.first !== undefined && !this.#balancesMoveAnyway;
      },
      staysQuiet: async (assignment) => {
        later.flush();
        return (
          !this.#presence.farewell &&
          !this.#balancesMoveAnyway &&
          (await this.#silentWatch.staysQuiet(assignment, this.#adjuster))
        );
      },
    });
  }

  async play(): Promise<Ending> {
    const { after, signal } = this.#options;
    await after?.compareBalances(({ sessionID, currency }) => {
      const denomination = denominationOf(currency, this.#options, undefined);
      return this.#adjuster.read({ sessionID, denomination, scenario: null }, 'read');
    }, signal);
    const { isolation, main, last, launches } = inPhases(inOrder(this.#options.scenarios, this.#options.seed));
    // Players that share a wallet would disturb each other. So before the run plays scenarios in parallel, it tests whether players
    // share a wallet.
    await this.#playAll(isolation, 1);
    const max = this.#playersDisturbEachOther() ? 1 : this.#options.workers;
    await this.#playAll(main, max);
    await this.#playAll(last, max);
    // The scenarios about launches read the balances of sessions of all players. So no other scenario may run at the same time.
    await this.#playAll(launches, 1);
    // The steps that follow need the state after each call at once.
    this.#later.end();
    // The last reads look for late debits. Such a debit is no sign that somebody else moves the balance.
    const silentChange = this.#silentChanges.first;
    if (this.#reached && !this.#presence.farewell && !this.#balancesMoveAnyway)
      await this.#late.readAgain(this.#adjuster);
    if (!this.#presence.farewell && !this.#balancesMoveAnyway)
      await this.#silentWatch.atEnd(this.#adjuster, (walletID) => this.#attemptRunner.failsWithout(walletID));
    const isDisturbed = silentChange && this.#options.watchesBalances === true && !this.#balancesMoveAnyway;
    if (isDisturbed) this.#options.record(silentChange);
    const { proof } = this.#intermittentFailures;
    if (proof && !isDisturbed) this.#options.record(proof);
    if (!this.#isSilent) await this.#settle();
    await this.#restoreBalances();
    // An operator that is gone has closed all its connections. So these closed connections do not show that the operator closes
    // kept-alive connections during calls.
    const keepAlive = this.#presence.farewell ? undefined : this.#attemptRunner.keepAliveNotice;
    const aboutCurrencies = currencyNotices(this.#options, (currency) =>
      this.#shownDecimals.of({ sessionID: '', currency }),
    );
    const notices = [
      quickNotice(this.#options),
      keepAlive,
      this.#lowBalances.notice,
      this.#giveUpPolicy.notice,
      after?.notice,
      this.#options.isUnlocked === true && (silentChange || this.#attemptRunner.hasUnproven)
        ? NO_LOCK_NOTICE
        : undefined,
      ...aboutCurrencies,
    ];
    for (const notice of notices) if (notice !== undefined) this.#options.record({ event: 'notice', text: notice });
    for (const attributed of this.#attribution.conclude()) this.#options.record(attributed);
    return this.#ending();
  }

  /** Sends the calls that the run still owes, and restores the balances of their players. */
  async #settle(): Promise<void> {
    const { signal, endAfterMs = Number.POSITIVE_INFINITY, now } = this.#options;
    const restMs = signal.aborted ? 0 : this.#startedMs + endAfterMs - now();
    const changed = await settleAtEnd(
      {
        ...this.#options,
        afterRun: this.#afterRun,
        timeMs: Math.min(SETTLE_MS, Math.max(SHORT_SETTLE_MS, restMs)),
        // If a win was not accepted for a while, the operator seems to move wrong amounts. But if the balance is right after the win
        // was accepted, it can be restored.
        restores: this.#balancesMoveAnyway ? 'nobody' : this.#movesWrongAmounts ? 'settled' : 'all',
        // The interruption of the run has already ended its scenarios. It must not end this short settlement too.
        signal: signal.aborted ? new AbortController().signal : signal,
      },
      this.#sender,
    );
    for (const wallet of changed) this.#balanceChanges.forget(wallet);
  }

  /**
   * Restores the balances that the scenarios have changed. If a balance could not be restored, records a notice with the reason. The
   * events `balance-owed` have the sums.
   */
  async #restoreBalances(): Promise<void> {
    const isWrong = this.#movesWrongAmounts;
    const isSilent = this.#isSilent;
    const kept = isWrong || isSilent ? this.#balanceChanges.kept() : await this.#balanceChanges.restore(this.#adjuster);
    if (kept.length === 0) return;
    const calls = new Set(kept.map(({ amount }) => (amount.isNegative() ? 'send the wins' : 'place the bets')));
    const why = isSilent
      ? 'the operator did not answer any more'
      : isWrong
        ? this.#wrongAmountsReason
        : `croupier could not ${[...calls].join(' and ')} that restore them`;
    const text = `At the end of the run, croupier did not restore the balances of all players, because ${why}.`;
    this.#options.record({ event: 'notice', text });
  }

  /**
   * Reads the balance of each session whose decimals neither the contract nor the configuration states: the session has a currency
   * without a fixed number of decimals, or no currency is configured. The number of decimals decides which sessions can play a
   * scenario. Each balance is read only once in a run, so that an operator that does not answer
   * delays the run only once.
   */
  async #learnDecimals(): Promise<void> {
    if (this.#hasLearnedDecimals) return;
    this.#hasLearnedDecimals = true;
    const known = this.#options.client.sessions.filter(({ currency }) => isUnnamedOrKnown(currency));
    await this.#shownDecimals.learn(known, null);
  }

  #decimalsOf(session: SessionUnderTest): number | null {
    const { currency } = session;
    const stated = statedDecimals(currency, this.#options);
    if (stated !== null || !isUnnamedOrKnown(currency)) return stated;
    const shown = this.#shownDecimals.of(session);
    // If no currency is configured, only a balance with decimals shows that the currency has decimals. A whole balance shows
    // nothing.
    if (currency === undefined) return shown ? denominationOf(currency, this.#options, shown).decimals : null;
    return shown ?? null;
  }

  /**
   * True if calls of one player cause wrong answers to calls of another player. Then scenarios of different players must not be
   * played in parallel, because one scenario would find faults that come from the calls of another scenario.
   */
  #playersDisturbEachOther(): boolean {
    if (this.#attribution.hasFailed('session.isolated')) return true;
    if (!this.#attribution.isProven('concurrency.no-lost-update')) return false;
    if (this.#options.workers > 1)
      this.#options.record({
        event: 'notice',
        text: 'Calls of different players at the same moment got wrong balances. After that, croupier played the scenarios one after another.',
      });
    return true;
  }

  #ending(): Ending {
    const { signal, bail } = this.#options;
    if (signal.aborted) {
      return {
        event: 'run-ended',
        how: 'interrupted',
        signal: stopSignalOf(signal),
        detail: null,
      };
    }
    const { farewell } = this.#presence;
    if (farewell) return { event: 'run-ended', how: 'unreachable', signal: null, ...farewell };
    if (this.#unreachable !== null)
      return { event: 'run-ended', how: 'unreachable', signal: null, detail: this.#unreachable };
    if (bail !== null && this.#failed >= bail) return { event: 'run-ended', how: 'bail', signal: null, detail: null };
    if (this.#isCutByTime) return { event: 'run-ended', how: 'time', signal: null, detail: null };
    return { event: 'run-ended', how: 'complete', signal: null, detail: null };
  }

  /** True if the operator did not answer any more when the run stopped. */
  get #isSilent(): boolean {
    return this.#presence.farewell !== undefined || this.#unreachable !== null;
  }

  /** True if the operator moves wrong amounts. Then more calls would only make the balances worse. */
  get #movesWrongAmounts(): boolean {
    return WRONG_BOOKING_RULES.some((rule) => this.#attribution.isProven(rule));
  }

  /** The reason why croupier restores no balances although the operator answers, as a clause. */
  get #wrongAmountsReason(): string {
    const isSure =
      this.#intermittentFailures.proof !== undefined ||
      WRONG_BOOKING_RULES.some((rule) => this.#attribution.isProven(rule) && this.#attemptRunner.isRepeated(rule));
    return isSure
      ? 'the operator moves wrong amounts'
      : 'a balance was wrong, and croupier could not decide whether the operator or somebody else moved it';
  }

  /** True if balances change without a call. Then a changed balance at the end of the run does not prove a late debit. */
  get #balancesMoveAnyway(): boolean {
    // Calls in another player's session can change a balance, even if a rule about these calls explains the failure.
    const rules = [
      ...['balance.read-only'].filter((rule) => this.#attribution.isProven(rule)),
      ...['session.isolated'].filter((rule) => this.#attribution.hasFailed(rule)),
    ];
    const late = this.#staleReads.rule;
    // Somebody else who moves a balance can make these rules fail too. So the failure must have occurred again.
    return [...rules, ...(late ? [late] : [])].some((rule) => this.#attemptRunner.isRepeated(rule));
  }

  get #stopped(): boolean {
    const { signal, bail } = this.#options;
    return (
      signal.aborted ||
      this.#presence.farewell !== undefined ||
      this.#unreachable !== null ||
      (bail !== null && this.#failed >= bail) ||
      this.#isTimeOver
    );
  }

  get #isTimeOver(): boolean {
    const { now, endAfterMs } = this.#options;
    return endAfterMs !== undefined && now() - this.#startedMs >= endAfterMs;
  }

  async #playAll(scenarios: readonly RunnableScenario[], workers: number): Promise<void> {
    this.#isSequential = workers === 1;
    const queue = [...scenarios];
    const waiting: WaitingScenario[] = [];
    for (const plan of scenarios.map((one) => one.plan()))
      if (plan.needs.sessions.size === 0) this.#left.set(plan.id, { checks: coreChecksOf(plan), needs: plan.needs });
    const running = new Set<Promise<void>>();
    // The first scenario is played alone. So if the operator does not answer, only this one scenario fails, instead of one scenario
    // for each player.
    while (queue.length > 0 || waiting.length > 0 || running.size > 0) {
      if (!this.#stopped) await this.#fill(queue, waiting, running, workers);
      if (running.size === 0) {
        if (queue.length === 0 && waiting.length === 0) break;
        if (this.#stopped) {
          this.#isCutByTime ||= this.#isTimeOver;
          break;
        }
        continue;
      }
      await Promise.race(running);
    }
  }

  async #fill(
    queue: RunnableScenario[],
    waiting: WaitingScenario[],
    running: Set<Promise<void>>,
    workers: number,
  ): Promise<void> {
    const max = this.#reached && !this.#overloaded ? Math.min(workers, this.#pool.players) : 1;
    while (waiting.length < this.#pool.players * 4 && queue.length > 0) {
      const scenario = queue.shift();
      const ready = scenario && (await this.#prepare(scenario));
      if (ready) waiting.push(ready);
    }
    for (const one of waiting.slice()) {
      if (running.size >= max) return;
      const notPlayable = this.#giveUpPolicy.reasonAgainst(one.plan);
      const toPlay = { checks: one.checks, left: [...this.#left.values()] };
      const assignment = notPlayable === null ? this.#pool.take(one.assignments, toPlay) : undefined;
      if (notPlayable === null && !assignment) continue;
      waiting.splice(waiting.indexOf(one), 1);
      this.#left.delete(one.plan.id);
      if (notPlayable !== null) recordNotPlayed(one.scenario, notPlayable, this.#options);
      if (!assignment) continue;
      const done = this.#playOne(one, assignment).finally(() => {
        this.#pool.release(assignment);
        running.delete(done);
      });
      running.add(done);
    }
  }

  /**
   * Plans a scenario and finds the sessions that can play it.
   *
   * @returns undefined if the scenario cannot be played; the journal then has the reason
   */
  async #prepare(scenario: RunnableScenario): Promise<WaitingScenario | undefined> {
    const plan = scenario.plan();
    if (plan.needs.currency?.decimals !== undefined) await this.#learnDecimals();
    const assignments = this.#assignments(plan);
    if (!('reason' in assignments)) return { scenario, plan, assignments, checks: coreChecksOf(plan) };
    this.#left.delete(plan.id);
    recordNotPlayed(scenario, assignments, this.#options);
    return undefined;
  }

  #assignments(plan: Plan): readonly SessionAssignment[] | NotPlayable {
    const notPlayable = this.#giveUpPolicy.reasonAgainst(plan);
    if (notPlayable !== null) return notPlayable;
    const wrong = wrongVersion(plan, this.#options);
    if (wrong !== null) return { verdict: 'skip', reason: wrong };
    const assignments = this.#pool.assign(plan.needs);
    const missing = missingNeeds(plan, this.#options);
    if ('reason' in assignments) {
      const noSession = assignments.reason + shardHint(this.#options, this.#pool);
      return { verdict: 'skip', reason: reasonOfConditions([noSession, ...missing]) };
    }
    if (missing.length > 0) return { verdict: 'skip', reason: reasonOfConditions(missing) };
    const { after } = this.#options;
    return plan.needs.earlierRun && after ? after.fitting(plan, assignments) : assignments;
  }

  async #playOne({ scenario, plan }: WaitingScenario, assignment: SessionAssignment): Promise<void> {
    const { played, findings: judged, attempt } = await this.#attemptRunner.play(scenario, plan, assignment);
    this.#later.flush();
    const ofReplies = [this.#technicalMessages, this.#notFoundReplies].flatMap(
      (replies) => replies.findingOf(scenario.id, plan, judged) ?? [],
    );
    for (const finding of ofReplies)
      this.#options.record({ event: 'finding', scenario: scenario.id, attempt, finding });
    const findings = [...judged, ...ofReplies];
    if (!this.#presence.farewell && !this.#balancesMoveAnyway)
      await this.#silentWatch.after(assignment, findings, played.reason, this.#adjuster);
    if (played.needed) this.#lowBalances.add(scenario.id, sessionOf(assignment, 'main'), played.needed);
    this.#late.note(scenario, plan, assignment, played, attempt);
    if (isQuiet(plan, played)) this.#knownBalances.remember(played.leftForNext);
    const walletIDs = [...new Set([...assignment.values()].map(walletIdOf))];
    const alone = this.#isSequential && walletIDs.length === 1;
    const players = [...new Set([...assignment.values()].map(playerOf))];
    const sessionIDs = [...assignment.values()].map(({ sessionID }) => sessionID);
    this.#conclude(scenario, played, findings, { alone, players, walletIDs, sessionIDs });
  }

  /**
   * Plays the remaining scenarios one after another. An operator that fails if it gets many calls at once may still answer single
   * calls.
   */
  #playSequentially(): void {
    if (this.#overloaded || this.#isSequential) return;
    this.#overloaded = true;
    this.#options.record({
      event: 'notice',
      text: 'The operator failed or was too busy again and again. After that, croupier played the scenarios one after another.',
    });
  }

  #conclude(
    scenario: RunnableScenario,
    played: Played,
    findings: readonly Finding[],
    company: Required<Pick<ScenarioFacts, 'alone' | 'players' | 'walletIDs' | 'sessionIDs'>>,
  ): void {
    this.#giveUpPolicy.note(findings, played.passes);
    this.#giveUpPolicy.noteEnd(played.reason);
    this.#attribution.add(scenario.id, findings, played.letIn, { ...played, ...company });
    if (findings.some(({ verdict, rule }) => verdict === 'fail' || (rule === EXPECTATION && verdict !== 'pass')))
      this.#failed += 1;
    if (this.#reached) return;
    if (played.retryReason === 'connection' && played.verdict !== 'fail' && played.left.size === 0)
      this.#unreachable = played.reason;
    else this.#reached = true;
  }
}

/** True if no currency is configured, or if croupier knows the currency. */
function isUnnamedOrKnown(currency: string | undefined): boolean {
  return currency === undefined || currencyByCode(currency) !== undefined;
}

/** Returns a hint: another part of a divided run may have the missing players. Returns an empty text if the run is not divided. */
function shardHint({ shard }: RunOptions, { players }: SessionPool): string {
  return shard === undefined ? '' : ` (this shard has only ${players} of ${shard.players} players)`;
}

/** True if no call of the scenario can change a balance after the scenario has ended. */
function isQuiet({ steps }: Plan, { verdict, restored, isSkippedEarly }: Played): boolean {
  const isBroken = steps.some(
    (step) =>
      step.kind === 'together' ||
      (step.kind === 'call' && (step.deviations.break !== undefined || step.deviations.trickle !== undefined)),
  );
  const isFine = verdict === 'pass' || verdict === 'note' || (verdict === 'skip' && isSkippedEarly);
  return isFine && restored !== false && !isBroken;
}
