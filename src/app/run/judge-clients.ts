import { Mutex } from 'async-mutex';
import { plural } from '../../contract/plural.ts';
import { EarlierRun } from '../../engine/after/earlier-run.ts';
import { Pace } from '../../engine/calls/pace.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { Baseline } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import { EchoedSignatures, withoutSignatures } from '../../journal/secrets/echoed-signatures.ts';
import { createScrubber } from '../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../report/escape.ts';
import type { Report } from '../../report/options.ts';
import { breachLine, callLine, exchangeLines } from '../../report/terminal/exchange.ts';
import { columnsOf, padEnd } from '../../report/terminal/layout.ts';
import { terminalReport } from '../../report/terminal/terminal.ts';
import { baselineOf } from '../baseline.ts';
import type { Clients, SessionSource } from '../config/clients.ts';
import { repeatFlags } from '../config/run-flags.ts';
import { withOwnSessions } from '../config/sessions-from.ts';
import { EXIT, interruptedStatus, worstStatus } from '../exit-status.ts';
import { shownPath } from '../files.ts';
import { type GithubStep, startGithubStep } from '../github.ts';
import { addRunToHistory } from '../history/add-to-history.ts';
import { pastVerdictsOf } from '../history/past-verdicts.ts';
import { isHistoryWanted, retentionOf } from '../history/settings.ts';
import { operatorOf, playedNames } from '../lock/player-locks.ts';
import type { Reference } from '../reference-operator.ts';
import { fileForClient } from '../report-files.ts';
import { ownScenarios } from '../selection.ts';
import type { Sink } from '../stdio.ts';
import { version } from '../version.ts';
import { type Assignment, assign } from './assignment.ts';
import { ClientTurns } from './client-turns.ts';
import { digestsOf } from './digests.ts';
import { refuseOwingJournals } from './earlier-journals.ts';
import type { LastFailed } from './last-failed.ts';
import type { Launches } from './launches.ts';
import { type Play, type Played, type Progress, play, SILENT } from './play.ts';
import type { PreparedRun } from './prepare-run.ts';
import { publish, publishSoFar, reportOptions, verbosityOf } from './publish.ts';
import type { RunLease } from './run-lease.ts';

/** A prepared run, and what the run needs from its caller. */
export interface Runner {
  readonly prepared: PreparedRun;
  /** Is aborted to end the run early. Its `reason` is the name of the process signal, such as `SIGINT`. */
  readonly signal: AbortSignal;
  /** If this signal is aborted, the run ends without waiting for its open calls. The reports are still written. */
  readonly atOnce: AbortSignal;
  /** Shows the progress of a client. The name of the client is undefined if the run has only one. */
  readonly startProgress: (sink: Sink, name: string | undefined) => Progress;
  readonly reference: Reference | undefined;
  readonly launches: Launches | undefined;
  /** The lease of a worker of the fleet; undefined if no worker has started this run. */
  readonly lease?: RunLease | undefined;
  /** The scenarios to play, by ExtCID. Undefined: all chosen scenarios are played. */
  readonly failed?: ReadonlyMap<string, LastFailed> | undefined;
  /** The paths of the journals that were started, the latest last. */
  readonly journals: string[];
  /** Returns the text report for the client with this ExtCID; undefined for the usual report. */
  readonly reportOf?: ((extCID: string) => Report) | undefined;
  /** Is called after the run of each client, with its ExtCID and its result. */
  readonly onPlayed?: ((extCID: string, fold: Fold) => void) | undefined;
}

/**
 * Returns the client with the sessions that it launches or that its source opens. If the client launched no game,
 * prints a message and returns undefined.
 */
async function withSessions(
  client: ClientUnderTest,
  source: SessionSource | undefined,
  { launches, prepared: { configuration, stdio }, signal }: Runner,
): Promise<ClientUnderTest | undefined> {
  const { extCID } = client;
  if (launches) {
    const sessions = await launches.sessionsOf(client);
    if (sessions.length > 0 && !signal.aborted) return { ...client, sessions };
    stdio.err.write(`${extCID} launched no game, so nothing was judged.\n`);
    return undefined;
  }
  return withOwnSessions(client, source?.from, { extCID, dir: configuration.dir, env: stdio.env, signal });
}

/** Maximum number of clients that are judged in parallel. */
const MAX_CLIENTS = 4;

/** The result of one client, for the last lines of a run of several clients. */
interface ClientResult {
  readonly extCID: string;
  readonly status: number;
  /** The first line of the report, or the reason why there is none. */
  readonly line: string;
}

/**
 * Judges the clients, in parallel if they share no player. Prints each report as a whole.
 *
 * @returns the most severe exit status
 * @throws UsageError when the flags do not fit a client, before any call to this client is sent
 */
export async function judgeEach(runner: Runner, clientsToJudge: Clients): Promise<number> {
  const { prepared, launches } = runner;
  const { clients, secrets } = clientsToJudge;
  const { flags, stdio } = prepared;
  const github = startGithubStep(stdio, {
    isWanted: flags.github,
    // The keys of the embedded operator are random and exist only during this run. So GitHub need not hide them.
    secrets: runner.reference ? [] : secrets,
    json: flags.json === true,
  });
  // `assign` throws an error if a client has too few players or no scenario. So croupier calls it for all clients before the first
  // call to any operator.
  for (const configured of clients) if (configured.sessions.length > 0) assign(configured, prepared, runner);
  if (flags.journal !== undefined) await refuseOwingJournals(flags.journal, clients, stdio.cwd);
  for (const { file } of prepared.reports) await refuseOwingJournals(file, clients, stdio.cwd);
  const shared: SharedByClients = {
    github,
    scrub: createScrubber(secrets),
    // With --launches, one client plays at a time, because croupier counts the launches for one client at a time.
    turns: new ClientTurns(launches ? 1 : MAX_CLIENTS),
    output: new Mutex(),
    paces: new Map(),
    isOnly: clients.length === 1,
  };
  // If one client cannot be judged, the other clients still play to their end. Otherwise, calls that they already owe would not be
  // sent.
  const judged = await Promise.allSettled(clients.map((client) => judgeClient(client, runner, clientsToJudge, shared)));
  const failed = judged.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const results = judged.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const status = worstStatus(results.map((one) => one.status));
  if (!shared.isOnly) stdio.out.write(shared.scrub(closingLines(results, status)));
  return status;
}

/** The objects that all clients of a run use. */
interface SharedByClients {
  readonly github: GithubStep | undefined;
  readonly scrub: (text: string) => string;
  readonly turns: ClientTurns;
  /** Lets one client at a time print its report. */
  readonly output: Mutex;
  /** The limits of the calls to each operator. Several clients may belong to one operator. */
  readonly paces: Map<string, Pace>;
  readonly isOnly: boolean;
}

/** Judges one client. */
async function judgeClient(
  configured: ClientUnderTest,
  runner: Runner,
  { sources }: Clients,
  shared: SharedByClients,
): Promise<ClientResult> {
  const { prepared, signal } = runner;
  const { extCID } = configured;
  const { stdio } = prepared;
  const { turns, isOnly } = shared;
  const noSessions = (): ClientResult => ({
    extCID,
    status: signal.aborted ? interruptedStatus(signal) : EXIT.UNDECIDED,
    line: `UNDECIDED: ${extCID} launched no game, so nothing was judged.`,
  });
  const notBegun = (): ClientResult => ({
    extCID,
    status: interruptedStatus(signal),
    line: `UNDECIDED: the run was interrupted before it tested ${extCID}.`,
  });
  const judge = async (client: ClientUnderTest): Promise<ClientResult> => {
    if (signal.aborted) return notBegun();
    const assignment = assign(client, prepared, runner);
    if (assignment.scenarios.length === 0) {
      stdio.err.write(`No scenario to run for ${extCID}.\n`);
      return { extCID, status: 0, line: 'no scenario to run' };
    }
    if (!isOnly) stdio.err.write(`Judging ${extCID} …\n`);
    return playAndPublish(assignment, runner, shared);
  };
  // With --launches, the players are known only after the client's turn has begun.
  if (runner.launches)
    return turns.play([], async () => {
      if (signal.aborted) return notBegun();
      const client = await withSessions(configured, undefined, runner);
      return client ? judge(client) : noSessions();
    });
  const client = await withSessions(configured, sources.get(extCID), runner);
  return client ? turns.play(playedNames(client), () => judge(client)) : noSessions();
}

async function playAndPublish(
  assignment: Assignment,
  runner: Runner,
  { github, scrub, output, paces, isOnly }: SharedByClients,
): Promise<ClientResult> {
  const { prepared, signal, atOnce } = runner;
  const { flags, stdio, reports, settings } = prepared;
  const { client } = assignment;
  const { extCID } = client;
  const operator = operatorOf(client);
  const pace = paces.get(operator) ?? new Pace({ ...settings, now: () => performance.now(), signal });
  paces.set(operator, pace);
  const named = !isOnly || flags.client !== undefined ? extCID : undefined;
  const verbosity = verbosityOf(flags.verbose);
  const curl = flags.curl === true;
  const played = await play({
    ...playOf(runner, assignment, { sameFlags: repeatFlags(flags, named), scrub, pace, isOnly }),
    onInterrupted: async (soFar) => {
      await publishSoFar(soFar, { extCID, curl, isOnly, verbosity, reports, scrub }, stdio);
      const options = reportOptions(stdio.out, stdio, shownPath(soFar.journal, stdio.cwd), flags.curl);
      await github?.reportSoFar(soFar.fold, soFar.open, options, scrub);
    },
  });
  // The report compares this run with the previous run. So the report must be made before `onPlayed` replaces the previous result.
  const text = runner.reportOf?.(extCID) ?? terminalReport;
  runner.onPlayed?.(extCID, played.fold);
  const isPastShown = reports.some(({ kind }) => kind === 'html') && isHistoryWanted(flags, stdio);
  const past = isPastShown ? await pastVerdictsOf(played.fold.run, stdio) : undefined;
  const published = await output.runExclusive(async () => {
    const endedAtOnce = atOnce.aborted ? interruptedStatus(signal) : undefined;
    const statuses = await publish(
      played,
      { extCID, json: flags.json === true, isOnly, endedAtOnce, curl, text, verbosity, reports, scrub, past },
      stdio,
    );
    const options = reportOptions(stdio.out, stdio, shownPath(played.journal, stdio.cwd), flags.curl);
    await github?.report(played.fold, played.open, options, scrub);
    return statuses;
  });
  const { config } = prepared.configuration;
  if (runner.lease) await handOver(played, runner.lease, { config, cwd: stdio.cwd, scrub });
  else await addRunToHistory(played.fold, played.journal, { flags, config, stdio, scrub });
  if (prepared.collector) {
    const { exportSpans } = await import('../signals/export-spans.ts');
    await exportSpans(played, prepared.collector, { stdio, scrub, signal: atOnce });
  }
  if (prepared.targets.length > 0) {
    const { notify } = await import('../signals/notify.ts');
    const options = { ...reportOptions(stdio.err, stdio, shownPath(played.journal, stdio.cwd)), scrub };
    await notify(played, prepared.targets, { options, stdio, signal: atOnce });
  }
  const own = atOnce.aborted ? interruptedStatus(signal) : played.status;
  return { extCID, status: worstStatus([own, ...published]), line: conclude(played.fold).firstLine };
}

/** Hands a finished run to the worker of the fleet, which adds it to the history. */
async function handOver(
  { fold, journal }: Played,
  lease: RunLease,
  { config, cwd, scrub }: { config: Parameters<typeof retentionOf>[0]; cwd: string; scrub: (text: string) => string },
): Promise<void> {
  // Imported only here, so that an ordinary run starts without the code of the history.
  const { finishedRun } = await import('../../history/record.ts');
  await lease.finished(finishedRun(fold, shownPath(journal, cwd), scrub), retentionOf(config));
}

/** Returns a line for each client, and a line with the exit status of the process. */
function closingLines(results: readonly ClientResult[], status: number): string {
  const width = Math.max(...results.map(({ extCID }) => columnsOf(extCID)), 0);
  const lines = results.map((one) => `${padEnd(one.extCID, width)}  ${one.status}  ${one.line}`);
  const all = `Exit status ${status}, the most severe of ${plural(results.length, 'client')}.`;
  return `\n${[...lines, all].map((line) => `${forTerminal(line)}\n`).join('')}`;
}

function playOf(
  { prepared, signal, atOnce, startProgress, reference, launches, journals, lease }: Runner,
  { client, scenarios, selection, required, whole, quick, shard, together }: Assignment,
  {
    sameFlags,
    scrub,
    pace,
    isOnly,
  }: {
    readonly sameFlags: readonly string[];
    readonly scrub: (text: string) => string;
    readonly pace: Pace;
    readonly isOnly: boolean;
  },
): Play {
  const { flags, settings, stdio, earlier, baselines, labels, suite } = prepared;
  const verbosity = verbosityOf(flags.verbose);
  const progress: Progress =
    verbosity > 0 && !stdio.err.tty ? SILENT : startProgress(stdio.err, isOnly ? undefined : client.extCID);
  const options = reportOptions(stdio.err, stdio, null);
  const baseline = baselines && knownAmong(baselineOf(baselines, client.extCID), scenarios, prepared);
  const printed = (text: string): void => {
    if (progress === SILENT) stdio.err.write(scrub(text));
    else progress.print(scrub(text));
  };
  const earlierJournal = earlier.get(client.extCID);
  const curl = flags.curl === true || options.isPublic !== true;
  const echoes = new EchoedSignatures();
  return {
    options: {
      croupier: version,
      client,
      scenarios,
      selection,
      flags: sameFlags,
      baseline,
      required,
      whole,
      ownScenarios: ownScenarios(scenarios),
      suiteChanges: suite.changes,
      digests: digestsOf({ ...together, settings, required, baseline }),
      ...labels,
      quick,
      fewerReads: true,
      watchesBalances: reference === undefined,
      isUnlocked: reference === undefined && prepared.lock.folder === null,
      shard,
      ...settings,
      campaign: settings.campaign ?? reference?.campaign ?? null,
      largeAmounts: settings.largeAmounts || reference !== undefined,
      credit: settings.credit ?? reference?.credit,
      launches: reference?.launches ?? (launches && (() => launches.requestsOf(client))),
      after: earlierJournal && new EarlierRun(earlierJournal, client),
      pace,
      gate: lease?.gate,
      signal,
    },
    atOnce,
    journal: flags.journal === undefined ? undefined : fileForClient(flags.journal, client.extCID),
    stdio,
    lock: { ...prepared.lock, command: 'run' },
    scrub,
    progress,
    onJournal: (file) => {
      journals.push(file);
    },
    onExchange:
      verbosity === 0
        ? undefined
        : (sending, received) => {
            if (!curl) for (const event of [sending, received]) echoes.add(event);
            const shown = { sending, received: curl ? received : withoutSignatures(received, echoes.all) };
            const title = callLine(shown, client.sessions);
            const text =
              verbosity === 1
                ? `${title}\n`
                : `${[options.paint.bold(title), ...exchangeLines(shown, 2, { ...options, curl })].join('\n')}\n\n`;
            printed(text);
          },
    onFinding:
      verbosity === 0
        ? undefined
        : (finding) => {
            const line = breachLine(withoutSignatures(finding, echoes.all), settings.strict, options);
            if (line !== null) printed(`${line}\n`);
          },
  };
}

/**
 * Returns the baseline that the run is compared with. If the run plays only some of the chosen scenarios, no known failure may
 * count as fixed: the scenario of the failure may be left out.
 */
function knownAmong(baseline: Baseline, scenarios: Assignment['scenarios'], { flags, chosen }: PreparedRun): Baseline {
  if (flags.shard || chosen.every((scenario) => scenarios.includes(scenario))) return baseline;
  return { ...baseline, known: baseline.known.map((known) => ({ ...known, tried: false })) };
}
