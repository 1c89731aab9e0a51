import type { CallName } from '../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Tally } from '../journal/event.ts';
import { EXPECTATION, type Finding, type Verdict } from '../journal/finding.ts';
import type { Wallet } from '../judge/wallet.ts';
import type { Plan } from '../scenario/plan.ts';
import { MOST_ATTEMPTS } from './attempts.ts';
import type { Cashier } from './cashier.ts';
import { isUncertain, lastLook, restore } from './closing.ts';
import { Debts } from './debts.ts';
import type { EarlierRun } from './earlier-run.ts';
import { Gathering } from './gathering.ts';
import type { Halt } from './halt.ts';
import type { History } from './history.ts';
import { Linger } from './linger.ts';
import { openingBalance, openStory } from './opening.ts';
import { Performance } from './performance.ts';
import { hasRace, Races } from './races.ts';
import type { RunOptions } from './run-options.ts';
import type { Sender } from './sender.ts';
import { settle } from './settlement.ts';
import { type Stage, type StoryOptions, setStage } from './stage.ts';
import { verdictOf } from './verdict.ts';

export interface PlayOptions extends StoryOptions {
  /** The same plan with ids of its own, for another telling. */
  readonly replan: () => Plan;
  /** Counted from 1. */
  readonly attempt: number;
  readonly sender: Sender;
  readonly cashier: Cashier;
  readonly history: History;
  readonly earlier: EarlierRun | undefined;
  /** True when the step failed in every attempt. Left out: what fails in the last attempt does. */
  readonly isLasting?: (step: string) => boolean;
}

/** What became of one attempt at a scenario. */
export interface Played {
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly restored: boolean | null;
  readonly passes: Tally;
  /** Rules that were found broken with nothing else to explain it. */
  readonly broken: readonly RuleId[];
  /** Endpoints that carried out a call with a wrong signature. */
  readonly letIn: readonly CallName[];
  /** Its reads did not wait for what shows late: that anything does was not known when it began. */
  readonly unaware: boolean;
  /** Another attempt may decide what this one could not. */
  readonly again: 'stale-connection' | 'connection' | 'busy' | null;
  /** Steps that failed, or for which the operator was too busy. */
  readonly turnedAway: ReadonlySet<string>;
  /** The balance for want of which the story was not played. */
  readonly needed: Money | null;
  /** By wallet: the balance that was read last, unless what is there is not certain. */
  readonly left: ReadonlyMap<string, Money>;
}

/** One telling of the story, when it is over. */
interface Telling {
  readonly stage: Stage;
  readonly halt: Halt | null;
  /** false: not even the balance could be read. */
  readonly opened: boolean;
  readonly stale: boolean;
}

/**
 * Plays one scenario, from its opening read to the balance being back where it was. A story with a race is told again,
 * with ids of its own and from the balance that the last telling left, until it shows something or the budget is spent.
 */
export async function playScenario(options: PlayOptions): Promise<Played> {
  const { cashier, plan } = options;
  const unaware = !options.lateness.isWaitedFor;
  const gathering = new Gathering(options.report);
  const openings = new Map<Wallet, Money>();
  const letIn = new Set<CallName>();
  const races = new Races(options.run);
  const { stage, halt: halted, opened, stale } = await tellAll(options, { gathering, openings, letIn, races });
  // What kept a further telling from its end takes nothing from what the earlier ones have shown.
  const halt = halted && races.round > 1 && (halted.verdict === 'skip' || halted.connection) ? null : halted;
  gathering.close(plan.rules, halt, races.missed ? races.described : null);
  const isBroken = (rule: RuleId): boolean =>
    gathering.findings.some((finding) => finding.rule === rule && isBreach(finding));
  const restored = opened ? await restore(stage, openings, cashier, isBroken) : null;
  const turnedAway = races.round === 1 ? stage.judge.turnedAway : new Set<string>();
  return {
    ...verdictOf(plan, gathering, halt, races.missed ? races.described : null),
    restored,
    passes: gathering.passes,
    broken: gathering.findings.flatMap((finding) =>
      isBreach(finding) && finding.rule !== EXPECTATION ? [finding.rule] : [],
    ),
    letIn: [...letIn],
    unaware: unaware || !options.lateness.isWaitedFor,
    again: stale ? 'stale-connection' : halt?.connection ? 'connection' : turnedAway.size > 0 ? 'busy' : null,
    turnedAway,
    needed: halt?.needed ?? null,
    left: new Map(
      stage.wallets.flatMap(({ wallet }) => {
        const last = isUncertain(wallet, stage) ? undefined : stage.judge.reads.lastRead(wallet);
        return last ? [[wallet.id, restored === true ? (openings.get(wallet) ?? last) : last] as const] : [];
      }),
    ),
  };
}

/** What the tellings of a story have in common. */
interface Shared {
  readonly gathering: Gathering;
  readonly openings: Map<Wallet, Money>;
  readonly letIn: Set<CallName>;
  readonly races: Races;
}

/** @returns the last telling */
async function tellAll(options: PlayOptions, shared: Shared): Promise<Telling> {
  const { run } = options;
  const { gathering, races } = shared;
  const linger = new Linger(run.lingerMs, run.now);
  const debts = new Debts(run.record);
  const wallets = new Map<string, Wallet>();
  const written = await openingBalance(options);
  for (let plan = options.plan; ; plan = options.replan()) {
    const report = (finding: Finding): void => gathering.add(finding);
    // A further telling that is turned away is simply the last.
    const isLasting = (step: string): boolean =>
      races.round === 1 && (options.isLasting?.(step) ?? options.attempt >= MOST_ATTEMPTS);
    const stage = setStage({ ...options, plan, wallets, written, report, isLasting });
    const performance = new Performance({ ...options, stage, linger, races, debts });
    // A session that the operator launched may be one that it doesn't know, which is what shall be found out.
    const opened = plan.needs.launches ? null : await openStory(stage, performance, options.cashier, shared.openings);
    const halt = opened ?? (await performance.steps(plan.steps, true));
    if (!opened) {
      await performance.steps(plan.always, false);
      await settle(stage, (step, how) => performance.settle(step, how), run.uuid);
    }
    const isWorthAnother = (): boolean => !halt && races.wantsAnother && mayBeToldAgain(stage, gathering, run);
    const again = isWorthAnother() && (await lookOnce(stage, performance, isWorthAnother));
    if (!opened && !again) await lastLook(stage, performance, 'lingered');
    debts.note(stage);
    stage.judge.close();
    gathering.endRound(
      stage.judge.passes,
      plan.rules.filter((rule) => stage.judge.docket.hasDecided(rule)),
    );
    for (const call of stage.judge.letIn) shared.letIn.add(call);
    if (!again) return { stage, halt, opened: !opened, stale: performance.stale };
    races.next();
  }
}

/** What this look shows may make a further telling needless. */
async function lookOnce(stage: Stage, performance: Performance, isWorthAnother: () => boolean): Promise<boolean> {
  await lastLook(stage, performance, 'now');
  return isWorthAnother();
}

/** A race that has shown what it is about need not be run again, and can't be while it is open what is in the wallets. */
function mayBeToldAgain({ plan, wallets }: Stage, { findings }: Gathering, { signal }: RunOptions): boolean {
  if (!hasRace(plan) || signal.aborted) return false;
  const shown = findings.some(
    ({ rule, verdict }) => verdict === 'fail' && (!isRuleId(rule) || plan.rules.includes(rule) || ruleById(rule).money),
  );
  return !shown && wallets.every(({ wallet }) => wallet.certain() !== undefined);
}

function isBreach({ verdict, causes }: Finding): boolean {
  return (verdict === 'fail' || verdict === 'warn') && causes.length === 0;
}
