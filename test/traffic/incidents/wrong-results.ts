import { falseClaims, timelineOf } from './check.ts';
import { type Damage, logFiles, type Writing } from './damage.ts';
import { Random, simulate } from './simulation.ts';

const SIDES = ['service', 'operator', 'both'] as const;
/** Lines are missing in these logs without a trace. */
const SHORTENED: ReadonlySet<Damage> = new Set(['drop', 'gap']);
/** These logs lack their beginning or their end, or both. */
const CUT: ReadonlySet<Damage> = new Set(['cut-anywhere', 'cut-document']);
/** Matches the first field of an entry. */
const BEGINNING = /"(?:ts|@timestamp|startedDateTime|timeUnixNano)":/g;

async function claimsOf(seed: number, writing: Writing): Promise<readonly string[]> {
  const isShortened = SHORTENED.has(writing.damage);
  // Equal stakes make a missing round look like an error more often. Only logs in which nothing is missing have them.
  const simulation = simulate(seed, isShortened || seed % 2 === 0 ? 'varied' : 'equal');
  const files = logFiles(simulation, writing, new Random(seed * 7 + 1));
  const undamaged = logFiles(simulation, { ...writing, damage: 'none' }, new Random(1));
  const begun = files.flatMap(({ text }) => text.match(BEGINNING) ?? []).length;
  const claims = falseClaims(await timelineOf(files), simulation, {
    undamaged: await timelineOf(undamaged),
    isShortened,
    begun: CUT.has(writing.damage) ? begun : null,
  });
  return claims.map((claim) => `simulation ${seed}, ${writing.sides}: ${claim}`);
}

/**
 * Simulates incidents with one kind of damage to their logs, and returns the false claims about them.
 *
 * @param count the number of simulations for each choice of sides
 * @returns an empty list if no claim is false
 */
export async function wrongResults(damage: Damage, count: number): Promise<readonly string[]> {
  const found: (readonly string[])[] = [];
  for (const sides of SIDES) {
    for (let seed = 1; seed <= count; seed += 1) found.push(await claimsOf(seed, { sides, damage }));
  }
  return found.flat();
}
