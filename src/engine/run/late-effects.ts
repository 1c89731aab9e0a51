import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../../contract/money.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { RunnableScenario, RunOptions, SessionAssignment, SessionUnderTest } from '../run-options.ts';
import type { Played } from '../scenario/play-scenario.ts';
import { walletIdOf } from '../session-pool.ts';
import { denominationOf } from '../stakes.ts';

interface Watched {
  readonly scenario: RunnableScenario;
  readonly plan: Plan;
  readonly session: SessionUnderTest;
  readonly attempt: number;
  /** The time until which calls of the scenario may take effect. */
  readonly until: number;
}

/**
 * Finds debits that took effect after the end of their scenario. For this, it reads the balances at the end of a run, in the
 * wallets in which a connection was broken.
 */
export class LateEffects {
  readonly #options: RunOptions;
  readonly #left = new Map<string, Money>();
  readonly #watched = new Map<string, Watched>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  note(
    scenario: RunnableScenario,
    plan: Plan,
    assignment: SessionAssignment,
    { left, restMs }: Played,
    attempt: number,
  ): void {
    for (const wallet of new Set([...assignment.values()].map(walletIdOf))) {
      const money = left.get(wallet);
      if (money) this.#left.set(wallet, money);
      else this.#left.delete(wallet);
    }
    const broken = plan.steps.some(
      (step) => step.kind === 'call' && step.call === 'bet' && step.deviations.break !== undefined,
    );
    const session = assignment.get('main');
    if (broken && session)
      this.#watched.set(walletIdOf(session), { scenario, plan, session, attempt, until: this.#options.now() + restMs });
  }

  async readAgain(adjuster: BalanceAdjuster): Promise<void> {
    if (this.#options.signal.aborted) return;
    for (const [wallet, { scenario, plan, session, attempt, until }] of this.#watched) {
      const last = this.#left.get(wallet);
      if (!last) continue;
      const rest = until - this.#options.now();
      if (rest > 0) await sleep(rest);
      const denomination = denominationOf(session.currency, this.#options, undefined);
      const now = await adjuster.read({ sessionID: session.sessionID, denomination, scenario: scenario.id }, 'read');
      if (!now || now.equals(last)) continue;
      // Without a lock, another process may have taken the money.
      const fell = now.compare(last) < 0 && this.#options.isUnlocked !== true;
      this.#options.record({
        event: 'finding',
        scenario: scenario.id,
        attempt,
        finding: {
          rule: 'refund.broken-connection',
          verdict: fell ? 'fail' : 'inconclusive',
          endpoint: null,
          step: null,
          place: plan.place,
          exchange: null,
          expected: `the balance of ${session.sessionID} is ${last} at the end of the run, the same as after its last scenario`,
          actual: `the balance is ${now} although croupier sent no more calls, so ${fell ? 'a debit took effect after its refund had been answered 200' : 'somebody else may use the session'}`,
          causes: [],
          // Somebody else may have taken the money after the last scenario, and the run ends here.
          ...(fell && this.#options.watchesBalances === true && { awaitsRepetition: true }),
        },
      });
    }
  }
}
