import { describe, expect, it } from 'vitest';
import { DAMAGES } from './damage.ts';
import { wrongResults } from './wrong-results.ts';

/** The slow tests simulate more incidents. */
const COUNT = 12;

describe('the result of an incident is true or unknown', () => {
  it.each(DAMAGES)(
    'if the damage to the logs is: %s',
    async (damage) => {
      expect(await wrongResults(damage, COUNT)).toEqual([]);
    },
    60_000,
  );
});
