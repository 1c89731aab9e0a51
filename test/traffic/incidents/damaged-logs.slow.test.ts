import { describe, expect, it } from 'vitest';
import { DAMAGES } from './damage.ts';
import { wrongResults } from './wrong-results.ts';

/** With all kinds of damage and all choices of sides, more than 12,000 incidents. */
const COUNT = 245;

describe('the result of an incident is true or unknown', () => {
  it.each(DAMAGES)(
    'if the damage to the logs is: %s',
    async (damage) => {
      expect(await wrongResults(damage, COUNT)).toEqual([]);
    },
    300_000,
  );
});
