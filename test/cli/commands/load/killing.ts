import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../../src/load/random.ts';
import { croupier, ended, line, start } from '../../croupier.ts';

/** The numbers that were counted while load tests were killed repeatedly. */
interface LoadKillings {
  readonly kills: number;
  /** Number of load tests that were killed before their first bet. */
  readonly beforeBets: number;
  /** Number of load tests that left a round open, or a call without a reply. */
  readonly owing: number;
  readonly bets: number;
  readonly refunded: number;
  readonly wins: number;
}

const CLIENT = ['--client', 'demo-eu', '--linger', '100ms'];
const JOURNAL = 'load.ndjson';
/** Longest journal of a load test that is killed, in bytes. Some load tests are killed while they read the balances. */
const MAX_BYTES = 60_000;
/** Longest time from this length of the journal to the kill, in milliseconds. */
const MAX_WAIT_MS = 20;
const MIX = 'brokenBets: 10\nbrokenWins: 10\nrepeatsAtOnce: 5\nrepeatsLater: 5\n';

/**
 * Kills load tests at random moments, and settles each one. The operator keeps its money in SQLite, and answers some calls 503.
 * After each settle, every balance must be the same as before, to the smallest unit. At the end, every round must be complete.
 *
 * @throws AssertionError when money is missing or left over, or a call is still owed
 */
export async function killLoads(kills: number, seed: number, log: (line: string) => void): Promise<LoadKillings> {
  const random = new Random(String(seed));
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-killed-'));
  const serve = ['serve', 'operator', '--data', 'data', '--write-config', 'croupier.yaml'];
  const operator = start([...serve, '--variant', 'gateway-503-now-and-then'], { cwd });
  try {
    await line(operator, 'operator ');
    writeFileSync(path.join(cwd, 'mix.yaml'), MIX);
    const books = (): unknown => query(cwd, "SELECT player, currency, balance FROM wallet WHERE extCID = 'demo-eu'");
    const before = books();
    let [beforeBets, owing, bets] = [0, 0, 0];
    for (let kill = 0; kill < kills; kill += 1) {
      rmSync(path.join(cwd, JOURNAL), { force: true });
      const bytes = Math.round(random.next() * MAX_BYTES);
      await killAt(cwd, bytes, random.next() * MAX_WAIT_MS);
      const settled = await croupier(['settle', JOURNAL, ...CLIENT], { cwd });
      const which = `kill ${kill + 1} of seed ${seed}, after ${bytes} bytes of the journal`;
      assert.deepEqual([settled.status, settled.err], [0, ''], `${which}: settle ended badly: ${settled.out}`);
      assert.deepEqual(books(), before, `${which}: a balance differs after settle`);
      const again = await croupier(['settle', JOURNAL, ...CLIENT], { cwd });
      assert.match(again.out, /Nothing is owed\. Nothing was sent\./u, which);
      const all = countOf(cwd, 'bet');
      if (all === bets) beforeBets += 1;
      if (!settled.out.includes('Nothing was sent.')) owing += 1;
      bets = all;
      log(`${which}: settled, ${all} bets so far`);
    }
    const open = query(
      cwd,
      `SELECT bet.txID FROM tx AS bet WHERE bet.call = 'bet' AND bet.outcome = 'done' AND bet.extCID = 'demo-eu'
       AND bet.type <> 'free' AND bet.sessionID <> 'eu-gus-usd-old'
       AND NOT EXISTS (SELECT 1 FROM tx AS win WHERE win.call = 'win' AND win.roundID = bet.roundID AND win.outcome = 'done')
       AND NOT EXISTS (SELECT 1 FROM tx AS refund WHERE refund.call = 'refund' AND refund.origTxID = bet.txID AND refund.outcome = 'done')`,
    );
    assert.deepEqual(open, [], 'a round is still open');
    return { kills, beforeBets, owing, bets, refunded: countOf(cwd, 'refund'), wins: countOf(cwd, 'win') };
  } finally {
    operator.kill('SIGKILL');
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Starts a load test, and kills it some milliseconds after its journal has this length. */
async function killAt(cwd: string, bytes: number, afterMs: number): Promise<void> {
  const flags = ['--rate', '150', '--duration', '1m', '--mix', 'mix.yaml', '--journal', JOURNAL];
  const child = start(['load', ...CLIENT, ...flags], { cwd });
  const end = ended(child);
  await journalReaches(child, path.join(cwd, JOURNAL), bytes);
  await sleep(afterMs);
  child.kill('SIGKILL');
  const { status, err } = await end;
  assert.equal(status, null, `the load test ended before it was killed: ${err}`);
}

/** Waits until a journal has this length in bytes, or until its process has ended. */
export async function journalReaches(child: ChildProcess, file: string, bytes: number): Promise<void> {
  while (child.exitCode === null && (statSync(file, { throwIfNoEntry: false })?.size ?? -1) < bytes) await sleep(2);
}

function query(cwd: string, sql: string): unknown[] {
  const database = new DatabaseSync(path.join(cwd, 'data', 'operator.sqlite'));
  const rows = database.prepare(sql).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

function countOf(cwd: string, call: string): number {
  return query(cwd, `SELECT txID FROM tx WHERE extCID = 'demo-eu' AND outcome = 'done' AND call = '${call}'`).length;
}
