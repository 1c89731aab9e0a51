import type { ClientUnderTest } from '../engine/run-options.ts';
import type { Baseline } from '../journal/baseline.ts';
import type { Fold } from '../journal/fold.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { exchangeLines } from '../report/terminal-exchange.ts';
import { type Assignment, assign } from './assignment.ts';
import { baselineOf } from './baseline.ts';
import type { Clients, SessionSource } from './clients.ts';
import { shownPath } from './configuration.ts';
import { gravestStatus } from './exit-status.ts';
import { startGithubStep } from './github.ts';
import type { Interrupt } from './interrupt.ts';
import type { LastFailed } from './last-failed.ts';
import type { Launches } from './launches.ts';
import { type Play, play } from './play.ts';
import type { PreparedRun } from './prepare-run.ts';
import { type Progress, SILENT, startProgress } from './progress.ts';
import { publish, reportOptions } from './publish.ts';
import type { Reference } from './reference.ts';
import { fileForClient } from './report-flags.ts';
import { sameOperator } from './same-operator.ts';
import { withOwnSessions } from './sessions-from.ts';
import { version } from './version.ts';

/** A run that was prepared, and what it has at hand while it is played. */
export interface Runner {
  readonly prepared: PreparedRun;
  readonly interrupt: Interrupt;
  readonly reference: Reference | undefined;
  readonly launches: Launches | undefined;
  /** By ExtCID: nothing else is played; left out: all that was chosen. */
  readonly failed?: ReadonlyMap<string, LastFailed> | undefined;
  /** Those that were begun, the latest last. */
  readonly journals: string[];
  /** Hears what a run has come to. */
  readonly onPlayed?: ((extCID: string, fold: Fold) => void) | undefined;
}

const UNDECIDED = 3;

function statusOf({ signal }: Interrupt): number {
  return signal.reason === 'SIGTERM' ? 143 : 130;
}

/** The client with the sessions that it is judged by; undefined: there are none, and that has been said. */
async function withSessions(
  client: ClientUnderTest,
  source: SessionSource | undefined,
  { launches, prepared: { configuration, stdio }, interrupt: { signal } }: Runner,
): Promise<ClientUnderTest | undefined> {
  const { extCID } = client;
  if (launches) {
    const sessions = await launches.sessionsOf(client);
    if (sessions.length > 0 && !signal.aborted) return { ...client, sessions };
    stdio.err.write(`${extCID} has launched no game. Nothing was judged.\n`);
    return undefined;
  }
  return withOwnSessions(client, source?.from, { extCID, dir: configuration.dir, env: stdio.env, signal });
}

/**
 * Judges the clients, each in its turn.
 *
 * @returns the gravest status
 * @throws UsageError when what is asked for can't be done with one of them; nothing has been sent to it then
 */
export async function judgeEach(runner: Runner, { clients, secrets, sources }: Clients): Promise<number> {
  const { prepared, interrupt } = runner;
  const { flags, stdio, wishes } = prepared;
  const scrub = createScrubber(secrets);
  const statuses: number[] = [];
  const github = startGithubStep(stdio, {
    isWanted: flags.github,
    // The keys of the embedded operator open nothing.
    secrets: runner.reference ? [] : secrets,
    json: flags.json === true,
  });
  // Whoever can't be judged as is asked for is found before anybody is.
  for (const configured of clients) if (configured.sessions.length > 0) assign(configured, prepared, runner);
  for (const configured of clients) {
    if (interrupt.signal.aborted) break;
    const client = await withSessions(configured, sources.get(configured.extCID), runner);
    if (!client) {
      statuses.push(interrupt.signal.aborted ? statusOf(interrupt) : UNDECIDED);
      continue;
    }
    const { extCID } = client;
    const assignment = assign(client, prepared, runner);
    if (assignment.scenarios.length === 0) {
      stdio.err.write(`Nothing is to be played for ${extCID}.\n`);
      continue;
    }
    if (clients.length > 1) stdio.err.write(`Judging ${extCID} …\n`);
    const named = clients.length > 1 || flags.client !== undefined ? extCID : undefined;
    const played = await play(playOf(runner, assignment, sameOperator(flags, named), scrub));
    runner.onPlayed?.(extCID, played.fold);
    const published = await publish(played, { extCID, json: flags.json === true, wishes, scrub }, stdio);
    statuses.push(played.status, ...published);
    const options = reportOptions(stdio.out, stdio, shownPath(played.journal, stdio.cwd));
    await github?.tell(played.fold, played.open, options, scrub);
  }
  github?.end();
  return gravestStatus(statuses);
}

function playOf(
  { prepared, interrupt, reference, launches, journals }: Runner,
  { client, scenarios, selection, whole, shard }: Assignment,
  sameFlags: readonly string[],
  scrub: (text: string) => string,
): Play {
  const { flags, settings, stdio, earlier, baselines } = prepared;
  const progress: Progress = flags.verbose && !stdio.err.tty ? SILENT : startProgress(stdio.err);
  const options = reportOptions(stdio.err, stdio, null);
  return {
    options: {
      croupier: version,
      client,
      scenarios,
      selection,
      flags: sameFlags,
      baseline: baselines && knownAmong(baselineOf(baselines, client.extCID), scenarios, prepared),
      whole,
      shard,
      ...settings,
      campaign: settings.campaign ?? reference?.campaign ?? null,
      largeAmounts: settings.largeAmounts || reference !== undefined,
      launches: reference?.launches ?? (launches && (() => launches.requestsOf(client))),
      after: earlier.get(client.extCID),
      signal: interrupt.signal,
    },
    journal: flags.journal === undefined ? undefined : fileForClient(flags.journal, client.extCID),
    cwd: stdio.cwd,
    scrub,
    progress,
    onJournal: (file) => {
      journals.push(file);
    },
    onExchange: flags.verbose
      ? (sending, received) => {
          const title = `${sending.id}  ${sending.scenario ?? 'outside of scenarios'}: ${sending.call}`;
          const lines = [options.paint.bold(title), ...exchangeLines({ sending, received }, 2, options)];
          const text = `${lines.join('\n')}\n\n`;
          if (progress === SILENT) stdio.err.write(scrub(text));
          else progress.print(scrub(text));
        }
      : undefined,
  };
}

/** Where less is played than was chosen, not all was tried that could show a known failure. */
function knownAmong(baseline: Baseline, scenarios: Assignment['scenarios'], { flags, chosen }: PreparedRun): Baseline {
  if (flags.shard || chosen.every((scenario) => scenarios.includes(scenario))) return baseline;
  return { ...baseline, known: baseline.known.map((known) => ({ ...known, tried: false })) };
}
