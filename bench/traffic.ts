import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { type BuiltRequest, buildRequest } from '../src/wire/request.ts';

export interface TrafficOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly sessions: readonly string[];
  readonly perSecond: number;
  readonly calls: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

export interface Traffic {
  readonly sent: number;
  /** The number of calls without a reply. Calls whose connection was closed on purpose are not counted. */
  readonly unanswered: number;
  readonly tookMs: number;
}

interface Bet {
  readonly sessionID: string;
  readonly roundID: string;
  readonly txID: string;
  readonly amount: string;
}

/**
 * Sends the calls of a service on a busy day: reads, bets, wins, repeated wins, and bets that time out and are
 * refunded. Several calls of one player run at once. The rate does not depend on the replies.
 */
export async function sendTraffic(options: TrafficOptions): Promise<Traffic> {
  const { baseUrl, key, sessions, perSecond, calls, random } = options;
  const pool = new Pool(new URL(baseUrl).origin, { connections: 64, pipelining: 1, allowH2: false });
  const rounds: Bet[] = [];
  const wins: BuiltRequest[] = [];
  let sent = 0;
  let unanswered = 0;

  const send = async (request: BuiltRequest, abortMs?: number): Promise<number | null> => {
    sent += 1;
    const { pathname, search } = new URL(request.url);
    const signal = abortMs === undefined ? {} : { signal: AbortSignal.timeout(abortMs) };
    try {
      const { method, headers, body } = request;
      const reply = await pool.request({
        path: `${pathname}${search}`,
        method,
        headers: headers.flat(),
        body,
        ...signal,
      });
      await reply.body.text();
      return reply.statusCode;
    } catch {
      if (abortMs === undefined) unanswered += 1;
      return null;
    }
  };
  const target = { baseUrl };
  const bet = async (sessionID: string): Promise<void> => {
    const amount = `${1 + Math.floor(random() * 3)}.00`;
    const one: Bet = { sessionID, roundID: randomUUID(), txID: randomUUID(), amount };
    const { roundID, txID } = one;
    const fields = { sessionID, roundID, txID, amount, type: 'regular' };
    const isLost = random() < 0.05;
    const status = await send(
      buildRequest({ call: 'bet', target, key, fields }),
      isLost ? Math.floor(random() * 4) : undefined,
    );
    if (status === 200) rounds.push(one);
    else if (status === null || status === 500) await refund(one);
  };
  const refund = async ({ sessionID, roundID, txID, amount }: Bet): Promise<void> => {
    const fields = { sessionID, roundID, txID: randomUUID(), origTxID: txID, amount };
    const request = buildRequest({ call: 'refund', target, key, fields });
    for (let tries = 0; tries < 5; tries += 1) if ((await send(request)) === 200) return;
  };
  const win = async ({ sessionID, roundID, amount }: Bet): Promise<void> => {
    const fields = { sessionID, roundID, txID: randomUUID(), amount, type: 'regular' };
    const request = buildRequest({ call: 'win', target, key, fields });
    for (let tries = 0; tries < 5; tries += 1) {
      if ((await send(request)) !== 200) continue;
      if (wins.push(request) > 100) wins.shift();
      return;
    }
  };
  const act = (): Promise<unknown> => {
    const sessionID = sessions[Math.floor(random() * sessions.length)] ?? '';
    const chance = random();
    const round = rounds.length > 0 && chance < 0.4 ? rounds.shift() : undefined;
    if (round) return win(round);
    const again = chance > 0.95 ? wins.at(-1) : undefined;
    if (again) return send(again);
    return chance > 0.75 ? send(buildRequest({ call: 'balance', target, key, fields: { sessionID } })) : bet(sessionID);
  };

  const started = performance.now();
  const underWay = new Set<Promise<unknown>>();
  const due = (): boolean => sent < Math.min(calls, ((performance.now() - started) / 1000) * perSecond);
  const isOver = (): boolean => sent >= calls;
  while (!isOver()) {
    while (due()) {
      const one = act();
      underWay.add(one);
      void one.finally(() => underWay.delete(one));
    }
    await sleep(2);
  }
  await Promise.all(underWay);
  const tookMs = performance.now() - started;
  await pool.destroy();
  return { sent, unanswered, tookMs };
}

/** Returns a function that gives random numbers from 0 to 1. The same seed gives the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
