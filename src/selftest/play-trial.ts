import { randomUUID } from 'node:crypto';
import { run } from '../engine/run.ts';
import type { ClientUnderTest, RunnableScenario } from '../engine/run-options.ts';
import { startFolding } from '../journal/fold.ts';
import type { Behaviour } from '../operator/behaviour.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Trial } from './trial.ts';

/** The times of a trial. They are scaled down: what a defect waits is scaled with them. */
export interface TrialTimes {
  readonly deadlineMs: number;
  readonly lingerMs: number;
}

/** An operator that was started for one trial. */
interface Started {
  readonly client: ClientUnderTest;
  readonly campaign: string;
  close(): Promise<void>;
}

/** Starts the reference operator; what it throws goes to `onFault`. */
export type StartOperator = (onFault: (error: unknown) => void, behaviour: Behaviour) => Promise<Started>;

/** Seeds decide order; a matrix of equal orders can be compared. */
const SEED = 'selftest';
/** The windows of the defects are wide enough to be met in a round or two. */
const RACE_ROUNDS = 2;
const WORKERS = 8;
const MOST_AT_ONCE = 64;

/** Starts the operator of the trial, judges it by all the scenarios over real sockets, and says whether that was right. */
export async function playTrial(
  trial: Trial,
  scenarios: readonly RunnableScenario[],
  times: TrialTimes,
  start: StartOperator,
): Promise<Outcome> {
  const faults: string[] = [];
  const began = performance.now();
  const operator = await start((error) => faults.push(String(error)), trial.behaviour(times));
  const folding = startFolding();
  try {
    await run({
      croupier: 'selftest',
      client: operator.client,
      scenarios,
      selection: [],
      whole: true,
      seed: SEED,
      strict: false,
      stakes: {},
      campaign: operator.campaign,
      largeAmounts: true,
      raceRounds: RACE_ROUNDS,
      ...times,
      workers: WORKERS,
      bail: null,
      ratePerSecond: null,
      maxAtOnce: MOST_AT_ONCE,
      signal: new AbortController().signal,
      uuid: randomUUID,
      now: () => performance.now(),
      record: (event) => folding.add(event),
    });
  } finally {
    await operator.close();
  }
  return outcomeOf(trial, folding.result(), faults, performance.now() - began);
}
