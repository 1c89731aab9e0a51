import { CONTRACT_VERSION } from '../../contract/versions.ts';
import { JOURNAL_FORMAT } from '../../journal/event.ts';
import { Sender } from '../calls/sender.ts';
import type { Exploration, ExploreOptions } from './exploration.ts';
import { numberOf, Search } from './search.ts';

/**
 * Searches an operator for faults by playing generated histories. If a history fails, looks for a shorter history that still breaks
 * one of the same rules. Then continues the search, and no longer counts breaches of these rules. Records every call in the
 * journal, as a run does.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const started = options.now();
  const { client, record } = options;
  record({
    event: 'run-started',
    format: JOURNAL_FORMAT,
    croupier: options.croupier,
    contract: CONTRACT_VERSION,
    runID: options.uuid(),
    startedAt: new Date().toISOString(),
    seed: options.seed,
    client: { extCID: client.extCID, integratorBaseUrl: client.integratorBaseUrl },
    selection: ['explore'],
    ...(options.flags && { flags: options.flags }),
    whole: false,
    planHash: numberOf(options.seed, 'plan').toString(16),
    settings: {
      deadlineMs: options.deadlineMs,
      lingerMs: options.lingerMs,
      strict: options.strict,
      workers: options.workers,
      sessions: client.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
        sessionID,
        player: player ?? null,
        currency: currency ?? null,
        gameID: gameID ?? null,
        state: state ?? 'active',
      })),
    },
    scenarios: [],
  });
  const sender = new Sender({ ...options, wire: client.wire });
  const search = new Search(options, sender, started);
  const end = (ending: Exploration['ended']): Exploration => {
    const durationMs = options.now() - started;
    record({ ...ending, durationMs });
    return { ...search.result(), calls: sender.exchanges, ended: ending, durationMs };
  };
  try {
    return end(await search.all());
  } catch (error) {
    end({
      event: 'run-ended',
      how: 'bug',
      signal: null,
      detail: error instanceof Error ? error.message : String(error),
    });
    throw error;
  } finally {
    await sender.close();
  }
}
