import { EarlierRun } from '../../engine/after/earlier-run.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { Baseline } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import { createScrubber } from '../../journal/scrubber.ts';
import type { Report } from '../../report/options.ts';
import { callLine, exchangeLines } from '../../report/terminal/exchange.ts';
import { terminalReport } from '../../report/terminal/terminal.ts';
import { baselineOf } from '../baseline.ts';
import type { Clients, SessionSource } from '../config/clients.ts';
import { repeatFlags } from '../config/run-flags.ts';
import { withOwnSessions } from '../config/sessions-from.ts';
import { EXIT, interruptedStatus, worstStatus } from '../exit-status.ts';
import { shownPath } from '../files.ts';
import { startGithubStep } from '../github.ts';
import type { Reference } from '../reference-operator.ts';
import { fileForClient } from '../report-files.ts';
import type { Sink } from '../stdio.ts';
import { version } from '../version.ts';
import { type Assignment, assign } from './assignment.ts';
import { refuseOwingJournals } from './earlier-journals.ts';
import type { LastFailed } from './last-failed.ts';
import type { Launches } from './launches.ts';
import { type Play, type Progress, play, SILENT } from './play.ts';
import type { PreparedRun } from './prepare-run.ts';
import { publish, reportOptions, verbosityOf } from './publish.ts';

/** A prepared run, and what the run needs from its caller. */
export interface Runner {
  readonly prepared: PreparedRun;
  /** Ends the run early when it is aborted. The reason is the name of the system's signal. */
  readonly signal: AbortSignal;
  /** Ends the run without waiting for its open calls when it is aborted. The reports are written all the same. */
  readonly atOnce: AbortSignal;
  readonly startProgress: (sink: Sink) => Progress;
  readonly reference: Reference | undefined;
  readonly launches: Launches | undefined;
  /** The only scenarios to play, by ExtCID; undefined to play all chosen scenarios. */
  readonly failed?: ReadonlyMap<string, LastFailed> | undefined;
  /** The paths of the journals that were started, the latest last. */
  readonly journals: string[];
  /** Called with the ExtCID and the result after the run of each client. */
  /** Returns the text report for the client with this ExtCID; undefined for the usual report. */
  readonly reportOf?: ((extCID: string) => Report) | undefined;
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

/**
 * Judges the clients one after another.
 *
 * @returns the most severe exit status
 * @throws UsageError when the flags do not fit a client, before any call to this client is sent
 */
export async function judgeEach(runner: Runner, { clients, secrets, sources }: Clients): Promise<number> {
  const { prepared, signal } = runner;
  const { flags, stdio, reports } = prepared;
  const scrub = createScrubber(secrets);
  const statuses: number[] = [];
  const github = startGithubStep(stdio, {
    isWanted: flags.github,
    // The keys of the embedded operator are random and exist only during this run. GitHub need not hide them.
    secrets: runner.reference ? [] : secrets,
    json: flags.json === true,
  });
  // Checks the selection of every client before the first call to any of them.
  for (const configured of clients) if (configured.sessions.length > 0) assign(configured, prepared, runner);
  if (flags.journal !== undefined) await refuseOwingJournals(flags.journal, clients, stdio.cwd);
  for (const configured of clients) {
    if (signal.aborted) break;
    const client = await withSessions(configured, sources.get(configured.extCID), runner);
    if (!client) {
      statuses.push(signal.aborted ? interruptedStatus(signal) : EXIT.UNDECIDED);
      continue;
    }
    const { extCID } = client;
    const assignment = assign(client, prepared, runner);
    if (assignment.scenarios.length === 0) {
      stdio.err.write(`No scenario to run for ${extCID}.\n`);
      continue;
    }
    if (clients.length > 1) stdio.err.write(`Judging ${extCID} …\n`);
    const named = clients.length > 1 || flags.client !== undefined ? extCID : undefined;
    const played = await play(playOf(runner, assignment, repeatFlags(flags, named), scrub));
    const text = runner.reportOf?.(extCID) ?? terminalReport;
    const verbosity = verbosityOf(flags.verbose);
    const published = await publish(
      played,
      { extCID, json: flags.json === true, curl: flags.curl === true, text, verbosity, reports, scrub },
      stdio,
    );
    runner.onPlayed?.(extCID, played.fold);
    statuses.push(runner.atOnce.aborted ? interruptedStatus(signal) : played.status, ...published);
    const options = reportOptions(stdio.out, stdio, shownPath(played.journal, stdio.cwd), flags.curl);
    await github?.report(played.fold, played.open, options, scrub);
  }
  return worstStatus(statuses);
}

function playOf(
  { prepared, signal, atOnce, startProgress, reference, launches, journals }: Runner,
  { client, scenarios, selection, required, whole, quick, shard }: Assignment,
  sameFlags: readonly string[],
  scrub: (text: string) => string,
): Play {
  const { flags, settings, stdio, earlier, baselines } = prepared;
  const verbosity = verbosityOf(flags.verbose);
  const progress: Progress = verbosity > 0 && !stdio.err.tty ? SILENT : startProgress(stdio.err);
  const options = reportOptions(stdio.err, stdio, null);
  const earlierJournal = earlier.get(client.extCID);
  return {
    options: {
      croupier: version,
      client,
      scenarios,
      selection,
      flags: sameFlags,
      baseline: baselines && knownAmong(baselineOf(baselines, client.extCID), scenarios, prepared),
      required,
      whole,
      quick,
      fewerReads: true,
      watchesBalances: reference === undefined,
      shard,
      ...settings,
      campaign: settings.campaign ?? reference?.campaign ?? null,
      largeAmounts: settings.largeAmounts || reference !== undefined,
      launches: reference?.launches ?? (launches && (() => launches.requestsOf(client))),
      after: earlierJournal && new EarlierRun(earlierJournal, client),
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
            const title = callLine({ sending, received }, client.sessions);
            const text =
              verbosity === 1
                ? `${title}\n`
                : `${[options.paint.bold(title), ...exchangeLines({ sending, received }, 2, { ...options, curl: true })].join('\n')}\n\n`;
            if (progress === SILENT) stdio.err.write(scrub(text));
            else progress.print(scrub(text));
          },
  };
}

/**
 * Returns the baseline that the run is compared with. If the run plays only some of the chosen scenarios, none of its
 * known failures can count as fixed, because their scenarios may be left out.
 */
function knownAmong(baseline: Baseline, scenarios: Assignment['scenarios'], { flags, chosen }: PreparedRun): Baseline {
  if (flags.shard || chosen.every((scenario) => scenarios.includes(scenario))) return baseline;
  return { ...baseline, known: baseline.known.map((known) => ({ ...known, tried: false })) };
}
