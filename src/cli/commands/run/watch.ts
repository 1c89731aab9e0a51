import { existsSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_NAME } from '../../../app/config/configuration.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { shownPath } from '../../../app/files.ts';
import type { Runner } from '../../../app/run/judge-clients.ts';
import { isFailing, type LastFailed } from '../../../app/run/last-failed.ts';
import { type PreparedRun, prepareRun } from '../../../app/run/prepare-run.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { SuiteScenario } from '../../../app/suite.ts';
import type { JsonValue } from '../../../contract/json.ts';
import { STOP_STATUSES } from '../../../journal/event.ts';
import type { Verdict } from '../../../journal/finding.ts';
import type { Fold } from '../../../journal/fold.ts';
import { watchReport } from '../../../report/terminal/watch-report.ts';
import { KEYS, type KeyCommand, readKeys } from './watch-keys.ts';
import { type Watched, WatchedFiles } from './watched-files.ts';

/** The scenarios of one repetition, by ExtCID; undefined to play all chosen scenarios. */
type Only = ReadonlyMap<string, LastFailed> | undefined;

/**
 * The additions of the watch to a run: a report that fits on the screen, and a function that keeps the results for the next
 * run.
 */
type WatchHooks = Required<Pick<Runner, 'onPlayed' | 'reportOf'>>;

/** The functions that the watch needs from the command. */
export interface WatchOptions {
  /** Returns the ExtCIDs of the clients to judge. */
  readonly clientsOf: (prepared: PreparedRun) => readonly string[];
  /** Judges the clients once. @returns the exit status */
  readonly judge: (prepared: PreparedRun, only: Only, hooks: WatchHooks) => Promise<number>;
}

/** The choice of scenarios for one repetition: all, the failed ones, or those with certain ids. */
type Turn = { readonly kind: 'all' | 'failed' } | { readonly kind: 'ids'; readonly ids: ReadonlySet<string> };

const INTERRUPTED: readonly number[] = Object.values(STOP_STATUSES);
const CLEAR = '\u001B[2J\u001B[H';

/**
 * Runs the scenarios, and repeats those that use a changed file. Ends at a signal or at the key q.
 *
 * @param first the prepared run to begin with
 * @param only the scenarios of the first run; undefined to play all chosen scenarios
 * @returns the exit status of the last run; the status of the signal if it was interrupted
 */
export async function watchRuns(first: PreparedRun, only: Only, options: WatchOptions): Promise<number> {
  const watching = new Watching(first, options);
  try {
    return await watching.play(only);
  } finally {
    await watching.close();
  }
}

class Watching {
  readonly #options: WatchOptions;
  readonly #stdio: Stdio;
  readonly #files: WatchedFiles;
  readonly #stopKeys: () => void;
  /** The latest verdict of each scenario, by ExtCID. */
  readonly #verdicts = new Map<string, Map<string, Verdict>>();
  readonly #failing = new Map<string, Set<string>>();
  /**
   * Changed files whose scenarios have not been run again yet, because the configuration or a scenario still has a mistake.
   */
  readonly #pending = new Set<string>();
  #prepared: PreparedRun;
  #pattern = '';
  #turn: Turn = { kind: 'all' };
  #isPlaying = false;
  #isChanged = false;
  #isEnded = false;
  #command: KeyCommand | undefined;
  #wake: () => void = () => {};
  /**
   * Ends the watch at a signal. During a run, the run handles the signal too. But if the run is already writing its report, it ends
   * with its own status. So the watch itself must notice the signal.
   */
  readonly #onSignal = (): void => {
    this.#isEnded = true;
    this.#wake();
  };

  constructor(first: PreparedRun, options: WatchOptions) {
    this.#prepared = first;
    this.#options = options;
    this.#stdio = first.stdio;
    this.#files = new WatchedFiles(watchedBy(first), {
      cwd: this.#stdio.cwd,
      onChange: () => {
        this.#isChanged = true;
        this.#wake();
      },
      onError: ({ message }) =>
        this.#print(`croupier may miss changes of files, because a file or folder can't be watched: ${message}\n`),
    });
    process.on('SIGINT', this.#onSignal).on('SIGTERM', this.#onSignal);
    const { stdinIsTty, err } = this.#stdio;
    this.#stopKeys =
      stdinIsTty && err.tty ? readKeys(process.stdin, err, (command) => this.#onCommand(command)) : () => {};
  }

  async close(): Promise<void> {
    process.off('SIGINT', this.#onSignal).off('SIGTERM', this.#onSignal);
    this.#stopKeys();
    await this.#files.close();
  }

  async play(only: Only): Promise<number> {
    let status = await this.#judge(only);
    while (!INTERRUPTED.includes(status)) {
      const next = await this.#next();
      if (next === undefined) return status;
      this.#turn = next;
      status = (await this.#playTurn(next)) ?? status;
    }
    return status;
  }

  #onCommand(command: KeyCommand): void {
    // During a run, only the key q works. It interrupts the run like Ctrl-C.
    if (this.#isPlaying) {
      if (command.kind === 'quit') process.kill(process.pid, 'SIGINT');
      return;
    }
    this.#command = command;
    this.#wake();
  }

  /** Waits for the next repetition. @returns undefined when the watch ends */
  async #next(): Promise<Turn | undefined> {
    this.#print(this.#waitingText(await this.#files.count()));
    for (;;) {
      const end = await this.#waitForEvent();
      const command = this.#command;
      this.#command = undefined;
      if (end || command?.kind === 'quit') return undefined;
      const turn = command ? this.#turnOfKey(command) : await this.#turnOfChanges();
      if (turn) return turn;
    }
  }

  /** Waits for a change, a key or a signal. @returns true if the watch must end */
  async #waitForEvent(): Promise<boolean> {
    if (this.#isChanged || this.#command || this.#isEnded) return this.#isEnded;
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = () => {};
        resolve(this.#isEnded);
      };
    });
  }

  #turnOfKey(command: KeyCommand): Turn | undefined {
    switch (command.kind) {
      case 'all':
        this.#pattern = '';
        return { kind: 'all' };
      case 'failed':
        return { kind: 'failed' };
      case 'again':
        return this.#turn;
      case 'pattern':
        this.#pattern = command.text;
        return { kind: 'all' };
      case 'quit':
        return undefined;
    }
  }

  /**
   * Chooses the scenarios for the changed files. Returns undefined if no selected scenario uses the files, or if they
   * contain a mistake.
   */
  async #turnOfChanges(): Promise<Turn | undefined> {
    this.#isChanged = false;
    for (const file of this.#files.takeChanges()) this.#pending.add(file);
    if (this.#pending.size === 0) return undefined;
    const { selection, flags, stdio } = this.#prepared;
    try {
      this.#prepared = await prepareRun(selection.words, flags, stdio);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#print(`\n${error.message}\n\nWaiting for a fix.\n`);
      return undefined;
    }
    await this.#files.aim(watchedBy(this.#prepared));
    const changed = [...this.#pending];
    this.#pending.clear();
    const names = changed.map((file) => shownPath(file, stdio.cwd)).join(', ');
    const scenarios = affectedBy(changed, this.#prepared);
    if (scenarios.length === 0) {
      this.#print(`${names}: no selected scenario uses it.\n`);
      return undefined;
    }
    this.#print(`\nChanged: ${names}\n`);
    return scenarios.length === this.#prepared.chosen.length
      ? { kind: 'all' }
      : { kind: 'ids', ids: new Set(scenarios.map(({ id }) => id)) };
  }

  /**
   * Plays the scenarios of one repetition.
   *
   * @returns the exit status. Undefined if there was no scenario to play; a message has then said so
   */
  async #playTurn(turn: Turn): Promise<number | undefined> {
    const extCIDs = this.#options.clientsOf(this.#prepared);
    const needle = this.#pattern.toLowerCase();
    const matchesPattern = ({ id, title }: SuiteScenario): boolean => `${id}\n${title}`.toLowerCase().includes(needle);
    const candidates = this.#prepared.chosen.filter(matchesPattern);
    const idsFor = (extCID: string): ReadonlySet<string> =>
      new Set(
        candidates
          .map(({ id }) => id)
          .filter(
            (id) =>
              turn.kind === 'all' || (turn.kind === 'ids' ? turn.ids.has(id) : this.#failing.get(extCID)?.has(id)),
          ),
      );
    const only = new Map(extCIDs.map((extCID) => [extCID, { journal: 'the runs so far', ids: idsFor(extCID) }]));
    const count = Math.max(...[...only.values()].map(({ ids }) => ids.size));
    if (count === 0) {
      const why = turn.kind === 'failed' ? 'No scenario has failed so far' : 'No selected scenario matches';
      this.#print(`${why}${needle === '' ? '' : `, with ${JSON.stringify(this.#pattern)} in its id or title`}.\n`);
      return undefined;
    }
    if (this.#stdio.out.tty) this.#stdio.out.write(CLEAR);
    const isAll = turn.kind === 'all' && needle === '';
    if (!isAll) this.#print(`Running ${count === 1 ? 'one scenario' : `${count} scenarios`} …\n`);
    return this.#judge(isAll ? undefined : only);
  }

  async #judge(only: Only): Promise<number> {
    this.#isPlaying = true;
    try {
      return await this.#options.judge(this.#prepared, only, {
        onPlayed: (extCID, fold) => this.#remember(extCID, fold),
        reportOf: (extCID) => watchReport(new Map(this.#verdicts.get(extCID)), this.#stdio.out.rows),
      });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#print(`${error.message}\n`);
      return 2;
    } finally {
      this.#isPlaying = false;
    }
  }

  #remember(extCID: string, { scenarios }: Fold): void {
    const failing = this.#failing.get(extCID) ?? new Set<string>();
    this.#failing.set(extCID, failing);
    const verdicts = this.#verdicts.get(extCID) ?? new Map<string, Verdict>();
    this.#verdicts.set(extCID, verdicts);
    for (const scenario of scenarios) {
      if (scenario.state === 'not-started') continue;
      verdicts.set(scenario.planned.id, scenario.verdict);
      if (isFailing(scenario)) failing.add(scenario.planned.id);
      else failing.delete(scenario.planned.id);
    }
  }

  #waitingText(files: number): string {
    const failing = [...this.#failing.values()].reduce((sum, { size }) => sum + size, 0);
    const state = failing === 0 ? '' : ` ${failing === 1 ? 'One scenario fails' : `${failing} scenarios fail`}.`;
    const keys = this.#stdio.stdinIsTty && this.#stdio.err.tty ? `${KEYS}\n` : '';
    const pattern =
      this.#pattern === '' ? '' : ` Only scenarios with ${JSON.stringify(this.#pattern)} in their id or title run.`;
    return `\nWaiting until one of ${files} files changes.${state}${pattern}\n${keys}`;
  }

  #print(text: string): void {
    this.#stdio.err.write(text);
  }
}

/** Returns the scenarios that use one of the changed files. A change of a file with settings affects all scenarios. */
function affectedBy(changed: readonly string[], prepared: PreparedRun): readonly SuiteScenario[] {
  const settings = settingFiles(prepared);
  if (changed.some((file) => settings.includes(file))) return prepared.chosen;
  return prepared.chosen.filter(({ absoluteFile, fragments }) =>
    changed.some((file) => file === absoluteFile || fragments.includes(file)),
  );
}

function watchedBy(prepared: PreparedRun): Watched {
  const places = prepared.sources.filter(({ path: place }) => existsSync(place)).map(({ path: place }) => place);
  const isFile = (place: string): boolean => /\.ya?ml$/.test(place);
  return {
    folders: places.filter((place) => !isFile(place)),
    files: [
      ...places.filter(isFile),
      ...prepared.suite.scenarios.flatMap(({ fragments }) => fragments),
      ...settingFiles(prepared),
    ],
  };
}

/** Returns the paths of the files that affect all scenarios: configuration, keys, certificates, baseline. */
function settingFiles({
  configuration,
  flags,
  stdio,
}: Pick<PreparedRun, 'configuration' | 'flags' | 'stdio'>): readonly string[] {
  const named = [flags.config ?? CONFIG_NAME, flags.keyFile, flags.ca, flags.baseline].filter(
    (file) => file !== undefined,
  );
  const inConfig = filesIn(configuration.config.clients as JsonValue | undefined).map((file) =>
    path.resolve(configuration.dir, file),
  );
  return [...named.map((file) => path.resolve(stdio.cwd, file)), ...inConfig];
}

/** Collects the path of each `{ file: … }` in the configuration. */
function filesIn(value: JsonValue | undefined): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(filesIn);
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'file' && typeof inner === 'string' ? [inner] : filesIn(inner),
  );
}
