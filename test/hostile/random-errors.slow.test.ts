import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../src/listen/server.ts';
import { createOperator } from '../../src/operator/operator.ts';
import { croupier, type Ended } from '../cli/croupier.ts';
import { randomFrom } from './random.ts';

const KEY = 'a-key-of-this-test-only';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Plays a command against a correct operator that answers 30 % of all calls with 500. */
async function played(seed: number, args: readonly string[]): Promise<Ended> {
  const session = { sessionID: 's-1', player: 'anna', currency: 'USD', gameID: 'catch', balance: '500.00' };
  const operator = createOperator({
    clients: [
      {
        extCID: 'acme',
        integrationApiKey: KEY,
        basePath: '/acme',
        campaigns: [],
        sessions: [{ ...session, state: 'active' }],
      },
    ],
    onFault: () => {},
  });
  const behind = await operator.start();
  const random = randomFrom(seed);
  const front = await listen(
    async ({ method, path: target, query, headers, body }) => {
      if (random() < 0.3) return { status: 500, headers: [['Content-Type', 'application/json']], body: BUSY };
      const url = `${behind.url}${target}${query === '' ? '' : `?${query}`}`;
      const kept = headers.filter(([name]) => /^(x-request-sign|content-type)$/i.test(name)) as [string, string][];
      const reply = await fetch(url, { method, headers: kept, ...(method === 'POST' && { body }) });
      return { status: reply.status, headers: [['Content-Type', 'application/json']], body: await reply.text() };
    },
    { onFault: () => {} },
  );
  try {
    return await croupier([...args, '--json', '--linger', '50ms', ...TARGET, `${front.url}/acme`], {
      cwd,
      env: { CROUPIER_KEY: KEY },
    });
  } finally {
    await front.close(0);
    await behind.close(0);
  }
}

describe('an operator that answers 30 % of all calls with 500 is accused of nothing', { timeout: 180_000 }, () => {
  it.each([1, 2])('by a run (seed %i)', async (seed) => {
    const { status, out } = await played(seed, ['run', 'signature', 'bet', '--allow-skipped']);
    const { rules } = JSON.parse(out) as { rules: readonly { id: string; verdict: string }[] };
    expect([status, rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)]).toEqual([3, []]);
  });

  it('by a search', async () => {
    const { out } = await played(1, ['explore', '--runs', '15', '--seed', 'test']);
    expect(JSON.parse(out)).toMatchObject({ verdict: expect.stringMatching(/^(undecided|nothing-found)$/) as string });
  });
});

const BUSY = '{"message":"Something went wrong. Please try again later."}';
const TARGET = ['--ext-cid', 'acme', '--session', 's-1,player=anna,currency=USD,game=catch', '--base-url'];
