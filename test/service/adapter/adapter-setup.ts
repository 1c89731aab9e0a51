import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Adapter, type AdapterOptions } from '../../../src/service/adapter/adapter.ts';
import { Faults } from '../../../src/service/adapter/faults.ts';
import { ReverseCalls } from '../../../src/service/adapter/reverse-calls.ts';
import { RoundStore } from '../../../src/service/adapter/round-store.ts';
import { ExchangeLog } from '../../../src/service/exchange-log.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';
import { sleep } from '../../../src/service/sleep.ts';
import { type Front, KEY, openFront } from './operator-front.ts';
import { clientAt, DEADLINE_MS, QUICK } from './sessions.ts';

export interface StartedAdapter {
  readonly adapter: Adapter;
  readonly calls: ReverseCalls;
  readonly faults: Faults;
  readonly log: ExchangeLog;
}

/** Starts an operator with faults. It is closed when the test is over. */
export async function startFront(): Promise<Front> {
  const front = await openFront();
  onTestFinished(() => front.close());
  return front;
}

/** Starts an adapter that calls an operator over real sockets. It is closed when the test is over. */
export function startAdapter(
  url: string,
  options: Partial<AdapterOptions> = {},
  deadlineMs = DEADLINE_MS,
): StartedAdapter {
  const faults = new Faults();
  const log = new ExchangeLog({ secrets: [KEY], clock: Date.now });
  const calls = new ReverseCalls({ clients: [clientAt(url)], log, sleep, faults, wire: { deadlineMs } });
  const adapter = new Adapter({
    store: new RoundStore(openServiceDatabase()),
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

/** Waits until a condition is true. Throws after five seconds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`still waiting for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function settled(adapter: Adapter): Promise<void> {
  return until(() => adapter.owed().length === 0, 'nothing is owed');
}
