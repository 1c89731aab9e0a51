import { createHash } from 'node:crypto';
import { Mutex } from 'async-mutex';
import * as fc from 'fast-check';
import type { RuleId } from '../../contract/catalogue.ts';
import { type RunEnded, stopSignalOf } from '../../journal/event.ts';
import { writeScenario } from '../../scenario/write.ts';
import { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import { ShownDecimals } from '../balances/shown-decimals.ts';
import type { Sender } from '../calls/sender.ts';
import { SessionPool } from '../session-pool.ts';
import { statedDecimals } from '../stakes.ts';
import { buildScenario } from './build-scenario.ts';
import { draftOf } from './draft.ts';
import type { Exploration, ExploreOptions, Find, Flaky } from './exploration.ts';
import { histories } from './histories.ts';
import type { History, PlayerSetup } from './operation.ts';
import { playerSetups } from './player-setups.ts';
import { type Failing, stillFails } from './shortening.ts';
import { findingsOf, type Trial, Trials } from './trial.ts';

/** A failing history is played again up to this number of times. Its failure counts only if it occurs again. */
const PLAYED_AGAIN = 3;
/** After this number of failed connections in a row, the operator counts as unreachable. */
const MAX_LOST = 3;
/** Only one of this number of histories breaks connections, because croupier must wait for late effects in such a history. */
const BREAKS_ONE_IN = 4;

interface KeptFind {
  readonly find: Find;
  readonly scenario: History;
  readonly players: PlayerSetup['players'];
}

interface TrialOptions {
  /** The rules that the scenario lists. */
  readonly rules?: readonly RuleId[];
  /** The rules that are known to be broken. Absent: the rules that the search has found broken so far. */
  readonly known?: ReadonlySet<RuleId>;
  /**
   * The number of times that a race is repeated. Absent: as often as in a run. When a history is played for the first time, each
   * race is played only once. There are many histories, so this saves time.
   */
  readonly raceRounds?: number;
}

/**
 * One search. It draws and plays histories. If a history breaks a rule that no earlier history broke, the search shortens this
 * history.
 */
export class Search {
  readonly #options: ExploreOptions;
  readonly #started: number;
  readonly #pool: SessionPool;
  readonly #setups: readonly PlayerSetup[];
  readonly #trials: Trials;
  readonly #found: KeptFind[] = [];
  readonly #flaky: Flaky[] = [];
  readonly #broken = new Set<RuleId>();
  readonly #judged = new Set<RuleId>();
  /** Makes workers examine failures one after another, because two failures may have the same cause. */
  readonly #confirming = new Mutex();
  #next = 0;
  #histories = 0;
  #shortening: number | null = null;
  /**
   * True after the search has seen that two players have separate wallets. Before the search has seen this, it plays no histories
   * in parallel.
   */
  #isolated = false;
  /** Number of histories in a row without a result, because a connection failed. */
  #lostInARow = 0;
  #unreachable: string | null = null;

  constructor(options: ExploreOptions, sender: Sender, started: number) {
    this.#options = options;
    this.#started = started;
    this.#pool = new SessionPool(options.client.sessions, ({ currency }) => statedDecimals(currency, options));
    this.#setups = playerSetups(this.#pool);
    const run = { ...options, scenarios: [], selection: [], whole: false };
    this.#trials = new Trials({
      run,
      sender,
      adjuster: new BalanceAdjuster(sender, run),
      shownDecimals: new ShownDecimals(sender, run),
      pool: this.#pool,
    });
  }

  result(): Pick<Exploration, 'finds' | 'flaky' | 'histories' | 'judged'> {
    const { size } = this.#judged;
    return { finds: this.#found.map(({ find }) => find), flaky: this.#flaky, histories: this.#histories, judged: size };
  }

  async all(): Promise<Exploration['ended']> {
    const { signal, workers } = this.#options;
    const worker = async (isEnough: () => boolean): Promise<void> => {
      while (!this.#isOver && !isEnough()) {
        this.#next += 1;
        await this.#history(this.#next);
      }
    };
    if (this.#setups.length > 0) {
      await worker(() => this.#isolated);
      const count = Math.min(workers, this.#pool.players);
      await Promise.all(Array.from({ length: count }, () => worker(() => false)));
      await this.#dropExplained();
    }
    const ended = (how: RunEnded['how'], detail: string | null = null): Exploration['ended'] => ({
      event: 'run-ended',
      how,
      signal: how === 'interrupted' ? stopSignalOf(signal) : null,
      detail,
    });
    if (signal.aborted) return ended('interrupted');
    if (this.#unreachable !== null) return ended('unreachable', this.#unreachable);
    return ended(this.#hasEnough ? 'bail' : 'complete');
  }

  get #isOver(): boolean {
    const { runs, timeMs } = this.#options;
    return this.#isAborted || this.#hasEnough || this.#next >= runs || (timeMs !== null && this.#elapsed >= timeMs);
  }

  get #hasEnough(): boolean {
    const { bail } = this.#options;
    return bail !== null && this.#found.length >= bail;
  }

  /** True if the histories that are being played must stop too. */
  get #isAborted(): boolean {
    return this.#options.signal.aborted || this.#unreachable !== null;
  }

  get #elapsed(): number {
    return this.#options.now() - this.#started;
  }

  /**
   * True if there is no time left to shorten a failure. A failure may happen in the last moment of the search. So shortening may
   * take as much time again as the search.
   */
  get #isTooLateToShorten(): boolean {
    const { timeMs } = this.#options;
    return this.#isAborted || (timeMs !== null && this.#elapsed >= 2 * timeMs);
  }

  async #history(number: number): Promise<void> {
    const { seed, campaign } = this.#options;
    // Half of the histories use the setup without a currency choice, because this setup has the most players.
    const draw = Math.abs(numberOf(seed, `cast ${number}`));
    const [plain, ...others] = this.#setups;
    const setup = draw % 2 === 0 ? plain : (others[draw % Math.max(others.length, 1)] ?? plain);
    if (!setup) return;
    const breaks = Math.abs(numberOf(seed, `breaks ${number}`)) % BREAKS_ONE_IN === 0;
    const { players } = setup;
    const id = `explore/${number}`;
    let failing: Failing | undefined;
    let endTurn = (): void => {};
    const passes = async (history: History): Promise<boolean> => {
      if (failing) return this.#passesShortened(id, history, failing, players);
      const trial = await this.#play(id, history, players, { raceRounds: 1 });
      this.#note(trial);
      if (this.#newRules(trial).length === 0) return true;
      endTurn = await this.#confirming.acquire();
      failing = await this.#reproduce(id, number, history, trial, players);
      return failing === undefined;
    };
    try {
      await fc.check(fc.asyncProperty(histories(setup, campaign !== null, breaks), passes), {
        seed: numberOf(seed, `history ${number}`),
        numRuns: 1,
      });
      this.#shortening = null;
      if (failing) await this.#conclude(id, number, failing, players);
    } finally {
      endTurn();
    }
    this.#histories += 1;
    this.#reportProgress();
  }

  /**
   * Plays a failing history again.
   *
   * @returns undefined if the history does not fail again, or if the search has found the broken rules in another history in the
   * meantime
   */
  async #reproduce(
    id: string,
    number: number,
    history: History,
    trial: Trial,
    players: PlayerSetup['players'],
  ): Promise<Failing | undefined> {
    const targets = new Set(this.#newRules(trial));
    if (targets.size === 0 || this.#hasEnough) return undefined;
    let again = 0;
    for (let time = 0; time < PLAYED_AGAIN && !this.#isAborted; time += 1) {
      if (this.#newRules(await this.#play(id, history, players)).some((rule) => targets.has(rule))) again += 1;
    }
    if (again > 0 || this.#isAborted)
      return { targets, first: history, best: history, tries: again === PLAYED_AGAIN ? 1 : PLAYED_AGAIN };
    const rules = [...targets];
    const draft = draftOf(history, players, rules, this.#options.uuid);
    this.#flaky.push({ rules, findings: findingsOf(trial, rules), draft, history: number });
    return undefined;
  }

  async #passesShortened(
    id: string,
    history: History,
    failing: Failing,
    players: PlayerSetup['players'],
  ): Promise<boolean> {
    for (let time = 0; time < failing.tries; time += 1) {
      if (this.#isTooLateToShorten) return true;
      const trial = await this.#play(id, history, players);
      if (!stillFails(failing, history, trial, this.#newRules(trial))) continue;
      this.#shortening = buildScenario(history, players).steps.length;
      this.#reportProgress();
      return false;
    }
    return true;
  }

  /**
   * Plays the shortest history as `croupier run` would, without regard to known faults. Reports the rules that the history breaks.
   */
  async #conclude(id: string, number: number, failing: Failing, players: PlayerSetup['players']): Promise<void> {
    const unfinished = this.#isTooLateToShorten;
    const first = buildScenario(failing.first, players).steps.length;
    for (const history of new Set([failing.best, failing.first])) {
      const find = await this.#confirm(id, number, history, failing, players);
      if (!find) continue;
      for (const rule of find.rules) this.#broken.add(rule);
      this.#found.push({ find: { ...find, stepsBefore: first, unfinished }, scenario: history, players });
      return;
    }
  }

  /**
   * Two workers may find the same fault with two histories. So a find is removed if another find explains it. The longest finds are
   * checked first.
   */
  async #dropExplained(): Promise<void> {
    for (const kept of this.#found.toSorted((a, b) => b.find.steps - a.find.steps)) {
      const others = this.#found.filter((one) => one !== kept);
      if (others.length === 0 || this.#isAborted) return;
      const known = new Set(others.flatMap(({ find }) => find.rules));
      let isConfirmed = false;
      for (let time = 0; time < PLAYED_AGAIN && !isConfirmed; time += 1) {
        const trial = await this.#play(`explore/${kept.find.history}`, kept.scenario, kept.players, { known });
        isConfirmed = trial.broken.some((rule) => kept.find.rules.includes(rule));
      }
      if (!isConfirmed) this.#found.splice(this.#found.indexOf(kept), 1);
    }
  }

  async #confirm(
    id: string,
    number: number,
    history: History,
    { targets }: Failing,
    players: PlayerSetup['players'],
  ): Promise<Omit<Find, 'stepsBefore' | 'unfinished'> | undefined> {
    let shown: Trial | undefined;
    let failed = 0;
    let played = 0;
    const isNews = (trial: Trial) => trial.broken.some((rule) => targets.has(rule) && !this.#broken.has(rule));
    for (; played < PLAYED_AGAIN && !(this.#isAborted && played > 0); played += 1) {
      const trial = await this.#play(id, history, players, { rules: shown?.broken ?? [...targets], known: NO_RULES });
      if (!isNews(trial)) continue;
      failed += 1;
      shown = trial;
    }
    if (!shown) return undefined;
    for (const attributed of shown.attribution.conclude()) this.#options.record(attributed);
    const rules = shown.broken.filter((rule) => !this.#broken.has(rule));
    if (rules.length === 0) return undefined;
    const draft = draftOf(history, players, rules, this.#options.uuid);
    return {
      rules,
      findings: findingsOf(shown, rules),
      draft,
      history: number,
      steps: draft.steps.length,
      failed,
      played,
    };
  }

  #play(id: string, history: History, players: PlayerSetup['players'], how: TrialOptions = {}): Promise<Trial> {
    const { rules = [], known = this.#broken, raceRounds } = how;
    return this.#trials.play(
      id,
      writeScenario(draftOf(history, players, rules, this.#options.uuid)),
      known,
      raceRounds,
    );
  }

  #newRules({ broken }: Trial): RuleId[] {
    return broken.filter((rule) => !this.#broken.has(rule));
  }

  #note({ played, findings }: Trial): void {
    for (const rule of Object.keys(played.passes)) this.#judged.add(rule as RuleId);
    for (const { rule, verdict } of findings)
      if (rule !== 'expectation' && (verdict === 'fail' || verdict === 'warn')) this.#judged.add(rule);
    if (played.passes['session.isolated'] && !this.#broken.has('session.isolated')) this.#isolated = true;
    const isLost = played.retryReason === 'connection' && played.left.size === 0 && played.verdict !== 'fail';
    this.#lostInARow = isLost ? this.#lostInARow + 1 : 0;
    if (isLost && (this.#judged.size === 0 || this.#lostInARow >= MAX_LOST)) this.#unreachable = played.reason;
  }

  #reportProgress(): void {
    const { runs, onProgress } = this.#options;
    onProgress({ histories: this.#histories, runs, broken: this.#broken.size, shortening: this.#shortening });
  }
}

const NO_RULES: ReadonlySet<RuleId> = new Set();

/** Returns a number that depends only on the seed and the word. */
export function numberOf(seed: string, word: string): number {
  return createHash('sha256').update(`${seed} ${word}`).digest().readInt32BE();
}
