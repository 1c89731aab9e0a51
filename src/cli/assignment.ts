import type { ClientUnderTest } from '../engine/run-options.ts';
import type { Shard } from '../journal/event.ts';
import { choose, isWhole, wishText } from './choice.ts';
import type { LastFailed } from './last-failed.ts';
import type { PreparedRun } from './prepare-run.ts';
import { shardOf } from './shard.ts';
import type { SuiteScenario } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** What is played against one client, and by whom. */
export interface Assignment {
  readonly client: ClientUnderTest;
  readonly scenarios: readonly SuiteScenario[];
  /** What was asked for, word by word. */
  readonly selection: readonly string[];
  /** True for the whole built-in suite. */
  readonly whole: boolean;
  readonly shard: Shard | undefined;
}

/**
 * What of a prepared run concerns one client.
 *
 * @throws UsageError when there are not enough players, or nothing is left
 */
export function assign(
  client: ClientUnderTest,
  prepared: PreparedRun,
  { failed }: { readonly failed?: ReadonlyMap<string, LastFailed> | undefined },
): Assignment {
  const { flags, wish, suite } = prepared;
  const scenarios = failed ? chosenAgain(prepared, failed.get(client.extCID)) : prepared.chosen;
  const whole = isWhole(suite, scenarios);
  const selection = [...wishText(wish), ...(flags.lastFailed === undefined ? [] : ['--last-failed'])];
  if (!flags.shard) return { client, scenarios, selection, whole, shard: undefined };
  const part = shardOf(client, scenarios, whole, prepared);
  return { ...part, selection: [...selection, `--shard ${flags.shard}`], whole: false };
}

/** Those of the chosen that failed. What is only played when it is named counts as named: it was, when it failed. */
function chosenAgain({ wish, suite, chosen, stdio }: PreparedRun, last: LastFailed | undefined) {
  if (!last || last.ids.size === 0) return [];
  const there = suite.scenarios.filter(({ id }) => last.ids.has(id)).map(({ id }) => id);
  if (there.length === 0) {
    throw new UsageError(
      `What failed in ${last.journal} is no scenario any more: ${[...last.ids].slice(0, 4).join(', ')}. Nothing was sent.`,
    );
  }
  const candidates = wish.words.length > 0 ? chosen : choose(suite, { ...wish, words: there }, stdio.cwd);
  const scenarios = candidates.filter(({ id }) => last.ids.has(id));
  if (scenarios.length > 0) return scenarios;
  throw new UsageError(
    `None of the ${last.ids.size} scenarios that failed in ${last.journal} is among what was selected. Nothing was sent.`,
  );
}
