import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXECUTABLE, line, start } from '../cli/croupier.ts';
import { onRequests, rawServer } from '../wire/raw-server.ts';

const BIN = path.resolve(import.meta.dirname, '../../bin/croupier.js');
const ENV = { INTEGRATION_KEY: 'integration-key-of-acme', API_KEY: 'api-key-of-acme' };
const ARGS = ['serve', 'all', '--config', 'croupier.yaml', '--data', 'data'];

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The calls that the wallet has carried out, by their round. */
interface Round {
  readonly bets: Map<string, number>;
  readonly wins: Map<string, number>;
  readonly refunded: Set<string>;
}

/** A correct wallet that keeps its records in memory. */
async function wallet() {
  const rounds = new Map<string, Round>();
  let cents = 100_000;
  const carryOut = (call: string, { txID, roundID, amount, origTxID }: Readonly<Record<string, string>>): void => {
    const round = rounds.get(roundID ?? '') ?? { bets: new Map(), wins: new Map(), refunded: new Set() };
    rounds.set(roundID ?? '', round);
    const value = Math.round(Number(amount) * 100);
    if (call === 'bet' && !round.bets.has(txID ?? '')) {
      round.bets.set(txID ?? '', value);
      cents -= value;
    } else if (call === 'win' && !round.wins.has(txID ?? '')) {
      round.wins.set(txID ?? '', value);
      cents += value;
    } else if (call === 'refund' && !round.refunded.has(origTxID ?? '')) {
      cents += round.bets.get(origTxID ?? '') ?? 0;
      round.refunded.add(origTxID ?? '');
    }
  };
  const port = await rawServer((socket) =>
    onRequests(socket, (text) => {
      const call = /^\w+ \/(\w+)/.exec(text)?.[1] ?? '';
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      const fields = call === 'balance' ? {} : (JSON.parse(body) as Readonly<Record<string, string>>);
      if (call !== 'balance') carryOut(call, fields);
      const reply = JSON.stringify({
        balance: (cents / 100).toFixed(2),
        ...(fields.txID && { txID: `o-${fields.txID}` }),
      });
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${reply.length}\r\n\r\n${reply}`,
      );
    }),
  );
  return { url: `http://127.0.0.1:${port}`, rounds };
}

/** Starts the service so that no file can grow above a limit. A write above the limit fails as on a full disk. */
function startWithLimit(kilobytes: number): ChildProcess {
  const { PATH, HOME } = process.env;
  const command = EXECUTABLE ? [EXECUTABLE] : [process.execPath, BIN];
  return spawn('bash', ['-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash', ...command, ...ARGS], {
    cwd,
    env: { PATH, HOME, ...ENV },
  });
}

async function gameOf(service: ChildProcess): Promise<URL> {
  return new URL((await line(service, 'game http')).split(' ')[1] ?? '');
}

/** Plays a round. Returns the status of the answer, or null if the service can't write and so does not answer. */
async function play(game: URL): Promise<number | null> {
  const answer = await fetch(new URL('/play/rounds', game), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ gsID: game.searchParams.get('gsID'), stake: '1.00' }),
    signal: AbortSignal.timeout(3000),
  }).catch(() => null);
  if (answer === null) return null;
  await answer.arrayBuffer();
  return answer.status;
}

async function stop(service: ChildProcess): Promise<void> {
  service.kill();
  await once(service, 'close');
}

it('a service whose disk is full loses and doubles nothing, and works again once there is space', {
  timeout: 120_000,
}, async () => {
  const { url, rounds } = await wallet();
  const client = {
    extCID: 'acme',
    cID: 'c-1',
    integratorBaseUrl: url,
    integrationApiKey: '${INTEGRATION_KEY}',
    apiKey: '${API_KEY}',
    sessions: [{ sessionID: 's-1', player: 'anna', currency: 'USD', gameID: 'catch' }],
  };
  writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ clients: [client] }));

  const full = startWithLimit(300);
  const statuses: (number | null)[] = [];
  const game = await gameOf(full);
  while (statuses.length < 400 && statuses.filter((status) => status !== 200).length < 5)
    statuses.push(await play(game));
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200).length).toBeGreaterThan(0);
  await stop(full);

  const again = start(ARGS, { cwd, env: ENV });
  try {
    expect(await play(await gameOf(again))).toBe(200);
    const open = () =>
      [...rounds.values()].filter(
        ({ bets, wins, refunded }) => wins.size === 0 && [...bets.keys()].some((txID) => !refunded.has(txID)),
      ).length;
    await expect.poll(open, { timeout: 60_000 }).toBe(0);
    for (const { bets, wins, refunded } of rounds.values()) {
      expect(bets.size).toBeLessThanOrEqual(1);
      expect(wins.size).toBeLessThanOrEqual(1);
      expect(wins.size === 0 || refunded.size === 0).toBe(true);
    }
  } finally {
    await stop(again);
  }
});
