import { plural } from '../../contract/plural.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { QuickPart, RequiredResult, Shard } from '../../journal/event.ts';
import { UsageError } from '../exit-status.ts';
import { choose, isWhole, quickPartOf, selectionWords } from '../selection.ts';
import type { SuiteScenario } from '../suite.ts';
import type { LastFailed } from './last-failed.ts';
import type { PreparedRun } from './prepare-run.ts';
import { requiredOf } from './required.ts';
import { shardOf } from './shard.ts';

/** One client with the sessions that a run uses, and the scenarios that the run plays with this client. */
export interface Assignment {
  readonly client: ClientUnderTest;
  readonly scenarios: readonly SuiteScenario[];
  /** The words and flags that selected the scenarios, as reports print them. */
  readonly selection: readonly string[];
  /** The rules and scenarios that the run must decide. */
  readonly required: readonly RequiredResult[];
  /** True if the run plays the whole built-in suite. */
  readonly whole: boolean;
  /** The part of the whole suite that `--quick` leaves out. Undefined if the run is not a quick run. */
  readonly quick: QuickPart | undefined;
  readonly shard: Shard | undefined;
  /** The scenarios of all shards, and the client with the sessions of all shards. A single shard has only some of them. */
  readonly together: Pick<Assignment, 'client' | 'scenarios'>;
}

/**
 * Selects the scenarios and sessions of a prepared run for one client.
 *
 * @throws UsageError when there are not enough players, or no scenario is left
 */
export function assign(
  client: ClientUnderTest,
  prepared: PreparedRun,
  { failed }: { readonly failed?: ReadonlyMap<string, LastFailed> | undefined },
): Assignment {
  const { flags, suite } = prepared;
  const scenarios = failed ? chosenAgain(prepared, failed.get(client.extCID)) : prepared.chosen;
  const whole = isWhole(suite, scenarios);
  const selection = [
    ...selectionWords(prepared.selection),
    ...(flags.lastFailed === undefined ? [] : ['--last-failed']),
  ];
  const quick = failed === undefined && !flags.shard ? quickPartOf(suite, prepared.selection) : undefined;
  const unplayed = failed?.get(client.extCID)?.unplayed;
  const required = requiredOf(client, { ...prepared, scenarios, isSubset: failed !== undefined, unplayed });
  const together = { client, scenarios };
  if (!flags.shard) return { client, scenarios, selection, required, whole, quick, shard: undefined, together };
  const part = shardOf(client, scenarios, whole, prepared);
  return { ...part, together, required, selection: [...selection, `--shard ${flags.shard}`], whole: false, quick };
}

/**
 * Returns the chosen scenarios that must be repeated. Opt-in scenarios are included, because the user named them
 * in the last run.
 *
 * @throws UsageError if none of these scenarios exists any more, or if none of them is selected
 */
function chosenAgain({ selection, suite, chosen, stdio }: PreparedRun, last: LastFailed | undefined) {
  if (!last || last.ids.size === 0) return [];
  const existing = suite.scenarios.filter(({ id }) => last.ids.has(id)).map(({ id }) => id);
  if (existing.length === 0) {
    throw new UsageError(
      `${last.journal} names scenarios to repeat that no longer exist: ${[...last.ids].slice(0, 4).join(', ')}. Nothing was sent.`,
    );
  }
  const candidates = selection.words.length > 0 ? chosen : choose(suite, { ...selection, words: existing }, stdio.cwd);
  const scenarios = candidates.filter(({ id }) => last.ids.has(id));
  if (scenarios.length > 0) return scenarios;
  throw new UsageError(
    `${last.journal} names ${plural(last.ids.size, 'scenario')} to repeat, but your selection contains none of these. Nothing was sent.`,
  );
}
