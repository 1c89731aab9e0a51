import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { CROUPIER } from './command.ts';
import { withFolder } from './folder.ts';
import { type Measurement, median } from './measurement.ts';

const ROUNDS = 3;
const CALLS = 400_000;
const SESSIONS = 2000;

/** Compares `croupier incident` for one session of a large log with reading the lines and parsing their JSON. */
export async function measureIncident(): Promise<Measurement> {
  return await withFolder(async (folder) => {
    const file = path.join(folder, 'wallet.log');
    await writeLog(file);
    const parsing: number[] = [];
    const incident: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      parsing.push(await timeOf(async () => await parseLines(file)));
      incident.push(await timeOf(async () => await runIncident(file)));
    }
    const seconds = (times: readonly number[]) => `${(median(times) / 1000).toFixed(1)} s`;
    return {
      what: 'an incident in a log of 120 MB',
      detail: `${seconds(incident)}, reading and parsing the lines ${seconds(parsing)}`,
      value: median(incident) / median(parsing),
      unit: 'times',
      limit: 3,
    };
  });
}

async function writeLog(file: string): Promise<void> {
  const output = createWriteStream(file);
  for (let call = 0; call < CALLS; call += 1) {
    const sessionID = `s-${call % SESSIONS}`;
    const requestBody = JSON.stringify({
      amount: '5.00',
      roundID: `r-${call}`,
      sessionID,
      txID: `t-${call}`,
      type: 'regular',
    });
    const responseBody = JSON.stringify({
      balance: `${100_000 - 5 * Math.floor(call / SESSIONS)}.00`,
      txID: `w-${call}`,
    });
    const entry = {
      time: 1_795_266_187_000 + call * 5,
      method: 'POST',
      url: '/eu/bet',
      requestBody,
      status: 200,
      responseBody,
    };
    if (!output.write(`${JSON.stringify({ ...entry, durationMs: 20 })}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

async function parseLines(file: string): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) JSON.parse(line);
}

async function runIncident(file: string): Promise<void> {
  const child = spawn(process.execPath, [CROUPIER, 'incident', file, '--session', 's-7'], { stdio: 'ignore' });
  const [status]: readonly unknown[] = await once(child, 'exit');
  if (status !== 3)
    throw new Error(`croupier incident ended with ${String(status)}, and some rounds of the log are open`);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
