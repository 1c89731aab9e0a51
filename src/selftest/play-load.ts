import { randomUUID } from 'node:crypto';
import { denominationOf } from '../engine/stakes.ts';
import { concludeLoad, type LoadResult } from '../journal/load/result.ts';
import { type LoadWallet, runLoad } from '../load/load.ts';
import { DEFAULT_MIX, type Mix } from '../load/mix.ts';
import { factsOf } from '../load/result.ts';
import type { Arrivals } from '../load/schedule.ts';
import { outcomeOfLoad } from './load-outcome.ts';
import type { Outcome } from './outcome.ts';
import { type Host, SEED, type Started, type TrialTimes } from './play-trial.ts';
import type { Trial } from './trials.ts';

/** More connections break than on a real day, and more calls are sent twice, because a load test of a trial is short. */
const MIX: Mix = { ...DEFAULT_MIX, brokenBets: 5, brokenWins: 5, repeatsAtOnce: 5, repeatsLater: 5, wholeBalance: 3 };
const ARRIVALS: Arrivals = { kind: 'rate', from: 120, to: 120 };
/** The duration of a load test, as a multiple of the deadline. So a trial that is repeated with more time lasts longer too. */
const DEADLINES = 1.5;

/** Starts the operator of the trial, runs a short load test against it over real sockets, and checks the result. */
export async function playLoadTrial(trial: Trial, times: TrialTimes, { start, walletsOf }: Host): Promise<Outcome> {
  const faults: string[] = [];
  const began = performance.now();
  const operator = await start((error) => faults.push(String(error)), trial.behaviour(times));
  try {
    const result = await loadTest(operator, walletsOf(operator.client, ARRIVALS), trial.credit ?? false, times);
    return outcomeOfLoad(trial, result, faults, performance.now() - began);
  } finally {
    await operator.close();
  }
}

/** Runs a load test without a journal, because the operator ends with the trial. */
async function loadTest(
  { client, campaign }: Started,
  wallets: readonly LoadWallet[],
  credit: boolean,
  { deadlineMs, lingerMs }: TrialTimes,
): Promise<LoadResult> {
  const durationMs = DEADLINES * deadlineMs;
  const outcome = await runLoad({
    endpoint: client,
    wire: client.wire,
    wallets,
    arrivals: ARRIVALS,
    durationMs,
    numbers: { after: 0, step: 1 },
    origin: performance.now(),
    mix: MIX,
    campaign,
    credit,
    deadlineMs,
    lingerMs,
    seed: SEED,
    denominationOf: (currency, decimals) => denominationOf(currency, { stakes: {}, decimals: {}, client }, decimals),
    write: () => {},
    // There is no journal, so there is no text from which a secret must be removed.
    scrub: (text) => text,
    signal: new AbortController().signal,
    onProgress: () => {},
    onBegin: () => {},
    onEnd: () => Promise.resolve(),
  });
  const facts = factsOf(outcome, {
    croupier: 'selftest',
    runID: randomUUID(),
    startedAt: new Date().toISOString(),
    client,
    journal: '',
    seed: SEED,
    arrivals: ARRIVALS,
    durationMs,
    replayCommand: () => '',
  });
  return { ...concludeLoad(facts), ...facts };
}
