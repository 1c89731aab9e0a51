import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type History, openHistoryAt } from '../../src/history/history.ts';
import { croupier } from '../cli/croupier.ts';
import { HAS_POSTGRES, startPostgres, type TestPostgres } from '../postgres.ts';
import { type SimulatedFleet, simulatedFleet, startWorker, type TestWorker } from './simulated-fleet.ts';

const SELECT = ['bet/debit', 'refund/restore', 'idempotency/bet', 'bet/exact-balance'];

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.remove());

/** The verdicts of all rules in a run, as sorted text. */
async function verdictsOf(history: History, run: number): Promise<readonly string[]> {
  const rows = await history.selectFrom('rule_result').select(['rule', 'verdict']).where('run', '=', run).execute();
  return rows.map(({ rule, verdict }) => `${rule} ${verdict}`).toSorted((a, b) => (a < b ? -1 : 1));
}

/**
 * Prints what explains a wrong balance: the stored balances, what the workers said about the operator, the journals in the folder
 * and in the database, and what `settle` says about each journal. Nothing is sent.
 */
async function explainWrongBalance(name: string, fleet: SimulatedFleet, history: History, said: string): Promise<void> {
  const lines = [`${name} has a wrong balance.`];
  const { cwd, env } = fleet;
  const operator = fleet.operatorOf(name);
  for (const player of fleet.playersOf(name)) lines.push(`${player}: ${operator.balanceOf(name, player, 'USD')}`);
  lines.push(...said.split('\n').filter((line) => line.includes(name)));
  const stored = await history
    .selectFrom('job_journal')
    .select(['name', 'token'])
    .where('operator', '=', name)
    .execute();
  lines.push(`journals that the database still has: ${JSON.stringify(stored)}`);
  const folder = path.join(cwd, '.croupier');
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.ndjson'))
    .toSorted()
    .map((file) => ({ file: path.join('.croupier', file), text: readFileSync(path.join(folder, file), 'utf8') }));
  for (const { file, text } of texts.filter((one) => one.text.split('\n', 1)[0]?.includes(`"${name}"`))) {
    const { status, out, err } = await croupier(['settle', file, '--client', name, '--dry-run'], { cwd, env });
    lines.push(`== ${file}`, text, `-- settle --dry-run ended with ${status}:`, out, err);
  }
  // The journals are long, so they are in a file that stays after the test.
  const report = path.join(tmpdir(), `croupier-wrong-balance-${name}-${process.pid}.txt`);
  writeFileSync(report, lines.join('\n'));
  console.log(`${lines.filter((line) => !line.includes('"event"')).join('\n')}\nWith the journals: ${report}`);
}

/** A random number generator with a fixed seed (mulberry32), so that each run of the test does the same. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lets a paused worker go on after its lease has ended. Then ends it, so that not more and more workers run at once. */
async function wakeUp(worker: TestWorker): Promise<void> {
  await sleep(8000);
  worker.signalAll('SIGCONT');
  await sleep(6000);
  worker.signal('SIGTERM');
}

/**
 * Lets three workers judge the fleet. Kills or pauses one of them again and again, and starts another one instead. Each paused
 * worker goes on after its lease has ended.
 *
 * @returns the number of workers that were killed and that were paused
 */
async function disturb(fleet: SimulatedFleet, flags: readonly string[], times: number) {
  const random = randomNumbers(7);
  const args = ['--until-idle', '--lease', '3s', '--parallel', '4', ...flags];
  const workers: TestWorker[] = Array.from({ length: 3 }, () => startWorker(args, fleet));
  const all = [...workers];
  let killed = 0;
  let paused = 0;
  for (let time = 0; time < times; time += 1) {
    await sleep(1500 + random() * 2500);
    const victim = workers.splice(Math.floor(random() * workers.length), 1)[0];
    if (!victim) break;
    if (random() < 0.6) {
      killed += 1;
      // Half of them die alone, so that their runs notice the loss of their worker.
      if (random() < 0.5) victim.signal('SIGKILL');
      else victim.signalAll('SIGKILL');
    } else {
      paused += 1;
      victim.signalAll('SIGSTOP');
      void wakeUp(victim);
    }
    const next = startWorker(args, fleet);
    workers.push(next);
    all.push(next);
  }
  const ends = await Promise.all(all.map((one) => one.ended));
  return { killed, paused, err: ends.map(({ err }) => err).join(''), out: ends.map(({ out }) => out).join('') };
}

/** `npm run fleet-kills` also runs the test with 500 operators, which takes some minutes. */
describe('workers that are killed and paused at random', () => {
  it.each([
    { store: 'SQLite', size: 30, times: 6 },
    { store: 'PostgreSQL', size: 30, times: 6 },
    ...(process.env.CROUPIER_FLEET_KILLS ? [{ store: 'PostgreSQL', size: 500, times: 40 }] : []),
  ])(
    'judge each of $size operators once, owe nothing, and find what a single run finds, with $store',
    async ({ store, size, times }) => {
      if (store === 'PostgreSQL' && !postgres) return;
      const fleet = await simulatedFleet(size, SELECT);
      onTestFinished(() => fleet.close());
      const flags = store === 'SQLite' ? [] : ['--database', (await postgres?.create(`fleet${size}`)) ?? ''];
      const { killed, paused, err, out } = await disturb(fleet, flags, times);
      expect([killed, paused].every((count) => count > 0)).toBe(true);
      expect(err).not.toMatch(/bug|stack/iu);
      const history = await openHistoryAt({ dir: fleet.cwd, database: flags[1] });
      onTestFinished(() => history.destroy());
      const jobs = await history.selectFrom('job').select(['operator', 'state', 'run', 'line']).execute();
      expect(jobs.filter(({ state }) => state !== 'done')).toEqual([]);
      expect(jobs.map(({ operator }) => operator).toSorted()).toEqual(fleet.names);
      const runs = await history.selectFrom('run').select(['number', 'ext_cid', 'ended']).execute();
      expect(runs.map(({ ext_cid }) => ext_cid).toSorted()).toEqual(fleet.names);
      const wrong = fleet.wrongBalances();
      for (const name of wrong) await explainWrongBalance(name, fleet, history, out + err);
      expect(wrong).toEqual([]);
      const owing = await history.selectFrom('job_journal').select(['operator']).execute();
      // An operator that moves wrong amounts can't always be settled.
      expect(owing.filter(({ operator }) => !fleet.hasDefect(operator))).toEqual([]);
      // Some runs were taken over: otherwise the test shows nothing.
      expect(out + err).toMatch(/another worker has taken|settle/u);
      const alone = await Promise.all(
        fleet.names.slice(0, fleet.kinds).map(async (name) => {
          await croupier(['run', ...SELECT, '--client', name], { cwd: fleet.cwd, env: fleet.env });
          const own = await openHistoryAt({ dir: fleet.cwd, database: undefined });
          const { number } = await own
            .selectFrom('run')
            .select('number')
            .where('ext_cid', '=', name)
            .orderBy('started_at', 'desc')
            .executeTakeFirstOrThrow();
          const verdicts = await verdictsOf(own, number);
          await own.destroy();
          return verdicts;
        }),
      );
      for (const { number, ext_cid } of runs)
        expect([ext_cid, await verdictsOf(history, number)]).toEqual([
          ext_cid,
          alone[fleet.names.indexOf(ext_cid) % fleet.kinds],
        ]);
    },
    1_800_000,
  );
});
