import { randomUUID } from 'node:crypto';
import type { EarlierJournal } from '../engine/earlier-run.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { exchangeLines } from '../report/terminal-exchange.ts';
import { renderComplaint } from '../scenario/complaint.ts';
import { type Baselines, baselineOf, loadBaseline } from './baseline.ts';
import { choose, isWhole, sourcesFor, wishText } from './choice.ts';
import { type Clients, resolveClients, type SessionSource } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration } from './configuration.ts';
import { readEarlierJournals } from './earlier-journals.ts';
import { gravestStatus } from './exit-status.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { lastWords } from './last-words.ts';
import type { Launches } from './launches.ts';
import { keepMemoryLean } from './lean-memory.ts';
import { type Play, play } from './play.ts';
import { askForProduction, movesMoney } from './production.ts';
import { type Progress, SILENT, startProgress } from './progress.ts';
import { publish, reportOptions } from './publish.ts';
import type { Reference } from './reference.ts';
import { embeddedOperator, refuseOtherOperators, variationsOf } from './reference-flags.ts';
import { fileForClient, type ReportWish, readReportWish, refuseSharedFile } from './report-flags.ts';
import type { RunFlags } from './run-flags.ts';
import { type RunSettings, runSettings } from './run-settings.ts';
import { sameOperator } from './same-operator.ts';
import type { Wish } from './selection.ts';
import { withOwnSessions } from './sessions-from.ts';
import type { Stdio } from './stdio.ts';
import { loadSuite, type Suite, type SuiteScenario } from './suite.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

/** `croupier run`. Everything is checked before the first request; after it, nothing that was gathered is lost. */
export async function runCommand(words: readonly string[], flags: RunFlags, stdio: Stdio): Promise<number> {
  keepMemoryLean();
  const wishes = (flags.report ?? []).map((text) => readReportWish(text, '--report'));
  const variations = variationsOf(flags);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const suite = loadSuite(sourcesFor(words, configuration, stdio.cwd), stdio.cwd, randomUUID);
  const clients = await clientsOf(flags, configuration, stdio);
  const complaints = [...clients.complaints, ...suite.complaints];
  if (complaints.length > 0) throw complaintsError(complaints);
  const wish: Wish = { words, tags: flags.tag ?? [], grep: flags.grep };
  const chosen = choose(suite, wish, stdio.cwd);
  if (flags.list) {
    listChosen(chosen, flags, stdio);
    return 0;
  }
  refuseFlags(flags, wishes, clients);
  const everyClient = [...(configuration.config.clients ?? []), ...clients.clients].map(({ extCID }) => extCID);
  const subjects = { suite: suite.scenarios, chosen, clients: everyClient };
  const baselines = await loadBaseline(flags.baseline, subjects, stdio.cwd);
  if (clients.clients.length > 0 && movesMoney(chosen)) await askForProduction(clients.clients, flags, stdio);
  const earlier = await readEarlierJournals(flags.after ?? [], clients.clients, stdio);
  for (const warning of configuration.warnings) stdio.err.write(`warning: ${renderComplaint(warning)}\n\n`);

  const reference = await embeddedOperator(flags, variations, settings, stdio);
  const journals: string[] = [];
  let launches: Launches | undefined;
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: what is under way is ended and given back. Once more ends at once.\n',
    () => lastWords(journals, stdio),
  );
  try {
    const runner: Runner = {
      flags,
      settings,
      stdio,
      wishes,
      suite,
      chosen,
      wish,
      interrupt,
      reference,
      launches,
      dir: configuration.dir,
      earlier,
      baselines,
      journals,
    };
    if (reference)
      return await judgeEach(runner, {
        ...clients,
        clients: [{ ...reference.client, contract: flags.contract }],
        secrets: reference.secrets,
      });
    const options = { flags, sources: clients.sources, dir: configuration.dir, signal: interrupt.signal, stdio };
    launches =
      flags.launches === undefined
        ? undefined
        : await (await import('./launches.ts')).openLaunches(clients.clients, options);
    return await judgeEach({ ...runner, launches }, clients);
  } finally {
    interrupt.dispose();
    await reference?.close();
    await launches?.close();
  }
}

interface Runner {
  readonly flags: RunFlags;
  readonly settings: RunSettings;
  readonly stdio: Stdio;
  readonly wishes: readonly ReportWish[];
  readonly suite: Suite;
  readonly chosen: readonly SuiteScenario[];
  readonly wish: Wish;
  readonly interrupt: Interrupt;
  readonly reference: Reference | undefined;
  readonly launches: Launches | undefined;
  readonly dir: string;
  readonly earlier: ReadonlyMap<string, EarlierJournal>;
  readonly baselines: Baselines | undefined;
  /** Those that were begun, the latest last. */
  readonly journals: string[];
}

async function clientsOf(flags: RunFlags, configuration: Configuration, stdio: Stdio): Promise<Clients> {
  if (flags.reference) refuseOtherOperators(flags, 'judges');
  if (flags.reference || flags.list) return { clients: [], secrets: [], sources: new Map(), complaints: [] };
  return resolveClients(configuration, flags, stdio);
}

function listChosen(chosen: readonly SuiteScenario[], flags: RunFlags, stdio: Stdio): void {
  if (flags.json) {
    const rows = chosen.map(({ id, title, place, rules, tags }) => ({ id, title, file: place.file, rules, tags }));
    stdio.out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.max(...chosen.map(({ id }) => id.length));
  for (const { id, title } of chosen) stdio.out.write(`${id.padEnd(width)}  ${title}\n`);
  stdio.err.write(`${chosen.length} scenario${chosen.length === 1 ? '' : 's'}\n`);
}

function refuseFlags(flags: RunFlags, wishes: readonly ReportWish[], { clients }: Clients): void {
  for (const { kind, file } of wishes) refuseSharedFile(file, `--report ${kind}=${file}`, clients.length);
  if (flags.journal !== undefined) refuseSharedFile(flags.journal, `--journal ${flags.journal}`, clients.length);
  if (flags.json && clients.length > 1) {
    throw new UsageError(
      `--json prints one report, and ${clients.length} clients are judged. Choose one with --client, or write --report json=report-{client}.json`,
    );
  }
}

const UNDECIDED = 3;

function statusOf({ signal }: Interrupt): number {
  return signal.reason === 'SIGTERM' ? 143 : 130;
}

/** The client with the sessions that it is judged by; undefined: there are none, and that has been said. */
async function withSessions(
  client: ClientUnderTest,
  source: SessionSource | undefined,
  { launches, dir, stdio, interrupt: { signal } }: Runner,
): Promise<ClientUnderTest | undefined> {
  const { extCID } = client;
  if (launches) {
    const sessions = await launches.sessionsOf(client);
    if (sessions.length > 0 && !signal.aborted) return { ...client, sessions };
    stdio.err.write(`${extCID} has launched no game. Nothing was judged.\n`);
    return undefined;
  }
  return withOwnSessions(client, source?.from, { extCID, dir, env: stdio.env, signal });
}

async function judgeEach(runner: Runner, { clients, secrets, sources }: Clients): Promise<number> {
  const scrub = createScrubber(secrets);
  const statuses: number[] = [];
  for (const configured of clients) {
    if (runner.interrupt.signal.aborted) break;
    const client = await withSessions(configured, sources.get(configured.extCID), runner);
    if (!client) {
      statuses.push(runner.interrupt.signal.aborted ? statusOf(runner.interrupt) : UNDECIDED);
      continue;
    }
    if (clients.length > 1) runner.stdio.err.write(`Judging ${client.extCID} …\n`);
    const named = clients.length > 1 || runner.flags.client !== undefined ? client.extCID : undefined;
    const played = await play(playOf(runner, client, sameOperator(runner.flags, named), scrub));
    statuses.push(
      played.status,
      ...(await publish(
        played,
        { extCID: client.extCID, json: runner.flags.json === true, wishes: runner.wishes, scrub },
        runner.stdio,
      )),
    );
  }
  return gravestStatus(statuses);
}

function playOf(
  { flags, settings, stdio, suite, chosen, wish, interrupt, reference, launches, earlier, baselines, journals }: Runner,
  client: Play['options']['client'],
  sameFlags: readonly string[],
  scrub: (text: string) => string,
): Play {
  const progress: Progress = flags.verbose && !stdio.err.tty ? SILENT : startProgress(stdio.err);
  const options = reportOptions(stdio.err, stdio, null);
  return {
    options: {
      croupier: version,
      client,
      scenarios: chosen,
      selection: wishText(wish),
      flags: sameFlags,
      baseline: baselines && baselineOf(baselines, client.extCID),
      whole: isWhole(suite, chosen),
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
      if (!reference) journals.push(file);
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
