import * as fc from 'fast-check';
import type { RuleId } from '../../contract/catalogue.ts';
import type { RunEnded } from '../../journal/event.ts';
import { writeScenario } from '../../scenario/write.ts';
import { Cashier } from '../cashier.ts';
import { Pool } from '../pool.ts';
import type { Sender } from '../sender.ts';
import { castsOf } from './casts.ts';
import { draftOf } from './draft.ts';
import { numberOf } from './draw.ts';
import type { ExploreOptions } from './explore-options.ts';
import { type Failing, stillFails } from './failing.ts';
import type { Exploration, Find, Flaky } from './find.ts';
import { histories } from './histories.ts';
import type { Cast, History } from './operation.ts';
import { tell } from './teller.ts';
import { findingsOf, type Trial, Trials } from './trial.ts';
import { Turn } from './turn.ts';

/** How often a failing history is played again before it counts. */
const PLAYED_AGAIN = 3;
/** So many failing connections in a row, and the operator is not there. */
const MOST_LOST = 3;
/** Of histories of one kind, one in so many breaks connections: each such has to wait for what may land late. */
const BREAKS_ONE_IN = 4;

interface Kept {
  readonly find: Find;
  readonly story: History;
  readonly players: Cast['players'];
}

interface Playing {
  /** What it claims to show. */
  readonly rules?: readonly RuleId[];
  /** Left out: those that were found so far. */
  readonly known?: ReadonlySet<RuleId>;
  /** Left out: as a run would. Of each history that is drawn one telling is enough, for there are many. */
  readonly raceRounds?: number;
}

/** One search: draws histories, plays them, and makes those shorter that break what was not known to be broken. */
export class Search {
  readonly #options: ExploreOptions;
  readonly #started: number;
  readonly #pool: Pool;
  readonly #casts: readonly Cast[];
  readonly #trials: Trials;
  readonly #found: Kept[] = [];
  readonly #flaky: Flaky[] = [];
  readonly #broken = new Set<RuleId>();
  readonly #judged = new Set<RuleId>();
  /** Two failures may be one fault: the second is looked into when it is known what the first is. */
  readonly #turn = new Turn();
  #next = 0;
  #histories = 0;
  #shortening: number | null = null;
  /** Two players were seen not to share a wallet: only then they can play at the same time. */
  #apart = false;
  /** Histories in a row that came to nothing for reasons of the connection. */
  #lost = 0;
  #unreachable: string | null = null;

  constructor(options: ExploreOptions, sender: Sender, started: number) {
    this.#options = options;
    this.#started = started;
    this.#pool = new Pool(options.client.sessions);
    this.#casts = castsOf(this.#pool);
    const run = { ...options, scenarios: [], selection: [], whole: false };
    this.#trials = new Trials({ run, sender, cashier: new Cashier(sender, run), pool: this.#pool });
  }

  result(): Pick<Exploration, 'finds' | 'flaky' | 'histories' | 'judged'> {
    const { size } = this.#judged;
    return { finds: this.#found.map(({ find }) => find), flaky: this.#flaky, histories: this.#histories, judged: size };
  }

  async all(): Promise<Exploration['ended']> {
    const { signal, workers } = this.#options;
    const lane = async (isEnough: () => boolean): Promise<void> => {
      while (!this.#isOver && !isEnough()) {
        this.#next += 1;
        await this.#history(this.#next);
      }
    };
    if (this.#casts.length > 0) {
      await lane(() => this.#apart);
      const lanes = Math.min(workers, this.#pool.players);
      await Promise.all(Array.from({ length: lanes }, () => lane(() => false)));
      await this.#dropExplained();
    }
    const ended = (how: RunEnded['how'], detail: string | null = null): Exploration['ended'] => ({
      event: 'run-ended',
      how,
      signal: how === 'interrupted' ? (signal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT') : null,
      detail,
    });
    if (signal.aborted) return ended('interrupted');
    if (this.#unreachable !== null) return ended('unreachable', this.#unreachable);
    return ended(this.#hasEnough ? 'bail' : 'complete');
  }

  get #isOver(): boolean {
    const { runs, timeMs } = this.#options;
    return this.#isCutOff || this.#hasEnough || this.#next >= runs || (timeMs !== null && this.#elapsed >= timeMs);
  }

  get #hasEnough(): boolean {
    const { bail } = this.#options;
    return bail !== null && this.#found.length >= bail;
  }

  /** Not even what was begun goes on. */
  get #isCutOff(): boolean {
    return this.#options.signal.aborted || this.#unreachable !== null;
  }

  get #elapsed(): number {
    return this.#options.now() - this.#started;
  }

  /** A failure that was found at the last moment is given as much time again to become short. */
  get #isTooLateToShorten(): boolean {
    const { timeMs } = this.#options;
    return this.#isCutOff || (timeMs !== null && this.#elapsed >= 2 * timeMs);
  }

  async #history(number: number): Promise<void> {
    const { seed, campaign } = this.#options;
    // The plain cast comes most often: it has the most players.
    const draw = Math.abs(numberOf(seed, `cast ${number}`));
    const [plain, ...others] = this.#casts;
    const cast = draw % 2 === 0 ? plain : (others[draw % Math.max(others.length, 1)] ?? plain);
    if (!cast) return;
    const breaks = Math.abs(numberOf(seed, `breaks ${number}`)) % BREAKS_ONE_IN === 0;
    const { players } = cast;
    const id = `explore/${number}`;
    let failing: Failing | undefined;
    let endTurn = (): void => {};
    const holds = async (history: History): Promise<boolean> => {
      if (failing) return this.#holdsShortened(id, history, failing, players);
      const trial = await this.#play(id, history, players, { raceRounds: 1 });
      this.#note(trial);
      if (this.#news(trial).length === 0) return true;
      endTurn = await this.#turn.take();
      failing = await this.#lookInto(id, number, history, trial, players);
      return failing === undefined;
    };
    try {
      await fc.check(fc.asyncProperty(histories(cast, campaign !== null, breaks), holds), {
        seed: numberOf(seed, `history ${number}`),
        numRuns: 1,
      });
      this.#shortening = null;
      if (failing) await this.#conclude(id, number, failing, players);
    } finally {
      endTurn();
    }
    this.#histories += 1;
    this.#tell();
  }

  /** Plays a failing history again; undefined: what it breaks is known by now, or it doesn't break it again. */
  async #lookInto(
    id: string,
    number: number,
    history: History,
    trial: Trial,
    players: Cast['players'],
  ): Promise<Failing | undefined> {
    const targets = new Set(this.#news(trial));
    if (targets.size === 0 || this.#hasEnough) return undefined;
    let again = 0;
    for (let time = 0; time < PLAYED_AGAIN && !this.#isCutOff; time += 1) {
      if (this.#news(await this.#play(id, history, players)).some((rule) => targets.has(rule))) again += 1;
    }
    if (again > 0 || this.#isCutOff)
      return { targets, first: history, best: history, tries: again === PLAYED_AGAIN ? 1 : PLAYED_AGAIN };
    const rules = [...targets];
    const draft = draftOf(history, players, rules, this.#options.uuid);
    this.#flaky.push({ rules, findings: findingsOf(trial, rules), draft, history: number });
    return undefined;
  }

  async #holdsShortened(id: string, history: History, failing: Failing, players: Cast['players']): Promise<boolean> {
    for (let time = 0; time < failing.tries; time += 1) {
      if (this.#isTooLateToShorten) return true;
      const trial = await this.#play(id, history, players);
      if (!stillFails(failing, history, trial, this.#news(trial))) continue;
      this.#shortening = tell(history, players).steps.length;
      this.#tell();
      return false;
    }
    return true;
  }

  /** Plays the shortest one as `run` would, with nothing known of the operator, and says what it breaks then. */
  async #conclude(id: string, number: number, failing: Failing, players: Cast['players']): Promise<void> {
    const unfinished = this.#isTooLateToShorten;
    const first = tell(failing.first, players).steps.length;
    for (const history of new Set([failing.best, failing.first])) {
      const find = await this.#confirm(id, number, history, failing, players);
      if (!find) continue;
      for (const rule of find.rules) this.#broken.add(rule);
      this.#found.push({ find: { ...find, stepsBefore: first, unfinished }, story: history, players });
      return;
    }
  }

  /**
   * Two lanes may have come upon one fault from two sides. What breaks no rule of its own once the others are known is left
   * out, the longest first.
   */
  async #dropExplained(): Promise<void> {
    for (const kept of this.#found.toSorted((a, b) => b.find.steps - a.find.steps)) {
      const others = this.#found.filter((one) => one !== kept);
      if (others.length === 0 || this.#isCutOff) return;
      const known = new Set(others.flatMap(({ find }) => find.rules));
      let stands = false;
      for (let time = 0; time < PLAYED_AGAIN && !stands; time += 1) {
        const trial = await this.#play(`explore/${kept.find.history}`, kept.story, kept.players, { known });
        stands = trial.broken.some((rule) => kept.find.rules.includes(rule));
      }
      if (!stands) this.#found.splice(this.#found.indexOf(kept), 1);
    }
  }

  async #confirm(
    id: string,
    number: number,
    history: History,
    { targets }: Failing,
    players: Cast['players'],
  ): Promise<Omit<Find, 'stepsBefore' | 'unfinished'> | undefined> {
    let shown: Trial | undefined;
    let failed = 0;
    let played = 0;
    const isNews = (trial: Trial) => trial.broken.some((rule) => targets.has(rule) && !this.#broken.has(rule));
    for (; played < PLAYED_AGAIN && !(this.#isCutOff && played > 0); played += 1) {
      const trial = await this.#play(id, history, players, { rules: shown?.broken ?? [...targets], known: NOTHING });
      if (!isNews(trial)) continue;
      failed += 1;
      shown = trial;
    }
    if (!shown) return undefined;
    for (const blamed of shown.blame.conclude()) this.#options.record(blamed);
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

  #play(id: string, history: History, players: Cast['players'], how: Playing = {}): Promise<Trial> {
    const { rules = [], known = this.#broken, raceRounds } = how;
    return this.#trials.play(
      id,
      writeScenario(draftOf(history, players, rules, this.#options.uuid)),
      known,
      raceRounds,
    );
  }

  #news({ broken }: Trial): RuleId[] {
    return broken.filter((rule) => !this.#broken.has(rule));
  }

  #note({ played, findings }: Trial): void {
    for (const rule of Object.keys(played.passes)) this.#judged.add(rule as RuleId);
    for (const { rule, verdict } of findings)
      if (rule !== 'expectation' && (verdict === 'fail' || verdict === 'warn')) this.#judged.add(rule);
    if (played.passes['session.isolated'] && !this.#broken.has('session.isolated')) this.#apart = true;
    const isLost = played.again === 'connection' && played.left.size === 0 && played.verdict !== 'fail';
    this.#lost = isLost ? this.#lost + 1 : 0;
    if (isLost && (this.#judged.size === 0 || this.#lost >= MOST_LOST)) this.#unreachable = played.reason;
  }

  #tell(): void {
    const { runs, onProgress } = this.#options;
    onProgress({ histories: this.#histories, runs, broken: this.#broken.size, shortening: this.#shortening });
  }
}

const NOTHING: ReadonlySet<RuleId> = new Set();
