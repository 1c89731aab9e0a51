import { randomUUID } from 'node:crypto';
import { Aftermath } from '../engine/aftermath.ts';
import { run } from '../engine/run.ts';
import type { ClientUnderTest, RunnableScenario, RunOptions } from '../engine/run-options.ts';
import { signedBy } from '../engine/signed-by.ts';
import type { JournalEvent } from '../journal/event.ts';
import { startFolding } from '../journal/fold.ts';
import type { LaunchRequest } from '../journal/launch.ts';
import type { Behaviour } from '../operator/behaviour.ts';
import { type Outcome, outcomeOf, outcomeOfBoth } from './outcome.ts';
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
  readonly launches: () => readonly LaunchRequest[];
  close(): Promise<void>;
}

interface Books {
  readonly dataDir: string;
  readonly expired?: string;
}

/** What a trial needs of whoever lets it be played. */
export interface Host {
  readonly scenarios: readonly RunnableScenario[];
  /** Those that send transactions of an earlier run again. */
  readonly afterwards: readonly RunnableScenario[];
  /** Starts the reference operator; what it throws goes to `onFault`. `books`: kept there, and a player whose sessions have expired. */
  readonly start: (onFault: (error: unknown) => void, behaviour: Behaviour, books?: Books) => Promise<Started>;
  /** Gives an empty folder for as long as the promise is open. */
  readonly inFolder: <T>(use: (folder: string) => Promise<T>) => Promise<T>;
}

/** Seeds decide order; a matrix of equal orders can be compared. */
const SEED = 'selftest';
/** The windows of the defects are wide enough to be met in a round or two. */
const RACE_ROUNDS = 2;
const WORKERS = 8;
const MOST_AT_ONCE = 64;
/** A player of the reference operator with one session in which rounds are left open. */
const EXPIRING = 'carla';

/** Starts the operator of the trial, judges it by all the scenarios over real sockets, and says whether that was right. */
export function playTrial(trial: Trial, times: TrialTimes, host: Host): Promise<Outcome> {
  return trial.restarted ? playTwice(trial, times, host) : playOnce(trial, times, host, {});
}

/** Plays everything, starts the operator anew upon its books, and sends transactions of the first run again. */
function playTwice(trial: Trial, times: TrialTimes, host: Host): Promise<Outcome> {
  return host.inFolder(async (dataDir) => {
    let before: Aftermath | undefined;
    const first = await playOnce(trial, times, host, {
      books: { dataDir },
      onRecord: (client) => {
        const aftermath = new Aftermath({ signedRight: signedBy(client.integrationApiKey) });
        before = aftermath;
        return (event) => aftermath.add(event);
      },
    });
    if (!before) return first;
    const second = await playOnce(
      trial,
      times,
      { ...host, scenarios: host.afterwards },
      { books: { dataDir, expired: EXPIRING }, after: { aftermath: before, ageMs: 0 } },
    );
    return outcomeOfBoth(first, second);
  });
}

interface Circumstances {
  readonly books?: Books;
  readonly after?: RunOptions['after'];
  readonly onRecord?: (client: ClientUnderTest) => (event: JournalEvent) => void;
}

async function playOnce(
  trial: Trial,
  times: TrialTimes,
  { scenarios, start }: Host,
  { books, after, onRecord }: Circumstances,
): Promise<Outcome> {
  const faults: string[] = [];
  const began = performance.now();
  const operator = await start((error) => faults.push(String(error)), trial.behaviour(times), books);
  const folding = startFolding();
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
      campaign: operator.campaign,
      launches: operator.launches,
      largeAmounts: true,
      raceRounds: RACE_ROUNDS,
      after,
      ...times,
      workers: WORKERS,
      bail: null,
      ratePerSecond: null,
      maxAtOnce: MOST_AT_ONCE,
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
