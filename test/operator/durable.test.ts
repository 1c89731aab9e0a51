import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, type Caller, callerOf } from './caller.ts';

let dataDir: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'operator-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<Caller> {
  child = spawn(process.execPath, [fileURLToPath(new URL('./durable-child.ts', import.meta.url)), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return callerOf(line.toString().trim(), 'key');
}

it('an operator that is killed under load keeps all answered transactions, and answers replays as before', async () => {
  const before = await start();
  const sent = Array.from({ length: 300 }, () => ({ txID: randomUUID(), roundID: randomUUID() }));
  const replies = new Map<string, Answer>();
  const killed = Promise.withResolvers<void>();
  const load = Promise.allSettled(
    sent.map(async (ids, n) => {
      // At most 20 calls are in flight at once. So at the kill, some calls are answered, some are in flight and some are not sent
      // yet.
      await (n < 20 ? undefined : replyOf(sent[n - 20]?.txID));
      const answer = await before.bet('s', '1.01', ids);
      replies.set(ids.txID, answer);
      waiting.get(ids.txID)?.resolve();
      if (replies.size === 100) {
        child?.kill('SIGKILL');
        killed.resolve();
      }
    }),
  );
  await killed.promise;
  for (const { resolve } of waiting.values()) resolve();
  await load;

  const after = await start();
  const taken = Math.round((1000 - Number(await after.balance('s'))) * 100) / 101;
  expect(Number.isInteger(taken)).toBe(true);
  expect(taken).toBeGreaterThanOrEqual(replies.size);
  expect(replies.size).toBeLessThan(sent.length);
  for (const ids of sent.filter(({ txID }) => replies.has(txID))) {
    expect(await after.bet('s', '1.01', ids)).toEqual(replies.get(ids.txID));
  }
  expect(Math.round((1000 - Number(await after.balance('s'))) * 100) / 101).toBe(taken);
});

const waiting = new Map<string, PromiseWithResolvers<void>>();

function replyOf(txID = ''): Promise<void> {
  const known = waiting.get(txID) ?? Promise.withResolvers<void>();
  waiting.set(txID, known);
  return known.promise;
}
