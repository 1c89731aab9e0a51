import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Adapter } from '../../../src/service/adapter/adapter.ts';
import type { AdapterOptions } from '../../../src/service/adapter/adapter-options.ts';
import { Faults } from '../../../src/service/adapter/faults.ts';
import { memoryLedger } from '../../../src/service/adapter/ledger.ts';
import { ReverseCalls } from '../../../src/service/adapter/reverse-calls.ts';
import { sleep } from '../../../src/service/adapter/sleep.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { ExchangeLog } from '../../../src/service/exchange-log.ts';
import type { GameSession } from '../../../src/service/game-session.ts';
import { KEY } from './operator-front.ts';

/** The five seconds of the contract, in the tests' own time. */
export const DEADLINE_MS = 150;

export const QUICK = { initialMs: 10, factor: 1.5, maxMs: 40, jitter: 0.5 };

export function clientAt(url: string): ServiceClient {
  return { cID: 'c', extCID: 'acme', apiKey: 'core-key', integrationApiKey: KEY, integratorBaseUrl: url };
}

export function sessionOf(player = 'p0', gameID = 'catch'): GameSession {
  return {
    gsID: `gs-${player}-${gameID}`,
    cID: 'c',
    extCID: 'acme',
    sessionID: `${gameID === 'catch' ? 's' : 't'}-${player}`,
    player,
    currency: 'USD',
    locale: 'en_us',
    gameID,
    demo: false,
    openedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
}

export interface Rig {
  readonly adapter: Adapter;
  readonly calls: ReverseCalls;
  readonly faults: Faults;
  readonly log: ExchangeLog;
}

/** An adapter that calls an operator over real sockets; closed when the test is over. */
export function startRig(url: string, options: Partial<AdapterOptions> = {}, deadlineMs = DEADLINE_MS): Rig {
  const faults = new Faults();
  const log = new ExchangeLog({ secrets: [KEY], clock: Date.now });
  const calls = new ReverseCalls({ clients: [clientAt(url)], log, sleep, faults, wire: { deadlineMs } });
  const adapter = new Adapter({
    ledger: memoryLedger(),
    send: calls.send,
    uuid: randomUUID,
    clock: Date.now,
    sleep,
    random: Math.random,
    backoff: QUICK,
    faults,
    ...options,
  });
  onTestFinished(async () => {
    await adapter.close();
    await calls.close();
  });
  return { adapter, calls, faults, log };
}

/** Waits until something is so, at most a few seconds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`still waiting for: ${what}`);
    await sleep(2);
  }
}

export function settled(adapter: Adapter): Promise<void> {
  return until(() => adapter.owed().length === 0, 'nothing is owed');
}
