import type { CallName } from '../../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { Tally } from '../../journal/event.ts';
import { EXPECTATION, type Finding, type Verdict } from '../../journal/finding.ts';
import type { Wallet } from '../../judge/wallet/wallet.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { AcceptedCalls } from '../accepted-calls.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { BalanceChanges } from '../balances/balance-changes.ts';
import type { CompletedRound, LeftBalance } from '../balances/known-balances.ts';
import { OwedCalls } from '../calls/owed-calls.ts';
import type { Sender } from '../calls/sender.ts';
import { idle } from '../calls/waits.ts';
import { hasRace, Races } from '../races.ts';
import type { RunOptions } from '../run-options.ts';
import {
  createScenarioContext,
  type ScenarioContext,
  type ScenarioPlayOptions,
  type StopReason,
} from '../scenario-context.ts';
import { sessionIDsOfPlayer } from '../session-pool.ts';
import { SettleTime } from '../settle-time.ts';
import { CollectedFindings, verdictOf } from './collected-findings.ts';
import { laterRound } from './later-round.ts';
import { NeedlessReads } from './needless-reads.ts';
import { ScenarioRunner } from './scenario-runner.ts';
import { endRoundsOfRace, isUncertain, readLast, restore, setUp } from './setup-and-teardown.ts';
import { settle } from './unknown-outcomes.ts';

export interface PlayOptions extends ScenarioPlayOptions {
  /** Plans the scenario again for another repetition. The calls get new ids. */
  readonly replan: () => Plan;
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
  readonly sender: Sender;
  readonly adjuster: BalanceAdjuster;
  readonly acceptedCalls: AcceptedCalls;
  /** The changes of balances that are kept until the end of the run. Absent: each scenario restores the balances at its own end. */
  readonly balanceChanges?: BalanceChanges;
  /** True if the step failed in every attempt, so that its failure in this attempt counts. */
  readonly isLasting: (step: string) => boolean;
  /** True if balance reads are left out when the balances in the replies are enough. */
  readonly fewerReads?: boolean;
}

/** The result of one attempt at a scenario. */
export interface Played {
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly restored: boolean | null;
  readonly passes: Tally;
  /** Rules that were broken and have no other broken rule as their cause. */
  readonly broken: readonly RuleId[];
  /** Endpoints that carried out a call although its signature was wrong. */
  readonly letIn: readonly CallName[];
  /** The rules whose breach made a balance wrong. */
  readonly moved: readonly RuleId[];
  /** The rules whose breach took money from the player that did not arrive late either. */
  readonly lackingMoney: readonly RuleId[];
  /**
   * True if the run knew of no stale read when the scenario began. Then the reads of this scenario did not wait, so a read may have
   * shown an old balance.
   */
  readonly unaware: boolean;
  /**
   * The reason why another attempt may decide rules that this attempt left undecided. Null if another attempt would be useless.
   */
  readonly retryReason: 'excess' | 'stale-connection' | 'connection' | 'queue' | 'busy' | null;
  /**
   * The steps that got a temporary error, and the bets that were wrongly declined. Another attempt is useful, because the operator
   * may then reply differently.
   */
  readonly turnedAway: ReadonlySet<string>;
  /**
   * The balance that the scenario needs, if the player's balance was lower, so that the scenario was not played. Otherwise null.
   */
  readonly needed: Money | null;
  /** True if the scenario was stopped because the operator declined a call that it may decline. */
  readonly isSkippedEarly: boolean;
  /** The keys of the steps that were not played because the scenario was stopped. Null if it was played to its end. */
  readonly unplayed: readonly string[] | null;
  /** Number of rounds that were played. 1 if the scenario has no race. */
  readonly rounds: number;
  /** Number of balance reads that were left out. */
  readonly leftOut: number;
  /** The time in milliseconds after the end of the scenario in which its calls may still take effect. It is usually 0. */
  readonly restMs: number;
  /** The last balance that was read, by wallet. Wallets with an uncertain balance are left out. */
  readonly left: ReadonlyMap<string, Money>;
  /** The balances of {@link left}, together with the wins of 0 that were sent after the last read. */
  readonly leftForNext: ReadonlyMap<string, LeftBalance>;
}

/** One repetition of the scenario, after its end. */
interface Repetition {
  readonly context: ScenarioContext;
  readonly stopReason: StopReason | null;
  /** The keys of the steps that were not played because of the reason to stop. */
  readonly unplayed: readonly string[];
  /** False if the scenario could not begin because the balance could not be read or was too low. */
  readonly opened: boolean;
  readonly stale: boolean;
  readonly leftOut: number;
  readonly settleTime: SettleTime;
}

/**
 * Plays one scenario, from the first read to the restored balance. A scenario with a race is repeated, with new ids and from the
 * balance that the last repetition left. The repetitions end when one of them finds a problem, or when a limit is reached.
 */
export async function playScenario(options: PlayOptions): Promise<Played> {
  const { plan } = options;
  const unaware = !options.staleReads.isWaitedFor;
  const { lateExcess, lateInQueue } = options.sender;
  const collected = new CollectedFindings(options.report);
  const openings = new Map<Wallet, Money>();
  const letIn = new Set<CallName>();
  const moved = new Set<RuleId>();
  const lackingMoney = new Set<RuleId>();
  const races = new Races(options.run);
  const {
    context,
    stopReason: stoppedBecause,
    unplayed,
    opened,
    stale,
    leftOut,
    settleTime,
  } = await playRepetitions(options, { collected, openings, letIn, moved, lackingMoney, races });
  // If a later repetition could not be played to its end, the results of the earlier repetitions still count.
  const stopReason =
    stoppedBecause && races.round > 1 && (stoppedBecause.verdict === 'skip' || stoppedBecause.connection)
      ? null
      : stoppedBecause;
  collected.close(plan.rules, stopReason, races.missed ? races.missedText : null);
  const isBroken = (rule: RuleId): boolean =>
    collected.findings.some((finding) => finding.rule === rule && isBreach(finding));
  const completed = new Map<Wallet, readonly CompletedRound[]>();
  const restored = opened ? await restore(context, openings, { ...options, completed }, isBroken) : null;
  const left = context.wallets.flatMap(({ wallet }) => {
    const balance = isUncertain(wallet, context) ? undefined : context.judge.reads.lastRead(wallet);
    return balance ? [{ wallet, balance }] : [];
  });
  if (collected.findings.some(isBreach)) await options.sender.waitForExcess();
  const turnedAway = races.round === 1 ? context.judge.stepsToRetry : new Set<string>();
  return {
    ...verdictOf(plan, collected, stopReason, races.missed ? races.missedText : null),
    restored,
    passes: collected.passes,
    broken: collected.findings.flatMap((finding) =>
      isBreach(finding) && finding.rule !== EXPECTATION ? [finding.rule] : [],
    ),
    letIn: [...letIn],
    moved: [...moved],
    lackingMoney: [...lackingMoney],
    unaware: unaware || !options.staleReads.isWaitedFor,
    // The reply to a call may have been the rest of an earlier reply. So the findings of this attempt do not count.
    retryReason:
      options.sender.lateExcess > lateExcess
        ? 'excess'
        : stale
          ? 'stale-connection'
          : stopReason?.connection
            ? 'connection'
            : options.sender.lateInQueue > lateInQueue
              ? 'queue'
              : turnedAway.size > 0
                ? 'busy'
                : null,
    turnedAway,
    needed: stopReason?.needed ?? null,
    isSkippedEarly: stopReason?.verdict === 'skip',
    unplayed: stopReason && unplayed,
    rounds: races.round,
    leftOut,
    restMs: settleTime.restMs,
    left: new Map(left.map(({ wallet, balance }) => [wallet.id, balance])),
    leftForNext: new Map(
      left.map(({ wallet, balance }) => [wallet.id, { balance, completed: completed.get(wallet) ?? [] }]),
    ),
  };
}

/** The state that all repetitions of a scenario share. */
interface SharedState {
  readonly collected: CollectedFindings;
  readonly openings: Map<Wallet, Money>;
  readonly letIn: Set<CallName>;
  readonly moved: Set<RuleId>;
  readonly lackingMoney: Set<RuleId>;
  readonly races: Races;
}

/**
 * Plays the scenario once, or several times if it has a race.
 *
 * @returns the last repetition
 */
async function playRepetitions(options: PlayOptions, shared: SharedState): Promise<Repetition> {
  const { run } = options;
  const { collected, races } = shared;
  const settleTime = new SettleTime(run.lingerMs, run.now);
  const debts = new OwedCalls(run.record);
  const wallets = new Map<string, Wallet>();
  await options.shownDecimals.learn(options.assignment.values(), options.plan.id);
  for (let plan = options.plan; ; plan = laterRound(options.replan())) {
    const report = (finding: Finding): void => collected.add(finding);
    // Only the first repetition can show that a call fails in every attempt. If the operator fails to answer a call in a later
    // repetition, the repetitions end.
    const isLasting = (step: string): boolean => races.round === 1 && options.isLasting(step);
    const context = createScenarioContext({ ...options, plan, wallets, report, isLasting });
    const needlessReads = options.fewerReads ? new NeedlessReads(plan, context.names) : undefined;
    const runner = new ScenarioRunner({
      ...options,
      context,
      settleTime,
      races,
      owedCalls: debts,
      needlessReads,
      isLasting,
    });
    // The scenario tests whether the wallet knows the launched sessions. So croupier does not read their balances before.
    const opened = plan.needs.launches
      ? null
      : await setUp(
          context,
          runner,
          options.adjuster,
          shared.openings,
          options.knownBalances,
          options.balancesOfOthers,
        );
    const stopReason = opened ?? (await runner.steps(plan.steps, true));
    if (!opened) {
      await runner.steps(plan.always, false);
      await settle(context, (step, how) => runner.settle(step, how), run.uuid);
    }
    const isWorthAnother = (): boolean => !stopReason && races.wantsAnother && mayBeRepeated(context, collected, run);
    const again = isWorthAnother() && (await readAndAskAgain(context, runner, isWorthAnother));
    if (!opened && !again) await readLast(context, runner, 'lingered');
    debts.note(context);
    context.judge.close();
    collected.endRepetition(
      context.judge.passes,
      plan.rules.filter((rule) => context.judge.collector.hasDecided(rule)),
    );
    for (const call of context.judge.letIn) shared.letIn.add(call);
    for (const rule of context.judge.collector.moved) shared.moved.add(rule);
    for (const rule of context.judge.collector.lackingMoney) shared.lackingMoney.add(rule);
    const leftOut = needlessReads?.count ?? 0;
    await untilNoCallRuns(options);
    const unplayed = opened ? [...plan.steps, ...plan.always].map(({ key }) => key) : runner.unplayed;
    if (!again) return { context, stopReason, unplayed, opened: !opened, stale: runner.stale, leftOut, settleTime };
    await endRoundsOfRace(context, options.adjuster, shared.openings);
    races.next();
  }
}

/**
 * Some calls of these players may have no reply. Waits until the operator can no longer process such a call. Without this wait, the
 * operator might decline the next calls of these players, which restore the balance or belong to the next scenario.
 */
async function untilNoCallRuns({ assignment, sender, run }: PlayOptions): Promise<void> {
  const sessions = [...assignment.values()].flatMap((session) => sessionIDsOfPlayer(session, run.client.sessions));
  await idle(sender.unanswered.restMs(sessions, run.lingerMs), run.signal);
}

/**
 * Reads the balance. If this read shows a problem, no further repetition is necessary. Returns true if another repetition is still
 * useful.
 */
async function readAndAskAgain(
  context: ScenarioContext,
  runner: ScenarioRunner,
  isWorthAnother: () => boolean,
): Promise<boolean> {
  await readLast(context, runner, 'now');
  return isWorthAnother();
}

/**
 * True if another repetition is both useful and possible. It is useless if the race has already found a problem. It is impossible
 * if a balance is uncertain.
 */
function mayBeRepeated(
  { plan, wallets }: ScenarioContext,
  { findings }: CollectedFindings,
  { signal }: RunOptions,
): boolean {
  if (!hasRace(plan) || signal.aborted) return false;
  const shown = findings.some(
    ({ rule, verdict }) => verdict === 'fail' && (!isRuleId(rule) || plan.rules.includes(rule) || ruleById(rule).money),
  );
  return !shown && wallets.every(({ wallet }) => wallet.certain() !== undefined);
}

function isBreach({ verdict, causes }: Finding): boolean {
  return (verdict === 'fail' || verdict === 'warn') && causes.length === 0;
}
