import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Pool } from 'undici';
import { NO_LOCK } from '../src/app/lock/lock-folder.ts';
import { play, SILENT } from '../src/app/run/play.ts';
import { silentStdio } from '../src/app/stdio.ts';
import { loadSuite, userSource } from '../src/app/suite.ts';
import { REPLY_DEADLINE_MS } from '../src/contract/limits.ts';
import { createScrubber } from '../src/journal/secrets/scrubber.ts';
import { type BuiltRequest, buildRequest } from '../src/wire/request.ts';
import { withFolder } from './folder.ts';
import { longScenario } from './long-scenario.ts';
import { inTurn, type Measurement, median } from './measurement.ts';
import { type ServedOperator, withOperator } from './served-operator.ts';

const EXCHANGES = 4000;
const ROUNDS = 7;

/**
 * Measures the whole cost of one exchange in a run: planning, signing, sending, writing the journal and judging.
 * Compares it with sending the same signed bytes with undici alone. The operator runs in another process.
 *
 * The detail also says the processor time, because other work of the machine changes it less than the time of the clock.
 */
export async function measureExchange(): Promise<Measurement> {
  const cpu: { readonly bare: number[]; readonly runner: number[] } = { bare: [], runner: [] };
  const [bare = [], runner = []] = await withOperator((operator) =>
    withFolder((folder) =>
      inTurn(ROUNDS, [
        () => withCpuTime(cpu.bare, () => sendBare(operator)),
        () => withCpuTime(cpu.runner, () => judge(operator, folder)),
      ]),
    ),
  );
  const each = (times: readonly number[]) => `${((median(times) / EXCHANGES) * 1000).toFixed(0)} µs`;
  return {
    what: 'one exchange of the runner',
    detail: `${each(runner)}, of it ${each(cpu.runner)} of processor time; undici alone with the same bytes ${each(bare)} and ${each(cpu.bare)}`,
    value: median(runner) / median(bare),
    unit: 'times',
    limit: 2,
  };
}

/** Adds the processor time of `thing` to a list, in milliseconds. @returns the result of `thing` */
async function withCpuTime(list: number[], thing: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const result = await thing();
  const { user, system } = process.cpuUsage(before);
  list.push((user + system) / 1000);
  return result;
}

async function judge({ extCID, baseUrl, key, session }: ServedOperator, folder: string): Promise<number> {
  const file = path.join(folder, 'scenario.yaml');
  await writeFile(file, longScenario(EXCHANGES));
  const { scenarios } = loadSuite([userSource(file, folder)], folder, randomUUID);
  const started = performance.now();
  const { status, failure } = await play({
    options: {
      croupier: 'bench',
      client: {
        extCID,
        integratorBaseUrl: baseUrl,
        integrationApiKey: key,
        paths: {},
        headers: {},
        sessions: [session],
        wire: {},
      },
      scenarios,
      selection: [],
      whole: false,
      seed: 'bench',
      strict: false,
      stakes: {},
      decimals: {},
      campaign: null,
      largeAmounts: false,
      deadlineMs: REPLY_DEADLINE_MS,
      lingerMs: 2000,
      workers: 1,
      bail: null,
      ratePerSecond: null,
      maxAtOnce: 64,
      signal: new AbortController().signal,
    },
    journal: path.join(folder, 'run.ndjson'),
    stdio: silentStdio(folder, {}),
    lock: { ...NO_LOCK, command: 'run' },
    scrub: createScrubber([key]),
    progress: SILENT,
    onExchange: undefined,
  });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`the measured run ended with status ${status}`, { cause: failure });
  return took;
}

async function sendBare(operator: ServedOperator): Promise<number> {
  const requests = signedRequests(operator);
  const pool = new Pool(new URL(operator.baseUrl).origin, { connections: 1, pipelining: 1, allowH2: false });
  const started = performance.now();
  for (const { method, url, headers, body } of requests) {
    const { pathname, search } = new URL(url);
    const reply = await pool.request({ path: `${pathname}${search}`, method, headers: headers.flat(), body });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`${method} ${pathname} was answered ${reply.statusCode}: ${text}`);
  }
  const took = performance.now() - started;
  await pool.close();
  return took;
}

/** Builds the calls of the scenario: half of them read the balance, a quarter are bets, and a quarter complete the rounds. */
function signedRequests({ baseUrl, key, session: { sessionID } }: ServedOperator): BuiltRequest[] {
  const target = { baseUrl };
  const moving = (call: 'bet' | 'win', roundID: string, amount: string): BuiltRequest =>
    buildRequest({ call, target, key, fields: { sessionID, txID: randomUUID(), roundID, amount, type: 'regular' } });
  const reads = Array.from({ length: EXCHANGES / 2 }, () =>
    buildRequest({ call: 'balance', target, key, fields: { sessionID } }),
  );
  const rounds = Array.from({ length: EXCHANGES / 4 }, () => {
    const roundID = randomUUID();
    return [moving('bet', roundID, '0.01'), moving('win', roundID, '0')];
  });
  return [...reads, ...rounds.flat()];
}
