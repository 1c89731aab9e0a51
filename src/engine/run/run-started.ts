import { createHash } from 'node:crypto';
import { CONTRACT_VERSION } from '../../contract/versions.ts';
import { JOURNAL_FORMAT, type RunStarted } from '../../journal/event.ts';
import type { RunnableScenario, RunOptions } from '../run-options.ts';
import { denominationOf } from '../stakes.ts';

type Beginning = Pick<
  RunOptions,
  'croupier' | 'client' | 'uuid' | 'seed' | 'selection' | 'whole' | 'deadlineMs' | 'lingerMs' | 'strict' | 'workers'
> &
  Partial<
    Pick<
      RunOptions,
      | 'quick'
      | 'flags'
      | 'shard'
      | 'budgetMs'
      | 'budgetFails'
      | 'retries'
      | 'allowFlaky'
      | 'trace'
      | 'isUnlocked'
      | 'stakes'
      | 'decimals'
      | 'baseline'
      | 'required'
      | 'suiteChanges'
      | 'ownScenarios'
      | 'digests'
      | 'labels'
      | 'labelHeaders'
    >
  > & {
    readonly scenarios: readonly Omit<RunnableScenario, 'tags' | 'last' | 'quick' | 'builtIn' | 'plan'>[];
  };

/**
 * Creates the first event of a run. It contains the version of croupier, the client, the scenarios and the settings, but no secret.
 */
export function runStarted(options: Beginning): RunStarted {
  return {
    event: 'run-started',
    format: JOURNAL_FORMAT,
    croupier: options.croupier,
    contract: options.client.contract ?? CONTRACT_VERSION,
    runID: options.uuid(),
    startedAt: new Date().toISOString(),
    seed: options.seed,
    client: { extCID: options.client.extCID, integratorBaseUrl: options.client.integratorBaseUrl },
    selection: options.selection,
    ...(options.flags && { flags: options.flags }),
    whole: options.whole,
    ...(options.ownScenarios && { ownScenarios: options.ownScenarios }),
    ...(options.suiteChanges && { suiteChanges: options.suiteChanges }),
    ...(options.digests && { digests: options.digests }),
    ...(options.labels && Object.keys(options.labels).length > 0 && { labels: options.labels }),
    ...(options.labelHeaders && Object.keys(options.labelHeaders).length > 0 && { labelHeaders: options.labelHeaders }),
    ...(options.quick && { quick: options.quick }),
    planHash: planHash(options.scenarios),
    ...(options.shard && { shard: options.shard }),
    settings: {
      deadlineMs: options.deadlineMs,
      lingerMs: options.lingerMs,
      strict: options.strict,
      workers: options.workers,
      ...(options.budgetMs && { budgetMs: options.budgetMs }),
      ...(options.budgetFails && options.budgetFails.length > 0 && { budgetFails: options.budgetFails }),
      ...(options.retries !== undefined && { retries: options.retries }),
      ...(options.allowFlaky && { allowFlaky: true }),
      ...(options.trace && { trace: true }),
      ...(options.isUnlocked && { noLock: true }),
      ...(options.stakes && { stakes: stakesOf(options.client, options.stakes, options.decimals ?? {}) }),
      sessions: options.client.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
        sessionID,
        player: player ?? null,
        currency: currency ?? null,
        gameID: gameID ?? null,
        state: state ?? 'active',
      })),
    },
    ...(options.baseline && { baseline: options.baseline }),
    ...(options.required && options.required.length > 0 && { required: options.required }),
    scenarios: options.scenarios.map(({ id, title, place, rules }) => ({ id, title, place, rules })),
  };
}

/** Returns the stake in each currency of the sessions. */
function stakesOf(
  client: RunOptions['client'],
  stakes: RunOptions['stakes'],
  decimals: RunOptions['decimals'],
): Readonly<Record<string, string>> {
  const codes = new Set(client.sessions.flatMap(({ currency }) => currency ?? []));
  return Object.fromEntries(
    [...codes].map((code) => [code, denominationOf(code, { stakes, decimals, client }, undefined).stake.toString()]),
  );
}

/** Returns a hash of the scenarios. The same scenarios in the same order have the same hash. */
export function planHash(scenarios: readonly Pick<RunnableScenario, 'id' | 'title' | 'rules'>[]): string {
  const text = scenarios.map(({ id, title, rules }) => `${id}\n${title}\n${rules.join(' ')}`).join('\n\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
