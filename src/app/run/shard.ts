import path from 'node:path';
import { plural } from '../../contract/plural.ts';
import { type EarlierJournal, EarlierRun } from '../../engine/after/earlier-run.ts';
import { planHash } from '../../engine/run/run-started.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import { playerOf } from '../../engine/session-pool.ts';
import { divide, divisionHash, playablePlayers } from '../../engine/shard/divide.ts';
import { expectedTime } from '../../engine/shard/expected-time.ts';
import type { Shard } from '../../journal/event.ts';
import { type RunFlags, shardPart } from '../config/run-flags.ts';
import { UsageError } from '../exit-status.ts';
import { journalEvents } from '../journal-files.ts';
import type { Stdio } from '../stdio.ts';
import type { SuiteScenario } from '../suite.ts';
import type { RunSettings } from './settings.ts';

/** Refuses flags that contradict `--shard`. @throws UsageError that names both flags */
export function refuseShardFlags({ shard, timings, launches }: RunFlags): void {
  if (timings && !shard)
    throw new UsageError(
      '--timings works only with --shard, because the times divide a run into shards. Nothing was sent.',
    );
  if (shard && launches !== undefined) {
    throw new UsageError(
      '--shard divides the players that are known before the run, but --launches waits for new ones. Leave one of them out. Nothing was sent.',
    );
  }
}

/**
 * Returns the duration of each scenario in milliseconds, with all its attempts. If several journals contain a scenario,
 * the last journal counts.
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

/** The settings of a run that decide how it is divided into shards. */
interface DivisionOptions {
  readonly flags: Pick<RunFlags, 'shard' | 'seed'>;
  readonly settings: Pick<RunSettings, 'workers' | 'lingerMs'>;
  /** The time that each scenario took in an earlier run, in milliseconds, by scenario id. */
  readonly timings: ReadonlyMap<string, number>;
  readonly earlier: ReadonlyMap<string, EarlierJournal>;
}

/**
 * Returns the scenarios of the shard that `--shard` names, and the players that only this shard uses.
 *
 * @param whole true if the scenarios are the whole suite
 * @throws UsageError when there are fewer players than shards, or this shard has no scenario
 */
export function shardOf(
  client: ClientUnderTest,
  scenarios: readonly SuiteScenario[],
  whole: boolean,
  { flags, settings, timings, earlier }: DivisionOptions,
): { readonly client: ClientUnderTest; readonly scenarios: readonly SuiteScenario[]; readonly shard: Shard } {
  const { index, count } = shardPart(flags.shard ?? '') ?? { index: 1, count: 1 };
  const players = playablePlayers(client.sessions).length;
  if (count > players) {
    throw new UsageError(
      `--shard ${index}/${count}: each part needs its own player, and ${client.extCID} has ${players === 1 ? 'one player' : `${players} players`} with an active session. Use at most ${plural(players, 'part')}, or configure more players (all sessions without \`player\` belong to one player). Nothing was sent.`,
    );
  }
  const after = earlier.get(client.extCID);
  const earlierRun = after && new EarlierRun(after, client);
  const known = scenarios.flatMap(({ id }) => timings.get(id) ?? []);
  const parts = divide(scenarios, client.sessions, {
    count,
    workers: settings.workers,
    weightOf: ({ id }, plan) => timings.get(id) ?? median(known) ?? expectedTime(plan, settings.lingerMs),
    fitting: (plan, assignments) => {
      if (!plan.needs.earlierRun || !earlierRun) return assignments;
      const fitting = earlierRun.fitting(plan, assignments);
      return 'reason' in fitting ? [] : fitting;
    },
  });
  const part = parts[index - 1];
  if (!part || part.scenarios.length === 0) {
    throw new UsageError(
      `--shard ${index}/${count}: ${scenarios.length === 1 ? 'one scenario was' : `${scenarios.length} scenarios were`} selected, and none is left for this part. Use fewer parts. Nothing was sent.`,
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
