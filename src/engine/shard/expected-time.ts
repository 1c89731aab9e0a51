import type { Plan, Step } from '../../scenario/plan/plan.ts';

/** Time for the first read, for the last read and for restoring the balance, in milliseconds. */
const OVERHEAD_MS = 10;
const CALL_MS = 3;
/** Time for the repetitions of a race, in milliseconds. */
const RACE_MS = 1000;

/**
 * Returns the expected duration of a scenario that was never measured, in milliseconds. It counts little more than settle times and
 * races. So it is only good enough to compare scenarios with each other.
 */
export function expectedTime({ steps, always }: Pick<Plan, 'steps' | 'always'>, lingerMs: number): number {
  const all = [...steps, ...always];
  const race = all.some(({ kind }) => kind === 'together') ? RACE_MS : 0;
  return all.reduce((sum, step) => sum + timeOf(step, lingerMs), OVERHEAD_MS + race);
}

function timeOf(step: Step, lingerMs: number): number {
  switch (step.kind) {
    case 'call': {
      const after = step.after === 'linger' ? lingerMs : (step.after ?? 0);
      // After a broken connection, croupier waits for the settle time, because the call may take effect late.
      return CALL_MS + after + (step.deviations.break === undefined ? 0 : lingerMs);
    }
    case 'together':
      return step.steps.length * CALL_MS;
    case 'wait':
      return step.ms === 'linger' ? lingerMs : step.ms;
    case 'launches':
      return CALL_MS;
    case 'repeat':
      return step.times * CALL_MS;
  }
}
