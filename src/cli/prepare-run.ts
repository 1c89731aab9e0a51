import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { EarlierJournal } from '../engine/earlier-run.ts';
import { renderComplaint } from '../scenario/complaint.ts';
import { type Baselines, loadBaseline } from './baseline.ts';
import { choose, sourcesFor } from './choice.ts';
import { type Clients, resolveClients } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration } from './configuration.ts';
import { readEarlierJournals } from './earlier-journals.ts';
import { askForProduction, movesMoney } from './production.ts';
import { refuseOtherOperators, variationsOf } from './reference-flags.ts';
import { type ReportWish, readReportWishes, refuseOverwriting, refuseSharedFile } from './report-flags.ts';
import type { RunFlags } from './run-flags.ts';
import { type RunSettings, runSettings } from './run-settings.ts';
import type { Wish } from './selection.ts';
import { readTimings, refuseShardFlags } from './shard.ts';
import type { Stdio } from './stdio.ts';
import { loadSuite, type Suite, type SuiteScenario, type SuiteSource } from './suite.ts';
import { UsageError } from './usage-error.ts';
import type { Chosen } from './variations.ts';

/** All that a run is to do, read and checked; nothing has been sent. */
export interface PreparedRun {
  readonly wish: Wish;
  readonly flags: RunFlags;
  readonly stdio: Stdio;
  readonly wishes: readonly ReportWish[];
  readonly variations: readonly Chosen[];
  readonly configuration: Configuration;
  readonly settings: RunSettings;
  readonly sources: readonly SuiteSource[];
  readonly suite: Suite;
  /** What the words and flags select. */
  readonly chosen: readonly SuiteScenario[];
  /** None where the embedded operator is judged. */
  readonly clients: Clients;
  readonly earlier: ReadonlyMap<string, EarlierJournal>;
  /** Undefined: no failure is known. */
  readonly baselines: Baselines | undefined;
  /** How long scenarios took in a former run, in ms by id. */
  readonly timings: ReadonlyMap<string, number>;
}

/**
 * Reads and checks everything that a run is told by.
 *
 * @throws UsageError for whatever is wrong with it; nothing has been sent then
 */
export async function prepareRun(words: readonly string[], flags: RunFlags, stdio: Stdio): Promise<PreparedRun> {
  const wishes = readReportWishes(flags.report ?? [], '--report');
  const variations = variationsOf(flags);
  refuseShardFlags(flags);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const sources = sourcesFor(words, configuration, stdio.cwd);
  const suite = loadSuite(sources, stdio.cwd, randomUUID);
  const clients = await clientsOf(flags, configuration, stdio);
  const complaints = [...clients.complaints, ...suite.complaints];
  if (complaints.length > 0) throw complaintsError(complaints);
  const wish: Wish = { words, tags: flags.tag ?? [], grep: flags.grep };
  const chosen = choose(suite, wish, stdio.cwd);
  const prepared = {
    wish,
    flags,
    stdio,
    wishes,
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
  if (flags.list) return { ...prepared, earlier, baselines: undefined, timings };
  refuseFlags(flags, wishes, clients);
  const everyClient = [...(configuration.config.clients ?? []), ...clients.clients].map(({ extCID }) => extCID);
  const subjects = { suite: suite.scenarios, chosen, clients: everyClient };
  const baselines = await loadBaseline(flags.baseline, subjects, stdio.cwd);
  if (clients.clients.length > 0 && movesMoney(chosen)) await askForProduction(clients.clients, flags, stdio);
  for (const warning of configuration.warnings) stdio.err.write(`warning: ${renderComplaint(warning)}\n\n`);
  return { ...prepared, earlier, baselines, timings };
}

/** What is listed may depend on the sessions, or on what was judged before. */
export function isPlainList({ list, shard, lastFailed }: RunFlags): boolean {
  return list === true && shard === undefined && lastFailed === undefined;
}

async function clientsOf(flags: RunFlags, configuration: Configuration, stdio: Stdio): Promise<Clients> {
  if (flags.reference) refuseOtherOperators(flags, 'judges');
  if (flags.reference || isPlainList(flags)) return { clients: [], secrets: [], sources: new Map(), complaints: [] };
  return resolveClients(configuration, flags, stdio);
}

function refuseFlags(flags: RunFlags, wishes: readonly ReportWish[], { clients }: Clients): void {
  for (const { kind, file } of wishes) {
    refuseSharedFile(file, `--report ${kind}=${file}`, clients.length);
    if (flags.journal !== undefined)
      refuseOverwriting(path.resolve(file), `--report ${kind}=${file}`, [path.resolve(flags.journal)]);
    if (file !== '-') continue;
    throw new UsageError(
      `--report ${kind}=-: stdout has the report for people. Name a file, write --json for the JSON report there, or convert the journal afterwards: croupier report convert JOURNAL --to ${kind}=-`,
    );
  }
  if (flags.journal !== undefined) refuseSharedFile(flags.journal, `--journal ${flags.journal}`, clients.length);
  if (flags.json && clients.length > 1) {
    throw new UsageError(
      `--json prints one report, and ${clients.length} clients are judged. Choose one with --client, or write --report json=report-{client}.json`,
    );
  }
}
