import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createJournalFile, UnwritableJournal } from '../engine/journal-file.ts';
import { conclude } from '../journal/conclusion.ts';
import { readJournal } from '../journal/read.ts';
import { misfitOf } from '../journal/shard-set.ts';
import type { OpenJournal } from '../report/options.ts';
import { whyUnreadable } from './configuration.ts';
import { journalEvents } from './journal-events.ts';
import { type MergedRun, mergeShards, type ShardJournal } from './merge-shards.ts';
import { readWishes, writeReports } from './report.ts';
import { fileForClient, refuseOverwriting } from './report-flags.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface MergeFlags {
  readonly to?: readonly string[];
  readonly out?: string;
}

const UNDECIDED = 3;

/**
 * Makes one run of the shards that it was divided into.
 *
 * @returns what the whole has come to; 3 when a shard is missing
 * @throws UsageError for journals that can't be read, or do not belong together
 */
export async function mergeCommand(journals: readonly string[], flags: MergeFlags, stdio: Stdio): Promise<number> {
  const wishes = readWishes(flags.to ?? ['terminal=-']);
  const shards: (ShardJournal & { readonly name: string })[] = [];
  for (const name of journals) shards.push(await readShard(name, stdio.cwd));
  const misfit = misfitOf(shards);
  if (misfit) {
    const text = `${misfit.reasons.join('.\n')}.\n`;
    if (misfit.kind === 'unfit') throw new UsageError(`${text}Nothing was merged: give every shard of one run once.`);
    stdio.err.write(`UNDECIDED: ${text}Nothing was merged: what is missing may have failed.\n`);
    return UNDECIDED;
  }
  const merged = await mergeShards(shards);
  const { out } = flags;
  const whole = out === undefined ? [] : [{ flag: `--out ${out}`, file: path.resolve(stdio.cwd, out) }];
  const sources = journals.map((name) => path.resolve(stdio.cwd, name));
  for (const { flag, file } of whole) refuseOverwriting(file, flag, sources);
  for (const { kind, file } of wishes) {
    const target = path.resolve(stdio.cwd, fileForClient(file, merged.fold.run.client.extCID));
    refuseOverwriting(target, `--to ${kind}=${file}`, [...sources, ...whole.map((one) => one.file)]);
  }
  if (flags.out !== undefined) await writeJournal(path.resolve(stdio.cwd, flags.out), merged, flags.out);
  await writeReports(merged, wishes, flags.out ?? null, stdio);
  return conclude(merged.fold).exitCode;
}

/** @throws UsageError when it can't be read, or is no journal */
export async function readShard(name: string, cwd: string): Promise<ShardJournal & { readonly name: string }> {
  const file = path.resolve(cwd, name);
  const read: OpenJournal = () => journalEvents(file, name);
  for await (const event of read()) {
    if (event.event === 'run-started')
      return { name, run: event, read, reread: () => readJournal(createReadStream(file, 'utf8')) };
  }
  throw new UsageError(`${name}: this is no journal of croupier, which begins with a run-started event.`);
}

async function writeJournal(file: string, { open }: MergedRun, shown: string): Promise<void> {
  try {
    // What it is made of was scrubbed when it was written.
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
