import type { Unfit } from './earlier-run.ts';
import type { RunnableScenario, RunOptions } from './run-options.ts';

/** Says of a scenario that it is not played, and why. */
export function leaveOut({ id }: RunnableScenario, { verdict, reason }: Unfit, options: RunOptions): void {
  const { record, now } = options;
  record({ event: 'scenario-started', scenario: id, attempt: 1, at: now(), sessions: {} });
  record({
    event: 'scenario-ended',
    scenario: id,
    attempt: 1,
    verdict,
    reason,
    durationMs: 0,
    restored: null,
    passes: {},
  });
}
