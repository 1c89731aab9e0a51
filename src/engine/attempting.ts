import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../journal/finding.ts';
import type { Blame } from '../judge/blame.ts';
import type { Lateness } from '../judge/lateness.ts';
import type { RightUnit } from '../judge/right-unit.ts';
import type { Plan } from '../scenario/plan.ts';
import { MOST_ATTEMPTS, mostAttempts } from './attempts.ts';
import type { Cashier } from './cashier.ts';
import type { EarlierRun } from './earlier-run.ts';
import type { Futility } from './futility.ts';
import type { History } from './history.ts';
import { type Played, playScenario } from './play.ts';
import type { Casting } from './pool.ts';
import type { RunnableScenario, RunOptions } from './run-options.ts';
import type { Sender } from './sender.ts';

/** What all scenarios of a run share. */
export interface Surroundings {
  readonly options: RunOptions;
  readonly sender: Sender;
  readonly cashier: Cashier;
  readonly history: History;
  readonly earlier: EarlierRun | undefined;
  readonly blame: Blame;
  readonly lateness: Lateness;
  readonly rightUnit: RightUnit;
  readonly futility: Futility;
  /** True when nothing further is to be begun. */
  readonly isStopped: () => boolean;
  /** Calls fail again and again, now here, now there. */
  readonly onOverburdened: () => void;
}

/** A scenario when no further attempt follows. */
export interface Attempted {
  readonly played: Played;
  readonly findings: readonly Finding[];
  readonly attempt: number;
}

interface Turn {
  readonly scenario: RunnableScenario;
  readonly plan: Plan;
  readonly casting: Casting;
  /** The number of its first attempt. */
  readonly first: number;
  /** 0: it has not failed before. */
  readonly retry: number;
}

/** Plays scenarios, again where a passing trouble kept one from being decided, and again where one failed and that may be flaky. */
export class Attempting {
  readonly #of: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#of = surroundings;
  }

  /**
   * Each retry knows nothing of the failure before it.
   *
   * @returns the attempt that counts: the last, unless it decided nothing after an earlier one had failed; when it passed after
   * one had failed, the findings of both, for both were seen
   */
  async play(scenario: RunnableScenario, plan: Plan, casting: Casting): Promise<Attempted> {
    let failed: Attempted | undefined;
    let attempt = 0;
    for (let retry = 0; ; retry += 1) {
      const turnPlan = retry === 0 ? plan : scenario.plan();
      const last = await this.#turn({ scenario, plan: turnPlan, casting, first: attempt + 1, retry });
      attempt = last.attempt;
      if (hasFailed(last)) failed = last;
      else if (!failed) return last;
      else if (isDecided(last.played)) {
        return { ...last, findings: [...failed.findings.filter(isFailure), ...last.findings] };
      }
      if (retry >= (this.#of.options.retries ?? 0) || this.#of.isStopped()) {
        const { left } = last.played;
        return { ...failed, attempt, played: { ...failed.played, left } };
      }
    }
  }

  /** One scenario, from its first attempt until it is decided or there is no use in another. */
  async #turn(turn: Turn): Promise<Attempted> {
    const { sender, futility } = this.#of;
    let lasting: ReadonlySet<string> | undefined;
    const seen = new Set<string>();
    for (let tries = 1; ; tries += 1) {
      const failed = lasting;
      const attempted = await this.#attempt(turn, tries, failed, seen);
      const { played } = attempted;
      lasting = new Set([...played.turnedAway].filter((step) => failed?.has(step) !== false));
      if (failed && lasting.size < failed.size) sender.patience.sawPass();
      const again = !futility.isWithoutBets(turn.plan) && this.#mayTryAgain(played, tries, lasting.size > 0);
      if (!again) return attempted;
      await sleep(tries * 50);
    }
  }

  /** @param failed steps that failed in every attempt of the turn so far */
  async #attempt(
    { scenario, plan, casting, first, retry }: Turn,
    tries: number,
    failed: ReadonlySet<string> | undefined,
    seen: Set<string>,
  ): Promise<Attempted> {
    const { options, sender, cashier, history, earlier, blame, lateness, rightUnit } = this.#of;
    const { record, now } = options;
    const attempt = first + tries - 1;
    const at = now();
    const findings: Finding[] = [];
    record({
      event: 'scenario-started',
      scenario: scenario.id,
      attempt,
      ...(retry > 0 && { retry }),
      at,
      sessions: Object.fromEntries([...casting].map(([alias, { sessionID }]) => [alias, sessionID])),
    });
    const played = await playScenario({
      demanding: !scenario.builtIn,
      plan: tries === 1 ? plan : scenario.plan(),
      replan: () => scenario.plan(),
      attempt,
      isLasting: (step) => tries >= mostAttempts(sender.patience.failsAtRandom) && failed?.has(step) === true,
      seenBefore: (what) => {
        const known = seen.has(what);
        seen.add(what);
        return known;
      },
      casting,
      run: options,
      sender,
      cashier,
      history,
      earlier,
      proven: (rule) => blame.isProven(rule),
      lateness,
      rightUnit,
      report: (finding) => {
        findings.push(finding);
        record({ event: 'finding', scenario: scenario.id, attempt, finding });
      },
    });
    const { verdict, reason, restored, passes } = played;
    const durationMs = now() - at;
    record({ event: 'scenario-ended', scenario: scenario.id, attempt, verdict, reason, durationMs, restored, passes });
    return { played, findings, attempt };
  }

  /** @param lasts something has failed in every attempt */
  #mayTryAgain({ again, verdict }: Played, tries: number, lasts: boolean): boolean {
    const { sender, options, isStopped, onOverburdened } = this.#of;
    const atRandom = again === 'busy' && (!lasts || sender.patience.failsAtRandom);
    if (again === null || isStopped() || tries >= mostAttempts(atRandom) || verdict === 'fail') return false;
    if (again === 'stale-connection' && sender.giveUpKeepAlive()) {
      options.record({
        event: 'notice',
        text: 'The operator closes kept-alive connections at once, so each call was given a connection of its own.',
      });
    }
    if (atRandom && tries >= MOST_ATTEMPTS) onOverburdened();
    return again !== 'connection' || tries === 1;
  }
}

function isFailure({ verdict }: Finding): boolean {
  return verdict === 'fail';
}

function hasFailed({ findings }: Attempted): boolean {
  return findings.some(isFailure);
}

function isDecided({ verdict }: Played): boolean {
  return verdict === 'pass' || verdict === 'warn' || verdict === 'note';
}
