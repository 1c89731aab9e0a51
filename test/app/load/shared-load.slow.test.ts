import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openHistoryAt } from '../../../src/history/history.ts';
import type { LoadResult } from '../../../src/journal/load/result.ts';
import { CORRECT } from '../../../src/operator/behaviour.ts';
import { demoOperator } from '../../../src/operator/demo.ts';
import { createOperator, type Operator } from '../../../src/operator/operator.ts';
import { croupier, type Ended, ended, start } from '../../cli/croupier.ts';
import { HAS_POSTGRES, startPostgres, type TestPostgres } from '../../postgres.ts';

const KEY = 'first-key-of-a-shared-load';
const ENV = { CROUPIER_KEY: KEY, CROUPIER_DEBUG: '1' };

/** A correct operator in this process, and a folder with its configuration for each machine. */
interface Place {
  readonly operator: Operator;
  readonly players: readonly { readonly player: string; readonly currency: string }[];
  /** Creates the folder of another machine. */
  readonly machine: () => string;
  readonly balances: () => readonly string[];
}

async function place(): Promise<Place> {
  const options = demoOperator({ first: KEY, second: 'second-key-of-a-shared-load' });
  const operator = createOperator(options, CORRECT);
  const listening = await operator.start();
  const [client] = options.clients;
  const sessions = client.sessions.filter(({ state }) => state === 'active');
  const folders: string[] = [];
  onTestFinished(async () => {
    await listening.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const players = sessions.map(({ player, currency }) => ({ player, currency }));
  return {
    operator,
    players,
    machine: () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'croupier-shared-load-'));
      folders.push(folder);
      const configured = sessions.map(({ sessionID, player, currency }) => ({ sessionID, player, currency }));
      const clients = [
        {
          extCID: 'demo-eu',
          integratorBaseUrl: `${listening.url}/demo-eu`,
          integrationApiKey: '${CROUPIER_KEY}',
          sessions: configured,
        },
      ];
      // JSON is YAML too.
      writeFileSync(path.join(folder, 'croupier.yaml'), JSON.stringify({ linger: '50ms', clients }));
      return folder;
    },
    balances: () =>
      players.map(({ player, currency }) => `${player} ${operator.balanceOf('demo-eu', player, currency)}`),
  };
}

interface Worker {
  readonly ended: Promise<Ended>;
  readonly pid: number;
}

function join(cwd: string, database: string): Worker {
  const child = start(['load', '--join', '--database', database], { cwd, env: ENV });
  const { pid = 0 } = child;
  onTestFinished(() => void child.kill('SIGKILL'));
  return { ended: ended(child), pid };
}

const LOAD = ['load', '--rate', '80', '--duration', '3s', '--seed', 'shared', '--json', '--journal', 'load.ndjson'];

async function loadOf(
  cwd: string,
  database: string,
  flags: readonly string[],
): Promise<LoadResult & { readonly err: string }> {
  const { out, err } = await croupier([...LOAD, '--database', database, ...flags], { cwd, env: ENV });
  expect(err).not.toContain('bug');
  if (out === '') throw new Error(err);
  return { ...(JSON.parse(out) as LoadResult), err };
}

const callsIn = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => /^\["[sacrx]"/u.test(text))
    .toSorted();

/** The lines of the journals that workers have written in a folder. */
const callsOfWorkers = (folder: string): readonly string[] =>
  readdirSync(path.join(folder, '.croupier'))
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => callsIn(path.join(folder, '.croupier', name)));

function checkSums(result: LoadResult, count: number, journals: readonly string[], command: string): void {
  const { rate, money, seconds, times, reasons } = result;
  // On a busy machine, croupier may be too slow for the load. The sums are right nevertheless.
  expect(reasons.filter((reason) => !reason.includes('could not keep its schedule'))).toEqual([]);
  expect(result.load.workers).toEqual({ count, lost: [] });
  expect([money.players, money.verified]).toEqual([10, 10]);
  const written = journals.flatMap(callsOfWorkers).toSorted();
  const joined = callsIn(path.join(command, 'load.ndjson'));
  // The journal of the command has every line of every worker, and each call has a number of its own.
  expect(joined).toEqual(written);
  const sent = joined.filter((text) => /^\["[scr]"/u.test(text));
  expect(new Set(sent.map((text) => (JSON.parse(text) as unknown[])[1])).size).toBe(sent.length);
  expect(rate.calls).toBe(sent.length);
  expect(seconds.reduce((sum, one) => sum + one.sent, 0)).toBe(rate.calls - 2 * money.players);
  const all = times.find(({ call }) => call === 'all')?.count ?? 0;
  expect(times.reduce((sum, { call, count: own }) => (call === 'all' ? sum : sum + own), 0)).toBe(all);
  // A call that croupier broke off on purpose has no time.
  const replies = joined.filter((text) => text.startsWith('["a"')).length;
  expect([all <= replies, all >= replies - result.brokenOnPurpose]).toEqual([true, true]);
}

describe('a load from several machines', { timeout: 120_000 }, () => {
  it('adds up what two processes on one file have played, to the unit', async () => {
    const { machine } = await place();
    const [command, ...folders] = [machine(), machine(), machine()];
    const database = path.join(command, 'shared.sqlite');
    const workers = folders.map((folder) => join(folder, database));
    const result = await loadOf(command, database, ['--workers', '2']);
    expect((await Promise.all(workers.map((one) => one.ended))).map(({ status }) => status)).toEqual([0, 0]);
    checkSums(result, 2, folders, command);
    const history = await openHistoryAt({ dir: command, database });
    onTestFinished(() => history.destroy());
    // Nothing is left of the load but its result.
    expect(await history.selectFrom('load').selectAll().execute()).toEqual([]);
    expect((await history.selectFrom('run').select('kind').execute()).map(({ kind }) => kind)).toEqual(['load']);
  });

  it.each([true, false])(
    'lets another worker settle the players of a killed worker (on its machine: %s)',
    async (isSame) => {
      const { machine, balances, operator } = await place();
      const [command, first, second] = [machine(), machine(), machine()];
      const database = path.join(command, 'shared.sqlite');
      const before = balances();
      const [doomed, other] = [join(first, database), join(second, database)];
      const running = loadOf(command, database, ['--workers', '2', '--duration', '6s']);
      while (operator.transactionsOf('demo-eu').length < 100) await sleep(20);
      process.kill(doomed.pid, 'SIGKILL');
      // The journal on the machine of the killed worker can't be read from another machine.
      if (!isSame) rmSync(path.join(first, '.croupier'), { recursive: true });
      const result = await running;
      const { status, err } = await other.ended;
      expect(err).toContain('Settled');
      expect([status, result.verdict, result.exitCode]).toEqual([0, 'UNDECIDED', 3]);
      const [lost] = result.load.workers.lost;
      expect([lost?.isSettled, lost?.players.length]).toEqual([true, 5]);
      expect(result.reasons[0]).toContain('croupier has settled what they were owed');
      const own = (all: readonly string[]) => all.filter((text) => lost?.players.includes(text.split(' ')[0] ?? ''));
      expect(own(balances())).toEqual(own(before));
      const settled = await croupier(['settle', 'load.ndjson', '--dry-run'], { cwd: command, env: ENV });
      expect([settled.status, settled.out]).toEqual([0, expect.stringContaining('Nothing is owed')]);
    },
  );

  it('gives a stopped worker no further call after its lease has ended', async () => {
    const { machine, balances, operator } = await place();
    const [command, first, second] = [machine(), machine(), machine()];
    const database = path.join(command, 'shared.sqlite');
    const before = balances();
    const [stopped, other] = [join(first, database), join(second, database)];
    const running = loadOf(command, database, ['--workers', '2', '--duration', '6s']);
    while (operator.transactionsOf('demo-eu').length < 100) await sleep(20);
    process.kill(stopped.pid, 'SIGSTOP');
    const result = await running;
    await other.ended;
    const after = balances();
    const calls = operator.transactionsOf('demo-eu').length;
    process.kill(stopped.pid, 'SIGCONT');
    const { status, err } = await stopped.ended;
    expect(err).toContain('This worker has lost its part');
    expect([status, operator.transactionsOf('demo-eu').length, balances()]).toEqual([3, calls, after]);
    const [lost] = result.load.workers.lost;
    const own = (all: readonly string[]) => all.filter((text) => lost?.players.includes(text.split(' ')[0] ?? ''));
    expect([lost?.isSettled, own(after)]).toEqual([true, own(before)]);
  });
});

describe.skipIf(!HAS_POSTGRES)('a load from several machines through PostgreSQL', { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());

  it('adds up what three processes have played, to the unit', async () => {
    const { machine } = await place();
    const database = await postgres.create('shared');
    const [command, ...folders] = [machine(), machine(), machine(), machine()];
    const workers = folders.map((folder) => join(folder, database));
    const result = await loadOf(command, database, ['--workers', '3']);
    await Promise.all(workers.map((one) => one.ended));
    checkSums(result, 3, folders, command);
  });
});
