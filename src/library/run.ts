import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { baselineOf, loadBaseline } from '../app/baseline.ts';
import { type Clients, resolveClients } from '../app/config/clients.ts';
import { configurationOf, diagnosticsError, loadConfiguration } from '../app/config/configuration.ts';
import { askForProduction, movesMoney } from '../app/config/production.ts';
import type { RunFlags } from '../app/config/run-flags.ts';
import type { Config } from '../app/config/schema.ts';
import { withOwnSessions } from '../app/config/sessions-from.ts';
import { UsageError } from '../app/exit-status.ts';
import { addRunToHistory } from '../app/history/add-to-history.ts';
import { lockSettings } from '../app/lock/lock-folder.ts';
import { digestsOf } from '../app/run/digests.ts';
import { readEarlierJournals } from '../app/run/earlier-journals.ts';
import { runLabels } from '../app/run/labels.ts';
import { play, SILENT } from '../app/run/play.ts';
import { reportOptions } from '../app/run/publish.ts';
import { refuseUnknownRules, requiredOf } from '../app/run/required.ts';
import { runSettings } from '../app/run/settings.ts';
import { mistakesIn } from '../app/scenario-mistakes.ts';
import { choose, isWhole, ownScenarios, quickPartOf, selectionWords, sourcesFor } from '../app/selection.ts';
import { silentStdio } from '../app/stdio.ts';
import { loadSuite } from '../app/suite.ts';
import { version } from '../app/version.ts';
import { EarlierRun } from '../engine/after/earlier-run.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { createScrubber } from '../journal/secrets/scrubber.ts';
import { jsonReport } from '../report/json/json.ts';
import type { JsonReport } from '../report/json/json-schema.ts';
import { terminalReport } from '../report/terminal/terminal.ts';
import { readDuration } from '../scenario/duration.ts';
import { nearest } from '../scenario/near.ts';

/** The settings of a run. A missing key has the default of the command line. */
export interface RunOptions {
  /** The path of a configuration file, or a configuration as an object. Default: `croupier.yaml` in `cwd`. */
  readonly config?: string | Config;
  /** The ExtCID of the client to judge, if the configuration has several. */
  readonly client?: string;
  /**
   * Groups, rules, scenarios, files or file:line. A scenario is played if it matches at least one of them. Default: all
   * scenarios.
   */
  readonly select?: readonly string[];
  /** Plays only scenarios that have at least one of these tags. */
  readonly tags?: readonly string[];
  /** Plays only scenarios that have this text in their id or title. */
  readonly grep?: string;
  /** If true, plays only the scenarios of a quick run: each MUST rule is tested, with few calls. */
  readonly quick?: boolean;
  /**
   * Groups and rules that the run must decide. The result is undecided if one of them stays skipped, inconclusive or
   * untested.
   */
  readonly require?: readonly string[];
  /** Labels of the run, such as the build of the operator, by name. They add to the labels of the configuration. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * If true, the rules and scenarios that `select` names may stay undecided. Default: if one of them stays undecided, the
   * result is undecided.
   */
  readonly allowSkipped?: boolean;
  /** The seed of an earlier run, to repeat its random choices and its order. */
  readonly seed?: string;
  /** The path of a baseline: a file of known failures, which do not fail the run. */
  readonly baseline?: string;
  /** The path of the journal of an earlier run. The run sends transactions of the earlier run again, and judges the replies. */
  readonly after?: string;
  /** If true, a breach of a SHOULD rule also fails the run. */
  readonly strict?: boolean;
  /**
   * Maximum number of retries of a failed scenario. A scenario that passes on a retry is flaky, and fails the run
   * unless `allowFlaky` is true.
   */
  readonly retries?: number;
  /** If true, flaky scenarios do not fail the run. */
  readonly allowFlaky?: boolean;
  /** Stops the run after this number of failed scenarios. Default: no limit. */
  readonly bail?: number;
  /** The time after which no new scenario begins, such as `10m`. Then the result is undecided. Default: no limit. */
  readonly time?: string;
  /** Number of times that each race is repeated. Default: croupier chooses the number. */
  readonly raceRounds?: number;
  /** If false, the run does not lock its players, and other commands can use them at the same time. */
  readonly lock?: boolean;
  /** The maximum time to wait for players that another command uses, such as `30s`. Default: `10m`. */
  readonly lockWait?: string;
  /** The folder of the locks. Default: a folder of the user. */
  readonly lockFolder?: string;
  /** If true, the run may move money at an address that looks like production. */
  readonly production?: boolean;
  /**
   * The path of the journal, from which every other report can be made. Default: a new file in `.croupier/` in `cwd`.
   */
  readonly journal?: string;
  /** If false, the run is not added to the history of `cwd`. */
  readonly history?: boolean;
  /** The folder that paths are relative to. Default: the working directory of the process. */
  readonly cwd?: string;
  /** The variables for `${NAME}` in the configuration. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** If this signal is aborted, the run ends early. Open bets are refunded first. */
  readonly signal?: AbortSignal;
}

/**
 * The result of a run: the JSON report, its text, and the path of the journal. `schema/report.json` describes the JSON
 * report.
 */
export interface RunResult extends JsonReport {
  /** The report for people, without colours. For example, you can use it as the message of a failed assertion. */
  readonly text: string;
  /** The path of the journal. */
  readonly journal: string;
}

/**
 * Judges one client of an operator as `croupier run` does, and prints nothing. If the operator breaks rules or cannot
 * be reached, the function does not throw: the `verdict` of the result says so.
 *
 * @throws UsageError when the settings cannot be used. Nothing was sent, and the message says what to do.
 * @throws Error for a bug in croupier
 */
export async function run(options: RunOptions = {}): Promise<RunResult> {
  refuseWrongOptions(options);
  const stdio = silentStdio(options.cwd ?? process.cwd(), options.env ?? process.env);
  const { cwd, env } = stdio;
  const flags = flagsOf(options);
  const configuration =
    typeof options.config === 'object'
      ? await configurationOf(options.config, stdio)
      : await loadConfiguration(options.config, stdio);
  const settings = runSettings(configuration.config, flags, env);
  refuseUnknownRules(flags, stdio);
  const selection = {
    words: options.select ?? [],
    tags: options.tags ?? [],
    grep: options.grep,
    quick: options.quick === true,
  };
  const suite = loadSuite(sourcesFor(selection.words, configuration, cwd), cwd, randomUUID);
  const clients = await resolveClients(configuration, flags, stdio);
  const diagnostics = [...clients.diagnostics, ...mistakesIn(suite)];
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const configured = onlyOne(clients);
  const chosen = choose(suite, selection, cwd);
  if (movesMoney(chosen)) await askForProduction([configured], flags, stdio);
  const { extCID } = configured;
  const signal = options.signal ?? new AbortController().signal;
  const from = clients.sources.get(extCID)?.from;
  const client = await withOwnSessions(configured, from, { extCID, dir: configuration.dir, env, signal });
  const earlier = (await readEarlierJournals(flags.after ?? [], [configured], stdio)).get(extCID);
  const everyClient = [...(configuration.config.clients ?? []), ...clients.clients].map((one) => one.extCID);
  const subjects = { suite: suite.scenarios, chosen, clients: everyClient };
  const baselines = await loadBaseline(options.baseline, subjects, cwd);
  const baseline = baselines && baselineOf(baselines, extCID);
  const lock = lockSettings(configuration, flags, stdio);
  const required = requiredOf(client, { flags, configuration, settings, selection, suite, scenarios: chosen, stdio });
  const digests = digestsOf({ client, scenarios: chosen, settings, required, baseline });
  const labels = await runLabels(configuration, flags, stdio);
  const scrub = createScrubber(clients.secrets);
  const { fold, open, journal, failure } = await play({
    options: {
      croupier: version,
      client,
      scenarios: chosen,
      selection: selectionWords(selection),
      baseline,
      required,
      digests,
      ...labels,
      suiteChanges: suite.changes,
      whole: isWhole(suite, chosen),
      ownScenarios: ownScenarios(chosen),
      watchesBalances: true,
      isUnlocked: lock.folder === null,
      after: earlier && new EarlierRun(earlier, client),
      quick: quickPartOf(suite, selection),
      ...settings,
      signal,
    },
    journal: options.journal,
    stdio,
    lock: { ...lock, command: 'run' },
    scrub,
    progress: SILENT,
    onExchange: undefined,
  });
  await addRunToHistory(fold, journal, { flags, config: configuration.config, stdio, scrub });
  if (failure !== undefined) throw failure;
  const reportLook = { ...reportOptions(stdio.out, stdio, journal), unicode: true };
  const report = JSON.parse(scrub(await joined(jsonReport(fold, open, reportLook)))) as JsonReport;
  return { ...report, text: scrub(await joined(terminalReport(fold, open, reportLook))), journal };
}

/** A check of the value of an option, and a description of a right value. */
type Check = readonly [isRight: (value: unknown) => boolean, what: string];

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isFolder = (value: unknown): boolean =>
  typeof value === 'string' && statSync(value, { throwIfNoEntry: false })?.isDirectory() === true;
const isCount = (value: unknown, min: number): boolean => Number.isInteger(value) && Number(value) >= min;

const TEXT: Check = [isText, 'a text'];
const TEXTS: Check = [(value) => Array.isArray(value) && value.every(isText), 'a list of texts'];
const SWITCH: Check = [(value) => typeof value === 'boolean', 'true or false'];
const DURATION: Check = [
  (value) => typeof value === 'string' && readDuration(value) !== undefined,
  'a duration, such as 30s or 10m',
];

/** The checks of all options. They are needed because TypeScript does not check the types for users who write JavaScript. */
const CHECKS: Readonly<Record<keyof RunOptions, Check>> = {
  config: [(value) => isText(value) || isObject(value), 'the path of a file, or an object'],
  client: TEXT,
  select: TEXTS,
  tags: TEXTS,
  grep: TEXT,
  quick: SWITCH,
  require: TEXTS,
  labels: [(value) => isObject(value) && Object.values(Object(value)).every(isText), 'an object of texts'],
  allowSkipped: SWITCH,
  seed: TEXT,
  baseline: TEXT,
  after: TEXT,
  strict: SWITCH,
  retries: [(value) => isCount(value, 0), 'a whole number, 0 or more'],
  allowFlaky: SWITCH,
  bail: [(value) => isCount(value, 1), 'a whole number, 1 or more'],
  time: DURATION,
  raceRounds: [(value) => isCount(value, 1), 'a whole number, 1 or more'],
  lock: SWITCH,
  lockWait: DURATION,
  lockFolder: TEXT,
  production: SWITCH,
  journal: TEXT,
  history: SWITCH,
  cwd: [isFolder, 'the path of a folder that exists'],
  env: [
    (value) => isObject(value) && Object.values(Object(value)).every((one) => one === undefined || isText(one)),
    'an object of texts',
  ],
  // Test environments have their own classes for signals, so the class is not checked.
  signal: [(value) => isObject(value) && 'aborted' in Object(value), 'an AbortSignal'],
};

/** Refuses options that `run` does not know, because a misspelt option would be ignored. @throws UsageError */
function refuseWrongOptions(options: RunOptions): void {
  if (!isObject(options)) throw new UsageError('run: the options must be an object. Nothing was sent.');
  const checks = new Map<string, Check>(Object.entries(CHECKS));
  for (const [name, value] of Object.entries(options)) {
    const check = checks.get(name);
    if (!check) {
      const near = nearest(name, checks.keys());
      const help = near === undefined ? `The options are ${[...checks.keys()].join(', ')}.` : `Did you mean ${near}?`;
      throw new UsageError(`run: there is no option ${name}. ${help} Nothing was sent.`);
    }
    const [isRight, what] = check;
    if (value !== undefined && !isRight(value))
      throw new UsageError(`run: the option ${name} must be ${what}. Nothing was sent.`);
  }
}

/** Converts the options to the flags of `croupier run`. */
function flagsOf(options: RunOptions): RunFlags {
  const { client, labels, after, time, lockWait } = options;
  const { quick, require, allowSkipped, seed, strict, retries, allowFlaky, bail, raceRounds, production } = options;
  const { history, lock, lockFolder } = options;
  const flags = {
    quick,
    require,
    allowSkipped,
    seed,
    strict,
    retries,
    allowFlaky,
    bail,
    raceRounds,
    production,
    history,
    lock,
    lockFolder,
    lockWait: lockWait === undefined ? undefined : readDuration(lockWait),
    time: time === undefined ? undefined : readDuration(time),
    after: after === undefined ? undefined : [after],
    label: labels && Object.entries(labels).map(([name, text]) => `${name}=${text}`),
    client: client === undefined ? client : [client],
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function onlyOne({ clients }: Clients): ClientUnderTest {
  const [first] = clients;
  if (first && clients.length === 1) return first;
  const names = clients.map(({ extCID }) => extCID).join(', ');
  throw new UsageError(
    `The configuration has ${clients.length} clients, but run judges only one client. Set \`client\` to one of: ${names}.`,
  );
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
