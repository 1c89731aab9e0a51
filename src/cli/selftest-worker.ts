import { randomUUID } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { playTrial } from '../selftest/play-trial.ts';
import { trialByName } from '../selftest/trials.ts';
import { startReference } from './reference.ts';
import type { TrialAnswer, TrialOrder } from './selftest.ts';
import { builtInSource, loadSuite } from './suite.ts';

const port = parentPort;
if (!port) throw new Error('the trials are played in a thread that croupier selftest starts');

const { scenarios } = loadSuite([builtInSource()], process.cwd(), randomUUID);

port.on('message', (order: TrialOrder) => {
  const trial = trialByName(order.trial);
  if (!trial) throw new RangeError(`there is no trial ${order.trial}`);
  playTrial(trial, scenarios, order.times, startReference).then(
    (outcome) => port.postMessage({ outcome } satisfies TrialAnswer),
    (error: unknown) => port.postMessage({ error: String(error) } satisfies TrialAnswer),
  );
});
