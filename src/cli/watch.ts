import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonValue } from '../contract/json.ts';
import type { Fold } from '../journal/fold.ts';
import { CONFIG_NAME, shownPath } from './configuration.ts';
import type { LastFailed } from './last-failed.ts';
import { isFailing } from './last-failed.ts';
import { type PreparedRun, prepareRun } from './prepare-run.ts';
import type { Stdio } from './stdio.ts';
import type { SuiteScenario } from './suite.ts';
import { UsageError } from './usage-error.ts';
import { KEYS, readKeys, type Wanted } from './watch-keys.ts';
import { type Watched, WatchedFiles } from './watched-files.ts';

/** What one turn plays: nothing but these, by ExtCID; undefined: all that was chosen. */
type Only = ReadonlyMap<string, LastFailed> | undefined;

export interface WatchOptions {
  /** The ExtCIDs that are judged. */
  readonly clientsOf: (prepared: PreparedRun) => readonly string[];
  /** Judges once, and gives the status. */
  readonly judge: (
    prepared: PreparedRun,
    only: Only,
    onPlayed: (extCID: string, fold: Fold) => void,
  ) => Promise<number>;
}

/** Why a turn is played, and what. */
type Turn = { readonly kind: 'all' | 'failed' } | { readonly kind: 'ids'; readonly ids: ReadonlySet<string> };

const INTERRUPTED: readonly number[] = [130, 143];
const CLEAR = '\u001B[2J\u001B[H';

/**
 * Plays, and plays again what a change of a file touches, until somebody ends it.
 *
 * @param first prepared already
 * @param only what the first turn plays
 * @returns the status of the last run; 130 or 143 when that was interrupted
 */
export async function watchRuns(first: PreparedRun, only: Only, options: WatchOptions): Promise<number> {
  const watching = new Watching(first, options);
  try {
    return await watching.play(only);
  } finally {
    watching.close();
  }
}

class Watching {
  readonly #options: WatchOptions;
  readonly #stdio: Stdio;
  readonly #files: WatchedFiles;
  readonly #giveBackKeys: () => void;
  readonly #failing = new Map<string, Set<string>>();
  /** Changed files that have not been read without a mistake since. */
  readonly #pending = new Set<string>();
  #prepared: PreparedRun;
  #pattern = '';
  #turn: Turn = { kind: 'all' };
  #isPlaying = false;
  #isChanged = false;
  #isEnded = false;
  #wanted: Wanted | undefined;
  #wake: () => void = () => {};
  /** A run under way hears of signals itself. */
  readonly #onSignal = (): void => {
    if (this.#isPlaying) return;
    this.#isEnded = true;
    this.#wake();
  };

  constructor(first: PreparedRun, options: WatchOptions) {
    this.#prepared = first;
    this.#options = options;
    this.#stdio = first.stdio;
    this.#files = new WatchedFiles(watchedBy(first), () => {
      this.#isChanged = true;
      this.#wake();
    });
    process.on('SIGINT', this.#onSignal).on('SIGTERM', this.#onSignal);
    const { stdinIsTty, err } = this.#stdio;
    this.#giveBackKeys =
      stdinIsTty && err.tty ? readKeys(process.stdin, err, (wanted) => this.#hear(wanted)) : () => {};
  }

  close(): void {
    process.off('SIGINT', this.#onSignal).off('SIGTERM', this.#onSignal);
    this.#giveBackKeys();
    this.#files.close();
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

  #hear(wanted: Wanted): void {
    // A run under way is ended as by Ctrl-C; other wishes can be made when it is over.
    if (this.#isPlaying) {
      if (wanted.kind === 'quit') process.kill(process.pid, 'SIGINT');
      return;
    }
    this.#wanted = wanted;
    this.#wake();
  }

  /** Waits for what is to be played next. undefined: nothing any more. */
  async #next(): Promise<Turn | undefined> {
    this.#say(this.#waitingText());
    for (;;) {
      const end = await this.#happened();
      const wanted = this.#wanted;
      this.#wanted = undefined;
      if (end || wanted?.kind === 'quit') return undefined;
      const turn = wanted ? this.#turnWanted(wanted) : await this.#turnChanged();
      if (turn) return turn;
    }
  }

  /** @returns true when the process was asked to end */
  async #happened(): Promise<boolean> {
    if (this.#isChanged || this.#wanted || this.#isEnded) return this.#isEnded;
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = () => {};
        resolve(this.#isEnded);
      };
    });
  }

  #turnWanted(wanted: Wanted): Turn | undefined {
    switch (wanted.kind) {
      case 'all':
        this.#pattern = '';
        return { kind: 'all' };
      case 'failed':
        return { kind: 'failed' };
      case 'again':
        return this.#turn;
      case 'pattern':
        this.#pattern = wanted.text;
        return { kind: 'all' };
      case 'quit':
        return undefined;
    }
  }

  /** What the files that were changed have to do with. */
  async #turnChanged(): Promise<Turn | undefined> {
    this.#isChanged = false;
    for (const file of this.#files.takeChanges()) this.#pending.add(file);
    if (this.#pending.size === 0) return undefined;
    const { wish, flags, stdio } = this.#prepared;
    try {
      this.#prepared = await prepareRun(wish.words, flags, stdio);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#say(`\n${error.message}\n\nWaiting until it is mended.\n`);
      return undefined;
    }
    this.#files.aim(watchedBy(this.#prepared));
    const changed = [...this.#pending];
    this.#pending.clear();
    const names = changed.map((file) => shownPath(file, stdio.cwd)).join(', ');
    const scenarios = touchedBy(changed, this.#prepared);
    if (scenarios.length === 0) {
      this.#say(`${names}: no scenario of what was selected has to do with it.\n`);
      return undefined;
    }
    this.#say(`\nChanged: ${names}\n`);
    return scenarios.length === this.#prepared.chosen.length
      ? { kind: 'all' }
      : { kind: 'ids', ids: new Set(scenarios.map(({ id }) => id)) };
  }

  /** @returns undefined when there was nothing to play, and that was said */
  async #playTurn(turn: Turn): Promise<number | undefined> {
    const extCIDs = this.#options.clientsOf(this.#prepared);
    const needle = this.#pattern.toLowerCase();
    const isAmong = ({ id, title }: SuiteScenario): boolean => `${id}\n${title}`.toLowerCase().includes(needle);
    const candidates = this.#prepared.chosen.filter(isAmong);
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
      const why = turn.kind === 'failed' ? 'Nothing has failed so far' : 'Nothing of it is selected';
      this.#say(`${why}${needle === '' ? '' : `, with ${JSON.stringify(this.#pattern)} in its id or title`}.\n`);
      return undefined;
    }
    if (this.#stdio.out.tty) this.#stdio.out.write(CLEAR);
    const isAll = turn.kind === 'all' && needle === '';
    if (!isAll) this.#say(`Playing ${count === 1 ? 'one scenario' : `${count} scenarios`} …\n`);
    return this.#judge(isAll ? undefined : only);
  }

  async #judge(only: Only): Promise<number> {
    this.#isPlaying = true;
    try {
      return await this.#options.judge(this.#prepared, only, (extCID, fold) => this.#remember(extCID, fold));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#say(`${error.message}\n`);
      return 2;
    } finally {
      this.#isPlaying = false;
    }
  }

  #remember(extCID: string, { scenarios }: Fold): void {
    const failing = this.#failing.get(extCID) ?? new Set<string>();
    this.#failing.set(extCID, failing);
    for (const scenario of scenarios) {
      if (scenario.state === 'not-started') continue;
      if (isFailing(scenario)) failing.add(scenario.planned.id);
      else failing.delete(scenario.planned.id);
    }
  }

  #waitingText(): string {
    const failing = [...this.#failing.values()].reduce((sum, { size }) => sum + size, 0);
    const state = failing === 0 ? '' : ` ${failing === 1 ? 'One scenario fails' : `${failing} scenarios fail`}.`;
    const keys = this.#stdio.stdinIsTty && this.#stdio.err.tty ? `${KEYS}\n` : '';
    const pattern =
      this.#pattern === '' ? '' : ` Played is what has ${JSON.stringify(this.#pattern)} in its id or title.`;
    return `\nWaiting for a change of ${this.#files.count} files.${state}${pattern}\n${keys}`;
  }

  #say(text: string): void {
    this.#stdio.err.write(text);
  }
}

/** The scenarios that changed files are about: all of them, where it is none of a scenario. */
function touchedBy(changed: readonly string[], prepared: PreparedRun): readonly SuiteScenario[] {
  const ofRun = settingFiles(prepared);
  if (changed.some((file) => ofRun.includes(file))) return prepared.chosen;
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

/** Files that tell how all scenarios are played: the configuration, keys, certificates, known failures. */
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

/** The paths of all `{ file: … }`. */
function filesIn(value: JsonValue | undefined): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(filesIn);
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'file' && typeof inner === 'string' ? [inner] : filesIn(inner),
  );
}
