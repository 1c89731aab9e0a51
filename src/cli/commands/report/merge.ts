import { statSync } from 'node:fs';
import path from 'node:path';
import { EXIT, UsageError } from '../../../app/exit-status.ts';
import { filesBelow, shownPath, whyUnreadable } from '../../../app/files.ts';
import { startGithubStep } from '../../../app/github.ts';
import { refuseInputFile } from '../../../app/input-files.ts';
import { journalEvents, textOfFile } from '../../../app/journal-files.ts';
import { fileForClient, type ReportRequest, refuseOverwriting } from '../../../app/report-files.ts';
import { refuseOwingJournal } from '../../../app/run/earlier-journals.ts';
import { reportOptions, verbosityOf } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { createJournalFile, UnwritableJournal } from '../../../engine/run/journal-file.ts';
import { conclude } from '../../../journal/conclusion.ts';
import type { JournalEvent, RunStarted } from '../../../journal/event.ts';
import { type Fold, type FoldBuilder, startFold } from '../../../journal/fold.ts';
import { readJournal } from '../../../journal/read.ts';
import { numberOfExchange, type Offset, renumbered } from '../../../journal/renumbered.ts';
import { joinedEnd, joinedStart, type ShardEnd, shardMismatch } from '../../../journal/shard-set.ts';
import { attributeAcrossShards } from '../../../judge/attribution/attribution.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { OpenJournal } from '../../../report/options.ts';
import { shortVerdict } from '../../../report/terminal/terminal.ts';
import { readRequests, writeReports } from './convert.ts';
import type { MergeFlags } from './flags.ts';

/**
 * `croupier report merge`: merges the shards of a run. In GitHub Actions, it also writes annotations and the summary of the step.
 *
 * @param given the journals, or folders with journals
 * @returns the exit status of the whole run; 3 if a shard is missing
 * @throws UsageError when a journal can't be read, or the journals are not shards of one run
 */
export async function mergeCommand(given: readonly string[], flags: MergeFlags, stdio: Stdio): Promise<number> {
  const reports = readRequests(flags.to ?? ['terminal=-']);
  const journals = given.flatMap((name) => journalsIn(name, stdio.cwd));
  const github = startGithubStep(stdio, {
    isWanted: flags.github,
    // The journals contain no keys.
    secrets: [],
    json: reports.some(({ kind, file }) => file === '-' && kind !== 'terminal'),
  });
  const shards: (ShardJournal & { readonly name: string })[] = [];
  for (const name of journals) shards.push(await readShard(name, stdio.cwd));
  const mismatch = shardMismatch(shards);
  if (mismatch) {
    const text = `${mismatch.reasons.join('.\n')}.\n`;
    if (mismatch.kind === 'unfit')
      throw new UsageError(`${text}Nothing was merged. Give every shard of one run exactly once.`);
    github?.error('UNDECIDED: a shard is missing', text.trimEnd());
    stdio.err.write(`UNDECIDED: ${text}Nothing was merged, because a missing shard may have failed.\n`);
    return EXIT.UNDECIDED;
  }
  const merged = await mergeShards(shards);
  const { out } = flags;
  const whole = out === undefined ? [] : [{ flag: `--out ${out}`, file: path.resolve(stdio.cwd, out) }];
  const sources = journals.map((name) => path.resolve(stdio.cwd, name));
  for (const { flag, file } of whole) refuseOverwriting(file, flag, sources);
  for (const { kind, file } of reports) {
    const target = path.resolve(stdio.cwd, fileForClient(file, merged.fold.run.client.extCID));
    refuseOverwriting(target, `--to ${kind}=${file}`, [...sources, ...whole.map((one) => one.file)]);
  }
  for (const { flag, file } of whole) refuseInputFile(file, undefined, flag);
  if (flags.out !== undefined) await refuseOwingJournal(flags.out, undefined, stdio.cwd);
  if (flags.out !== undefined) await writeJournal(path.resolve(stdio.cwd, flags.out), merged, flags.out);
  const journal = flags.out ?? null;
  const verbosity = verbosityOf(flags.verbose);
  if (journal !== null)
    stdio.err.write(
      `The journal of all shards: ${forTerminal(shownPath(path.resolve(stdio.cwd, journal), stdio.cwd))}\n`,
    );
  await writeReports(merged, reports, { journal, curl: flags.curl, verbosity }, stdio);
  writeVerdict(merged.fold, reports, journal, stdio);
  // The journals contain no secrets, because secrets were removed when they were written.
  const options = reportOptions(stdio.out, stdio, journal, flags.curl);
  await github?.report(merged.fold, merged.open, options, (text) => text);
  return conclude(merged.fold).exitCode;
}

/**
 * Writes the verdict and the exit status, unless the report on stdout has both. If stdout has another report, writes them to
 * stderr.
 */
function writeVerdict(fold: Fold, reports: readonly ReportRequest[], journal: string | null, stdio: Stdio): void {
  const printed = reports.find(({ file }) => file === '-')?.kind;
  if (printed === 'terminal' || printed === 'json') return;
  const sink = printed === undefined ? stdio.out : stdio.err;
  sink.write(shortVerdict(fold, reportOptions(sink, stdio, journal)));
}

/**
 * Returns the journals in a folder and its subfolders; the name itself if it is a file. @throws UsageError if there is no
 * journal
 */
function journalsIn(name: string, cwd: string): readonly string[] {
  const folder = path.resolve(cwd, name);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [name];
  const found = filesBelow(folder).filter((file) => file.endsWith('.ndjson'));
  if (found.length === 0) throw new UsageError(`${name}: this folder has no journal (.ndjson) of a shard.`);
  return found.map((file) => path.join(name, path.relative(folder, file)));
}

/** Reads the first event of a shard's journal. @throws UsageError when the file can't be read, or is not a journal */
export async function readShard(name: string, cwd: string): Promise<ShardJournal & { readonly name: string }> {
  const file = path.resolve(cwd, name);
  const read: OpenJournal = () => journalEvents(file, name);
  for await (const event of read()) {
    if (event.event === 'run-started') return { name, run: event, read, reread: () => readJournal(textOfFile(file)) };
  }
  throw new UsageError(`${name}: this is not a journal of croupier. A journal begins with the event run-started.`);
}

async function writeJournal(file: string, { open }: MergedRun, shown: string): Promise<void> {
  try {
    // The journals of the shards contain no secrets, because secrets were removed when they were written.
    const journal = createJournalFile(file, (text) => text);
    try {
      for await (const event of open()) journal.append(event);
    } finally {
      journal.close();
    }
  } catch (error) {
    throw new UsageError(
      `The journal can't be written: ${shown}: ${whyUnreadable(error instanceof UnwritableJournal ? error.cause : error)}.`,
      { cause: error },
    );
  }
}

/** The journal of a shard, and its first event. */
export interface ShardJournal {
  readonly run: RunStarted;
  /** Reads the events and checks each one. */
  readonly read: OpenJournal;
  /** Reads the events again without checks, which takes less time. */
  readonly reread: OpenJournal;
}

/** The shards of a run, merged into one run. */
export interface MergedRun {
  readonly fold: Fold;
  /** Reads the merged journal: the events of one shard after another, with new ids and times. */
  readonly open: OpenJournal;
}

/** The facts about a shard that are known after reading its journal once. */
interface ShardPass extends ShardEnd {
  readonly reread: OpenJournal;
  readonly offset: Offset;
}

/**
 * Reads the journal of each shard once and combines the results. The memory depends on the number of scenarios, not on
 * the number of exchanges.
 *
 * @param shards all shards of one run, in any order
 */
export async function mergeShards(shards: readonly ShardJournal[]): Promise<MergedRun> {
  const ordered = shards.toSorted((a, b) => (a.run.shard?.index ?? 0) - (b.run.shard?.index ?? 0));
  const start = joinedStart(ordered.map(({ run }) => run));
  const merged = startFold();
  merged.add(start);
  const parts: ShardPass[] = [];
  const own: Fold[] = [];
  const attributions: JournalEvent[] = [];
  let exchanges = 0;
  let connections = 0;
  for (const { run, read, reread } of ordered) {
    const offset = { exchanges, connections, ms: Date.parse(run.startedAt) - Date.parse(start.startedAt) };
    const alone = startFold();
    const seen = await add(read(), { offset, merged, alone, attributions });
    exchanges = Math.max(exchanges, seen.exchanges);
    connections = Math.max(connections, seen.connections);
    parts.push({ run, ended: seen.ended, reread, offset: seen.offset });
    own.push(alone.result());
  }
  const last = [...attributeAcrossShards(own), ...attributions];
  const ended = joinedEnd(parts);
  for (const event of last) merged.add(event);
  if (ended) merged.add(ended);
  return {
    fold: merged.result(),
    open: async function* open() {
      yield start;
      for (const { reread, offset } of parts) {
        for await (const event of reread()) if (isAboutShard(event)) yield renumbered(event, offset);
      }
      yield* last;
      if (ended) yield ended;
    },
  };
}

/**
 * True for an event that the merged journal copies from a shard. It does not copy the events about a whole run, because the
 * merged journal has such events of its own.
 */
function isAboutShard({ event }: JournalEvent): boolean {
  return event !== 'run-started' && event !== 'run-ended' && event !== 'blamed';
}

interface Targets {
  readonly offset: Offset;
  readonly merged: FoldBuilder;
  readonly alone: FoldBuilder;
  readonly attributions: JournalEvent[];
}

async function add(
  events: AsyncIterable<JournalEvent> | Iterable<JournalEvent>,
  { offset, merged, alone, attributions }: Targets,
) {
  let { exchanges, connections } = offset;
  let ended: ShardEnd['ended'] = null;
  let aligned: Offset | undefined;
  for await (const event of events) {
    // Each process has its own clock. The first scenario of each shard starts almost at the beginning of the run. So the start of
    // this scenario is used to compare the clocks.
    if (event.event === 'scenario-started') aligned ??= { ...offset, ms: offset.ms - event.at };
    const here = renumbered(event, aligned ?? offset);
    if (event.event === 'blamed') attributions.push(event);
    else alone.add(event);
    if (isAboutShard(event)) merged.add(here);
    if (event.event === 'run-ended') ended = event;
    if (here.event === 'sending') exchanges = Math.max(exchanges, numberOfExchange(here.id));
    if (here.event === 'received') connections = Math.max(connections, here.connection?.id ?? 0);
  }
  return { exchanges, connections, ended, offset: aligned ?? offset };
}
