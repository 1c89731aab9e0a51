import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { explore } from '../engine/explore/explore.ts';
import type { Exploration, Find } from '../engine/explore/find.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { quoteWord } from '../report/curl.ts';
import { renderComplaint } from '../scenario/complaint.ts';
import { tellFault } from './bug.ts';
import { type Clients, resolveClients } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration, shownPath, whyUnreadable } from './configuration.ts';
import { gravestStatus } from './exit-status.ts';
import type { ExploreFlags } from './explore-flags.ts';
import { exploreJson } from './explore-json.ts';
import { startExploreProgress } from './explore-progress.ts';
import { concludeSearch, exploreText, type KeptFind, textOfFind } from './explore-text.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { lastWords } from './last-words.ts';
import { keepMemoryLean } from './lean-memory.ts';
import { thisProcess } from './living-run.ts';
import { notices, openJournal } from './new-journal.ts';
import { askForProduction } from './production.ts';
import { reportOptions } from './publish.ts';
import type { Reference } from './reference.ts';
import { embeddedOperator, refuseOtherOperators, variationsOf } from './reference-flags.ts';
import { fileForClient, refuseSharedFile, writeWhole } from './report-flags.ts';
import { type RunSettings, runSettings } from './run-settings.ts';
import { sameOperator } from './same-operator.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

const UNWRITTEN_STATUS = 2;
const DEFAULT_TIME_MS = 60_000;
const DEFAULT_OUT = 'found.yaml';

/** `croupier explore`. Everything is checked before the first request; after it, nothing that was found is lost. */
export async function exploreCommand(flags: ExploreFlags, stdio: Stdio): Promise<number> {
  keepMemoryLean();
  const variations = variationsOf(flags);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const clients = await clientsOf(flags, configuration, stdio);
  if (clients.complaints.length > 0) throw complaintsError(clients.complaints);
  refuseFlags(flags, clients);
  await askForProduction(clients.clients, flags, stdio);
  for (const warning of configuration.warnings) stdio.err.write(`warning: ${renderComplaint(warning)}\n\n`);
  const reference = await embeddedOperator(flags, variations, settings, stdio);
  const journals: string[] = [];
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: what is under way is ended and given back. Once more ends at once.\n',
    () => lastWords(journals.at(-1), { isEmbedded: reference !== undefined, stdio }),
  );
  try {
    const searcher: Searcher = { flags, settings, stdio, interrupt, reference, journals };
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
  readonly stdio: Stdio;
  readonly interrupt: Interrupt;
  readonly reference: Reference | undefined;
  /** Those that were begun, the latest last. */
  readonly journals: string[];
}

async function clientsOf(flags: ExploreFlags, configuration: Configuration, stdio: Stdio): Promise<Clients> {
  if (!flags.reference) return resolveClients(configuration, flags, stdio);
  refuseOtherOperators(flags, 'searches');
  return { clients: [], secrets: [], sources: new Map(), complaints: [] };
}

function refuseFlags({ out, journal, json }: ExploreFlags, { clients }: Clients): void {
  if (out !== undefined) refuseSharedFile(out, `--out ${out}`, clients.length);
  if (journal !== undefined) refuseSharedFile(journal, `--journal ${journal}`, clients.length);
  if (json && clients.length > 1)
    throw new UsageError(
      `--json prints one answer, and ${clients.length} clients are searched. Choose one with --client`,
    );
}

async function searchEach(searcher: Searcher, { clients, secrets }: Clients): Promise<number> {
  const { flags, stdio, interrupt } = searcher;
  const scrub = createScrubber(secrets);
  const statuses: number[] = [];
  for (const client of clients) {
    if (interrupt.signal.aborted) break;
    if (clients.length > 1) stdio.err.write(`Searching ${client.extCID} …\n`);
    const named = clients.length > 1 || flags.client !== undefined ? client.extCID : undefined;
    statuses.push(...(await search(searcher, client, named, scrub)));
  }
  return gravestStatus(statuses);
}

async function search(
  searcher: Searcher,
  client: ClientUnderTest,
  named: string | undefined,
  scrub: (text: string) => string,
): Promise<readonly number[]> {
  const { flags, settings, stdio, interrupt, reference } = searcher;
  const written = openJournal(flags.journal && fileForClient(flags.journal, client.extCID), stdio.cwd, scrub);
  searcher.journals.push(written.path);
  const progress = startExploreProgress(stdio.err);
  let exploration: Exploration;
  try {
    exploration = await explore({
      croupier: version,
      client,
      flags: sameOperator(flags, named),
      ...settings,
      campaign: settings.campaign ?? reference?.campaign ?? null,
      signal: interrupt.signal,
      runs: flags.runs ?? Number.POSITIVE_INFINITY,
      timeMs: flags.time ?? (flags.runs === undefined ? DEFAULT_TIME_MS : null),
      uuid: randomUUID,
      now: () => performance.now(),
      onProgress: (told) => progress.on(told),
      record: (event) => {
        written.append(event.event === 'run-started' ? { ...event, process: thisProcess() } : event);
        if (event.event !== 'run-started') return;
        for (const text of notices(client)) written.append({ event: 'notice', text });
      },
    });
  } catch (error) {
    progress.end();
    const status = tellFault(error, stdio);
    stdio.err.write(`Everything that was sent: ${shownPath(written.path, stdio.cwd)}\n`);
    return [status];
  } finally {
    progress.end();
    written.close();
  }
  return publish(searcher, client, named, exploration, shownPath(written.path, stdio.cwd), scrub);
}

/** Prints what was found, after it was written where it was wanted. */
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
    if (wanted && !isWritten) statuses.push(UNWRITTEN_STATUS);
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
    await writeWhole(path.resolve(stdio.cwd, file), [yaml]);
    return true;
  } catch (error) {
    stdio.err.write(`The history for ${rules.join(', ')} can't be written: ${file}: ${whyUnreadable(error)}.\n`);
    return false;
  }
}

/** `found.yaml`, `found-2.yaml`, … */
function numbered(file: string, at: number): string {
  const { dir, name, ext } = path.parse(file);
  return at === 0 ? file : path.join(dir, `${name}-${at + 1}${ext}`);
}

function commandFor(file: string, flags: ExploreFlags, named: string | undefined): string {
  const strict = flags.strict ? ['--strict'] : [];
  // A name without a folder or an ending would be looked for among the groups, rules and scenarios.
  const word = /[/]|\.ya?ml$/.test(file) ? file : `./${file}`;
  return ['croupier', 'run', word, ...sameOperator(flags, named), ...strict].map(quoteWord).join(' ');
}
