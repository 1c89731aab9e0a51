import { describe, expect, it } from 'vitest';
import { isDecided } from '../../../src/traffic/timeline/verdict.ts';
import { checked, wrongMixedResults } from './mixed-results.ts';
import { KINDS } from './mixed-simulation.ts';

/** With all kinds, 10,080 simulations. */
const COUNT = 1120;

describe('the result of a simulation with damaged logs is true or unknown', () => {
  it.each(KINDS)(
    'if the simulation has: %s',
    async (kind) => {
      expect(await wrongMixedResults(kind, COUNT)).toEqual([]);
    },
    600_000,
  );
});

describe('the result of a simulation with damaged logs', () => {
  it('is often known', async () => {
    let [wallets, known] = [0, 0];
    for (const kind of KINDS) {
      for (let seed = 1; seed <= 50; seed += 1) {
        const { timeline } = await checked(kind, seed);
        wallets += timeline.wallets.length;
        known += timeline.wallets.filter((wallet) => isDecided(wallet) && wallet.should !== null).length;
      }
    }
    expect(known / wallets).toBeGreaterThan(0.5);
  }, 120_000);
});
