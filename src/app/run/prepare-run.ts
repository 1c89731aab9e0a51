import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { EarlierJournal } from '../../engine/after/earlier-run.ts';
import { renderDiagnostic } from '../../scenario/yaml/diagnostic.ts';
import { type Baselines, checkBaselines, loadBaseline } from '../baseline.ts';
import { type Clients, resolveClients } from '../config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../config/configuration.ts';
import { askForProduction, movesMoney } from '../config/production.ts';
import type { RunFlags } from '../config/run-flags.ts';
import { refuseOtherOperators, variationsOf } from '../embedded-operator.ts';
import { UsageError } from '../exit-status.ts';
import { refuseInputFile } from '../input-files.ts';
import { type LockSettings, lockSettings, NO_LOCK } from '../lock/lock-folder.ts';
import {
  fileForClient,
  type ReportRequest,
  readReportRequests,
  refuseMissingFolder,
  refuseOverwriting,
  refuseSharedFile,
  writtenKind,
} from '../report-files.ts';
import { mistakesIn } from '../scenario-mistakes.ts';
import { choose, type Selection, sourcesFor, withFolders } from '../selection.ts';
import type { Collector } from '../signals/export-spans.ts';
import type { Target } from '../signals/notify.ts';
import type { Stdio } from '../stdio.ts';
import { loadSuite, type Suite, type SuiteScenario, type SuiteSource } from '../suite.ts';
import type { ChosenVariation } from '../variations.ts';
import { readEarlierJournals } from './earlier-journals.ts';
import { type RunLabels, runLabels } from './labels.ts';
import { refuseUnknownRules } from './required.ts';
import { type RunSettings, runSettings } from './settings.ts';
import { readTimings, refuseShardFlags } from './shard.ts';

/** A run before its first call: its settings are read and checked. */
export interface PreparedRun {
  readonly selection: Selection;
  readonly flags: RunFlags;
  readonly stdio: Stdio;
  readonly reports: readonly ReportRequest[];
  readonly variations: readonly ChosenVariation[];
  readonly configuration: Configuration;
  readonly settings: RunSettings;
  readonly lock: LockSettings;
  readonly sources: readonly SuiteSource[];
  readonly suite: Suite;
  /** The scenarios that the command line selected. */
  readonly chosen: readonly SuiteScenario[];
  /** The clients to judge. The list is empty for the embedded operator. */
  readonly clients: Clients;
  readonly earlier: ReadonlyMap<string, EarlierJournal>;
  /** The known failures of the baseline; undefined without `--baseline`. */
  readonly baselines: Baselines | undefined;
  /** The labels of the run. Empty if nothing is played, as with `--list`. */
  readonly labels: RunLabels;
  /** The collector that gets the spans of the run. Undefined without `--otlp`. */
  readonly collector: Collector | undefined;
  /** The addresses that get the result of each client. */
  readonly targets: readonly Target[];
  /** The time that each scenario took in an earlier run, in milliseconds, by scenario id. */
  readonly timings: ReadonlyMap<string, number>;
}

/** Reads and checks everything that a run needs. @throws UsageError for any mistake, before any call is sent */
export async function prepareRun(given: readonly string[], flags: RunFlags, stdio: Stdio): Promise<PreparedRun> {
  const reports = readReportRequests(flags.report ?? [], '--report');
  const variations = variationsOf(flags);
  refuseShardFlags(flags);
  refuseUnknownRules(flags, stdio);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const words = withFolders(given, stdio.cwd);
  const sources = sourcesFor(words, configuration, stdio.cwd);
  const suite = loadSuite(sources, stdio.cwd, randomUUID);
  const clients = await clientsOf(flags, configuration, stdio);
  const diagnostics = [...clients.diagnostics, ...mistakesIn(suite)];
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const selection: Selection = { words, tags: flags.tag ?? [], grep: flags.grep, quick: flags.quick === true };
  const chosen = choose(suite, selection, stdio.cwd);
  const prepared = {
    selection,
    flags,
    stdio,
    reports,
    variations,
    configuration,
    settings,
    sources,
    suite,
    chosen,
    clients,
  };
  const timings = await readTimings(flags, stdio);
  const earlier = isPlainList(flags) ? new Map() : await readEarlierJournals(flags.after ?? [], clients.clients, stdio);
  const everyClient = [...(configuration.config.clients ?? []), ...clients.clients].map(({ extCID }) => extCID);
  // A plain list does not resolve the clients, so the client that only a flag names is missing in `clients`.
  if (isPlainList(flags) && !flags.reference && flags.extCid !== undefined) everyClient.push(flags.extCid);
  // A baseline may name this client too. The code is loaded only if it is needed, so that other commands start faster.
  if (flags.reference && flags.baseline !== undefined)
    everyClient.push((await import('../../operator/demo.ts')).DEMO_CLIENT);
  const subjects = { suite: suite.scenarios, chosen, clients: everyClient };
  if (flags.list)
    return {
      ...prepared,
      lock: NO_LOCK,
      earlier,
      // A list needs no baseline, but refuses the same mistakes as a run.
      baselines: await loadBaseline(flags.baseline, subjects, stdio.cwd),
      labels: { labels: {}, labelHeaders: {} },
      collector: undefined,
      targets: [],
      timings,
    };
  refuseFlags(flags, reports, clients, stdio);
  const collector = flags.otlp
    ? (await import('../signals/export-spans.ts')).readCollector(flags.otlp, stdio)
    : undefined;
  // Two kinds of results are not posted, because nobody else needs them: results of the embedded operator, and results of
  // `--watch`.
  const isPosted = !flags.reference && !flags.watch && (configuration.config.notify || stdio.env.CROUPIER_NOTIFY);
  const targets = isPosted ? await (await import('../signals/notify.ts')).readTargets(configuration, stdio) : [];
  const baselines = await loadBaseline(flags.baseline, subjects, stdio.cwd);
  // The name of the embedded operator's client is not known yet.
  const names = clients.clients.length > 0 ? clients.clients.map(({ extCID }) => extCID) : [''];
  const updated = reports.filter(({ kind }) => kind === 'baseline');
  const files = names.flatMap((name) => updated.map(({ file }) => path.resolve(stdio.cwd, fileForClient(file, name))));
  await checkBaselines(files, stdio.cwd);
  refuseInputs(reports, flags.journal, names, stdio.cwd);
  if (clients.clients.length > 0 && movesMoney(chosen)) await askForProduction(clients.clients, flags, stdio);
  for (const warning of configuration.warnings) stdio.err.write(`warning: ${renderDiagnostic(warning)}\n\n`);
  const lock = flags.reference ? NO_LOCK : lockSettings(configuration, flags, stdio);
  const labels = await runLabels(configuration, flags, stdio);
  return { ...prepared, lock, earlier, baselines, labels, collector, targets, timings };
}

/**
 * True for `--list` without `--shard` and `--last-failed`. With these flags, the list also depends on sessions or on an
 * earlier run.
 */
export function isPlainList({ list, shard, lastFailed }: RunFlags): boolean {
  return list === true && shard === undefined && lastFailed === undefined;
}

/** Refuses outputs that would overwrite a configuration, a scenario, a baseline or a key. @throws UsageError */
function refuseInputs(
  reports: readonly ReportRequest[],
  journal: string | undefined,
  clients: readonly string[],
  cwd: string,
): void {
  for (const client of clients) {
    const inCwd = (file: string): string => path.resolve(cwd, fileForClient(file, client));
    for (const request of reports) {
      const { kind, file } = request;
      refuseInputFile(inCwd(file), writtenKind(request), `--report ${kind}=${file}`);
    }
    if (journal !== undefined) refuseInputFile(inCwd(journal), undefined, `--journal ${journal}`);
  }
}

async function clientsOf(flags: RunFlags, configuration: Configuration, stdio: Stdio): Promise<Clients> {
  if (flags.reference) refuseOtherOperators(flags, 'judges');
  if (flags.reference || isPlainList(flags)) return { clients: [], secrets: [], sources: new Map(), diagnostics: [] };
  return resolveClients(configuration, flags, stdio);
}

function refuseFlags(
  flags: RunFlags,
  reports: readonly ReportRequest[],
  { clients }: Clients,
  { cwd }: Pick<Stdio, 'cwd'>,
): void {
  for (const { kind, file } of reports) {
    // Each client adds its failures to a baseline.
    if (kind !== 'baseline') refuseSharedFile(file, `--report ${kind}=${file}`, clients.length);
    if (flags.journal !== undefined)
      refuseOverwriting(path.resolve(file), `--report ${kind}=${file}`, [path.resolve(flags.journal)]);
    if (file !== '-') {
      refuseMissingFolder(file, `--report ${kind}=${file}`, cwd);
      continue;
    }
    throw new UsageError(
      `--report ${kind}=-: the text report goes to stdout. Name a file, give --json for a JSON report on stdout, or convert the journal afterwards: croupier report convert JOURNAL --to ${kind}=-`,
    );
  }
  if (flags.journal !== undefined) refuseSharedFile(flags.journal, `--journal ${flags.journal}`, clients.length);
  if (flags.json && clients.length > 1) {
    throw new UsageError(
      `--json prints only one report, but ${clients.length} clients are judged. Choose one with --client, or use --report json=report-{client}.json.`,
    );
  }
}
