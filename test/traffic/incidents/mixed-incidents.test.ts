import { describe, expect, it } from 'vitest';
import { wrongMixedResults } from './mixed-results.ts';
import { KINDS } from './mixed-simulation.ts';

/** The slow tests simulateMixed more simulations. */
const COUNT = 12;

describe('the result of a simulation with damaged logs is true or unknown', () => {
  it.each(KINDS)(
    'if the simulation has: %s',
    async (kind) => {
      expect(await wrongMixedResults(kind, COUNT)).toEqual([]);
    },
    60_000,
  );
});
