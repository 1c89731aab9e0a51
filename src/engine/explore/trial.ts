import type { RuleId } from '../../contract/catalogue.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import { Blame } from '../../judge/blame.ts';
import { Lateness } from '../../judge/lateness.ts';
import { RightUnit } from '../../judge/right-unit.ts';
import { renderComplaint } from '../../scenario/complaint.ts';
import { loadScenario } from '../../scenario/load.ts';
import type { Plan } from '../../scenario/plan.ts';
import { planScenario } from '../../scenario/planner.ts';
import { MOST_ATTEMPTS } from '../attempts.ts';
import type { Cashier } from '../cashier.ts';
import { History as PastCalls } from '../history.ts';
import { type Played, playScenario } from '../play.ts';
import { type Casting, type Pool, walletIdOf } from '../pool.ts';
import type { RunOptions } from '../run-options.ts';
import type { Sender } from '../sender.ts';

/** What a history is played with. */
export interface Theatre {
  readonly run: RunOptions;
  readonly sender: Sender;
  readonly cashier: Cashier;
  readonly pool: Pool;
}

/** What came of playing a history once. */
export interface Trial {
  /** The rules that failed, with nothing else to explain it. */
  readonly broken: readonly RuleId[];
  readonly findings: readonly Finding[];
  readonly played: Played;
  readonly blame: Blame;
}

/** Plays histories as a run plays scenarios: read, planned, cast and judged in the same way. */
export class Trials {
  readonly #theatre: Theatre;
  readonly #attempts = new Map<string, number>();
  /** Wallets that are below zero: no bet can be made there any more, and none be given back. */
  readonly #overdrawn = new Set<string>();
  #released: (() => void)[] = [];

  constructor(theatre: Theatre) {
    this.#theatre = theatre;
  }

  /**
   * @param known rules that are known to be broken: what they explain is not news
   * @param raceRounds how often one with a race is told; undefined: as often as a run would
   * @throws Error when the text is no scenario, which is a mistake of croupier's own
   */
  async play(id: string, text: string, known: ReadonlySet<RuleId>, raceRounds?: number): Promise<Trial> {
    const { pool, run } = this.#theatre;
    const toPlan = () => planOf(id, `${id}.yaml`, text, run.uuid);
    const plan = toPlan();
    for (let attempt = 1; ; attempt += 1) {
      const castings = pool.cast(plan.needs);
      if ('reason' in castings) throw new Error(`${id} can't be cast: ${castings.reason}`);
      const casting = await this.#take(this.#sound(castings));
      try {
        const trial = await this.#once(toPlan, casting, known, raceRounds);
        const { again, verdict, left } = trial.played;
        for (const [wallet, money] of left) if (money.isNegative()) this.#overdrawn.add(wallet);
        if (again === null || verdict === 'fail' || attempt >= MOST_ATTEMPTS || run.signal.aborted) return trial;
        if (again === 'stale-connection') this.#theatre.sender.giveUpKeepAlive();
      } finally {
        pool.release(casting);
        for (const resolve of this.#released.splice(0)) resolve();
      }
    }
  }

  #sound(castings: readonly Casting[]): readonly Casting[] {
    const sound = castings.filter((casting) =>
      [...casting.values()].every((session) => !this.#overdrawn.has(walletIdOf(session))),
    );
    return sound.length > 0 ? sound : castings;
  }

  async #take(castings: readonly Casting[]): Promise<Casting> {
    for (;;) {
      const casting = this.#theatre.pool.take(castings);
      if (casting) return casting;
      await new Promise<void>((resolve) => this.#released.push(resolve));
    }
  }

  async #once(
    toPlan: () => Plan,
    casting: Casting,
    known: ReadonlySet<RuleId>,
    raceRounds: number | undefined,
  ): Promise<Trial> {
    const { sender, cashier } = this.#theatre;
    const run = { ...this.#theatre.run, raceRounds };
    const plan = toPlan();
    const { id } = plan;
    const attempt = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, attempt);
    const findings: Finding[] = [];
    const at = run.now();
    const sessions = Object.fromEntries([...casting].map(([alias, { sessionID }]) => [alias, sessionID]));
    run.record({ event: 'scenario-started', scenario: id, attempt, at, sessions });
    const played = await playScenario({
      plan,
      replan: toPlan,
      attempt,
      casting,
      run,
      sender,
      cashier,
      history: new PastCalls(),
      earlier: undefined,
      proven: (rule) => [...known].some((one) => one === rule),
      lateness: new Lateness(),
      rightUnit: new RightUnit(),
      report: (finding) => {
        findings.push(finding);
        run.record({ event: 'finding', scenario: id, attempt, finding });
      },
      demanding: true,
    });
    const { verdict, reason, restored, passes } = played;
    const durationMs = run.now() - at;
    run.record({ event: 'scenario-ended', scenario: id, attempt, verdict, reason, durationMs, restored, passes });
    const blame = new Blame();
    blame.add(id, findings, played.letIn);
    return { broken: brokenBy(findings, blame, known), findings, played, blame };
  }
}

/** What the findings say once those are taken out that others explain, here or in what is known of the operator. */
function brokenBy(findings: readonly Finding[], blame: Blame, known: ReadonlySet<RuleId>): RuleId[] {
  const explained = new Set(blame.conclude().map(({ rule }) => rule));
  const broken = findings.flatMap(({ rule, verdict, causes }) =>
    verdict === 'fail' && rule !== EXPECTATION && !explained.has(rule) && !causes.some((cause) => known.has(cause))
      ? [rule]
      : [],
  );
  return [...new Set(broken)];
}

/** The plan of a scenario that was never in a file. */
export function planOf(id: string, file: string, text: string, uuid: () => string): Plan {
  const { scenario, complaints } = loadScenario(text, file, { id, readFragment: () => undefined });
  if (!scenario)
    throw new Error(`croupier made a scenario that it can't read:\n${complaints.map(renderComplaint).join('\n')}`);
  return planScenario(scenario, undefined, { uuid });
}

/** What shows that the rules were broken, one finding for each. */
export function findingsOf({ findings }: Trial, rules: readonly RuleId[]): Finding[] {
  return rules.flatMap((rule) => findings.find((one) => one.rule === rule && one.verdict === 'fail') ?? []);
}
