import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from 'async-mutex';
import { historyFile, openHistory } from '../src/history/history.ts';
import { addJobs } from '../src/history/jobs.ts';
import { simulatedFleet } from '../test/fleet/simulated-fleet.ts';
import { CROUPIER } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const RUNS = 100;
const AT_ONCE = 30;
const ROUNDS = 2;
/** A scenario with a few calls, so that the cost of the fleet itself is a large part of the time. */
const SMALL = ['bet/exact-balance'];
const WAITING = 10_000;
const DUE_ROUNDS = 2;
/** Time between two looks of a worker for jobs, in ms. */
const POLL_MS = 1000;

/** Compares a fleet of many small runs with the same runs, started by a bare loop. */
export async function measureFleet(): Promise<Measurement> {
  const fleet = await simulatedFleet(RUNS, SMALL);
  try {
    const turns = new Semaphore(AT_ONCE);
    const loop = (): Promise<unknown> =>
      Promise.all(
        fleet.names.map((name) =>
          turns.runExclusive(() => command(['run', ...SMALL, '--client', name, '--no-github', '--no-color'], fleet)),
        ),
      );
    const [ofLoop = [], ofFleet = []] = await inTurn(ROUNDS, [
      () => timed(loop),
      () => timed(() => command(['fleet', 'run', '--parallel', String(AT_ONCE)], fleet)),
    ]);
    const [bare, whole] = [median(ofLoop), median(ofFleet)];
    return {
      what: `a fleet of ${RUNS} runs, against a bare loop`,
      detail: `${(whole / 1000).toFixed(1)} s against ${(bare / 1000).toFixed(1)} s, ${AT_ONCE} side by side`,
      value: whole / bare,
      unit: 'times',
      limit: 1.3,
    };
  } finally {
    await fleet.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function started(args: readonly string[], { cwd, env }: Place): ChildProcess {
  return spawn(process.execPath, [CROUPIER, ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
}

/** Runs a command to its end. Its status says what the operators do, so every status of a judgement is right. */
async function command(args: readonly string[], place: Place): Promise<void> {
  const status = await new Promise((resolve) => void started(args, place).once('close', resolve));
  if (status !== 0 && status !== 1 && status !== 3) throw new Error(`croupier ${args[0]} ended with ${String(status)}`);
}

/** Measures the time from a job being due to its first call, while many other jobs wait. */
export async function measureFleetDue(): Promise<Measurement> {
  return withFolder(async (cwd) => {
    let called = (): void => {};
    // The run fails, but the time of its first call counts.
    const server = createServer((_request, response) => {
      called();
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    const names = ['due', ...Array.from({ length: WAITING }, (_, at) => `operator-${at}`)];
    writeFleet(cwd, names, url);
    await addWaitingJobs(cwd, names.slice(1));
    const worker = started(['fleet', 'work'], { cwd, env: { WAITING_KEY: 'a-key-of-no-wallet-0123456789' } });
    try {
      const taken: number[] = [];
      // The worker may take the first job at once, because the operator was never judged.
      await new Promise<void>((resolve) => {
        called = resolve;
      });
      for (let round = 0; round < DUE_ROUNDS; round += 1) {
        const due = (Math.floor(Date.now() / 60_000) + 1) * 60_000;
        await sleep(due - Date.now() - 10);
        const at = await new Promise<number>((resolve) => {
          called = () => resolve(Date.now());
        });
        taken.push(at - due);
      }
      const value = median(taken);
      return {
        what: `from due to the first call, ${WAITING} jobs waiting`,
        detail: `${taken.map((ms) => ms.toFixed(0)).join(' and ')} ms, with a poll of ${POLL_MS} ms`,
        value: (value - POLL_MS) / 1000,
        unit: 'seconds',
        limit: 2,
      };
    } finally {
      worker.kill('SIGKILL');
      server.close();
    }
  });
}

/** Writes a fleet in which one operator is due every minute, and the others once a year. */
function writeFleet(cwd: string, names: readonly string[], url: string): void {
  const clients = names.map((name) => ({
    extCID: name,
    integratorBaseUrl: `${url}/${name}`,
    integrationApiKey: '${WAITING_KEY}',
    sessions: [{ sessionID: `${name}-session`, player: 'ada', currency: 'USD' }],
  }));
  // JSON is YAML too. A run reads its whole configuration, so the operator that is due has one of its own.
  writeFileSync(path.join(cwd, 'due.yaml'), JSON.stringify({ clients: clients.slice(0, 1) }));
  writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ clients: clients.slice(1) }));
  const operators = names.map((name, at) => ({
    name,
    config: at === 0 ? 'due.yaml' : 'croupier.yaml',
    client: name,
    select: SMALL,
    schedule: at === 0 ? '* * * * *' : '0 3 1 1 *',
  }));
  writeFileSync(path.join(cwd, 'fleet.yaml'), JSON.stringify({ operators }));
}

/** Adds jobs that are due, but that no worker takes for a long time, as after a failed attempt. */
async function addWaitingJobs(cwd: string, names: readonly string[]): Promise<void> {
  const file = historyFile(cwd);
  mkdirSync(path.dirname(file), { recursive: true });
  const history = await openHistory(file);
  const later = Date.now() + 86_400_000;
  const due = names.map((name) => ({ operator: name, extCID: name, dueAt: '2026-01-01T03:00:00.000Z' }));
  await history.transaction().execute(async (transaction) => {
    await addJobs(transaction, due);
    await transaction.updateTable('job').set({ not_before: later }).execute();
  });
  await history.destroy();
}
