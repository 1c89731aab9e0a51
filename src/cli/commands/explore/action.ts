import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Clients, resolveClients } from '../../../app/config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { askForProduction } from '../../../app/config/production.ts';
import { repeatFlags } from '../../../app/config/run-flags.ts';
import { embeddedOperator, refuseOtherOperators, variationsOf } from '../../../app/embedded-operator.ts';
import { EXIT, UsageError, worstStatus } from '../../../app/exit-status.ts';
import { reportFault } from '../../../app/fault.ts';
import { shownPath, whyUnreadable } from '../../../app/files.ts';
import { refuseInputFile } from '../../../app/input-files.ts';
import { notices, openJournal, thisProcess } from '../../../app/journal-files.ts';
import { lockForJournal } from '../../../app/lock/journal-locks.ts';
import { type LockSettings, lockSettings, NO_LOCK } from '../../../app/lock/lock-folder.ts';
import type { Reference } from '../../../app/reference-operator.ts';
import { fileForClient, refuseSharedFile, writeWhole } from '../../../app/report-files.ts';
import { refuseOwingJournals } from '../../../app/run/earlier-journals.ts';
import { pauseNotices } from '../../../app/run/pause-notice.ts';
import { reportOptions } from '../../../app/run/publish.ts';
import { type RunSettings, runSettings } from '../../../app/run/settings.ts';
import type { Sink, Stdio } from '../../../app/stdio.ts';
import { version } from '../../../app/version.ts';
import type { Exploration, ExploreProgress, Find } from '../../../engine/explore/exploration.ts';
import { explore } from '../../../engine/explore/explore.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { cutSignatures, EchoedSignatures } from '../../../journal/secrets/echoed-signatures.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { quoteWord } from '../../../report/curl.ts';
import { renderDiagnostic } from '../../../scenario/yaml/diagnostic.ts';
import { processNow } from '../../../wire/clock.ts';
import { limitHeapGrowth } from '../../heap-growth.ts';
import { endedAtOnce, type Interrupt, listenForInterrupt } from '../../interrupt.ts';
import { startProgressLine } from '../../progress.ts';
import type { ExploreFlags } from './flags.ts';
import { exploreJson } from './json.ts';
import { concludeSearch, exploreText, type KeptFind, textOfFind } from './text.ts';

const DEFAULT_TIME_MS = 60_000;
const DEFAULT_OUT = 'found.yaml';

/**
 * `croupier explore`: tests operators with generated histories. All flags and files are checked before the first request, so
 * that no result is lost because of a wrong flag or file.
 *
 * @returns the exit status
 */
export async function exploreCommand(flags: ExploreFlags, stdio: Stdio): Promise<number> {
  limitHeapGrowth();
  const variations = variationsOf(flags);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const clients = await clientsOf(flags, configuration, stdio);
  if (clients.diagnostics.length > 0) throw diagnosticsError(clients.diagnostics);
  refuseFlags(flags, clients);
  await askForProduction(clients.clients, flags, stdio);
  for (const warning of configuration.warnings) stdio.err.write(`warning: ${renderDiagnostic(warning)}\n\n`);
  const lock = flags.reference ? NO_LOCK : lockSettings(configuration, flags, stdio);
  const reference = await embeddedOperator(flags, variations, settings, stdio);
  const journals: string[] = [];
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: croupier completes or refunds the open rounds. Interrupt again to end at once.\n',
    () => endedAtOnce(journals.at(-1), { isEmbedded: reference !== undefined, stdio }),
  );
  try {
    const searcher: Searcher = { flags, settings, lock, stdio, interrupt, reference, journals };
    return await searchEach(
      searcher,
      reference ? { ...clients, clients: [reference.client], secrets: reference.secrets } : clients,
    );
  } finally {
    interrupt.dispose();
    await reference?.close();
  }
}

interface Searcher {
  readonly flags: ExploreFlags;
  readonly settings: RunSettings;
  readonly lock: LockSettings;
  readonly stdio: Stdio;
  readonly interrupt: Interrupt;
  readonly reference: Reference | undefined;
  /** The paths of the journals that were started, the latest last. */
  readonly journals: string[];
}

async function clientsOf(flags: ExploreFlags, configuration: Configuration, stdio: Stdio): Promise<Clients> {
  if (!flags.reference) return resolveClients(configuration, flags, stdio);
  refuseOtherOperators(flags, 'searches');
  return { clients: [], secrets: [], sources: new Map(), diagnostics: [] };
}

function refuseFlags({ out, journal, json }: ExploreFlags, { clients }: Clients): void {
  if (out !== undefined) refuseSharedFile(out, `--out ${out}`, clients.length);
  if (journal !== undefined) refuseSharedFile(journal, `--journal ${journal}`, clients.length);
  if (json && clients.length > 1)
    throw new UsageError(
      `--json prints only one result, but there are ${clients.length} clients. Choose one with --client.`,
    );
}

async function searchEach(searcher: Searcher, { clients, secrets }: Clients): Promise<number> {
  const { flags, stdio, interrupt } = searcher;
  const scrub = createScrubber(secrets);
  const statuses: number[] = [];
  if (flags.journal !== undefined) await refuseOwingJournals(flags.journal, clients, stdio.cwd);
  if (flags.out !== undefined) await refuseOwingJournals(flags.out, clients, stdio.cwd);
  for (const { extCID } of clients)
    if (flags.out !== undefined)
      refuseInputFile(path.resolve(stdio.cwd, fileForClient(flags.out, extCID)), 'a scenario', `--out ${flags.out}`);
  for (const client of clients) {
    if (interrupt.signal.aborted) break;
    if (clients.length > 1) stdio.err.write(`Searching ${client.extCID} …\n`);
    const named = clients.length > 1 || flags.client !== undefined ? client.extCID : undefined;
    statuses.push(...(await search(searcher, client, named, scrub)));
  }
  return worstStatus(statuses);
}

async function search(
  searcher: Searcher,
  client: ClientUnderTest,
  named: string | undefined,
  scrub: (text: string) => string,
): Promise<readonly number[]> {
  const { flags, settings, lock, stdio, interrupt, reference } = searcher;
  const written = openJournal(flags.journal && fileForClient(flags.journal, client.extCID), 'explore', {
    cwd: stdio.cwd,
    scrub,
  });
  searcher.journals.push(written.path);
  const { signal } = interrupt;
  const locks = await lockForJournal({ client, signal, command: 'explore', stdio }, written, lock);
  if (typeof locks === 'number') return [locks];
  const progress = startExploreProgress(stdio.err);
  const pauseNotice = pauseNotices();
  const echoes = new EchoedSignatures();
  let exploration: Exploration;
  try {
    exploration = await explore({
      croupier: version,
      client,
      flags: repeatFlags(flags, named),
      ...settings,
      campaign: settings.campaign ?? reference?.campaign ?? null,
      signal,
      runs: flags.runs ?? Number.POSITIVE_INFINITY,
      timeMs: flags.time ?? (flags.runs === undefined ? DEFAULT_TIME_MS : null),
      uuid: randomUUID,
      now: processNow,
      onProgress: (state) => progress.on(state),
      record: (event) => {
        echoes.add(event);
        written.append(event.event === 'run-started' ? { ...event, process: thisProcess() } : event);
        const pause = pauseNotice(event);
        if (pause !== undefined) written.append(pause);
        if (event.event !== 'run-started') return;
        for (const text of notices(client)) written.append({ event: 'notice', text });
      },
    });
  } catch (error) {
    progress.end();
    const status = reportFault(error, stdio);
    stdio.err.write(`Journal of all calls: ${shownPath(written.path, stdio.cwd)}\n`);
    return [status];
  } finally {
    written.close();
    locks.release();
    progress.end();
  }
  // An operator may write the signature of a call into a reply, and a finding may quote the reply.
  const shown = (text: string): string => scrub(cutSignatures(text, echoes.all));
  return publish(searcher, client, named, exploration, shownPath(written.path, stdio.cwd), shown);
}

/**
 * Writes the failing histories to the files of `--out`, then prints the result.
 *
 * @returns the exit statuses of the search and of failed writes
 */
async function publish(
  { flags, settings, stdio }: Searcher,
  { extCID }: ClientUnderTest,
  named: string | undefined,
  exploration: Exploration,
  journal: string,
  scrub: (text: string) => string,
): Promise<readonly number[]> {
  const { seed } = settings;
  const statuses: number[] = [];
  const kept: KeptFind[] = [];
  for (const [at, find] of exploration.finds.entries()) {
    const wanted = flags.out && numbered(fileForClient(flags.out, extCID), at);
    const command = commandFor(wanted ?? numbered(DEFAULT_OUT, at), flags, named);
    const yaml = scrub(textOfFind(find, seed, command));
    const isWritten = wanted !== undefined && wanted !== '' && (await isSaved(wanted, yaml, find, stdio));
    if (wanted && !isWritten) statuses.push(EXIT.USAGE);
    kept.push({ find, yaml, file: isWritten ? wanted : null, command });
  }
  const conclusion = concludeSearch(exploration, extCID);
  const about = { seed, journal };
  const text = flags.json
    ? exploreJson(exploration, conclusion, kept, { ...about, extCID })
    : exploreText(exploration, conclusion, kept, about, reportOptions(stdio.out, stdio, null));
  stdio.out.write(scrub(text));
  return [conclusion.exitCode, ...statuses];
}

async function isSaved(file: string, yaml: string, { rules }: Find, stdio: Stdio): Promise<boolean> {
  try {
    await writeWhole(path.resolve(stdio.cwd, file), [yaml], 'a scenario');
    return true;
  } catch (error) {
    stdio.err.write(`The history for ${rules.join(', ')} can't be written: ${file}: ${whyUnreadable(error)}.\n`);
    return false;
  }
}

/** Adds a number to the name of every file but the first: `found.yaml`, `found-2.yaml`, … */
function numbered(file: string, at: number): string {
  const { dir, name, ext } = path.parse(file);
  return at === 0 ? file : path.join(dir, `${name}-${at + 1}${ext}`);
}

function commandFor(file: string, flags: ExploreFlags, named: string | undefined): string {
  const strict = flags.strict ? ['--strict'] : [];
  // `croupier run` understands a word as a file only if the word contains a slash or ends with .yaml. Other words name a group,
  // a rule or a scenario.
  const word = /[/]|\.ya?ml$/.test(file) ? file : `./${file}`;
  return ['croupier', 'run', word, ...repeatFlags(flags, named), ...strict].map(quoteWord).join(' ');
}

/** Shows the progress of a search in one line. */
function startExploreProgress(sink: Sink): { on(progress: ExploreProgress): void; end(): void } {
  let latest = '';
  const line = startProgressLine(sink, () => latest);
  return {
    on: ({ histories, runs, broken, shortening }) => {
      const parts = [`${histories}${Number.isFinite(runs) ? `/${runs}` : ''} histories`];
      if (broken > 0) parts.push(`${broken} rule${broken === 1 ? '' : 's'} broken`);
      if (shortening !== null) parts.push(`shortening one: ${shortening} step${shortening === 1 ? '' : 's'}`);
      latest = parts.join(' · ');
    },
    end: () => line.end(),
  };
}
