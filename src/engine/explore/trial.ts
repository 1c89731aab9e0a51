import type { RuleId } from '../../contract/catalogue.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import { Attribution, isWarningAboutMoney } from '../../judge/attribution/attribution.ts';
import { RightUnit } from '../../judge/attribution/units.ts';
import { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import { GivenTxIDs } from '../../judge/reads/given-tx-ids.ts';
import { StaleReadHistory } from '../../judge/reads/stale-reads.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { AcceptedCalls } from '../accepted-calls.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { ShownDecimals } from '../balances/shown-decimals.ts';
import { LastingSteps } from '../calls/lasting-steps.ts';
import type { Sender } from '../calls/sender.ts';
import { MAX_ATTEMPTS } from '../calls/waits.ts';
import type { RunOptions, SessionAssignment } from '../run-options.ts';
import { type Played, playScenario } from '../scenario/play-scenario.ts';
import { type SessionPool, walletIdOf } from '../session-pool.ts';

import { planOf } from './draft.ts';

/** The context in which histories are played. */
export interface ExploreContext {
  readonly run: RunOptions;
  readonly sender: Sender;
  readonly adjuster: BalanceAdjuster;
  readonly pool: SessionPool;
  readonly shownDecimals: ShownDecimals;
}

/** The result of playing a history once. */
export interface Trial {
  /** The rules that failed and have no other broken rule as their cause. */
  readonly broken: readonly RuleId[];
  readonly findings: readonly Finding[];
  readonly played: Played;
  readonly attribution: Attribution;
}

/** Plays histories in the same way as a run plays scenarios. */
export class Trials {
  readonly #context: ExploreContext;
  readonly #attempts = new Map<string, number>();
  /**
   * Wallets with a negative balance. croupier cannot restore such a balance, because the operator accepts no bet in such a wallet.
   */
  readonly #overdrawn = new Set<string>();
  #released: (() => void)[] = [];

  constructor(context: ExploreContext) {
    this.#context = context;
  }

  /**
   * Plays a history, and repeats it if a temporary error left it undecided.
   *
   * @param known rules that are known to be broken; findings that they explain do not count
   * @param raceRounds number of repetitions of a race; undefined: as many as in a run
   * @throws Error if the text is not a valid scenario, which is a bug of croupier
   */
  async play(id: string, text: string, known: ReadonlySet<RuleId>, raceRounds?: number): Promise<Trial> {
    const { pool, run } = this.#context;
    const toPlan = () => planOf(id, `${id}.yaml`, text, run.uuid);
    const plan = toPlan();
    const { waitPolicy } = this.#context.sender;
    const lasting = new LastingSteps(waitPolicy);
    for (let attempt = 1; ; attempt += 1) {
      const assignments = pool.assign(plan.needs);
      if ('reason' in assignments) throw new Error(`${id} has no sessions: ${assignments.reason}`);
      const assignment = await this.#take(this.#usable(assignments));
      try {
        const trial = await this.#once(toPlan, assignment, { known, raceRounds, lasting });
        const { retryReason: again, verdict, left, turnedAway } = trial.played;
        lasting.note(turnedAway);
        for (const [wallet, money] of left) if (money.isNegative()) this.#overdrawn.add(wallet);
        const isDecided = again === null || (verdict === 'fail' && again !== 'excess');
        const attempts = lasting.isAny ? waitPolicy.attemptsOfLasting : MAX_ATTEMPTS;
        if (isDecided || attempt >= attempts || run.signal.aborted) return trial;
        if (again === 'stale-connection') this.#context.sender.giveUpKeepAlive();
      } finally {
        pool.release(assignment);
        for (const resolve of this.#released.splice(0)) resolve();
      }
    }
  }

  #usable(assignments: readonly SessionAssignment[]): readonly SessionAssignment[] {
    const sound = assignments.filter((assignment) =>
      [...assignment.values()].every((session) => !this.#overdrawn.has(walletIdOf(session))),
    );
    return sound.length > 0 ? sound : assignments;
  }

  async #take(assignments: readonly SessionAssignment[]): Promise<SessionAssignment> {
    for (;;) {
      const assignment = this.#context.pool.take(assignments);
      if (assignment) return assignment;
      await new Promise<void>((resolve) => this.#released.push(resolve));
    }
  }

  async #once(
    toPlan: () => Plan,
    assignment: SessionAssignment,
    {
      known,
      raceRounds,
      lasting,
    }: {
      readonly known: ReadonlySet<RuleId>;
      readonly raceRounds: number | undefined;
      readonly lasting: LastingSteps;
    },
  ): Promise<Trial> {
    const { sender, adjuster, shownDecimals } = this.#context;
    const run = { ...this.#context.run, raceRounds };
    const plan = toPlan();
    const { id } = plan;
    const attempt = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, attempt);
    const findings: Finding[] = [];
    const at = run.now();
    const sessions = Object.fromEntries([...assignment].map(([alias, { sessionID }]) => [alias, sessionID]));
    run.record({ event: 'scenario-started', scenario: id, attempt, at, sessions });
    const played = await playScenario({
      plan,
      replan: toPlan,
      attempt,
      isLasting: (step) => lasting.isLasting(step),
      assignment,
      run,
      sender,
      adjuster,
      acceptedCalls: new AcceptedCalls(),
      proven: (rule) => [...known].some((one) => one === rule),
      staleReads: new StaleReadHistory(),
      shownDecimals,
      rightUnit: new RightUnit(),
      balancesOfOthers: new BalancesOfOthers(),
      givenTxIDs: new GivenTxIDs(),
      report: (finding) => {
        findings.push(finding);
        run.record({ event: 'finding', scenario: id, attempt, finding });
      },
      demanding: true,
    });
    const { verdict, reason, restored, passes } = played;
    const durationMs = run.now() - at;
    run.record({ event: 'scenario-ended', scenario: id, attempt, verdict, reason, durationMs, restored, passes });
    const attribution = new Attribution();
    attribution.add(id, findings, played.letIn, { moved: played.moved });
    return { broken: brokenBy(findings, attribution, known), findings, played, attribution };
  }
}

/**
 * Returns the broken rules. Leaves out a rule if another rule explains its failure, and this other rule is broken in the same
 * history or was known to be broken before.
 */
function brokenBy(findings: readonly Finding[], attribution: Attribution, known: ReadonlySet<RuleId>): RuleId[] {
  const explained = new Set(attribution.conclude().map(({ rule }) => rule));
  const broken = findings.flatMap((finding) => {
    const { rule, causes } = finding;
    const isNew = isFault(finding) && rule !== EXPECTATION && !explained.has(rule);
    return isNew && !causes.some((cause) => known.has(cause)) ? [rule] : [];
  });
  return [...new Set(broken)];
}

/** Returns the evidence for broken rules, with one finding for each rule. */
export function findingsOf({ findings }: Trial, rules: readonly RuleId[]): Finding[] {
  return rules.flatMap((rule) => findings.find((one) => one.rule === rule && isFault(one)) ?? []);
}

/** True for a failure, and for a warning about money. A search reports both, because every fault that costs money matters. */
function isFault({ rule, verdict }: Finding): boolean {
  return verdict === 'fail' || (verdict === 'warn' && rule !== EXPECTATION && isWarningAboutMoney(rule));
}
