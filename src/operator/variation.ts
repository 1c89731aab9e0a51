import { type Behaviour, CORRECT } from './behaviour.ts';

/** What variations in time scale themselves by. */
export interface Scale {
  /** How long the service waits for a whole reply, in milliseconds. */
  readonly deadlineMs: number;
}

/** A way in which an operator differs from the plain correct one: one thing is done otherwise, the rest as it was. */
export interface Variation {
  /** Safe in a shell without quotes. */
  readonly name: string;
  readonly description: string;
  /** The steps that it changes, made anew for each operator: what is remembered is remembered by that one alone. */
  readonly change: (right: Behaviour, scale: Scale) => Partial<Behaviour>;
}

/** The contract's deadline, "Limits". */
const CONTRACT_SCALE: Scale = { deadlineMs: 5000 };

/** The correct behaviour with the variations put in, one upon the other. */
export function behaviourWith(variations: readonly Variation[], scale: Scale = CONTRACT_SCALE): Behaviour {
  let behaviour = CORRECT;
  for (const variation of variations) behaviour = { ...behaviour, ...variation.change(behaviour, scale) };
  return behaviour;
}
