import path from 'node:path';
import { divide, divisionHash, playablePlayers } from '../engine/division.ts';
import { EarlierRun } from '../engine/earlier-run.ts';
import { expectedTime } from '../engine/expected-time.ts';
import { playerOf } from '../engine/pool.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { planHash } from '../engine/run-started.ts';
import type { Shard } from '../journal/event.ts';
import { journalEvents } from './journal-events.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { RunFlags } from './run-flags.ts';
import { partNumber } from './shard-flag.ts';
import type { Stdio } from './stdio.ts';
import type { SuiteScenario } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** @throws UsageError for flags that a part of a run can't follow */
export function refuseShardFlags({ shard, timings, launches }: RunFlags): void {
  if (timings && !shard)
    throw new UsageError('--timings is for --shard, which divides a run by them. Nothing was sent.');
  if (shard && launches !== undefined) {
    throw new UsageError(
      '--shard divides the players that are known beforehand, and --launches waits for some. Leave one of them out. Nothing was sent.',
    );
  }
}

/**
 * How long each scenario took, all attempts together, in ms; of several journals the last that has it counts.
 *
 * @throws UsageError for a journal that can't be read
 */
export async function readTimings({ timings = [] }: RunFlags, stdio: Stdio): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number>();
  for (const journal of timings) {
    const taken = new Map<string, number>();
    for await (const event of journalEvents(path.resolve(stdio.cwd, journal), journal)) {
      if (event.event !== 'scenario-ended') continue;
      taken.set(event.scenario, (taken.get(event.scenario) ?? 0) + event.durationMs);
    }
    for (const [id, ms] of taken) all.set(id, ms);
  }
  return all;
}

/**
 * The part that `--shard` names, with players of its own.
 *
 * @param whole whether the scenarios are the whole suite
 * @throws UsageError when there are fewer players than parts, or nothing for this part
 */
export function shardOf(
  client: ClientUnderTest,
  scenarios: readonly SuiteScenario[],
  whole: boolean,
  { flags, settings, timings, earlier }: PreparedRun,
): { readonly client: ClientUnderTest; readonly scenarios: readonly SuiteScenario[]; readonly shard: Shard } {
  const { index, count } = partNumber(flags.shard ?? '') ?? { index: 1, count: 1 };
  const players = playablePlayers(client.sessions).length;
  if (count > players) {
    throw new UsageError(
      `--shard ${index}/${count}: each part needs a player of its own, and ${client.extCID} has ${players === 1 ? 'one' : players} with an active session. Use at most ${players} parts, or configure more players (sessions without \`player\` count as one's). Nothing was sent.`,
    );
  }
  const after = earlier.get(client.extCID);
  const earlierRun = after && new EarlierRun(after, client);
  const known = scenarios.flatMap(({ id }) => timings.get(id) ?? []);
  const parts = divide(scenarios, client.sessions, {
    count,
    workers: settings.workers,
    weightOf: ({ id }, plan) => timings.get(id) ?? median(known) ?? expectedTime(plan, settings.lingerMs),
    fitting: (plan, castings) => {
      if (!plan.needs.earlierRun || !earlierRun) return castings;
      const fitting = earlierRun.fitting(plan, castings);
      return 'reason' in fitting ? [] : fitting;
    },
  });
  const part = parts[index - 1];
  if (!part || part.scenarios.length === 0) {
    throw new UsageError(
      `--shard ${index}/${count}: ${scenarios.length === 1 ? 'one scenario was' : `${scenarios.length} scenarios were`} selected, and nothing is left for this part. Use fewer parts. Nothing was sent.`,
    );
  }
  return {
    client: { ...client, sessions: part.sessions },
    scenarios: part.scenarios,
    shard: {
      index,
      count,
      planHash: planHash(scenarios),
      divisionHash: divisionHash(parts),
      scenarios: scenarios.length,
      players: new Set(client.sessions.map(playerOf)).size,
      whole,
      seed: flags.seed ?? null,
    },
  };
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
