import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import type { LoadOrder } from '../../../src/app/load/load-part.ts';
import { loadWallets } from '../../../src/app/load/load-players.ts';
import { playInWorkers } from '../../../src/app/load/load-workers.ts';
import { settleLost } from '../../../src/app/load/settle-lost.ts';
import { startReference } from '../../../src/app/reference-operator.ts';
import { runSettings } from '../../../src/app/run/settings.ts';
import { createJournalFile } from '../../../src/engine/run/journal-file.ts';
import { concludeLoad } from '../../../src/journal/load/result.ts';
import { joinedFacts } from '../../../src/load/joined-facts.ts';
import { DEFAULT_MIX } from '../../../src/load/mix.ts';
import { CORRECT } from '../../../src/operator/behaviour.ts';
import { runStarted } from '../../journal/events.ts';

const THREAD = path.resolve(import.meta.dirname, '../../../dist/load-worker.js');
const SETTINGS = runSettings({}, { linger: 200 }, {});
const COUNT = 3;

it('a worker that vanishes leaves no debts: its players are settled, and the others play on', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-workers-'));
  const reference = await startReference(() => {}, CORRECT, { dataDir: folder });
  onTestFinished(async () => {
    await reference.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const balances = (): ReadonlyMap<unknown, unknown> => {
    const books = new DatabaseSync(path.join(folder, 'operator.sqlite'));
    const rows = books.prepare("SELECT player, balance FROM wallet WHERE extCID = 'demo-eu'").all();
    books.close();
    return new Map(rows.map(({ player, balance }) => [player, balance]));
  };
  const { client } = reference;
  const arrivals = { kind: 'rate', from: 150, to: 150 } as const;
  const wallets = loadWallets(client, arrivals, undefined);
  const written = createJournalFile(path.join(folder, 'load.ndjson'), (text) => text);
  const started = runStarted([], false);
  const sessions = client.sessions.map(({ sessionID, player = null, currency = null }) => ({
    sessionID,
    player,
    currency,
    gameID: null,
    state: 'active' as const,
  }));
  written.append({ ...started, source: 'load', settings: { ...started.settings, sessions } });
  const before = balances();
  const order: LoadOrder = {
    endpoint: client,
    wire: client.wire,
    wallets,
    arrivals,
    durationMs: 3000,
    mix: DEFAULT_MIX,
    campaign: reference.campaign,
    credit: false,
    deadlineMs: 5000,
    lingerMs: 200,
    seed: 'lost',
    amounts: SETTINGS,
    numbers: { after: 0, step: 1 },
    started,
    originEpochMs: performance.timeOrigin + performance.now(),
    journal: 'load.ndjson',
  };
  const threads: Worker[] = [];
  const { parts, lost } = await playInWorkers(order, {
    count: COUNT,
    journalPath: written.path,
    secrets: [client.integrationApiKey],
    signal: new AbortController().signal,
    start: (own) => {
      const thread = new Worker(THREAD, { workerData: own });
      threads.push(thread);
      return thread;
    },
    onProgress: () => {},
    onBegin: () => void setTimeout(() => void threads[0]?.terminate(), 1500),
    onEnd: () => Promise.resolve(),
    onInterrupted: () => {},
  });
  expect(lost.map(({ reason }) => reason)).toEqual(['its thread ended with status 1']);
  const [vanished] = await settleLost(lost, { client, settings: SETTINGS, written });
  const after = balances();
  expect([vanished?.isSettled, vanished?.players.length]).toEqual([true, Math.ceil(wallets.length / COUNT)]);
  for (const player of vanished?.players ?? [])
    expect([player, after.get(player)]).toEqual([player, before.get(player)]);

  const facts = joinedFacts(parts, [], {
    arrivals,
    limits: [],
    interrupted: null,
    isStopping: false,
    disturbances: [],
    workers: { count: COUNT, lost: vanished ? [vanished] : [] },
  });
  const { verdict, reasons } = concludeLoad(facts);
  expect([verdict, facts.money.verified]).toEqual(['UNDECIDED', wallets.length - (vanished?.players.length ?? 0)]);
  expect(reasons[0]).toMatch(/^a worker ended before its result .* croupier has settled what they were owed$/u);
});
