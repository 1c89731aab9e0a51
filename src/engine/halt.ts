import type { Money } from '../contract/money.ts';
import type { Stop } from '../judge/stop.ts';

/** Why a scenario could not be played to its end. */
export interface Halt extends Stop {
  /** The balance that the main session would have to have. */
  readonly needed?: Money;
}

export function halted(reason: string): Halt {
  return { verdict: 'inconclusive', reason, connection: false, causes: [] };
}
