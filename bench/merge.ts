import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { mergeShards, readShard } from '../src/cli/commands/report/merge.ts';
import { conclude } from '../src/journal/conclusion.ts';
import type { JournalEvent, RunStarted } from '../src/journal/event.ts';
import { eventProblem } from '../src/journal/event-schema.ts';
import { readJournal } from '../src/journal/read.ts';
import { shardMismatch } from '../src/journal/shard-set.ts';
import { junitReport } from '../src/report/exports/junit.ts';
import { CROUPIER, timeOf } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const SHARDS = 50;
const ROUNDS = 3;

/**
 * Measures how long it takes to merge 50 shards and to write a report. Compares it with reading and checking every line
 * of the shards once.
 */
export async function measureMerge(): Promise<Measurement> {
  return withFolder(async (folder) => {
    const files = await makeShards(folder);
    const [reading = [], merging = []] = await inTurn(ROUNDS, [() => timeToRead(files), () => timeToMerge(files)]);
    return {
      what: `merging ${SHARDS} shards`,
      detail: `${median(merging).toFixed(0)} ms, reading them once ${median(reading).toFixed(0)} ms`,
      value: median(merging) / median(reading),
      unit: 'times',
      limit: 4,
    };
  });
}

async function timeToMerge(files: readonly string[]): Promise<number> {
  const started = performance.now();
  const shards = await Promise.all(files.map((name) => readShard(name, '/')));
  const mismatch = shardMismatch(shards);
  if (mismatch) throw new Error(mismatch.reasons.join('\n'));
  const { fold, open } = await mergeShards(shards);
  let length = 0;
  for await (const piece of junitReport(fold, open, { journal: null })) length += piece.length;
  if (conclude(fold).exitCode !== 0 || length === 0) throw new Error(conclude(fold).firstLine);
  return performance.now() - started;
}

async function timeToRead(shards: readonly string[]): Promise<number> {
  const started = performance.now();
  for (const shard of shards)
    for await (const event of readJournal(createReadStream(shard, 'utf8'), eventProblem)) void event;
  return performance.now() - started;
}

/** Copies the journal of one run for each shard, and gives each copy its own scenarios and sessions. */
async function makeShards(folder: string): Promise<readonly string[]> {
  const whole = path.join(folder, 'whole.ndjson');
  await timeOf(
    [CROUPIER, 'run', '--reference', 'bet', 'win', 'refund', '--linger', '20ms', '--journal', whole],
    folder,
  );
  const files: string[] = [];
  for (let index = 1; index <= SHARDS; index += 1) {
    const file = path.join(folder, `shard-${index}.ndjson`);
    const out = createWriteStream(file);
    for await (const line of createInterface({ input: createReadStream(whole) }))
      out.write(`${JSON.stringify(ofShard(JSON.parse(line) as JournalEvent, index))}\n`);
    out.end();
    await once(out, 'close');
    files.push(file);
  }
  return files;
}

function ofShard(event: JournalEvent, index: number): JournalEvent {
  const named = (id: string): string => `${id}-${index}`;
  if (event.event === 'run-started') return startOf(event, index, named);
  return 'scenario' in event && event.scenario !== null ? { ...event, scenario: named(event.scenario) } : event;
}

function startOf(run: RunStarted, index: number, named: (id: string) => string): RunStarted {
  const { planHash, seed } = run;
  const scenarios = run.scenarios.length * SHARDS;
  const divisionHash = 'bench';
  return {
    ...run,
    shard: { index, count: SHARDS, planHash, divisionHash, scenarios, players: SHARDS, whole: false, seed },
    scenarios: run.scenarios.map((scenario) => ({ ...scenario, id: named(scenario.id) })),
  };
}
