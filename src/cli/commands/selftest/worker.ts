import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import { loadWallets } from '../../../app/load/load-players.ts';
import { startReference } from '../../../app/reference-operator.ts';
import { builtInSource, loadSuite } from '../../../app/suite.ts';
import { playLoadTrial } from '../../../selftest/play-load.ts';
import { type Host, playTrial } from '../../../selftest/play-trial.ts';
import { isUnderLoad, trialByName } from '../../../selftest/trials.ts';
import type { TrialAnswer, TrialOrder } from './action.ts';

const port = parentPort;
if (!port) throw new Error('this file cannot be started directly: `croupier selftest` starts it in a thread');

const { scenarios } = loadSuite([builtInSource()], process.cwd(), randomUUID);

const host: Host = {
  scenarios,
  afterwards: scenarios.filter(({ needs }) => needs.earlierRun),
  start: startReference,
  walletsOf: (client, arrivals) => loadWallets(client, arrivals, undefined),
  inFolder: async (use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    try {
      return await use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const eventLoop = monitorEventLoopDelay({ resolution: 10 });
eventLoop.enable();

/** Returns the delay of this thread's event loop since the last call, in milliseconds: one of ten delays was longer. */
function delayMs(): number {
  const ms = eventLoop.percentile(90) / 1e6;
  eventLoop.reset();
  return ms;
}

port.on('message', (order: TrialOrder) => {
  const trial = trialByName(order.trial);
  if (!trial) throw new RangeError(`there is no trial ${order.trial}`);
  const play = isUnderLoad(trial) ? playLoadTrial : playTrial;
  play(trial, order.times, host).then(
    (outcome) => port.postMessage({ outcome, delayMs: delayMs() } satisfies TrialAnswer),
    (error: unknown) => port.postMessage({ error: String(error) } satisfies TrialAnswer),
  );
});
