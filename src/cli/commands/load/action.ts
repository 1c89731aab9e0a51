import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Clients, resolveClients } from '../../../app/config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { askForProduction } from '../../../app/config/production.ts';
import { repeatFlags } from '../../../app/config/run-flags.ts';
import { withOwnSessions } from '../../../app/config/sessions-from.ts';
import { embeddedOperator, refuseOtherOperators, variationsOf } from '../../../app/embedded-operator.ts';
import { UndecidedError, UsageError, worstStatus } from '../../../app/exit-status.ts';
import { reportFault } from '../../../app/fault.ts';
import { shownPath } from '../../../app/files.ts';
import { addLoadToHistory } from '../../../app/history/add-to-history.ts';
import type { JobStore } from '../../../app/history/job-store.ts';
import { databaseIn } from '../../../app/history/settings.ts';
import { refuseInputFile } from '../../../app/input-files.ts';
import { notices, openJournal, thisProcess } from '../../../app/journal-files.ts';
import { type Disturber, startDisturbing } from '../../../app/load/disturbance.ts';
import { type LoadOrder, playPart } from '../../../app/load/load-part.ts';
import { CALLS_PER_PLAYER, loadWallets } from '../../../app/load/load-players.ts';
import {
  type LoadReport,
  readLoadReports,
  writeLoadReports,
  writeLoadReportsSoFar,
} from '../../../app/load/load-reports.ts';
import {
  playInWorkers,
  type WorkerOrder,
  type WorkersEnd,
  type WorkersSettings,
} from '../../../app/load/load-workers.ts';
import { readMix } from '../../../app/load/mix-file.ts';
import { type RecordedTraffic, readTraffic } from '../../../app/load/recorded-traffic.ts';
import { settleLost } from '../../../app/load/settle-lost.ts';
import type { SharedLoad } from '../../../app/load/shared-load.ts';
import { lockForJournal } from '../../../app/lock/journal-locks.ts';
import { type LockSettings, lockSettings, NO_LOCK } from '../../../app/lock/lock-folder.ts';
import type { Reference } from '../../../app/reference-operator.ts';
import { fileForClient, refuseMissingFolder, refuseSharedFile } from '../../../app/report-files.ts';
import { refuseOwingJournals } from '../../../app/run/earlier-journals.ts';
import { reportOptions } from '../../../app/run/publish.ts';
import { type RunSettings, runSettings } from '../../../app/run/settings.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { version } from '../../../app/version.ts';
import { plural } from '../../../contract/plural.ts';
import { CONTRACT_VERSION } from '../../../contract/versions.ts';
import { hostOf } from '../../../engine/doctor/address.ts';
import type { JournalFile } from '../../../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { JOURNAL_FORMAT, type RunStarted, stopSignalOf } from '../../../journal/event.ts';
import { concludeLoad, type LoadFacts, type LoadResult } from '../../../journal/load/result.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { findHighestRate } from '../../../load/highest-rate.ts';
import { joinedFacts, type LoadPart } from '../../../load/joined-facts.ts';
import type { LoadProgress, LoadWallet } from '../../../load/load.ts';
import type { SecondOfTest } from '../../../load/measures.ts';
import { DEFAULT_MIX, type Mix } from '../../../load/mix.ts';
import { type Arrivals, highestRate } from '../../../load/schedule.ts';
import { forTerminal } from '../../../report/escape.ts';
import { loadText } from '../../../report/load/text.ts';
import { useLargeYoungHeap } from '../../heap-growth.ts';
import { endedAtOnce, type Interrupt, listenForInterrupt } from '../../interrupt.ts';
import { withDatabase } from '../../options/database.ts';
import { startProgressLine } from '../../progress.ts';
import { startThread } from '../../thread.ts';
import type { LoadFlags } from './flags.ts';

const DEFAULT_DURATION_MS = 60_000;
/** Default duration of one step of a search for the highest rate. */
const STEP_DURATION_MS = 10_000;
/** In calls per second. A higher rate against another machine needs `--allow-load`. */
const MAX_REMOTE_RATE = 100;
/** The usual mix if no campaign is configured. So if a mix has free rounds, a file asks for them. */
const WITHOUT_FREE_ROUNDS: Mix = { ...DEFAULT_MIX, freeRounds: 0 };
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;

/**
 * `croupier load`: sends calls to operators at a given rate, and compares every balance. All flags and files are checked before
 * the first request.
 *
 * @returns the exit status
 */
export async function loadCommand(flags: LoadFlags, given: Stdio): Promise<number> {
  const stdio = withDatabase(given, flags.database);
  if (flags.join) {
    const { joinCommand } = await import('./join.ts');
    return joinCommand(flags, stdio);
  }
  useLargeYoungHeap();
  refuseFlags(flags);
  const variations = variationsOf(flags);
  const recorded = flags.like === undefined ? undefined : await readTraffic(flags.like, stdio.cwd);
  const arrivals = arrivalsOf(flags, recorded);
  const reports = readLoadReports(flags.report ?? [], '--report');
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const hasCampaign = flags.reference === true || settings.campaign !== null;
  const mix = readMix(flags.mix, stdio, recorded?.mix ?? (hasCampaign ? DEFAULT_MIX : WITHOUT_FREE_ROUNDS));
  const clients = await clientsOf(flags, configuration, stdio);
  if (clients.diagnostics.length > 0) throw diagnosticsError(clients.diagnostics);
  if (flags.json && clients.clients.length > 1)
    throw new UsageError(
      `--json prints only one result, but the configuration has ${clients.clients.length} clients. Choose one with --client.`,
    );
  if (flags.database !== undefined && clients.clients.length > 1)
    throw new UsageError(
      `--database starts a load for one client, but the configuration has ${clients.clients.length}. Choose one with --client.`,
    );
  refuseFiles(reports, flags.journal, clients.clients.length, stdio.cwd);
  refuseHeavyLoad(clients.clients, arrivals, flags);
  if (!hasCampaign && mix.freeRounds > 0) stdio.err.write(missingCampaign(mix.freeRounds));
  await askForProduction(clients.clients, flags, stdio);
  const journals: string[] = [];
  const reference = await embeddedOperator(flags, variations, settings, stdio);
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: croupier completes the open rounds, and compares every balance. Interrupt again to end at once.\n',
    () => endedAtOnce(journals.at(-1), { isEmbedded: reference !== undefined, stdio }),
  );
  try {
    const loader: Loader = {
      flags,
      settings,
      arrivals,
      mix,
      reports,
      configuration,
      stdio,
      interrupt,
      reference,
      journals,
      lock: flags.reference ? NO_LOCK : lockSettings(configuration, flags, stdio),
    };
    return await loadEach(
      loader,
      reference ? { ...clients, clients: [reference.client], secrets: reference.secrets } : clients,
    );
  } finally {
    interrupt.dispose();
    await reference?.close();
  }
}

/** Says that players play no free rounds, although the file of `--mix` or `--like` has some. */
function missingCampaign(freeRounds: number): string {
  return `The mix has free rounds (${freeRounds} %), but no campaign is configured, so the players play none. To play them, name a campaign of the operator in croupier.yaml: freeRounds: { frID: … }\n`;
}

interface Loader {
  readonly flags: LoadFlags;
  readonly settings: RunSettings;
  readonly arrivals: Arrivals;
  readonly mix: Mix;
  readonly reports: readonly LoadReport[];
  readonly configuration: Configuration;
  readonly stdio: Stdio;
  readonly interrupt: Interrupt;
  readonly reference: Reference | undefined;
  readonly lock: LockSettings;
  /** The paths of the journals that were started, the latest last. */
  readonly journals: string[];
}

/** Refuses flags that contradict each other, and flags that need another flag, which is missing. */
function refuseFlags(flags: LoadFlags): void {
  const { rate, ramp, closed, findLimit, like, speed, duration, disturb, every } = flags;
  if (flags.database !== undefined && flags.reference)
    throw new UsageError(
      '--reference and --database cannot be combined, because only this process can reach the embedded operator.',
    );
  if (duration === 0) throw new UsageError('--duration 0 sends nothing. Write a duration such as --duration 30s.');
  if (every === 0) throw new UsageError('--every 0 is too short. Write a time such as --every 20s.');

  const given = [
    rate !== undefined && '--rate',
    ramp && '--ramp',
    closed !== undefined && '--closed',
    findLimit && '--find-limit',
    like !== undefined && '--like',
  ].filter(Boolean);
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot be combined. Choose one of them.`);
  if (given.length === 0)
    throw new UsageError(
      "The load is missing. Give a rate such as --rate 50 (calls per second), --ramp 10..200 or --closed 8 (players), or search for the highest one with --find-limit 'p99 < 300ms'.",
    );
  if (speed !== undefined && like === undefined) throw new UsageError('--speed needs --like JOURNAL.');
  if ((disturb === undefined) !== (every === undefined))
    throw new UsageError(
      `${disturb === undefined ? '--every needs --disturb COMMAND' : '--disturb needs --every DURATION'}. Write both, as in --disturb './restart.sh' --every 20s.`,
    );
}

/**
 * Refuses files that can't be written, or that several clients would write to. Does so before the load begins: a load test takes a
 * long time, so its results must not be lost at the end.
 */
function refuseFiles(
  reports: readonly LoadReport[],
  journal: string | undefined,
  clientCount: number,
  cwd: string,
): void {
  for (const { kind, file } of reports) {
    const flag = `--report ${kind}=${file}`;
    if (file === '-')
      throw new UsageError(
        `${flag}: the text report goes to stdout. Name a file, or write the report afterwards: croupier history open latest --to ${kind}=-`,
      );
    refuseSharedFile(file, flag, clientCount);
    refuseMissingFolder(file, flag, cwd);
  }
  if (journal !== undefined) refuseSharedFile(journal, `--journal ${journal}`, clientCount);
}

function arrivalsOf({ rate, ramp, closed, speed = 1 }: LoadFlags, recorded: RecordedTraffic | undefined): Arrivals {
  if (recorded) return { kind: 'recorded', offsets: recorded.offsets.map((ms) => ms / speed) };
  if (ramp) return { kind: 'rate', ...ramp };
  if (closed !== undefined) return { kind: 'closed', players: closed };
  // A search for the highest rate begins with a low rate. It needs more players only later, when the rate is higher.
  return { kind: 'rate', from: rate ?? 1, to: rate ?? 1 };
}

async function clientsOf(flags: LoadFlags, configuration: Configuration, stdio: Stdio): Promise<Clients> {
  if (!flags.reference) return resolveClients(configuration, flags, stdio);
  refuseOtherOperators(flags, 'judges');
  return { clients: [], secrets: [], sources: new Map(), diagnostics: [] };
}

/** Refuses a load that may hurt another machine, unless the user allows it. */
function refuseHeavyLoad(
  clients: readonly ClientUnderTest[],
  arrivals: Arrivals,
  { allowLoad, findLimit }: LoadFlags,
): void {
  if (allowLoad) return;
  const hasNoLimit = arrivals.kind === 'closed' || findLimit !== undefined;
  const isHeavy = hasNoLimit || highestRate(arrivals) > MAX_REMOTE_RATE;
  const remote = clients.find(({ integratorBaseUrl }) => !LOOPBACK.test(hostOf(integratorBaseUrl)));
  if (!isHeavy || !remote) return;
  const load = hasNoLimit
    ? `${findLimit ? '--find-limit' : '--closed'}, whose rate has no limit,`
    : `More than ${MAX_REMOTE_RATE} calls per second`;
  throw new UsageError(
    `${load} can disturb others who use ${hostOf(remote.integratorBaseUrl)}. Nothing was sent.\nIf the operator agrees to this load, add --allow-load.`,
  );
}

async function loadEach(loader: Loader, { clients, secrets, sources }: Clients): Promise<number> {
  const { flags, stdio, interrupt, arrivals, configuration } = loader;
  const statuses: number[] = [];
  for (const { extCID } of clients)
    for (const { kind, file } of loader.reports)
      refuseInputFile(path.resolve(stdio.cwd, fileForClient(file, extCID)), undefined, `--report ${kind}=${file}`);
  if (flags.journal !== undefined) await refuseOwingJournals(flags.journal, clients, stdio.cwd);
  // Checks the players of every client before the first call to any of them.
  for (const client of clients)
    if (client.sessions.length > 0)
      refuseIdleWorkers(client, loadWallets(client, arrivals, flags.players).length, flags);
  for (const configured of clients) {
    if (interrupt.signal.aborted) break;
    const { extCID } = configured;
    const client = await withOwnSessions(configured, sources.get(extCID)?.from, {
      extCID,
      dir: configuration.dir,
      env: stdio.env,
      signal: interrupt.signal,
    });
    const wallets = loadWallets(client, arrivals, flags.players);
    if (clients.length > 1) stdio.err.write(`Load for ${extCID} …\n`);
    refuseIdleWorkers(client, wallets.length, flags);
    statuses.push(await loadClient(loader, client, wallets, secrets));
  }
  return worstStatus(statuses);
}

async function loadClient(
  loader: Loader,
  client: ClientUnderTest,
  wallets: readonly LoadWallet[],
  secrets: readonly string[],
): Promise<number> {
  const scrub = createScrubber(secrets);
  const count = loader.flags.workers ?? 1;
  const { flags, settings, arrivals, mix, stdio, interrupt, reference, journals, configuration } = loader;
  const written = openJournal(flags.journal && fileForClient(flags.journal, client.extCID), 'load', {
    cwd: stdio.cwd,
    scrub,
  });
  journals.push(written.path);
  const { signal } = interrupt;
  const locks = await lockForJournal({ client, signal, command: 'load', stdio }, written, loader.lock);
  if (typeof locks === 'number') return locks;
  const journal = shownPath(written.path, stdio.cwd);
  const seed = flags.seed ?? randomBytes(4).toString('hex');
  const started = { ...startedEvent(client, settings, seed), flags: repeatFlags(flags, flags.client && client.extCID) };
  const progress = startLoadProgress(loader);
  let disturber: Disturber | undefined;
  let shared: { readonly store: JobStore; readonly load: SharedLoad } | undefined;
  try {
    written.append(started);
    for (const text of notices(client)) written.append({ event: 'notice', text });
    const start = performance.now();
    let lastNumber = 0;
    let writtenSoFar = Promise.resolve();
    const playStep = async (step: Arrivals, durationMs: number): Promise<LoadResult> => {
      const { integratorBaseUrl, integrationApiKey, paths, headers, contract } = client;
      const order: LoadOrder = {
        endpoint: { integratorBaseUrl, integrationApiKey, paths, headers, contract },
        wire: client.wire,
        wallets,
        arrivals: step,
        durationMs,
        mix,
        campaign: settings.campaign ?? reference?.campaign ?? null,
        credit: settings.credit ?? reference?.credit ?? false,
        deadlineMs: settings.deadlineMs,
        lingerMs: settings.lingerMs,
        seed,
        tracedRunID: settings.trace && started.runID,
        amounts: { stakes: settings.stakes, decimals: settings.decimals },
        numbers: { after: lastNumber, step: 1 },
        started: { runID: started.runID, startedAt: started.startedAt, client: started.client },
        originEpochMs: performance.timeOrigin + start,
        journal,
      };
      const resultOf = (
        parts: readonly LoadPart[],
        seconds: readonly SecondOfTest[],
        lost: LoadFacts['load']['workers']['lost'],
        isStopping: boolean,
      ): LoadResult => {
        const facts = joinedFacts(parts, seconds, {
          arrivals: step,
          limits: [...(flags.limit ?? []), ...(flags.findLimit ?? [])],
          interrupted: signal.aborted ? stopSignalOf(signal) : null,
          isStopping,
          disturbances: disturber?.disturbances ?? [],
          workers: { count, lost },
        });
        return { ...concludeLoad(facts), ...facts };
      };
      let hasEnded = false;
      const hooks = {
        signal,
        onInterrupted: (parts: readonly LoadPart[], seconds: readonly SecondOfTest[]) => {
          if (hasEnded || parts.length === 0) return;
          const soFar = resultOf(parts, seconds, [], true);
          writtenSoFar = writeLoadReportsSoFar(loader.reports, soFar, scrub, stdio.cwd);
        },
        onProgress: (state: LoadProgress) => progress.on(state),
        onBegin: () => {
          const { disturb: command, every: everyMs } = flags;
          if (command === undefined || everyMs === undefined) return;
          const loadStart = performance.now();
          disturber = startDisturbing({ command, everyMs }, () => performance.now() - loadStart, stdio);
        },
        onEnd: async () => disturber?.stop(),
      };
      if (flags.database !== undefined) shared ??= await startShared(started, loader, { ...hooks, count, written });
      const { parts, seconds, lost } = shared
        ? await shared.load.play(order, hooks.onInterrupted)
        : await playLoad(order, hooks, written, { count, scrub, secrets });
      hasEnded = true;
      refuseNoWorker(parts, signal);
      lastNumber = Math.max(lastNumber, ...parts.map((part) => part.lastNumber));
      return resultOf(parts, seconds, await settleLost(lost, { client, settings, written }), false);
    };
    const result = flags.findLimit
      ? await searched(playStep, wallets.length, flags)
      : await playStep(arrivals, flags.duration ?? lengthOf(arrivals));
    const { interrupted } = result.load;
    written.append({
      event: 'run-ended',
      how: interrupted === null ? 'complete' : 'interrupted',
      signal: interrupted,
      detail: null,
      durationMs: performance.now() - start,
    });
    progress.end();
    const text = flags.json
      ? `${JSON.stringify(result, null, 2)}\n`
      : loadText(result, reportOptions(stdio.out, stdio, null));
    stdio.out.write(scrub(text));
    // The reports of the finished test replace the reports so far, so they must be written after them.
    await writtenSoFar;
    const reported = await writeLoadReports(loader.reports, result, scrub, stdio);
    await addLoadToHistory(started, result, written.path, { flags, config: configuration.config, stdio, scrub });
    return worstStatus([result.exitCode, ...reported]);
  } catch (error) {
    progress.end();
    if (error instanceof UsageError || error instanceof UndecidedError) throw error;
    const status = reportFault(error, stdio);
    stdio.err.write(`Journal of all calls: ${journal}\n`);
    return status;
  } finally {
    await disturber?.stop();
    progress.end();
    await shared?.load.end();
    await shared?.store.close();
    written.close();
    locks.release();
  }
}

/** Refuses more workers than players, because each player belongs to one worker. */
function refuseIdleWorkers({ extCID }: ClientUnderTest, players: number, { workers = 1, closed }: LoadFlags): void {
  if (workers <= players) return;
  throw new UsageError(
    `--workers ${workers} needs at least ${workers} players, because each player belongs to one worker. ${closed === undefined ? `The load for ${extCID} has ${players}` : `--closed ${closed} uses ${players}`}. Nothing was sent.\nChoose --workers ${players} or less, or use more players.`,
  );
}

/** Starts a load whose workers are on other machines, and tells the user how they join. */
async function startShared(
  started: RunStarted,
  { stdio }: Loader,
  settings: Omit<Parameters<typeof SharedLoad.start>[3], 'say'>,
): Promise<{ readonly store: JobStore; readonly load: SharedLoad }> {
  const [{ JobStore }, { SharedLoad }, { openHistoryAt }, { operatorOf }] = await Promise.all([
    import('../../../app/history/job-store.ts'),
    import('../../../app/load/shared-load.ts'),
    import('../../../history/history.ts'),
    import('../../../history/operator-name.ts'),
  ]);
  const say = (text: string): void => stdio.err.write(`${forTerminal(text)}\n`);
  const store = new JobStore(() => openHistoryAt({ dir: stdio.cwd, database: databaseIn(stdio) }), say);
  await store.start(true);
  const client = { extCID: started.client.extCID, operator: operatorOf(started) };
  const load = await SharedLoad.start(store, client, started, { ...settings, say });
  const [workers, start] = settings.count === 1 ? ['a worker', 'it'] : [`${settings.count} workers`, 'each of them'];
  say(`Waiting for ${workers}. Start ${start} with the same --database: croupier load --join --database …`);
  return { store, load };
}

/** @throws UsageError if no worker has a result, so that there is nothing to report */
function refuseNoWorker(parts: WorkersEnd['parts'], signal: AbortSignal): void {
  if (parts.length > 0) return;
  if (signal.aborted) throw new UsageError('Interrupted before a worker has joined. Nothing was sent.');
  throw new UndecidedError('Every worker ended before its result, so nothing is known about the load.');
}

/** Plays a load in this thread, or in several threads. */
async function playLoad(
  order: LoadOrder,
  hooks: Pick<WorkersSettings, 'signal' | 'onProgress' | 'onBegin' | 'onEnd' | 'onInterrupted'>,
  written: JournalFile,
  { count, scrub, secrets }: { count: number; scrub: (text: string) => string; secrets: readonly string[] },
): Promise<WorkersEnd> {
  if (count === 1) {
    const part = await playPart(order, {
      ...hooks,
      scrub,
      write: (lines) => written.appendLines(lines),
      onInterrupted: (soFar) => hooks.onInterrupted([soFar], soFar.facts.seconds),
    });
    return { parts: [part], lost: [], seconds: part.facts.seconds };
  }
  const start = (own: WorkerOrder) => startThread('load-worker', own);
  return playInWorkers(order, { ...hooks, count, start, journalPath: written.path, secrets });
}

/** Returns the duration of a load for which the user gave none. A recorded load lasts until its last call. */
function lengthOf(arrivals: Arrivals): number {
  return arrivals.kind === 'recorded' ? Math.ceil((arrivals.offsets.at(-1) ?? 0) + 1) : DEFAULT_DURATION_MS;
}

/**
 * Searches for the highest rate. Returns the result of the step with the highest rate that keeps the limit, with all steps of
 * the search.
 */
async function searched(
  playStep: (step: Arrivals, durationMs: number) => Promise<LoadResult>,
  players: number,
  { duration }: LoadFlags,
): Promise<LoadResult> {
  const play = (rate: number): Promise<LoadResult> =>
    playStep({ kind: 'rate', from: rate, to: rate }, duration ?? STEP_DURATION_MS);
  const { result, search } = await findHighestRate(play, players * CALLS_PER_PLAYER);
  return { ...result, search };
}

function startedEvent(client: ClientUnderTest, settings: RunSettings, seed: string): RunStarted {
  return {
    event: 'run-started',
    format: JOURNAL_FORMAT,
    croupier: version,
    contract: client.contract ?? CONTRACT_VERSION,
    runID: randomUUID(),
    startedAt: new Date().toISOString(),
    seed,
    client: { extCID: client.extCID, integratorBaseUrl: client.integratorBaseUrl },
    selection: [],
    whole: false,
    planHash: '',
    settings: {
      deadlineMs: settings.deadlineMs,
      lingerMs: settings.lingerMs,
      strict: false,
      workers: 1,
      ...(settings.trace && { trace: true }),
      sessions: client.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
        sessionID,
        player: player ?? null,
        currency: currency ?? null,
        gameID: gameID ?? null,
        state: state ?? 'active',
      })),
    },
    scenarios: [],
    source: 'load',
    process: thisProcess(),
  };
}

/** Shows the load in one line: rate, p99, errors and wrong balances. */
function startLoadProgress({ stdio }: Loader): { on(progress: LoadProgress): void; end(): void } {
  let latest = '';
  const line = startProgressLine(stdio.err, () => latest);
  return {
    on: (progress) => {
      latest = progressText(progress);
    },
    end: () => line.end(),
  };
}

function progressText({ phase, last, errors, asked, elapsedMs, moneyProblems }: LoadProgress): string {
  if (phase === 'opening') return 'reading the opening balances';
  const parts = [
    phase === 'closing' ? 'completing open rounds, comparing balances' : `${Math.round(elapsedMs / 1000)} s`,
    ...(asked === null || phase === 'closing' ? [] : [`asked ${Math.round(asked)}/s`]),
    ...(last ? [`got ${last.sent}/s`] : []),
    ...(last?.p99 == null ? [] : [`p99 ${last.p99.toFixed(1)} ms`]),
    plural(errors, 'error'),
    plural(moneyProblems, 'wrong balance'),
  ];
  return parts.join(' · ');
}
