import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { canonicalJson } from '../src/contract/canonical.ts';
import { signBody } from '../src/contract/signature.ts';
import { Adapter } from '../src/service/adapter/adapter.ts';
import { ReverseCalls } from '../src/service/adapter/reverse-calls.ts';
import { RoundStore } from '../src/service/adapter/round-store.ts';
import { ExchangeLog } from '../src/service/exchange-log.ts';
import { openServiceDatabase } from '../src/service/service-database.ts';
import { sleep } from '../src/service/sleep.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';
import { ROUND_KEY, ROUND_PLAYERS } from './round-players.ts';

const ROUNDS_OF_PLAYER = 100;
const REPEATS = 5;
const SERVER = path.join(import.meta.dirname, 'round-server.ts');

/**
 * Measures how many rounds of a bet and a win the service's adapter can play in a second. The adapter stores each round
 * on the disk and logs each exchange. It is compared with a client that only signs and sends the same calls to a bare
 * server. Both servers run in other processes.
 */
export async function measureRounds(): Promise<Measurement> {
  const [bare = [], adapter = []] = await withServer('bare', (bareUrl) =>
    withServer('operator', (operatorUrl) =>
      withFolder((folder) =>
        withAdapter(operatorUrl, folder, (playing) =>
          inTurn(REPEATS, [() => playBare(bareUrl), () => playThrough(playing)]),
        ),
      ),
    ),
  );
  const perSecond = (times: readonly number[]) =>
    `${((ROUNDS_OF_PLAYER * ROUND_PLAYERS.length * 1000) / median(times)).toFixed(0)}/s`;
  return {
    what: 'rounds of play',
    detail: `${perSecond(adapter)}, bare client and server ${perSecond(bare)}`,
    value: median(adapter) / median(bare),
    unit: 'times',
    limit: 6,
  };
}

async function withServer<T>(kind: 'bare' | 'operator', use: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [SERVER, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for await (const url of createInterface({ input: child.stdout })) return await use(url);
    throw new Error(`the ${kind} server ended before it said where it listens`);
  } finally {
    child.stdin.end();
    await ended;
  }
}

async function withAdapter<T>(url: string, folder: string, use: (adapter: Adapter) => Promise<T>): Promise<T> {
  const client = { cID: 'c', extCID: 'bench', apiKey: 'unused', integrationApiKey: ROUND_KEY, integratorBaseUrl: url };
  const log = new ExchangeLog({ secrets: [client.apiKey, client.integrationApiKey], clock: Date.now });
  const calls = new ReverseCalls({ clients: [client], log, sleep });
  const database = openServiceDatabase(folder);
  const adapter = new Adapter({
    store: new RoundStore(database),
    send: calls.send,
    uuid: randomUUID,
    clock: Date.now,
    sleep,
    random: Math.random,
  });
  try {
    return await use(adapter);
  } finally {
    await adapter.close();
    await calls.close();
    database.close();
  }
}

/** Plays all rounds with the adapter. @returns the time in milliseconds */
async function playThrough(adapter: Adapter): Promise<number> {
  const started = performance.now();
  await Promise.all(
    ROUND_PLAYERS.map(async (player) => {
      const session = {
        gsID: `gs-${player}`,
        extCID: 'bench',
        sessionID: `s-${player}`,
        player,
        currency: 'USD',
        gameID: 'catch',
      };
      for (let round = 0; round < ROUNDS_OF_PLAYER; round += 1) {
        const { win } = await adapter.play(session, '1.00', { win: '1.00' });
        if (win?.kind !== 'settled') throw new Error('a round that is measured was not settled');
      }
    }),
  );
  return performance.now() - started;
}

/** Plays all rounds with the bare client. @returns the time in milliseconds */
async function playBare(url: string): Promise<number> {
  const pool = new Pool(url, { connections: ROUND_PLAYERS.length, pipelining: 1, allowH2: false });
  const send = async (call: string, fields: Readonly<Record<string, string>>): Promise<void> => {
    const body = Buffer.from(canonicalJson(fields));
    const headers = { 'content-type': 'application/json', 'x-request-sign': signBody(body, ROUND_KEY) };
    const reply = await pool.request({ path: `/${call}`, method: 'POST', headers, body });
    await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`a ${call} was answered ${reply.statusCode}`);
  };
  const started = performance.now();
  await Promise.all(
    ROUND_PLAYERS.map(async (player) => {
      for (let round = 0; round < ROUNDS_OF_PLAYER; round += 1) {
        const fields = { sessionID: `s-${player}`, roundID: randomUUID(), amount: '1.00', type: 'regular' };
        await send('bet', { ...fields, txID: randomUUID() });
        await send('win', { ...fields, txID: randomUUID() });
      }
    }),
  );
  const took = performance.now() - started;
  await pool.close();
  return took;
}
