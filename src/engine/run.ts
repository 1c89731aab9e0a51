import type { RunEnded } from '../journal/event.ts';
import { EXPECTATION, type Finding } from '../journal/finding.ts';
import { Blame } from '../judge/blame.ts';
import { Lateness } from '../judge/lateness.ts';
import { RightUnit } from '../judge/right-unit.ts';
import type { Plan } from '../scenario/plan.ts';
import { Attempting } from './attempting.ts';
import { Cashier } from './cashier.ts';
import { EarlierRun, type Unfit } from './earlier-run.ts';
import { Futility } from './futility.ts';
import { History } from './history.ts';
import { LateLandings } from './late-landings.ts';
import { missingFor } from './missing.ts';
import { leaveOut } from './not-played.ts';
import { inActs, inOrder } from './order.ts';
import type { Played } from './play.ts';
import { type Casting, Pool, walletIdOf } from './pool.ts';
import type { RunnableScenario, RunOptions } from './run-options.ts';
import { runStarted } from './run-started.ts';
import { Sender } from './sender.ts';
import { sessionOf } from './stage.ts';
import { WantOfMoney } from './want-of-money.ts';

/** All in all a run waits for so many lingers for effects that show late. */
const LINGERS_FOR_THE_LATE = 15;

/**
 * Judges one client by the scenarios of the options, side by side where there are several players, and hands every event to
 * `record`. Nothing is printed and nothing is decided about the exit status here: both come from the journal.
 */
export async function run(options: RunOptions): Promise<void> {
  const started = options.now();
  options.record(runStarted(options));
  const sender = new Sender({ ...options, wire: options.client.wire });
  try {
    const ended = await new Run(options, sender).play();
    options.record({ ...ended, durationMs: options.now() - started });
  } catch (error) {
    options.record({
      event: 'run-ended',
      how: 'bug',
      signal: null,
      detail: error instanceof Error ? error.message : String(error),
      durationMs: options.now() - started,
    });
    throw error;
  } finally {
    await sender.close();
  }
}

interface Waiting {
  readonly scenario: RunnableScenario;
  readonly plan: Plan;
  readonly castings: readonly Casting[];
}

type Ending = Omit<RunEnded, 'durationMs'>;

/** One run over its scenarios. */
class Run {
  readonly #options: RunOptions;
  readonly #cashier: Cashier;
  readonly #lateness: Lateness;
  readonly #blame: Blame;
  readonly #pool: Pool;
  readonly #late: LateLandings;
  readonly #wantOfMoney = new WantOfMoney();
  readonly #earlier: EarlierRun | undefined;
  readonly #futility: Futility;
  readonly #attempting: Attempting;
  /** No two scenarios are played at the same time. */
  #oneByOne = false;
  /** Calls fail now here, now there, perhaps because there are too many at once. */
  #overburdened = false;
  #failed = 0;
  #reached = false;
  #unreachable: string | null = null;

  constructor(options: RunOptions, sender: Sender) {
    this.#options = options;
    this.#lateness = new Lateness(options.lingerMs * LINGERS_FOR_THE_LATE);
    this.#blame = new Blame(this.#lateness);
    this.#cashier = new Cashier(sender, { ...options, readAfterMs: () => this.#lateness.pauseMs });
    this.#pool = new Pool(options.client.sessions);
    this.#late = new LateLandings(options);
    this.#futility = new Futility(sender.patience);
    this.#earlier = options.after && new EarlierRun(options.after, options.client);
    this.#attempting = new Attempting({
      options,
      sender,
      cashier: this.#cashier,
      history: new History(),
      earlier: this.#earlier,
      blame: this.#blame,
      lateness: this.#lateness,
      rightUnit: new RightUnit(),
      futility: this.#futility,
      isStopped: () => this.#stopped,
      onOverburdened: () => this.#unburden(),
    });
  }

  async play(): Promise<Ending> {
    await this.#earlier?.look(this.#cashier, this.#options.signal);
    const { isolation, main, last, launches } = inActs(inOrder(this.#options.scenarios, this.#options.seed));
    // Players who share a wallet would disturb each other: whether they do is found out before any play side by side.
    await this.#playAll(isolation, 1);
    const most = this.#blame.isProven('session.isolated') ? 1 : this.#options.workers;
    await this.#playAll(main, most);
    await this.#playAll(last, most);
    // It reads the balances of all that were launched, whoever plays.
    await this.#playAll(launches, 1);
    if (this.#reached && !this.#balancesMoveAnyway) await this.#late.lookOnceMore(this.#cashier);
    for (const notice of [this.#wantOfMoney.notice, this.#futility.notice, this.#earlier?.notice])
      if (notice !== undefined) this.#options.record({ event: 'notice', text: notice });
    for (const blamed of this.#blame.conclude()) this.#options.record(blamed);
    return this.#ending();
  }

  #ending(): Ending {
    const { signal, bail } = this.#options;
    if (signal.aborted) {
      return {
        event: 'run-ended',
        how: 'interrupted',
        signal: signal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT',
        detail: null,
      };
    }
    if (this.#unreachable !== null)
      return { event: 'run-ended', how: 'unreachable', signal: null, detail: this.#unreachable };
    if (bail !== null && this.#failed >= bail) return { event: 'run-ended', how: 'bail', signal: null, detail: null };
    return { event: 'run-ended', how: 'complete', signal: null, detail: null };
  }

  /** Whatever is read at the end is then no sign of a late debit. */
  get #balancesMoveAnyway(): boolean {
    const rules = ['balance.read-only', 'session.isolated'] as const;
    return this.#lateness.rule !== undefined || rules.some((rule) => this.#blame.isProven(rule));
  }

  get #stopped(): boolean {
    const { signal, bail } = this.#options;
    return signal.aborted || this.#unreachable !== null || (bail !== null && this.#failed >= bail);
  }

  async #playAll(scenarios: readonly RunnableScenario[], workers: number): Promise<void> {
    this.#oneByOne = workers === 1;
    const queue = [...scenarios];
    const waiting: Waiting[] = [];
    const running = new Set<Promise<void>>();
    // The first scenario runs alone: when nobody answers, one failure says so instead of one for each player.
    while (queue.length > 0 || waiting.length > 0 || running.size > 0) {
      if (!this.#stopped) this.#fill(queue, waiting, running, workers);
      if (running.size === 0) {
        if (this.#stopped || (queue.length === 0 && waiting.length === 0)) break;
        continue;
      }
      await Promise.race(running);
    }
  }

  #fill(queue: RunnableScenario[], waiting: Waiting[], running: Set<Promise<void>>, workers: number): void {
    const most = this.#reached && !this.#overburdened ? Math.min(workers, this.#pool.players) : 1;
    while (waiting.length < this.#pool.players * 4 && queue.length > 0) {
      const scenario = queue.shift();
      const ready = scenario && this.#prepare(scenario);
      if (ready) waiting.push(ready);
    }
    for (const one of waiting.slice()) {
      if (running.size >= most) return;
      const useless = this.#futility.reasonAgainst(one.plan);
      const casting = useless === null ? this.#pool.take(one.castings) : undefined;
      if (useless === null && !casting) continue;
      waiting.splice(waiting.indexOf(one), 1);
      if (useless !== null) leaveOut(one.scenario, { verdict: 'inconclusive', reason: useless }, this.#options);
      if (!casting) continue;
      const done = this.#perform(one, casting).finally(() => {
        this.#pool.release(casting);
        running.delete(done);
      });
      running.add(done);
    }
  }

  /** undefined: it can't be played here, and that has been said. */
  #prepare(scenario: RunnableScenario): Waiting | undefined {
    const plan = scenario.plan();
    const castings = this.#castings(plan);
    if (!('reason' in castings)) return { scenario, plan, castings };
    leaveOut(scenario, castings, this.#options);
    return undefined;
  }

  #castings(plan: Plan): readonly Casting[] | Unfit {
    const useless = this.#futility.reasonAgainst(plan);
    if (useless !== null) return { verdict: 'inconclusive', reason: useless };
    const castings = this.#pool.cast(plan.needs);
    if ('reason' in castings)
      return { verdict: 'skip', reason: castings.reason + ofPlayers(this.#options, this.#pool) };
    const missing = missingFor(plan, this.#options);
    if (missing !== null) return { verdict: 'skip', reason: missing };
    return plan.needs.earlierRun && this.#earlier ? this.#earlier.fitting(plan, castings) : castings;
  }

  async #perform({ scenario, plan }: Waiting, casting: Casting): Promise<void> {
    const { played, findings, attempt } = await this.#attempting.play(scenario, plan, casting);
    if (played.needed) this.#wantOfMoney.add(scenario.id, sessionOf(casting, 'main'), played.needed);
    this.#late.played(scenario, plan, casting, played, attempt);
    const alone = this.#oneByOne && new Set([...casting.values()].map(walletIdOf)).size === 1;
    this.#conclude(scenario, played, findings, alone);
  }

  /** Operators that fail under many calls at once may do better when players come one after another. */
  #unburden(): void {
    if (this.#overburdened || this.#oneByOne) return;
    this.#overburdened = true;
    this.#options.record({
      event: 'notice',
      text: 'The operator fails or is too busy again and again, so from then on players played one after another.',
    });
  }

  #conclude(scenario: RunnableScenario, played: Played, findings: readonly Finding[], alone: boolean): void {
    this.#futility.saw(findings, played.passes);
    this.#blame.add(scenario.id, findings, played.letIn, { ...played, alone });
    if (findings.some(({ verdict, rule }) => verdict === 'fail' || (rule === EXPECTATION && verdict !== 'pass')))
      this.#failed += 1;
    if (this.#reached) return;
    if (played.again === 'connection' && played.verdict !== 'fail' && played.left.size === 0)
      this.#unreachable = played.reason;
    else this.#reached = true;
  }
}

/** In a part of a divided run the players for a scenario may be there, and in different parts. */
function ofPlayers({ shard }: RunOptions, { players }: Pool): string {
  return shard === undefined ? '' : `; this shard has ${players} of ${shard.players} players`;
}
