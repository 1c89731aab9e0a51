import type { Plan, Step } from '../scenario/plan.ts';

/** What a story takes besides its calls: the first read and the last, and what it gives back. */
const AROUND_MS = 10;
const CALL_MS = 3;
/** A story with a race is told again and again for about so long. */
const RACE_MS = 1000;

/**
 * About how long a scenario takes that was never measured, in ms: lingers and races are what a run waits for. Only to be compared
 * with others.
 */
export function expectedTime({ steps, always }: Pick<Plan, 'steps' | 'always'>, lingerMs: number): number {
  const all = [...steps, ...always];
  const race = all.some(({ kind }) => kind === 'together') ? RACE_MS : 0;
  return all.reduce((sum, step) => sum + timeOf(step, lingerMs), AROUND_MS + race);
}

function timeOf(step: Step, lingerMs: number): number {
  switch (step.kind) {
    case 'call': {
      const after = step.after === 'linger' ? lingerMs : (step.after ?? 0);
      // What a broken connection has left behind shows after the linger, and is waited for.
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
