import { currencyWith } from '../contract/currencies.ts';
import type { Money } from '../contract/money.ts';
import type { FoundSum } from '../journal/event.ts';
import type { Finding, Place } from '../journal/finding.ts';
import type { RightUnit } from '../judge/attribution/units.ts';
import { Judge } from '../judge/judge.ts';
import { PlannedCalls } from '../judge/planned-calls.ts';
import type { Stop } from '../judge/policy/stop.ts';
import type { BalancesOfOthers } from '../judge/reads/balances-of-others.ts';
import type { GivenTxIDs } from '../judge/reads/given-tx-ids.ts';
import type { StaleReadHistory } from '../judge/reads/stale-reads.ts';
import { Wallet } from '../judge/wallet/wallet.ts';
import type { CallStep, Plan, Step } from '../scenario/plan/plan.ts';
import type { KnownBalances } from './balances/known-balances.ts';
import type { ShownDecimals } from './balances/shown-decimals.ts';
import type { Sender } from './calls/sender.ts';
import { OpenRounds } from './open-rounds.ts';
import type { RunOptions, SessionAssignment, SessionUnderTest } from './run-options.ts';
import type { Names } from './scope.ts';
import { walletIdOf } from './session-pool.ts';
import { type Denomination, denominationOf } from './stakes.ts';

/** The context in which one scenario is played: its sessions, its wallets and the values of its names. */
export interface ScenarioContext {
  readonly plan: Plan;
  readonly assignment: SessionAssignment;
  readonly judge: Judge;
  readonly staleReads: StaleReadHistory;
  readonly names: Names;
  readonly wallets: readonly { readonly alias: string; readonly wallet: Wallet }[];
  readonly openRounds: OpenRounds;
  /**
   * The stake and the decimals of each session, by alias. The currency of the main session defines the stake of the scenario.
   */
  readonly denominations: ReadonlyMap<string, Denomination>;
  /** Creates a step for a balance call that croupier adds between the steps of the scenario. */
  readStep(alias: string, key: string): CallStep;
}

/** The settings for playing one scenario. */
export interface ScenarioPlayOptions {
  readonly plan: Plan;
  readonly assignment: SessionAssignment;
  readonly run: RunOptions;
  readonly proven: (rule: string) => boolean;
  readonly report: (finding: Finding) => void;
  /**
   * Receives the wrong sum of a breach, if the finding of this breach was reported before the sum was known. Absent: nobody needs
   * the sum.
   */
  readonly reportSum?: (found: FoundSum) => void;
  /** The stale reads that the run has seen. */
  readonly staleReads: StaleReadHistory;
  /** The decimals of the operator's balances. */
  readonly shownDecimals: ShownDecimals;
  /**
   * For each wallet, the kinds of calls that have moved exactly their amount in this run. The operator reads the amounts of these
   * calls in the right unit.
   */
  readonly rightUnit: RightUnit;
  readonly balancesOfOthers: BalancesOfOthers;
  /** The operator's txIDs that the run has got so far. */
  readonly givenTxIDs: GivenTxIDs;
  /** The balances that earlier scenarios have left. Absent: every scenario reads the balances first. */
  readonly knownBalances?: KnownBalances;
  /** True if the operator must also meet the expectations of a scenario that go beyond the rules. */
  readonly demanding: boolean;
  /** True if an earlier attempt at the scenario made the same observation. Absent: there was no earlier attempt. */
  readonly seenBefore?: (what: string) => boolean;
}

export interface ScenarioContextOptions extends ScenarioPlayOptions {
  /** True if the step failed in every attempt at the scenario, so that the failure is not by chance. */
  readonly isLasting: (step: string) => boolean;
  readonly sender: Pick<Sender, 'waitPolicy'>;
  /** The wallets of earlier repetitions of the scenario, by id. New wallets are added. */
  readonly wallets: Map<string, Wallet>;
}

export function createScenarioContext(options: ScenarioContextOptions): ScenarioContext {
  const { plan, assignment, run, proven, report, demanding, shownDecimals, wallets, isLasting, staleReads } = options;
  const main = sessionOf(assignment, 'main');
  const byAlias = new Map<string, Wallet>();
  const denominations = new Map<string, Denomination>();
  for (const [alias, session] of assignment) {
    const id = walletIdOf(session);
    const denomination = denominationOf(session.currency, run, shownDecimals.of(session) ?? 0);
    denominations.set(alias, denomination);
    const wallet = wallets.get(id) ?? new Wallet(id, denomination.unit, session.currency ?? null);
    wallets.set(id, wallet);
    byAlias.set(alias, wallet);
  }
  const plannedCalls = new PlannedCalls(plan);
  const judge = new Judge(plannedCalls, {
    strict: run.strict,
    contract: run.client.contract,
    demanding,
    isLasting,
    failsAtRandom: () => options.sender.waitPolicy.failsAtRandom,
    seenBefore: options.seenBefore ?? (() => false),
    deadlineMs: run.deadlineMs,
    campaignKnown: run.campaign !== null,
    hasCredit: run.credit,
    walletOf: (alias) => byAlias.get(alias) ?? null,
    wallets: [...wallets.values()],
    currencyOf: (alias) => {
      const code = assignment.get(alias)?.currency;
      return code === undefined ? undefined : currencyWith(code, run.decimals);
    },
    decimalsOf: (alias) => denominations.get(alias)?.decimals,
    proven,
    staleReads,
    stakeOf: (alias) => denominations.get(alias)?.stake,
    rightUnit: options.rightUnit,
    balancesOfOthers: options.balancesOfOthers,
    givenTxIDs: options.givenTxIDs,
    report,
    ...(options.reportSum && { reportSum: options.reportSum }),
  });
  const unknownSession = run.uuid();
  const ofMain = denominationOf(main.currency, run, shownDecimals.of(main) ?? 0);
  const names: Names = {
    judge,
    steps: namedSteps([...plan.steps, ...plan.always]),
    amounts: new Map(),
    denomination: ofMain,
    decimalsOf: (alias) => (denominations.get(alias) ?? ofMain).decimals,
    campaign: run.campaign ?? `croupier-${run.uuid()}`,
    sessionID: (alias) => (alias === 'unknown' ? unknownSession : assignment.get(alias)?.sessionID),
    walletOf: (alias) => byAlias.get(alias) ?? null,
    drift: undefined,
    unfinishedBet: run.after?.unfinishedBet(main.sessionID),
  };
  return {
    plan,
    assignment,
    judge,
    staleReads,
    names,
    denominations,
    openRounds: new OpenRounds(judge),
    wallets: [...new Map([...byAlias].map(([alias, wallet]) => [wallet, alias])).entries()].map(([wallet, alias]) => ({
      alias,
      wallet,
    })),
    readStep: (alias, key) => readStep(plan.place, alias, key),
  };
}

export function sessionOf(assignment: SessionAssignment, alias: string): SessionUnderTest {
  const session = assignment.get(alias);
  if (!session) throw new RangeError(`no session plays ${JSON.stringify(alias)}`);
  return session;
}

function namedSteps(steps: readonly Step[]): Map<string, CallStep> {
  const named = new Map<string, CallStep>();
  for (const step of steps) {
    const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
    for (const call of calls) if (call.name !== undefined && !named.has(call.name)) named.set(call.name, call);
  }
  return named;
}

/** The reason why a scenario could not be played to its end. */
export interface StopReason extends Stop {
  /** The balance that the main session needs, if the balance was too low. Absent: there was another reason. */
  readonly needed?: Money;
}

export function stoppedBecause(reason: string): StopReason {
  return { verdict: 'inconclusive', reason, connection: false, causes: [] };
}

/** Creates a step for a balance call that the scenario itself does not contain. */
export function readStep(place: Place, alias: string, key: string): CallStep {
  return {
    kind: 'call',
    key,
    place,
    call: 'balance',
    session: alias,
    origin: { kind: 'fresh' },
    fields: [],
    txID: null,
    roundID: null,
    campaign: false,
    deviations: {},
    expect: { outcome: 'accepted', stated: false },
  };
}
