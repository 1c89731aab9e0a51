import { randomUUID } from 'node:crypto';
import { AfterRun } from '../engine/after/after-run.ts';
import { type EarlierJournal, EarlierRun } from '../engine/after/earlier-run.ts';
import { signedBy } from '../engine/after/past-call.ts';
import { run } from '../engine/run/run.ts';
import type { ClientUnderTest, RunnableScenario } from '../engine/run-options.ts';
import type { JournalEvent } from '../journal/event.ts';
import { startFold } from '../journal/fold.ts';
import type { LaunchRequest } from '../journal/launch.ts';
import type { LoadWallet } from '../load/load.ts';
import type { Arrivals } from '../load/schedule.ts';
import type { Behaviour } from '../operator/behaviour.ts';
import { type Outcome, outcomeOf, outcomeOfBoth } from './outcome.ts';
import type { Trial } from './trials.ts';

/**
 * The waiting times of a trial, in milliseconds. They are shorter than in a real run. The delays of defects are shortened in the
 * same way.
 */
export interface TrialTimes {
  readonly deadlineMs: number;
  readonly lingerMs: number;
}

/** An operator that was started for one trial. */
export interface Started {
  readonly client: ClientUnderTest;
  readonly campaign: string;
  readonly launches: () => readonly LaunchRequest[];
  close(): Promise<void>;
}

interface StoreOptions {
  readonly dataDir: string;
  readonly expired?: string;
}

/** The functions and scenarios that a trial needs from its caller. */
export interface Host {
  readonly scenarios: readonly RunnableScenario[];
  /** The scenarios for the run after a restart. They send transactions of the first run again. */
  readonly afterwards: readonly RunnableScenario[];
  /**
   * Starts the reference operator and passes its errors to `onFault`. `store` gives the folder of its database, and a
   * player whose sessions have expired.
   */
  readonly start: (onFault: (error: unknown) => void, behaviour: Behaviour, store?: StoreOptions) => Promise<Started>;
  /** Returns the wallets of a client that a load test plays with. */
  readonly walletsOf: (client: ClientUnderTest, arrivals: Arrivals) => readonly LoadWallet[];
  /** Calls `use` with an empty folder, and removes the folder afterwards. */
  readonly inFolder: <T>(use: (folder: string) => Promise<T>) => Promise<T>;
}

/** The seed that decides the order of scenarios. It is fixed, so that two runs of the selftest can be compared. */
export const SEED = 'selftest';
/**
 * The number of rounds in a race scenario. One or two rounds are enough. A defect about races leaves a long time in which calls can
 * disturb each other.
 */
const RACE_ROUNDS = 2;
const WORKERS = 8;
const MAX_AT_ONCE = 64;
/**
 * A player of the reference operator. Its only session has open rounds. When the operator is started a second time, this
 * session is expired.
 */
const EXPIRING = 'carla';

/** Starts the operator of the trial, runs all scenarios against it over real sockets, and checks the result. */
export function playTrial(trial: Trial, times: TrialTimes, host: Host): Promise<Outcome> {
  return trial.restarted ? playTwice(trial, times, host) : playOnce(trial, times, host, {});
}

/** Runs all scenarios, restarts the operator on its database, and sends transactions of the first run again. */
function playTwice(trial: Trial, times: TrialTimes, host: Host): Promise<Outcome> {
  return host.inFolder(async (dataDir) => {
    let before: AfterRun | undefined;
    const scenarios = host.scenarios.map(unfinished);
    const first = await playOnce(
      trial,
      times,
      { ...host, scenarios },
      {
        store: { dataDir },
        onRecord: (client) => {
          const afterRun = new AfterRun({ signedRight: signedBy(client.integrationApiKey) });
          before = afterRun;
          return (event) => afterRun.add(event);
        },
      },
    );
    if (!before) return first;
    const second = await playOnce(
      trial,
      times,
      { ...host, scenarios: host.afterwards },
      { store: { dataDir, expired: EXPIRING }, after: { afterRun: before, ageMs: 0 } },
    );
    return outcomeOfBoth(first, second);
  });
}

/** Returns the scenario without the calls that complete its rounds, so that the second run can complete them. */
function unfinished(scenario: RunnableScenario): RunnableScenario {
  return { ...scenario, plan: () => ({ ...scenario.plan(), rounds: 'unfinished' }) };
}

interface RunSettings {
  readonly store?: StoreOptions;
  readonly after?: EarlierJournal;
  readonly onRecord?: (client: ClientUnderTest) => (event: JournalEvent) => void;
}

async function playOnce(
  trial: Trial,
  times: TrialTimes,
  { scenarios, start }: Host,
  { store, after, onRecord }: RunSettings,
): Promise<Outcome> {
  const faults: string[] = [];
  const began = performance.now();
  const operator = await start((error) => faults.push(String(error)), trial.behaviour(times), store);
  const folding = startFold();
  const listener = onRecord?.(operator.client);
  try {
    await run({
      croupier: 'selftest',
      client: operator.client,
      scenarios,
      selection: [],
      whole: after === undefined,
      seed: SEED,
      strict: false,
      stakes: {},
      decimals: {},
      campaign: operator.campaign,
      launches: operator.launches,
      largeAmounts: true,
      credit: trial.credit,
      fewerReads: true,
      // A run against a real operator repeats failures that only a balance shows. The selftest must show that defects are found all the
      // same.
      watchesBalances: true,
      raceRounds: RACE_ROUNDS,
      after: after && new EarlierRun(after, operator.client),
      ...times,
      workers: WORKERS,
      bail: null,
      ratePerSecond: null,
      maxAtOnce: MAX_AT_ONCE,
      signal: new AbortController().signal,
      uuid: randomUUID,
      now: () => performance.now(),
      record: (event) => {
        folding.add(event);
        listener?.(event);
      },
    });
  } finally {
    await operator.close();
  }
  return outcomeOf(trial, folding.result(), faults, performance.now() - began);
}
