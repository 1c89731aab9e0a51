import { randomUUID } from 'node:crypto';
import { choose, isWhole, sourcesFor, wishText } from '../cli/choice.ts';
import { type Clients, resolveClients } from '../cli/clients.ts';
import type { Config } from '../cli/config-schema.ts';
import { complaintsError, configurationOf, loadConfiguration } from '../cli/configuration.ts';
import { play } from '../cli/play.ts';
import { askForProduction, movesMoney } from '../cli/production.ts';
import { SILENT } from '../cli/progress.ts';
import { reportOptions } from '../cli/publish.ts';
import type { RunFlags } from '../cli/run-flags.ts';
import { runSettings } from '../cli/run-settings.ts';
import { withOwnSessions } from '../cli/sessions-from.ts';
import { silentStdio } from '../cli/stdio.ts';
import { loadSuite } from '../cli/suite.ts';
import { UsageError } from '../cli/usage-error.ts';
import { version } from '../cli/version.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { jsonReport } from '../report/json.ts';
import type { JsonReport } from '../report/json-schema.ts';
import { terminalReport } from '../report/terminal.ts';

/** Whom to judge, by what, and how. What a key of these does not say is as at the command line. */
export interface RunOptions {
  /** A configuration file, or what one may hold. Left out: `croupier.yaml` of `cwd`. */
  readonly config?: string | Config;
  /** The ExtCID to judge, where the configuration has several. */
  readonly client?: string;
  /** Groups, rules, scenarios, files and file:line; any of them is enough. Left out: everything. */
  readonly select?: readonly string[];
  /** A scenario needs one of these. */
  readonly tags?: readonly string[];
  /** A scenario needs this text in its id or title. */
  readonly grep?: string;
  /** Repeats choices and order of an earlier run. */
  readonly seed?: string;
  /** A breach of a SHOULD counts as one of a MUST. */
  readonly strict?: boolean;
  /** How often a scenario that failed is played once more; one that passes then is flaky, and fails the run all the same. */
  readonly retries?: number;
  /** Flaky scenarios do not fail the run. */
  readonly allowFlaky?: boolean;
  /** Stops after so many failed scenarios. */
  readonly bail?: number;
  /** Says that money may be moved at an address that looks like production. */
  readonly production?: boolean;
  /** Where the journal goes, from which every other report can be made. Left out: a file of its own in `.croupier/` of `cwd`. */
  readonly journal?: string;
  /** What paths are relative to. Left out: that of the process. */
  readonly cwd?: string;
  /** Where `${NAME}` of the configuration comes from. Left out: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ends the run early and neatly: what is under way is given back. */
  readonly signal?: AbortSignal;
}

/** The JSON report of a run (`schema/report.json` describes it), and what belongs to it. */
export interface RunResult extends JsonReport {
  /** The report for people, without colours: what a failed assertion should show. */
  readonly text: string;
  /** The path of the journal. */
  readonly journal: string;
}

/**
 * Judges one client of an operator, as `croupier run` does, and prints nothing. An operator that breaks rules, or that can't be
 * reached, is a result: see `verdict`.
 *
 * @throws UsageError when it can't be done as asked: nothing was sent then, and the message says what to do
 * @throws Error for a bug of croupier's own
 */
export async function run(options: RunOptions = {}): Promise<RunResult> {
  const stdio = silentStdio(options.cwd, options.env);
  const { cwd, env } = stdio;
  const flags = flagsOf(options);
  const configuration =
    typeof options.config === 'object'
      ? await configurationOf(options.config, stdio)
      : await loadConfiguration(options.config, stdio);
  const wish = { words: options.select ?? [], tags: options.tags ?? [], grep: options.grep };
  const suite = loadSuite(sourcesFor(wish.words, configuration, cwd), cwd, randomUUID);
  const clients = await resolveClients(configuration, flags, stdio);
  const complaints = [...clients.complaints, ...suite.complaints];
  if (complaints.length > 0) throw complaintsError(complaints);
  const configured = onlyOne(clients);
  const chosen = choose(suite, wish, cwd);
  if (movesMoney(chosen)) await askForProduction([configured], flags, stdio);
  const { extCID } = configured;
  const signal = options.signal ?? new AbortController().signal;
  const from = clients.sources.get(extCID)?.from;
  const client = await withOwnSessions(configured, from, { extCID, dir: configuration.dir, env, signal });
  const scrub = createScrubber(clients.secrets);
  const { fold, open, journal, failure } = await play({
    options: {
      croupier: version,
      client,
      scenarios: chosen,
      selection: wishText(wish),
      whole: isWhole(suite, chosen),
      ...runSettings(configuration.config, flags, env),
      signal,
    },
    journal: options.journal,
    cwd,
    scrub,
    progress: SILENT,
    onExchange: undefined,
  });
  if (failure !== undefined) throw failure;
  const look = { ...reportOptions(stdio.out, stdio, journal), unicode: true };
  const report = JSON.parse(scrub(await whole(jsonReport(fold, open, look)))) as JsonReport;
  return { ...report, text: scrub(await whole(terminalReport(fold, open, look))), journal };
}

/** The options that are flags at the command line. */
function flagsOf({ client, seed, strict, retries, allowFlaky, bail, production }: RunOptions): RunFlags {
  const given = {
    seed,
    strict,
    retries,
    allowFlaky,
    bail,
    production,
    client: client === undefined ? client : [client],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function onlyOne({ clients }: Clients): ClientUnderTest {
  const [first] = clients;
  if (first && clients.length === 1) return first;
  const names = clients.map(({ extCID }) => extCID).join(', ');
  throw new UsageError(
    `The configuration has ${clients.length} clients, and one call of run judges one of them. Name it as \`client\`: ${names}.`,
  );
}

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
