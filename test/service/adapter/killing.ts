import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RoundStore } from '../../../src/service/adapter/round-store.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';
import { type Front, type Mishap, openFront, PLAYERS } from './operator-front.ts';
import { DEADLINE_MS } from './sessions.ts';

const CHILD = fileURLToPath(new URL('./killed-child.ts', import.meta.url));

/** A round that a service reported before it was killed. */
interface ReportedRound {
  readonly roundID: string;
  readonly prize: string;
  readonly bet: string;
  readonly win: string | null;
}

/** The numbers of calls and rounds that were counted while a service was killed repeatedly. */
export interface Killings {
  readonly bets: number;
  readonly refunded: number;
  readonly wins: number;
  readonly reportedRounds: number;
}

/**
 * Kills a playing service at random moments, lets a last one settle all owed calls, and compares the operator's transactions
 * with the rounds.
 *
 * @param kills the number of kills; fewer if `maxMs` milliseconds pass before
 * @throws AssertionError when a call is still owed, or a transaction is lost, repeated or changed
 */
export async function killRepeatedly(kills: number, seed: number, maxMs = Number.POSITIVE_INFINITY): Promise<Killings> {
  const random = mulberry32(seed);
  const end = performance.now() + maxMs;
  const folder = await mkdtemp(path.join(tmpdir(), 'killed-'));
  const front = await openFront();
  const reported: ReportedRound[] = [];
  try {
    for (let kill = 0; kill < kills && performance.now() < end; kill += 1) {
      // The moment depends on the number of calls, so that the service is killed during play on a slow machine too.
      const enough = Promise.withResolvers<void>();
      let left = random() * 150;
      front.mishap = () => {
        left -= 1;
        if (left < 0) enough.resolve();
        return mishapOf(random);
      };
      const service = await start(folder, front.url, 'play', reported);
      await Promise.race([enough.promise, service.ended]);
      await sleep(random() * 20);
      service.child.kill('SIGKILL');
      await service.ended;
    }
    front.mishap = () => undefined;
    const { child, ended } = await start(folder, front.url, 'settle', reported);
    await ended;
    assert.equal(child.exitCode, 0, 'the last service did not end well');
    // After this wait the operator has processed the calls that were late when the service was killed.
    await sleep(DEADLINE_MS * 3);
    const database = openServiceDatabase(folder);
    assert.deepEqual(new RoundStore(database).rounds(), [], 'a round is still open');
    database.close();
    return reconcile(front, reported);
  } finally {
    await front.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function mishapOf(random: () => number): Mishap {
  const draw = random();
  const processed = random() < 0.5;
  if (draw < 0.06) return { kind: 'status', status: 500, processed };
  if (draw < 0.12) return { kind: 'cut', processed };
  if (draw < 0.15) return { kind: 'late', ms: DEADLINE_MS * 2, processedLate: processed };
  if (draw < 0.3) return { kind: 'late', ms: random() * 40, processedLate: processed };
  return undefined;
}

async function start(folder: string, url: string, task: string, reported: ReportedRound[]) {
  const child = spawn(process.execPath, [CHILD, folder, url, task], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The cache shortens the start, which mostly consists of reading the sources.
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(tmpdir(), 'croupier-killed-cache') },
  });
  const ready = Promise.withResolvers<void>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (line === '"ready"') ready.resolve();
    else if (line.endsWith('}')) reported.push(JSON.parse(line) as ReportedRound);
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  await Promise.race([ready.promise, ended]);
  return { child, ended };
}

function reconcile(front: Front, reported: readonly ReportedRound[]): Killings {
  const bodies = Map.groupBy(front.arrived, ({ fields }) => fields.txID);
  for (const [txID, arrived] of bodies) {
    assert.equal(new Set(arrived.map(({ body }) => body)).size, 1, `${txID} was sent with two bodies`);
  }
  const refunds = front.arrived.filter(({ call }) => call === 'refund');
  for (const [bet, of] of Map.groupBy(refunds, ({ fields }) => fields.origTxID)) {
    assert.equal(new Set(of.map(({ fields }) => fields.txID)).size, 1, `the bet ${bet} has two refunds`);
  }

  const rounds = Map.groupBy(front.transactions(), ({ roundID }) => roundID ?? '');
  const balances = new Map(PLAYERS.map((player) => [`s-${player}`, 100_000n]));
  const seen = { bets: 0, refunded: 0, wins: 0, reportedRounds: reported.length };
  for (const [roundID, transactions] of rounds) {
    const bets = transactions.filter(({ call, outcome }) => call === 'bet' && outcome === 'done');
    const standing = bets.filter(({ reversedBy }) => reversedBy === null);
    const wins = transactions.filter(({ call, outcome }) => call === 'win' && outcome === 'done');
    assert.ok(bets.length <= 1, `the round ${roundID} has ${bets.length} bets`);
    assert.equal(
      wins.length,
      standing.length,
      `the round ${roundID}: ${standing.length} bets stand, ${wins.length} wins`,
    );
    seen.bets += bets.length;
    seen.refunded += bets.length - standing.length;
    seen.wins += wins.length;
    for (const { sessionID, amount } of standing) credit(balances, sessionID, -(amount ?? 0n));
    for (const { sessionID, amount } of wins) credit(balances, sessionID, amount ?? 0n);
  }
  for (const player of PLAYERS) {
    const cents = front.balance(player)?.replace('.', '');
    assert.equal(cents, String(balances.get(`s-${player}`)), `the balance of ${player}`);
  }
  for (const { roundID, prize, bet, win } of reported) {
    const wins = (rounds.get(roundID) ?? []).filter(({ call }) => call === 'win');
    if (bet === 'accepted') {
      assert.equal(wins[0]?.amount, BigInt(Math.round(Number(prize) * 100)), `the prize of ${roundID}`);
    } else {
      assert.deepEqual([wins, win], [[], null], `the declined round ${roundID} has a win`);
    }
  }
  return seen;
}

function credit(balances: Map<string, bigint>, sessionID: string, amount: bigint): void {
  balances.set(sessionID, (balances.get(sessionID) ?? 0n) + amount);
}

/** Returns a generator of random numbers with a seed (mulberry32). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
