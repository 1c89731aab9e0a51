import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { JournalEvent, RunStarted } from '../src/journal/event.ts';
import { complaintAboutEvent } from '../src/journal/event-schema.ts';
import { readJournal } from '../src/journal/read.ts';
import { CROUPIER, timeOf } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const SHARDS = 50;
const ROUNDS = 3;

/** `croupier report merge` of 50 shards, to a report without exchanges, against reading and checking every line of them once. */
export async function measureMerge(): Promise<Measurement> {
  return withFolder(async (folder) => {
    const shards = await makeShards(folder);
    const report = path.join(folder, 'report.xml');
    const [start = [], reading = [], merging = []] = await inTurn(ROUNDS, [
      () => timeOf([CROUPIER, '--version']),
      () => timeToRead(shards),
      () => timeOf([CROUPIER, 'report', 'merge', ...shards, '--to', `junit=${report}`]),
    ]);
    if (!(await readFile(report, 'utf8')).includes('failures="0"')) throw new Error('the merged run has failures');
    const merged = median(merging) - median(start);
    return {
      what: `merging ${SHARDS} shards`,
      detail: `${merged.toFixed(0)} ms besides the start, reading them once ${median(reading).toFixed(0)} ms`,
      value: merged / median(reading),
      unit: 'times',
      limit: 4,
    };
  });
}

async function timeToRead(shards: readonly string[]): Promise<number> {
  const started = performance.now();
  for (const shard of shards)
    for await (const event of readJournal(createReadStream(shard, 'utf8'), complaintAboutEvent)) void event;
  return performance.now() - started;
}

/** The journal of one run, told anew by as many shards, each with scenarios and sessions of its own. */
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
