import type { IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { timelineOf } from './check.ts';
import { falseMixedClaims } from './mixed-claims.ts';
import { FORMS, LOG_DAMAGES, type LogDamage, type LogWriting, SHORTENING, writeMixedLog } from './mixed-logs.ts';
import { type Kind, type MixedIncident, simulateMixed } from './mixed-simulation.ts';
import { Random } from './simulation.ts';

/** A simulation with its damaged logs, and what incident says about them. */
export interface Checked {
  readonly simulation: MixedIncident;
  readonly writings: readonly LogWriting[];
  readonly timeline: IncidentTimeline;
  readonly claims: readonly string[];
}

/** Simulates an incident, damages its logs, each in its own way, and checks what incident says about them. */
export async function checked(kind: Kind, seed: number): Promise<Checked> {
  const simulation = simulateMixed(kind, seed);
  const random = new Random(seed * 31 + 7);
  const writings = writingsOf(random);
  const files = writings.map((writing) => writeMixedLog(simulation, writing, random));
  const undamaged = writings.map((writing) => writeMixedLog(simulation, { ...writing, damages: [] }, random));
  const timeline = await timelineOf(files);
  const damages = writings.flatMap((writing) => writing.damages);
  const claims = falseMixedClaims(timeline, simulation, {
    undamaged: await timelineOf(undamaged),
    isShortened: damages.some((damage) => SHORTENING.has(damage)),
    isCut: damages.includes('cut end'),
  });
  return { simulation, writings, timeline, claims };
}

function writingsOf(random: Random): readonly LogWriting[] {
  const sides = random.pick(['service', 'operator', 'both', 'both'] as const);
  return (sides === 'both' ? (['service', 'operator'] as const) : [sides]).map((side) => {
    const damages: LogDamage[] = [random.pick(LOG_DAMAGES)];
    if (random.chance(0.25)) damages.push(random.pick(LOG_DAMAGES));
    return { side, form: random.pick(FORMS), damages: [...new Set(damages)] };
  });
}

/**
 * The share of simulations with a false claim that is accepted if lines are missing. A missing line leaves no trace if the pause is
 * short, and its result is by chance what an error of the operator would cause. In all other simulations, no claim may be false.
 */
const ACCEPTED_IF_SHORTENED = 0.003;

/**
 * Simulates incidents, and returns the false claims about them.
 *
 * @returns an empty list if no more claims are false than is accepted
 */
export async function wrongMixedResults(kind: Kind, count: number): Promise<readonly string[]> {
  const found = {
    shortened: { simulations: 0, wrong: [] as string[] },
    whole: { simulations: 0, wrong: [] as string[] },
  };
  for (let seed = 1; seed <= count; seed += 1) {
    const { claims, writings } = await checked(kind, seed);
    const isShortened = writings.some(({ damages }) => damages.some((damage) => SHORTENING.has(damage)));
    const mine = isShortened ? found.shortened : found.whole;
    mine.simulations += 1;
    const logs = writings.map(({ side, form, damages }) => `${side} ${form} ${damages.join('+')}`).join(', ');
    if (claims.length > 0) mine.wrong.push(`simulation ${seed}, ${logs}: ${claims.join('; ')}`);
  }
  const { shortened, whole } = found;
  const isAccepted = shortened.wrong.length <= Math.max(1, shortened.simulations * ACCEPTED_IF_SHORTENED);
  return [...(isAccepted ? [] : shortened.wrong), ...whole.wrong];
}
