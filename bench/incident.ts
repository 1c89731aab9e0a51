import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { CROUPIER } from './command.ts';
import { withFolder } from './folder.ts';
import { FORMATS, type FormatName } from './log-formats.ts';
import { type Measurement, median } from './measurement.ts';
import { sessionOf, writeWalletLog } from './wallet-log.ts';

const ROUNDS = 3;
const PLAYERS = 2000;
const CALLS = 300_000;
const FEW_CALLS = 100_000;
const PARSE_LINES = path.join(import.meta.dirname, 'parse-lines.js');
const REPORTER = path.join(import.meta.dirname, 'peak-reporter.js');

/** Compares `croupier incident` for one session of a large log with reading the lines and parsing their JSON. */
export function measureIncident(): Promise<Measurement> {
  return comparedWithParsing('an incident in a log of 120 MB', ['--session', sessionOf(7)], 3);
}

/**
 * Compares `croupier incident` for all players of a large log with reading the lines and parsing their JSON. The limit is higher than
 * that for one session: the calls of the players with a problem, 2 % of all, are read again and judged one by one. This takes as much
 * time as reading all the other calls.
 */
export function measureAllIncidents(): Promise<Measurement> {
  return comparedWithParsing('all incidents in a log of 120 MB', [], 4);
}

/** Compares the time of the processors, which other work of the machine changes less than the time until the end. */
async function comparedWithParsing(what: string, flags: readonly string[], limit: number): Promise<Measurement> {
  return await withFolder(async (folder) => {
    const file = path.join(folder, 'wallet.log');
    await writeWalletLog(file, { calls: CALLS, players: PLAYERS });
    const parsing: number[] = [];
    const incident: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      parsing.push((await runMeasured([PARSE_LINES, file], folder)).cpuMs);
      incident.push((await runIncident(file, folder, flags)).cpuMs);
    }
    const seconds = (times: readonly number[]) => `${(median(times) / 1000).toFixed(2)} s`;
    return {
      what,
      detail: `${seconds(incident)} of the processors, reading and parsing the lines ${seconds(parsing)}`,
      value: median(incident) / median(parsing),
      unit: 'times',
      limit,
    };
  });
}

const FORMAT_CALLS = 100_000;

/**
 * Measures the time of the processors for a gigabyte of each format. The value is that of the slowest format. The logs are much
 * smaller than a gigabyte, so the start of the program counts too much.
 */
export async function measureIncidentFormats(): Promise<Measurement> {
  const names = Object.keys(FORMATS) as FormatName[];
  const found: { readonly name: FormatName; readonly seconds: number }[] = [];
  for (const name of names) found.push({ name, seconds: await secondsPerGigabyte(name) });
  const slowest = found.toSorted((a, b) => b.seconds - a.seconds);
  return {
    what: 'all incidents in a gigabyte, slowest format',
    detail: slowest.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', '),
    value: slowest[0]?.seconds ?? Number.NaN,
    unit: 'seconds',
    limit: 120,
  };
}

async function secondsPerGigabyte(format: FormatName): Promise<number> {
  return await withFolder(async (folder) => {
    const file = path.join(folder, 'wallet.log');
    await writeWalletLog(file, { calls: FORMAT_CALLS, players: PLAYERS }, format);
    const { cpuMs } = await runIncident(file, folder);
    return cpuMs / 1000 / ((await stat(file)).size / 1e9);
  });
}

/** Measures the maximum memory of `croupier incident` for a large log, compared with a smaller log of the same
 * players. The calls of players with a problem are listed, up to 10,000. */
export async function measureIncidentMemory(): Promise<Measurement> {
  const [few, many] = [await peakOf(FEW_CALLS), await peakOf(CALLS)];
  return {
    what: `peak memory, a log of ${CALLS} calls`,
    detail: `${megabytes(many)}, for ${FEW_CALLS} calls ${megabytes(few)}`,
    value: many / few,
    unit: 'times',
    limit: 1.6,
  };
}

/** Returns the maximum memory in kilobytes. */
async function peakOf(calls: number): Promise<number> {
  return await withFolder(async (folder) => {
    const file = path.join(folder, 'wallet.log');
    await writeWalletLog(file, { calls, players: PLAYERS });
    return (await runIncident(file, folder)).peak;
  });
}

function megabytes(kilobytes: number): string {
  return `${(kilobytes / 1024).toFixed(0)} MB`;
}

/** The exit status if some players are owed a win, and if the player of a session is owed nothing. */
const EXPECTED: ReadonlySet<unknown> = new Set([0, 1]);

/** Runs `croupier incident`. */
function runIncident(file: string, folder: string, flags: readonly string[] = []): Promise<Used> {
  return runMeasured([CROUPIER, 'incident', file, ...flags], folder);
}

/** The maximum memory of a program in kilobytes, and its time of the processors. */
interface Used {
  readonly peak: number;
  readonly cpuMs: number;
}

/** Runs Node. The start of Node counts, so each of two compared programs runs in a process of its own. */
async function runMeasured(args: readonly string[], folder: string): Promise<Used> {
  const used = path.join(folder, 'used');
  const child = spawn(process.execPath, ['--import', `${REPORTER}?${used}`, ...args], { stdio: 'ignore' });
  const [status]: readonly unknown[] = await once(child, 'exit');
  if (!EXPECTED.has(status)) throw new Error(`${args.join(' ')} ended with ${String(status)}`);
  const [peak = Number.NaN, cpuMs = Number.NaN] = (await readFile(used, 'utf8')).split(' ').map(Number);
  return { peak, cpuMs };
}
