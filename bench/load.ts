import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { LoadResult } from '../src/journal/load/result.ts';
import { CROUPIER } from './command.ts';
import { MEMORY_FOLDER, withFolder } from './folder.ts';
import { type Measurement, median } from './measurement.ts';

const KEY = 'key-of-the-bench';
const CONNECTIONS = 64;
const SECONDS = 6;
const ROUNDS = 5;
/** The first seconds of a window, which do not count. */
const WARM_SECONDS = 2;
/** The length of a window in which processor time is measured. */
const CPU_SECONDS = 12;
const LINGER_MS = 200;
const PLAYERS = 1000;
const WALLET = path.join(import.meta.dirname, 'booking-wallet.ts');
const BARE_SENDER = path.join(import.meta.dirname, 'bare-sender.ts');
const AUTOCANNON = path.join(import.meta.dirname, 'autocannon.ts');
const REPORTER = path.join(import.meta.dirname, 'peak-reporter.js');
const CPU_REPORTER = path.join(import.meta.dirname, 'cpu-reporter.ts');
/**
 * Compares the judged calls per second with the calls per second of autocannon, which sends calls with the same bytes to the same
 * wallet. Short windows of both follow each other, so that other work of the machine slows both alike. The first seconds of each
 * window are left out, because V8 compiles the code then.
 */
export async function measureLoadRate(): Promise<Measurement> {
  const rates: { croupier: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const flags = ['--closed', String(CONNECTIONS), '--duration', `${SECONDS}s`];
    const croupier = await withWallet((_, folder) => load(folder, flags), MEMORY_FOLDER);
    rates.push({
      croupier: steadyRate(croupier.seconds.map(({ sent }) => sent)),
      bare: steadyRate(await withWallet((url, folder) => autocannon(url, folder))),
    });
  }
  const croupier = median(rates.map((one) => one.croupier));
  const bare = median(rates.map((one) => one.bare));
  return {
    what: 'judged calls a second, against autocannon',
    detail: `${croupier.toFixed(0)}/s, autocannon ${bare.toFixed(0)}/s`,
    value: median(rates.map((one) => one.bare / one.croupier)),
    unit: 'times',
    limit: 1 / 0.7,
  };
}

/** Returns the calls per second of the whole seconds after the first ones. */
function steadyRate(seconds: readonly number[]): number {
  const steady = seconds.slice(WARM_SECONDS, SECONDS);
  return steady.reduce((sum, count) => sum + count, 0) / steady.length;
}

/**
 * Compares the processor time of a judged call with that of a loop that signs, sends and discards the reply. The loop closes as
 * many connections on purpose as the load test, because a new connection needs more time than a call. Both start in a process of
 * their own with the same settings of V8. The first seconds of both are left out, because V8 compiles the code then.
 */
export async function measureLoadCpu(): Promise<Measurement> {
  const times: { croupier: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { time, broken } = await withWallet((_, folder) => timeOfCall(folder), MEMORY_FOLDER);
    times.push({ croupier: time, bare: await withWallet((url, at) => bareLoop(url, at, broken)) });
  }
  const croupier = median(times.map((one) => one.croupier));
  const bare = median(times.map((one) => one.bare));
  return {
    what: 'processor time of a judged call',
    detail: `${croupier.toFixed(0)} µs, without judgement, account and journal ${bare.toFixed(0)} µs`,
    value: median(times.map((one) => one.croupier / one.bare)),
    unit: 'times',
    limit: 1.5,
  };
}

/**
 * Runs a load test, and measures the processor time of all its threads.
 *
 * @returns microseconds for each call, and the share of the calls whose connection was closed on purpose
 */
async function timeOfCall(folder: string): Promise<{ readonly time: number; readonly broken: number }> {
  const file = path.join(folder, 'cpu');
  const flags = ['--closed', String(CONNECTIONS), '--duration', `${CPU_SECONDS}s`];
  const result = await load(folder, flags, ['--import', `${CPU_REPORTER}?${file}`]);
  const origin = Date.parse(result.startedAt);
  const sent = await sendingTimes(path.join(folder, result.journal));
  const begin = origin + (sent.find(({ isBet }) => isBet)?.at ?? 0);
  const samples = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [at: number, used: number])
    .filter(([at]) => at >= begin + WARM_SECONDS * 1000 && at <= begin + CPU_SECONDS * 1000);
  const [[from, before], [until, after]] = [samples[0] ?? [0, 0], samples.at(-1) ?? [0, 0]];
  const calls = sent.filter(({ at }) => origin + at >= from && origin + at < until).length;
  return { time: (after - before) / calls, broken: result.brokenOnPurpose / result.rate.calls };
}

/** Returns the time of each call in the journal of a load test, in milliseconds from the start. */
async function sendingTimes(journal: string): Promise<{ readonly at: number; readonly isBet: boolean }[]> {
  const times: { at: number; isBet: boolean }[] = [];
  for await (const line of createInterface({ input: createReadStream(journal) })) {
    const [, kind, at] = /^\["([scr])",\d+,(\d+),/.exec(line) ?? [];
    if (kind !== undefined) times.push({ at: Number(at), isBet: kind === 's' });
  }
  return times;
}

/** Measures the time in which a load test of 1,000 players completes and compares everything, beyond the load. */
export async function measureLoadReconcile(): Promise<Measurement> {
  const { load: ran, money } = await withWallet((_, folder) => load(folder, ['--rate', '500', '--duration', '5s']));
  if (money.verified !== PLAYERS) throw new Error(`only ${money.verified} balances were compared`);
  return {
    what: `comparing ${PLAYERS} players`,
    detail: `${(ran.reconcileMs / 1000).toFixed(2)} s, two lingers are ${(2 * LINGER_MS) / 1000} s`,
    value: ran.reconcileMs / 1000,
    unit: 'seconds',
    limit: (2 * LINGER_MS) / 1000 + 5,
  };
}

const FEW_SECONDS = 10;
/** With this duration, a machine that sends 15,000 calls a second comes to some 10,000,000 calls. */
const MANY_SECONDS = Number(process.env.CROUPIER_BENCH_LOAD_SECONDS ?? 120);

/** Compares the maximum memory of a long load test with that of a short one. */
export async function measureLoadMemory(): Promise<Measurement> {
  const few = await withWallet((_, folder) => peakOf(folder, FEW_SECONDS));
  const many = await withWallet((_, folder) => peakOf(folder, MANY_SECONDS));
  return {
    what: `peak memory, ${many.calls} calls under load`,
    detail: `${(many.peak / 1024).toFixed(0)} MB, for ${few.calls} calls ${(few.peak / 1024).toFixed(0)} MB`,
    value: many.peak / few.peak,
    unit: 'times',
    limit: 1.2,
  };
}

async function peakOf(folder: string, seconds: number): Promise<{ readonly peak: number; readonly calls: number }> {
  const file = path.join(folder, 'peak');
  const flags = ['--closed', String(CONNECTIONS), '--duration', `${seconds}s`];
  const { rate } = await load(folder, flags, ['--import', `${REPORTER}?${file}`]);
  return { peak: Number.parseInt(readFileSync(file, 'utf8'), 10), calls: rate.calls };
}

/**
 * Starts the wallet, and writes a configuration with its address and 1,000 players to a folder.
 *
 * @param parent where the folder is made; the temporary folder of the system by default
 */
async function withWallet<T>(use: (url: string, folder: string) => Promise<T>, parent?: string): Promise<T> {
  return withFolder(async (folder) => {
    const child = spawn(process.execPath, [WALLET], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const sessions = Array.from({ length: PLAYERS }, (_, at) => ({
        sessionID: `s-${at}`,
        player: `p-${at}`,
        currency: 'EUR',
      }));
      const clients = [{ extCID: 'bench', integratorBaseUrl: url, integrationApiKey: { file: './key' }, sessions }];
      writeFileSync(path.join(folder, 'key'), KEY);
      writeFileSync(path.join(folder, 'croupier.yaml'), JSON.stringify({ clients }));
      return await use(url, folder);
    } finally {
      child.kill('SIGKILL');
    }
  }, parent);
}

async function load(folder: string, flags: readonly string[], node: readonly string[] = []): Promise<LoadResult> {
  const args = [...node, CROUPIER, 'load', '--json', '--linger', `${LINGER_MS}ms`, ...flags];
  const result = JSON.parse(await outputOf(args, folder)) as LoadResult;
  if (result.verdict === 'NOT RECONCILED') throw new Error(`a right wallet was accused: ${result.reasons.join('; ')}`);
  return result;
}

async function outputOf(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await once(child, 'close');
  return text;
}

/** Runs autocannon. @returns the calls of each second */
async function autocannon(url: string, folder: string): Promise<readonly number[]> {
  const text = await outputOf([AUTOCANNON, url, KEY, String(CONNECTIONS), String(SECONDS)], folder);
  return JSON.parse(text) as readonly number[];
}

/**
 * Signs and sends calls over the connections of a load test, and discards the replies.
 *
 * @param broken the share of the calls whose connection is closed on purpose
 * @returns microseconds of processor time for each call
 */
async function bareLoop(url: string, folder: string, broken: number): Promise<number> {
  const settings = [CONNECTIONS, CPU_SECONDS, WARM_SECONDS, broken].map(String);
  return JSON.parse(await outputOf([BARE_SENDER, url, KEY, ...settings], folder)) as number;
}
