import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { RULES } from '../../contract/catalogue.ts';
import type { ByClient, ClientAt } from '../../history/client.ts';
import type { History } from '../../history/history.ts';
import { runningJobs } from '../../history/jobs.ts';
import {
  type HistoryState,
  historyState,
  knownRunIDs,
  type RecentRun,
  ruleVerdicts,
  runsSince,
} from '../../history/recent-runs.ts';
import { changingRules, ruleResults } from '../../history/rule-results.ts';
import { type RuleTrend, ruleTrend } from '../../history/rule-trend.ts';
import { type PastRun, runsNumbered } from '../../history/runs.ts';
import { VERDICTS } from '../../journal/finding.ts';
import { quoteWord } from '../../report/curl.ts';
import type { CheckedOperator } from '../check-fleet.ts';
import { FleetJournals, type OpenJournal, type Owed } from '../open-journals.ts';
import { dueAfter, type LatestResults, lateSince, latestResults, recentByClient, runningAmong } from '../status.ts';
import { StoredDebts } from '../stored-debts.ts';
import { flakinessOf, groupCounts, groupsIn, isFlaky, trendBegin, trendOf } from './summary.ts';
import type { BoardRow, BoardView, GroupCounts, OperatorDetail, RuleView } from './view.ts';

export interface BoardOptions {
  readonly operators: readonly CheckedOperator[];
  /** The folder of the fleet. */
  readonly dir: string;
  /** Opens the history. Undefined if the fleet has no history yet. The board closes the history. */
  readonly openHistory: () => Promise<History | undefined>;
  /** Returns the current time. */
  readonly now: () => Date;
}

/** The recent runs, and everything that is computed from them for the first page. */
interface Summary {
  readonly key: string;
  readonly byClient: ByClient<RecentRun>;
  /** The latest results, by the name of the operator. */
  readonly results: ReadonlyMap<string, LatestResults>;
  readonly groups: readonly string[];
  readonly counts: ReadonlyMap<string, readonly (GroupCounts | null)[]>;
}

/** The facts that the board shows from the journals of one operator: the run in progress, and the calls that are still owed. */
interface ClientJournals {
  readonly runningSince: string | undefined;
  /** Undefined while the journals are being read. */
  readonly owed: readonly Owed[] | undefined;
}

/**
 * The contents of the board. The first page needs few queries, because it must appear at once. The flakiness needs all verdicts,
 * and a debt needs a whole journal. So the board computes them in the background, and only again after something has changed.
 */
export class Board {
  readonly #options: BoardOptions;
  readonly #files: FleetJournals;
  readonly #stored: StoredDebts;
  #history: History | undefined;
  #summary: Summary | undefined;
  /** Undefined until the beginnings of all journals are read. */
  #journals: ReadonlyMap<string, ClientJournals> | undefined;
  /** The flakiness of each operator, with the state of the history for which it was computed. */
  readonly #flaky = new Map<string, { readonly key: string; readonly value: NonNullable<BoardRow['flaky']> }>();
  /** The next due time of each operator, by its name and the start of its latest run. */
  readonly #due = new Map<string, Date | undefined>();
  #background: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#files = new FleetJournals(options.dir);
    this.#stored = new StoredDebts(options.dir);
  }

  /** Closes the history. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#background?.catch(() => {});
    await this.#history?.destroy();
  }

  /** Returns the first page. @throws DatabaseError when the history can't be read */
  async overview(): Promise<BoardView> {
    const now = this.#options.now();
    const summary = await this.#read(now);
    this.#refreshLater(summary);
    const rows = this.#options.operators.map((operator) => this.#row(operator, summary, now));
    const content = {
      lastDay: now.toISOString().slice(0, 10),
      groups: summary.groups,
      operators: rows,
      isComplete: rows.every(({ flaky, owed }) => flaky !== null && owed !== null),
    };
    const version = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
    return { version, now: now.toISOString(), ...content };
  }

  /** Returns everything about one operator; undefined if the fleet has no operator with this name. */
  async operator(name: string): Promise<OperatorDetail | undefined> {
    const operator = this.#options.operators.find((one) => one.name === name);
    if (!operator) return undefined;
    const summary = await this.#read(this.#options.now());
    const { extCID } = operator;
    const { latest, lastSuccess } = summary.results.get(name) ?? NO_RESULTS;
    const recent = summary.byClient.of(operator);
    const history = await this.#open();
    const runs = history
      ? await runsNumbered(
          history,
          recent.map(({ number }) => number),
        )
      : new Map<number, PastRun>();
    const trends = history && latest ? await trendsOf(history, latest, await notedRules(history, latest)) : [];
    return {
      name,
      extCID,
      latest: latest
        ? {
            number: latest.number,
            startedAt: latest.started_at,
            verdict: latest.verdict,
            firstLine: latest.first_line,
            build: latest.build,
            croupier: latest.croupier,
            contract: latest.contract,
            operator: latest.operator,
            hasReport: this.#hasReport(latest),
          }
        : null,
      lastSuccess: lastSuccess ?? null,
      owed: (this.#journals?.get(name)?.owed ?? []).map(({ journal, items, worker }) => ({
        items,
        command: worker === null ? `croupier settle ${quoteWord(journal)}` : null,
      })),
      rules: latest ? ruleViews(trends, latest) : [],
      runs: recent.flatMap(({ number }) => {
        const run = runs.get(number);
        return run
          ? [
              {
                number,
                kind: run.kind,
                startedAt: run.started_at,
                verdict: run.verdict,
                build: run.build,
                endedEarly: run.ended === 'complete' ? null : (run.ended ?? 'it was cut off'),
                hasReport: this.#hasReport(run),
              },
            ]
          : [];
      }),
    };
  }

  /**
   * Calls `use` with a run of the history.
   *
   * @returns undefined if the history has no such run
   */
  async withRun<T>(number: number, use: (history: History, run: PastRun) => Promise<T>): Promise<T | undefined> {
    const history = await this.#open();
    const run = history && (await runsNumbered(history, [number])).get(number);
    return history && run && use(history, run);
  }

  #row(operator: CheckedOperator, summary: Summary, now: Date): BoardRow {
    const { name, extCID } = operator;
    const { latest, begun } = summary.results.get(name) ?? NO_RESULTS;
    const recent = summary.byClient.of(operator);
    const load = recent.find(({ kind }) => kind === 'load');
    const journals = this.#journals?.get(name);
    const late =
      journals && journals.runningSince === undefined ? lateSince(operator, begun, now, this.#dueAfter) : undefined;
    const flaky = this.#flaky.get(name);
    return {
      name,
      extCID,
      run: latest
        ? {
            number: latest.number,
            startedAt: latest.started_at,
            verdict: latest.verdict,
            build: latest.build,
          }
        : null,
      groups: summary.counts.get(name) ?? [],
      trend: trendOf(recent, now),
      flaky: latest ? (flaky?.value ?? null) : { rules: 0, worst: null },
      load: load ? { number: load.number, startedAt: load.started_at, verdict: load.verdict } : null,
      late: late ?? null,
      runningSince: journals?.runningSince ?? null,
      owed: journals?.owed?.reduce((sum, { items }) => sum + items, 0) ?? null,
    };
  }

  /** Does the same as `dueAfter`, and keeps each result, because the computation is slow for many operators. */
  readonly #dueAfter: typeof dueAfter = (operator, begun) => {
    const key = `${operator.name} ${begun}`;
    if (!this.#due.has(key)) this.#due.set(key, dueAfter(operator, begun));
    return this.#due.get(key);
  };

  #hasReport({ evidence, journal }: PastRun): boolean {
    return evidence !== null || existsSync(path.resolve(this.#options.dir, journal));
  }

  async #open(): Promise<History | undefined> {
    this.#history ??= await this.#options.openHistory();
    return this.#history;
  }

  /** Reads the recent runs again if the history has changed or a new day has begun. */
  async #read(now: Date): Promise<Summary> {
    const history = await this.#open();
    const state: HistoryState = history ? await historyState(history) : { runs: 0, latest: null };
    const since = trendBegin(now);
    const key = `${state.runs} ${state.latest} ${since}`;
    if (this.#summary?.key === key) return this.#summary;
    const recent = history ? await runsSince(history, since) : [];
    const byClient = recentByClient(recent);
    const results = history
      ? await latestResults(history, this.#options.operators, recent)
      : new Map<string, LatestResults>();
    const numbers = [...results.values()].flatMap(({ latest }) => latest?.number ?? []);
    const verdicts = history ? await ruleVerdicts(history, numbers) : [];
    const byRun = Map.groupBy(verdicts, ({ run }) => run);
    const groups = groupsIn(verdicts);
    const counts = new Map(
      [...results].flatMap(([name, { latest }]) =>
        latest ? [[name, groupCounts(byRun.get(latest.number) ?? [], groups, latest)] as const] : [],
      ),
    );
    this.#summary = { key, byClient, results, groups, counts };
    return this.#summary;
  }

  /** Begins to read the journals and the flakiness, unless the board is already reading them. */
  #refreshLater(summary: Summary): void {
    if (this.#isClosed) return;
    this.#background ??= this.#refresh(summary).finally(() => {
      this.#background = undefined;
    });
    // The error is ignored here. The next request for the page reads again, and shows the error if the reading fails again.
    this.#background.catch(() => {});
  }

  async #refresh({ results }: Summary): Promise<void> {
    const history = await this.#open();
    await this.#readJournals(history);
    for (const [name, { latest }] of results) {
      if (!history || !latest || this.#isClosed) continue;
      const key = String(latest.number);
      if (this.#flaky.get(name)?.key === key) continue;
      const trends = await trendsOf(history, latest, await changingRules(history, clientOf(latest)));
      this.#flaky.set(name, { key, value: flakinessOf(trends.map(({ trend }) => trend)) });
      // If the database is on a single machine, each query blocks the process. So the board answers other requests between two
      // clients.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #readJournals(history: History | undefined): Promise<void> {
    const { operators } = this.#options;
    const open = await this.#files.open(async (ids) => (history ? knownRunIDs(history, ids) : new Set()));
    // Workers on other machines have their journals there.
    const stored = history ? await this.#stored.owed(history) : new Map<string, readonly Owed[]>();
    const running = history ? await runningJobs(history) : new Map<string, string>();
    const before = this.#journals;
    const found = new Map<string, ClientJournals>();
    for (const operator of operators) {
      const { name } = operator;
      const runningSince = runningAmong(open.of(operator)) ?? running.get(name);
      found.set(name, { runningSince, owed: before?.get(name)?.owed });
    }
    this.#journals = found;
    for (const operator of operators) {
      if (this.#isClosed) return;
      const { name } = operator;
      const owed = [...(stored.get(name) ?? []), ...(await this.#owed(open.of(operator)))];
      found.set(name, { runningSince: found.get(name)?.runningSince, owed });
    }
  }

  async #owed(journals: readonly OpenJournal[]): Promise<readonly Owed[]> {
    const owed: Owed[] = [];
    for (const journal of journals) {
      const own = await this.#files.owedBy(journal);
      if (own) owed.push(own);
    }
    return owed;
  }
}

const NO_RESULTS: LatestResults = { latest: undefined, begun: undefined, lastSuccess: undefined };

interface TrendOfRule {
  readonly rule: string;
  readonly trend: RuleTrend;
}

/** Returns the trends of these rules for the client and the operator of a run. */
async function trendsOf(
  history: History,
  { ext_cid, operator }: PastRun,
  rules: readonly string[],
): Promise<readonly TrendOfRule[]> {
  const results = await ruleResults(history, { rules, client: ext_cid });
  return results.flatMap((one) => (one.operator === operator ? [{ rule: one.rule, trend: ruleTrend(one.runs) }] : []));
}

/** Returns the rules that did not pass in a run, and those that may be flaky. */
async function notedRules(history: History, run: PastRun): Promise<readonly string[]> {
  const failing = (await ruleVerdicts(history, [run.number])).filter(({ verdict }) => !isPassed(verdict));
  return [...new Set([...failing.map(({ rule }) => rule), ...(await changingRules(history, clientOf(run)))])];
}

function clientOf({ ext_cid, operator }: PastRun): ClientAt {
  return { extCID: ext_cid, operator };
}

function isPassed(verdict: string): boolean {
  return verdict === 'pass' || verdict === 'note';
}

/** Returns the rules that did not pass in a run, or are flaky. */
function ruleViews(trends: readonly TrendOfRule[], latest: PastRun): readonly RuleView[] {
  const views = trends.flatMap(({ rule, trend }): RuleView[] => {
    const own = trend.runs.find(({ number }) => number === latest.number);
    const isNoted = own !== undefined && !isPassed(own.verdict);
    if (!isNoted && !isFlaky(trend)) return [];
    const known = RULES.find(({ id }) => id === rule);
    const { state, flakiness, compared, changed, since, differences } = trend;
    return [
      {
        id: rule,
        sentence: known?.sentence ?? null,
        money: known?.money ?? false,
        verdict: own?.verdict ?? null,
        reason: own?.reason ?? null,
        state,
        flakiness,
        compared,
        changed,
        since: since && { number: since.number, startedAt: since.started_at, build: since.build },
        differences,
      },
    ];
  });
  const severity = ({ verdict }: RuleView): number => (verdict === null ? VERDICTS.length : VERDICTS.indexOf(verdict));
  return views.toSorted((a, b) => severity(a) - severity(b) || (a.id < b.id ? -1 : 1));
}
