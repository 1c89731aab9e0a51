import { readBaseline } from '../../src/app/baseline-file.ts';
import type { KnownFailure, RunStarted } from '../../src/journal/event.ts';
import { runStarted } from '../journal/events.ts';

type Scenarios = RunStarted['scenarios'];

/** Returns the known failures that a baseline of one client lists. @throws Error if the baseline has mistakes */
export function knownIn(baseline: string, scenarios: Scenarios): readonly KnownFailure[] {
  const suite = scenarios.map((scenario) => ({ ...scenario, tags: [] }));
  const reading = readBaseline('b.yaml', baseline, { suite, chosen: suite, clients: [] });
  if (reading.kind === 'broken') throw new Error(JSON.stringify(reading.diagnostics));
  return reading.known.map(({ client: _client, ...entry }) => entry);
}

/** Returns the start of a run with a baseline. An empty text stands for no baseline. */
export function startedWith(
  baseline: string,
  scenarios: Scenarios,
  settings: Partial<RunStarted['settings']> = {},
): RunStarted {
  const start = runStarted(scenarios);
  const known = knownIn(baseline, scenarios);
  return {
    ...start,
    settings: { ...start.settings, stakes: { USD: '1' }, ...settings },
    ...(known.length > 0 && { baseline: { file: 'b.yaml', known } }),
  };
}

/** Returns one session in USD for each player. */
export function sessionsOf(players: readonly string[]): RunStarted['settings']['sessions'] {
  return players.map((player) => ({
    sessionID: `s-${player}`,
    player,
    currency: 'USD',
    gameID: null,
    state: 'active',
  }));
}
