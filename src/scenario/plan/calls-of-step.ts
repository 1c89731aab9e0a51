import type { CallStep, Step } from './plan.ts';

/** Returns the calls of a step. Of a repeated call, returns only the first one. */
export function callsOf(step: Step): readonly CallStep[] {
  switch (step.kind) {
    case 'call':
      return [step];
    case 'together':
      return step.steps;
    case 'repeat':
      return [step.instance(0)];
    case 'wait':
    case 'launches':
      return [];
  }
}
