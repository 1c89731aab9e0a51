import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../contract/call-name.ts';
import { ruleById } from '../contract/catalogue.ts';
import { isThere } from '../contract/since.ts';
import { CONTRACT_VERSION } from '../contract/versions.ts';
import { JOURNAL_FORMAT, type RunEnded } from '../journal/event.ts';
import { EXPECTATION, type Finding } from '../journal/finding.ts';
import { Blame } from '../judge/blame.ts';
import { Lateness } from '../judge/lateness.ts';
import { RightUnit } from '../judge/right-unit.ts';
import type { Plan } from '../scenario/plan.ts';
import { MOST_ATTEMPTS, MOST_ATTEMPTS_AT_RANDOM } from './attempts.ts';
import { Cashier } from './cashier.ts';
import { EarlierRun, type Unfit } from './earlier-run.ts';
import { History } from './history.ts';
import { LateLandings } from './late-landings.ts';
import { inOrder } from './order.ts';
import { type Played, playScenario } from './play.ts';
import { type Casting, Pool, walletIdOf } from './pool.ts';
import type { RunnableScenario, RunOptions } from './run-options.ts';
import { Sender } from './sender.ts';
import { sessionOf } from './stage.ts';
import { WantOfMoney } from './want-of-money.ts';

const MOST_BREACHES = 5;
/** All in all a run waits for so many lingers for effects that show late. */
const LINGERS_FOR_THE_LATE = 15;

/**
 * Judges one client by the scenarios of the options, side by side where there are several players, and hands every event to
 * `record`. Nothing is printed and nothing is decided about the exit status here: both come from the journal.
 */
export async function run(options: RunOptions): Promise<void> {
  const started = options.now();
  options.record({
    event: 'run-started',
    format: JOURNAL_FORMAT,
    croupier: options.croupier,
    contract: options.client.contract ?? CONTRACT_VERSION,
    runID: options.uuid(),
    startedAt: new Date().toISOString(),
    seed: options.seed,
    client: { extCID: options.client.extCID, integratorBaseUrl: options.client.integratorBaseUrl },
    selection: options.selection,
    ...(options.flags && { flags: options.flags }),
    whole: options.whole,
    planHash: planHash(options.scenarios),
    settings: {
      deadlineMs: options.deadlineMs,
      lingerMs: options.lingerMs,
      strict: options.strict,
      workers: options.workers,
      sessions: options.client.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
        sessionID,
        player: player ?? null,
        currency: currency ?? null,
        gameID: gameID ?? null,
        state: state ?? 'active',
      })),
    },
    scenarios: options.scenarios.map(({ id, title, place, rules }) => ({ id, title, place, rules })),
  });
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

function planHash(scenarios: readonly RunnableScenario[]): string {
  const text = scenarios.map(({ id, title, rules }) => `${id}\n${title}\n${rules.join(' ')}`).join('\n\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function isOfLaunches({ rules }: RunnableScenario): boolean {
  return rules.some((rule) => ruleById(rule).group === 'launch');
}

function isIsolation({ rules }: RunnableScenario): boolean {
  return rules.includes('session.isolated');
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
  readonly #sender: Sender;
  readonly #cashier: Cashier;
  readonly #history = new History();
  readonly #lateness: Lateness;
  readonly #rightUnit = new RightUnit();
  readonly #blame: Blame;
  readonly #pool: Pool;
  readonly #late: LateLandings;
  readonly #wantOfMoney = new WantOfMoney();
  readonly #earlier: EarlierRun | undefined;
  /** In how many stories in a row an endpoint let the deadline pass. */
  readonly #breaches = new Map<CallName, number>();
  /** No two scenarios are played at the same time. */
  #oneByOne = false;
  /** Calls fail now here, now there, perhaps because there are too many at once. */
  #overburdened = false;
  #failed = 0;
  #reached = false;
  #unreachable: string | null = null;

  constructor(options: RunOptions, sender: Sender) {
    this.#options = options;
    this.#sender = sender;
    this.#lateness = new Lateness(options.lingerMs * LINGERS_FOR_THE_LATE);
    this.#blame = new Blame(this.#lateness);
    this.#cashier = new Cashier(sender, { ...options, readAfterMs: () => this.#lateness.pauseMs });
    this.#pool = new Pool(options.client.sessions);
    this.#late = new LateLandings(options);
    this.#earlier = options.after && new EarlierRun(options.after, options.client);
  }

  async play(): Promise<Ending> {
    await this.#earlier?.look(this.#cashier, this.#options.signal);
    const first: RunnableScenario[] = [];
    const last: RunnableScenario[] = [];
    for (const scenario of inOrder(this.#options.scenarios, this.#options.seed))
      (scenario.last ? last : first).push(scenario);
    // Players who share a wallet would disturb each other: whether they do is found out before any play side by side.
    await this.#playAll(first.filter(isIsolation), 1);
    const most = this.#blame.isProven('session.isolated') ? 1 : this.#options.workers;
    await this.#playAll(
      first.filter((scenario) => !isIsolation(scenario)),
      most,
    );
    await this.#playAll(
      last.filter((scenario) => !isOfLaunches(scenario)),
      most,
    );
    // It reads the balances of all that were launched, whoever plays.
    await this.#playAll(last.filter(isOfLaunches), 1);
    if (this.#reached && !this.#balancesMoveAnyway) await this.#late.lookOnceMore(this.#cashier);
    const { notice } = this.#wantOfMoney;
    if (notice !== undefined) this.#options.record({ event: 'notice', text: notice });
    const { patience } = this.#sender;
    if (patience.isAtItsEnd('bet')) {
      this.#options.record({
        event: 'notice',
        text: `POST /bet failed each time that it was answered (${patience.failuresOf('bet')} times with a 5xx, never with a 200), so little could be judged. Look into the operator's own log, mend it, and run again.`,
      });
    }
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
      const useless = this.#useless(one.plan);
      const casting = useless === null ? this.#pool.take(one.castings) : undefined;
      if (useless === null && !casting) continue;
      waiting.splice(waiting.indexOf(one), 1);
      if (useless !== null) this.#leave(one.scenario, { verdict: 'inconclusive', reason: useless });
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
    this.#leave(scenario, castings);
    return undefined;
  }

  #castings(plan: Plan): readonly Casting[] | Unfit {
    const useless = this.#useless(plan);
    if (useless !== null) return { verdict: 'inconclusive', reason: useless };
    const castings = this.#pool.cast(plan.needs);
    if ('reason' in castings) return { verdict: 'skip', reason: castings.reason };
    const missing = this.#missing(plan);
    if (missing !== null) return { verdict: 'skip', reason: missing };
    return plan.needs.earlierRun && this.#earlier ? this.#earlier.fitting(plan, castings) : castings;
  }

  #missing({ needs, rules }: Plan): string | null {
    const { contract = CONTRACT_VERSION } = this.#options.client;
    if (rules.length > 0 && rules.every((rule) => !isThere(ruleById(rule).since, contract)))
      return `what it tests came after version ${contract} of the contract`;
    if (needs.otherClient && this.#options.client.otherClientKey === undefined)
      return 'needs a second client of the same operator with a key of its own';
    if (needs.earlierRun && !this.#earlier)
      return 'needs the journal of an earlier run (`croupier run --after JOURNAL`)';
    if (needs.campaign && this.#options.campaign === null)
      return 'needs a campaign that the operator knows (`freeRounds: { frID: … }`)';
    if (needs.launches && !this.#options.launches)
      return "shows only in the calls that the operator's backend makes to the Core API (`croupier run --launches`)";
    if (needs.largeAmounts && !this.#options.largeAmounts)
      return 'moves amounts beyond 2^53 of the smallest unit, which has to be allowed (`largeAmounts: true`)';
    return null;
  }

  /** Why it would be played in vain. */
  #useless(plan: Plan): string | null {
    const late = this.#tooLate(plan);
    if (late) {
      return `${late === 'balance' ? 'GET' : 'POST'} /${late} has let the deadline pass in ${MOST_BREACHES} scenarios running, so what needs it is not tried any more`;
    }
    return this.#isWithoutBets(plan)
      ? `POST /bet has failed each time, ${this.#sender.patience.failuresOf('bet')} times by now, so what needs it is not tried any more`
      : null;
  }

  /** It needs a bet, and none is ever carried out. A story that is about plain bets is what tells so. */
  #isWithoutBets({ steps, rules }: Plan): boolean {
    if (!this.#sender.patience.isAtItsEnd('bet') || rules.includes('bet.decimal-amount')) return false;
    return steps.some((step) => {
      const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
      return calls.some(({ call, expect }) => call === 'bet' && expect.outcome === 'accepted');
    });
  }

  /** An endpoint that is late again and again would make every story that needs it wait in vain. */
  #tooLate(plan: Plan): CallName | undefined {
    const needed = new Set(
      plan.steps.flatMap((step) => (step.kind === 'call' && step.expect.outcome === 'accepted' ? [step.call] : [])),
    );
    return [...needed].find((call) => (this.#breaches.get(call) ?? 0) >= MOST_BREACHES);
  }

  #leave(scenario: RunnableScenario, { verdict, reason }: Unfit): void {
    const { record, now } = this.#options;
    record({ event: 'scenario-started', scenario: scenario.id, attempt: 1, at: now(), sessions: {} });
    record({
      event: 'scenario-ended',
      scenario: scenario.id,
      attempt: 1,
      verdict,
      reason,
      durationMs: 0,
      restored: null,
      passes: {},
    });
  }

  async #perform({ scenario, plan }: Waiting, casting: Casting): Promise<void> {
    const { record, now } = this.#options;
    let lasting: ReadonlySet<string> | undefined;
    const seen = new Set<string>();
    for (let attempt = 1; ; attempt += 1) {
      const failed = lasting;
      const at = now();
      const findings: Finding[] = [];
      record({
        event: 'scenario-started',
        scenario: scenario.id,
        attempt,
        at,
        sessions: Object.fromEntries([...casting].map(([alias, { sessionID }]) => [alias, sessionID])),
      });
      const played = await playScenario({
        demanding: !scenario.builtIn,
        plan: attempt === 1 ? plan : scenario.plan(),
        replan: () => scenario.plan(),
        attempt,
        isLasting: (step) => attempt >= this.#attemptsThatProve && failed?.has(step) === true,
        seenBefore: (what) => {
          const known = seen.has(what);
          seen.add(what);
          return known;
        },
        casting,
        run: this.#options,
        sender: this.#sender,
        cashier: this.#cashier,
        history: this.#history,
        earlier: this.#earlier,
        proven: (rule) => this.#blame.isProven(rule),
        lateness: this.#lateness,
        rightUnit: this.#rightUnit,
        report: (finding) => {
          findings.push(finding);
          record({ event: 'finding', scenario: scenario.id, attempt, finding });
        },
      });
      const { verdict, reason, restored, passes } = played;
      record({
        event: 'scenario-ended',
        scenario: scenario.id,
        attempt,
        verdict,
        reason,
        durationMs: now() - at,
        restored,
        passes,
      });
      lasting = new Set([...played.turnedAway].filter((step) => failed?.has(step) !== false));
      if (failed && lasting.size < failed.size) this.#sender.patience.sawPass();
      if (!this.#isWithoutBets(plan) && this.#mayTryAgain(played, attempt, lasting.size > 0)) {
        await sleep(attempt * 50);
        continue;
      }
      if (played.needed) this.#wantOfMoney.add(scenario.id, sessionOf(casting, 'main'), played.needed);
      this.#late.played(scenario, plan, casting, played, attempt);
      this.#conclude(
        scenario,
        played,
        findings,
        this.#oneByOne && new Set([...casting.values()].map(walletIdOf)).size === 1,
      );
      return;
    }
  }

  /** Where calls fail now here, now there, one may fail thrice in a row by chance. */
  get #attemptsThatProve(): number {
    return this.#sender.patience.failsAtRandom ? MOST_ATTEMPTS_AT_RANDOM : MOST_ATTEMPTS;
  }

  /** @param lasts something has failed in every attempt */
  #mayTryAgain({ again, verdict }: Played, attempt: number, lasts: boolean): boolean {
    const atRandom = again === 'busy' && (!lasts || this.#sender.patience.failsAtRandom);
    const most = atRandom ? MOST_ATTEMPTS_AT_RANDOM : MOST_ATTEMPTS;
    if (again === null || this.#stopped || attempt >= most || verdict === 'fail') return false;
    if (again === 'stale-connection' && this.#sender.giveUpKeepAlive()) {
      this.#options.record({
        event: 'notice',
        text: 'The operator closes kept-alive connections at once, so each call was given a connection of its own.',
      });
    }
    if (atRandom && attempt >= MOST_ATTEMPTS) this.#unburden();
    return again !== 'connection' || attempt === 1;
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
    const late = new Set(
      findings.flatMap(({ rule, verdict, endpoint }) =>
        rule === 'reply.deadline' && verdict === 'fail' && endpoint !== null ? [endpoint] : [],
      ),
    );
    for (const call of late) this.#breaches.set(call, (this.#breaches.get(call) ?? 0) + 1);
    // Who is late only now and then is waited for.
    for (const call of this.#breaches.keys())
      if (!late.has(call) && played.passes['reply.deadline']?.[call] !== undefined) this.#breaches.delete(call);
    this.#blame.add(scenario.id, findings, played.letIn, { ...played, alone });
    if (findings.some(({ verdict, rule }) => verdict === 'fail' || (rule === EXPECTATION && verdict !== 'pass')))
      this.#failed += 1;
    if (this.#reached) return;
    if (played.again === 'connection' && played.verdict !== 'fail' && played.left.size === 0)
      this.#unreachable = played.reason;
    else this.#reached = true;
  }
}
