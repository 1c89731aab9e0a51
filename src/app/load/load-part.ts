import { denominationOf } from '../../engine/stakes.ts';
import type { RunStarted } from '../../journal/event.ts';
import type { LoadPart } from '../../load/joined-facts.ts';
import { type LoadOptions, type LoadOutcome, type LoadWallet, runLoad } from '../../load/load.ts';
import type { Mix } from '../../load/mix.ts';
import type { Endpoint } from '../../load/requests.ts';
import { factsOf } from '../../load/result.ts';
import type { Arrivals } from '../../load/schedule.ts';
import { quoteWord } from '../../report/curl.ts';
import type { WireOptions } from '../../wire/wire.ts';
import { version } from '../version.ts';

/**
 * The settings with which a worker plays a load, or a share of it. They are plain values, so that they can be sent to another
 * thread.
 */
export interface LoadOrder {
  readonly endpoint: Endpoint;
  readonly wire: WireOptions;
  readonly wallets: readonly LoadWallet[];
  readonly arrivals: Arrivals;
  readonly durationMs: number;
  readonly mix: Mix;
  readonly campaign: string | null;
  /** True if accounts have a credit line, so that a bet above the balance may be accepted. */
  readonly credit: boolean;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly seed: string;
  /** The id of the run if each call gets a `traceparent` header. Absent: no call gets one. */
  readonly tracedRunID?: string | undefined;
  /** The configured stakes and decimals, by currency code. */
  readonly amounts: Readonly<Record<'stakes', Readonly<Record<string, string>>>> &
    Readonly<Record<'decimals', Readonly<Record<string, number>>>>;
  readonly numbers: LoadOptions['numbers'];
  readonly started: Pick<RunStarted, 'runID' | 'startedAt' | 'client'>;
  /** The time of the first event of the journal, in milliseconds since 1970. */
  readonly originEpochMs: number;
  /** The path of the journal as it is shown to the user. */
  readonly journal: string;
}

/** The parts of a load test that are no plain values. */
export interface LoadHooks
  extends Pick<
    LoadOptions,
    'write' | 'scrub' | 'signal' | 'onProgress' | 'onOpened' | 'onBegin' | 'onEnd' | 'onSecond' | 'onTime' | 'mayLeave'
  > {
  /** Is called when `signal` is aborted, with the result so far. Its values do not change afterwards, except the times. */
  readonly onInterrupted?: (soFar: LoadPart) => void;
}

/** Plays a load, or a share of it, in this thread. */
export async function playPart(order: LoadOrder, hooks: LoadHooks): Promise<LoadPart> {
  const { endpoint, amounts, originEpochMs } = order;
  const outcome = await runLoad({
    ...order,
    ...hooks,
    origin: originEpochMs - performance.timeOrigin,
    denominationOf: (currency, decimals) => denominationOf(currency, { ...amounts, client: endpoint }, decimals),
    onInterrupted: (soFar) => {
      const { facts, ...part } = partOf(soFar, order);
      hooks.onInterrupted?.({ ...part, facts: structuredClone(facts) });
    },
  });
  return partOf(outcome, order);
}

function partOf(outcome: LoadOutcome, order: LoadOrder): LoadPart {
  const { started, journal, seed, arrivals, durationMs } = order;
  const facts = factsOf(outcome, {
    croupier: version,
    runID: started.runID,
    startedAt: started.startedAt,
    client: started.client,
    journal,
    seed,
    arrivals,
    durationMs,
    replayCommand: (player, atMs) => replayCommand(journal, player, Date.parse(started.startedAt) + atMs),
  });
  return { facts, byCall: outcome.measures.byCall, lastNumber: outcome.lastNumber };
}

const LAST_MINUTE_MS = 60_000;

/** Returns a command for the user. The command writes a scenario with the calls that a player made in the last minute. */
function replayCommand(journal: string, player: string, until: number): string {
  const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  const flags = ['--player', quoteWord(player), '--from', time(until - LAST_MINUTE_MS), '--to', time(until + 1000)];
  return ['croupier replay', quoteWord(journal), ...flags, '--scenario found.yaml'].join(' ');
}
